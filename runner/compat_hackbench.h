/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of the hackbench drop-in: compat_hackbench.c (one run, its three lines), compat_hackbench_options.c (options of
 * release 2.40, the older positional words, usage).
 */
#ifndef PG_RUNNER_COMPAT_HACKBENCH_H
#define PG_RUNNER_COMPAT_HACKBENCH_H

#include <stdbool.h>
#include <stddef.h>

struct pg_dropin;
struct pg_str;
struct pg_world;

/* A number as it was typed: its sign and digits, whatever their count. */
struct pg_typed {
	const char *s;
	size_t n;
};

struct pg_hackbench {
	struct pg_world *world;
	const char *prog;      /* argv[0], for messages */
	struct pg_dropin *to;  /* whose params the options set */
	struct pg_typed loops; /* for the banner */
	bool positional;       /* the dialect of before 2010: another banner */
	bool pipe, inet, fifo;
};

enum pg_hackbench_next {
	PG_HB_RUN,
	PG_HB_HELP,  /* usage to standard output, status 0 */
	PG_HB_WRONG, /* told; the usage of the dialect, status 1 */
};
enum pg_hackbench_next pg_hackbench_parse(struct pg_hackbench *h, int argc, char **argv);
void pg_hackbench_usage(const struct pg_hackbench *h, struct pg_str *out);

#endif
