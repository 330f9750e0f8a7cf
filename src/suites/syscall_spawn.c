/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What syscall/fork and syscall/execve share: the parent's memory, and the end of a child. */
#include "suites/syscall.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int pg_syscall_ballast(struct pg_syscall_ballast *b, uint64_t size, struct pg_err *err)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char text[PG_NUM_BUF];
	unsigned char *p;

	*b = (struct pg_syscall_ballast){0};
	if (size == 0)
		return 0;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		pg_size_format(text, size);
		return pg_fail_sys(err, "cannot map a parent_size of %s; take a smaller one", text);
	}
	*b = (struct pg_syscall_ballast){p, size};
	/* A kernel without huge pages does not know the advice and needs none. */
	if (madvise(p, size, MADV_NOHUGEPAGE) && errno != EINVAL)
		return pg_fail_sys(err, "cannot advise against transparent huge pages");
	for (uint64_t at = 0; at < size; at += page)
		p[at] = 1;
	return 0;
}

void pg_syscall_ballast_drop(struct pg_syscall_ballast *b)
{
	if (b->p)
		munmap(b->p, b->size);
	*b = (struct pg_syscall_ballast){0};
}

/* The page tables of the child: eight bytes for each of the parent's pages. */
void pg_syscall_spawn_need(uint64_t parent_size, struct pg_need *need)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	need->tasks = 1;
	need->bytes = parent_size + parent_size / page * 16 + pg_crew_task_bytes(false, 0);
}

int pg_syscall_reap(pid_t pid, const char *what, struct pg_err *err)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return pg_fail_sys(err, "cannot wait for %s", what);
	if (WIFSIGNALED(status))
		return pg_fail(err, PG_EFAILED, "%s died by signal %d (%s); 0 is the only good end", what,
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) != 0)
		return pg_fail(err, PG_EFAILED, "%s ended with status %d; 0 is the only good one", what,
			       WEXITSTATUS(status));
	return 0;
}
