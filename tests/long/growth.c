/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 1,000 small reps of every bench in one process each: memory, mappings, descriptors and threads must not grow. A
 * Markdown row on stdout; exit 1 when something grew or failed.
 */
#include "registry/registry.h"
#include "tests/support/small_rep.h"

#define REPS  1000
#define FIRST 50   /* reps until caches of the C library are filled */
#define SLACK 8192 /* bytes: buffers of stdio and the like */

static int many(const struct pg_bench *b)
{
	struct sr_around before, after;
	struct sr_memory first = {0, 0}, last;
	struct sr_rep r;
	const char *what;
	int can = sr_open(&r, b);

	if (can != 0) {
		fprintf(stderr, "growth: %s: %s\n", b->name, r.err.msg);
		sr_close(&r);
		return can == 1 ? 2 : 1;
	}
	sr_look(&before);
	for (int i = 1; i <= REPS; i++) {
		if (sr_run(&r, (uint64_t)i) < 0) {
			fprintf(stderr, "growth: %s: rep %d: %s\n", b->name, i, r.err.msg);
			return 1;
		}
		if (i == FIRST)
			first = sr_memory();
	}
	last = sr_memory();
	sr_look(&after);
	what = sr_differs(&before, &after, 0);
	if (what)
		fprintf(stderr, "growth: %s: %s differ\n", b->name, what);
	if (last.allocated > first.allocated + SLACK || last.mappings > first.mappings + 1) {
		fprintf(stderr, "growth: %s: %zu bytes became %zu, %zu mappings became %zu\n", b->name, first.allocated,
			last.allocated, first.mappings, last.mappings);
		what = "memory";
	}
	sr_close(&r);
	return what ? 1 : 0;
}

/* In a process of its own: benches do not see each other's leftovers. 0 good, 1 bad, 2 not here. */
static int apart(const struct pg_bench *b)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(many(b));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	if (WIFSIGNALED(status))
		fprintf(stderr, "growth: %s: killed by signal %d\n", b->name, WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(void)
{
	unsigned count[3] = {0, 0, 0};

	for (size_t s = 0; pg_suites[s]; s++) {
		for (const struct pg_bench *const *b = pg_suites[s]->benches; *b; b++) {
			int r = (*b)->once ? apart(*b) : 0;

			count[r >= 0 && r <= 2 ? r : 1] += (*b)->once ? 1 : 0;
		}
	}
	printf("| %d reps of every bench in one process each | %u without growth, %u not possible here | 0 grow or "
	       "fail | %s |\n",
	       REPS, count[0], count[2], count[1] ? "FAILED" : "ok");
	return count[1] ? 1 : 0;
}
