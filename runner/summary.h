/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last words of a session on standard error: counts, reasons, what to do next. */
#ifndef PG_RUNNER_SUMMARY_H
#define PG_RUNNER_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

struct pg_flag_counts;
struct pg_plan;
struct pg_reasons;
struct pg_store_counts;
struct pg_str;
struct pg_world;

struct pg_summary_in {
	const struct pg_plan *plan;
	const struct pg_store_counts *counts;
	const struct pg_reasons *bad;	    /* of cells that failed or timed out in this session */
	const struct pg_flag_counts *flags; /* NULL = not known */
	const char *dir;
	int64_t elapsed_ns;
	bool unfinished; /* cells are left to do */
	bool budget;	 /* `--budget` was given */
	bool quiet;	 /* only what failed */
};
void pg_summary_print(const struct pg_world *w, const struct pg_summary_in *in);
/* A line per flag that some cell has: how many have it, one of them, what to do about it. */
void pg_summary_flags(const struct pg_world *w, const struct pg_plan *plan, const struct pg_flag_counts *n);

/* A run of which pg_store_is_cut() holds. */
void pg_summary_cut(const struct pg_world *w, const char *dir);

/* Appends text as one word of a shell command. */
void pg_shell_word(struct pg_str *out, const char *text);

#endif
