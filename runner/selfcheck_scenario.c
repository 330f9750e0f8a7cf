/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scenario of the self-check: cells that are their own variants. */
#include "runner/selfcheck.h"

#include <string.h>

#include "base/str.h"

const char pg_selfcheck_include[] = "perfgrid: 1\n"
				    "defaults:\n"
				    "  variants: [{label: a}, {label: a2}]\n"
				    "  compare: {looks: none}\n";

/* Two canaries (a loop of the CPU, a copy of 1 MB), a system call, a small copy, and what the scheduler has a say in.
 */
const char pg_selfcheck_builtin[] = "perfgrid: 1\n"
				    "name: self-check\n"
				    "sweeps:\n"
				    "  - name: start\n"
				    "    suite: noop\n"
				    "    process: exec\n"
				    "    set: {elapse: spin, duration: 10ms}\n"
				    "    tables: [{rows: variant, value: wall_time}]\n"
				    "  - {name: syscall, suite: syscall/basic}\n"
				    "  - {name: copy, suite: mem/memcpy, vary: {size: [4KB, 1MB]}}\n"
				    "  - {name: messaging, suite: sched/messaging}\n"
				    "  - {name: pipe, suite: sched/pipe}\n";

/* The line of a top-level key, NULL = none. */
static const char *key_line(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, n) == 0 && line[n] == ':')
			return line;
	}
	return NULL;
}

static void inject(const char *text, struct pg_str *out)
{
	const char *line = key_line(text, "include"), *list = line ? line + strlen("include:") : NULL;

	if (!line) {
		/* Behind the text, so that its places stay. */
		pg_str_addf(out, "%s%sinclude: [" PG_SELFCHECK_FILE "]\n", text,
			    *text && text[strlen(text) - 1] != '\n' ? "\n" : "");
		return;
	}
	list += strspn(list, " ");
	if (*list == '[') {
		pg_str_add(out, text, (size_t)(list + 1 - text));
		pg_str_addf(out, PG_SELFCHECK_FILE ", %s", list + 1);
		return;
	}
	/* A list of lines: the first item says how far they stand in. */
	list = strchrnul(list, '\n');
	pg_str_add(out, text, (size_t)(list - text));
	pg_str_addf(out, "\n%.*s- " PG_SELFCHECK_FILE "%s", *list ? (int)strspn(list + 1, " ") : 2, "          ", list);
}

/* A top-level `x-...` is nobody's, and what stands below keeps its line. */
void pg_selfcheck_inject(const char *text, struct pg_str *out)
{
	const char *line = key_line(text, "sessions");
	struct pg_str one;

	pg_str_init(&one);
	pg_str_add(&one, text, line ? (size_t)(line - text) : 0);
	pg_str_addf(&one, "%s%s", line ? "x-" : "", line ? line : text);
	inject(pg_str_text(&one), out);
	out->failed = out->failed || one.failed;
	pg_str_release(&one);
}
