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
	bool left_out; /* some run with the label could not be read */
};
/* Opens and replays its runs; what is wrong with their scenarios was reported, err->code is then PG_OK. */
int pg_compare_side_open(struct pg_world *w, const char *operand, struct pg_compare_side *out, struct pg_err *err);
void pg_compare_side_close(struct pg_compare_side *s);
/* Do they go together? Only where both name an arm, or none, or the other one has no variants. */
int pg_compare_sides_check(const struct pg_compare_side *base, const struct pg_compare_side *new, struct pg_err *err);
bool pg_compare_side_incomplete(const struct pg_compare_side *s); /* some run has not ended as planned */

/* ---- the report ---- */

struct pg_compare_counts {
	size_t verdict[PG_V_UNCLEAR + 1]; /* judged cells and arms */
	size_t missing, left_out, unreached;
	size_t n; /* those of verdict */
};
bool pg_compare_main_row(const struct pg_compare_row *r); /* of the metric that is judged */
/* Does a gate let it be: same, a small or a good change, or left out on purpose? */
bool pg_compare_passes(const struct pg_compare_row *r);
void pg_compare_count(const struct pg_compare *c, struct pg_compare_counts *out);

struct pg_compare_report {
	const struct pg_compare *c;
	const char *base, *new; /* names of the sides; new NULL: the arms of one run */
	const char *dir;	/* of the run that can go on; NULL: there are several */
	bool live;		/* arms of one run, over its rounds */
	bool incomplete;	/* some run has not ended as planned */
	int gate;		/* exit status by the gate's rules */
};
/* A table of what was judged, the counts, and what to do about what is not clear. Appended. */
void pg_compare_text(const struct pg_compare_report *r, struct pg_str *out);
void pg_compare_markdown(const struct pg_compare_report *r, struct pg_str *out);
void pg_compare_json(const struct pg_compare_report *r, struct pg_str *out);
/* "1 regressed, 8 same, 3 unclear", the rules, and the lines of advice, each ended by a newline. */
void pg_compare_closing(const struct pg_compare_report *r, struct pg_str *out);

/* Rows for people: those that do not pass first; of many only what is worth a look. */
struct pg_compare_table {
	const struct pg_compare *c;
	const struct pg_compare_row **row;
	size_t n, hidden; /* hidden: same, and not measured, of many */
	bool sweeps, arms, metrics;
	char base[32], new[32]; /* heads of the columns of values */
	bool named;		/* the heads say which side is which */
	bool failed;		/* out of memory */
};
void pg_compare_table_init(struct pg_compare_table *t, const struct pg_compare_report *r);
void pg_compare_table_release(struct pg_compare_table *t);
/* One row after the other; note NULL: it was the header. Texts hold as long as the call. */
struct pg_compare_sink {
	void (*field)(void *ctx, const char *text);
	void (*end)(void *ctx, const char *note);
	void *ctx;
};
void pg_compare_table_put(const struct pg_compare_table *t, const struct pg_compare_sink *to);
/* What stands above the table: the metric and its direction, and the sides where the heads do not name them. */
void pg_compare_table_title(const struct pg_compare_table *t, const struct pg_compare_report *r, struct pg_str *out);

/* After a run with variants: the table on standard error. */
void pg_compare_say(const struct pg_world *w, struct pg_store *s);

/* ---- numbers and words, appended ---- */

/* "4.975 ms": v in the unit and with the digits that suit `beside` too (NaN = none). Nothing for NaN. */
void pg_compare_value_text(enum pg_unit unit, double v, double beside, struct pg_str *out);
void pg_compare_change_text(const struct pg_compare_row *r, struct pg_str *out); /* "+2.6 %" */
void pg_compare_percent_text(double fraction, struct pg_str *out);		 /* "0.79 %", "12 %" */
void pg_compare_p_text(double p, struct pg_str *out);				 /* "0.0158", "<0.0001" */
double pg_compare_about(double rounds);						 /* rounded up to two digits */
/* "groups=4 size=1KB": the axes without the arm, else the name of the sweep; of a missing cell what either side varies.
 */
void pg_compare_cell_text(const struct pg_compare *c, const struct pg_compare_row *r, struct pg_cell_buf *buf,
			  struct pg_str *out);

/* ---- the gate ---- */

struct pg_gate {
	bool inconclusive_passes, inconclusive_fails, missing_passes;
};
int pg_gate_status(const struct pg_compare *c, const struct pg_gate *g); /* 0, 1, 4, 5 */

#endif
