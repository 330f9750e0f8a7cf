/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of `compare`: sides from operands, the report in its formats, the gate. */
#ifndef PG_RUNNER_CMD_COMPARE_H
#define PG_RUNNER_CMD_COMPARE_H

#include "base/arena.h"
#include "store/compare.h"
#include "store/side.h"
#include "store/store.h"

struct pg_str;
struct pg_world;

/* ---- sides ---- */

/* An operand: RUN, RUN@VARIANT, or DIR@LABEL for the runs with that label in DIR. */
struct pg_compare_side {
	struct pg_side side;
	struct pg_run_info *info; /* per run */
	struct pg_arena arena;
};
/* Opens and replays its runs; what is wrong with their scenarios was reported, err->code is then PG_OK. */
int pg_compare_side_open(struct pg_world *w, const char *operand, struct pg_compare_side *out, struct pg_err *err);
void pg_compare_side_close(struct pg_compare_side *s);

/* ---- the report ---- */

struct pg_compare_counts {
	size_t verdict[PG_V_UNCLEAR + 1]; /* judged cells and arms */
	size_t missing, left_out, n;	  /* n: those of verdict */
};
bool pg_compare_main_row(const struct pg_compare_row *r); /* of the metric that is judged */
void pg_compare_count(const struct pg_compare *c, struct pg_compare_counts *out);

struct pg_compare_report {
	const struct pg_compare *c;
	const char *base, *new; /* names of the sides; new NULL: the arms of one run */
};
/* A table of what was judged, the counts, and what to do about what is not clear. Appended. */
void pg_compare_text(const struct pg_compare_report *r, struct pg_str *out);
void pg_compare_markdown(const struct pg_compare_report *r, struct pg_str *out);
void pg_compare_json(const struct pg_compare_report *r, struct pg_str *out);
/* "1 regressed, 8 same, 3 unclear" and the lines of advice, each ended by a newline. */
void pg_compare_closing(const struct pg_compare_report *r, struct pg_str *out);

/* After a run with variants: the table on standard error. */
void pg_compare_say(const struct pg_world *w, const struct pg_store *s);

/* ---- the gate ---- */

struct pg_gate {
	bool inconclusive_passes, inconclusive_fails, missing_passes;
};
int pg_gate_status(const struct pg_compare *c, const struct pg_gate *g); /* 0, 1, 4, 5 */

#endif
