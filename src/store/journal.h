/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of journal.jsonl: a header, then a record a line. Writing is one write(2) a record; reading takes the exact
 * shape that is written without jansson and every other JSON with it.
 */
#ifndef PG_STORE_JOURNAL_H
#define PG_STORE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"
#include "engine/canary.h"
#include "engine/rounds.h"
#include "plan/plan.h"
#include "store/store.h"

struct json_t;
struct pg_clock;

#define PG_JOURNAL_NAME "journal.jsonl"

/* ---- writing ---- */

struct pg_journal {
	int fd;	    /* O_APPEND; -1 = closed */
	uint64_t n; /* number of the latest rep record */
	struct pg_str line;
	bool broken;   /* a record may stand half on the disk: nothing more is written */
	bool unsynced; /* written since the latest sync */
};

int pg_journal_header(struct pg_journal *j, const struct pg_plan *p, const struct pg_run_info *info,
		      struct pg_err *err);
/* part 0: not of a scenario with `sessions`. */
int pg_journal_session(struct pg_journal *j, uint64_t number, uint32_t part, const char *boot,
		       const struct pg_clock *clock, struct pg_err *err);
/* A cell's id and, where there are variants, the label of the arm; its metrics say which columns a rep has. */
int pg_journal_cal(struct pg_journal *j, const struct pg_cell *cell, uint64_t ops, struct pg_err *err);
int pg_journal_rep(struct pg_journal *j, const struct pg_cell *cell, const struct pg_rep_record *r, struct pg_err *err);
int pg_journal_end(struct pg_journal *j, const struct pg_cell *cell, enum pg_stop stop, struct pg_err *err);
int pg_journal_retry(struct pg_journal *j, const struct pg_cell *cell, struct pg_err *err);
int pg_journal_canary(struct pg_journal *j, const int64_t ns[PG_CANARIES], struct pg_err *err);
int pg_journal_state(struct pg_journal *j, enum pg_run_state state, struct pg_err *err);
int pg_journal_sync(struct pg_journal *j, struct pg_err *err);
const char *pg_run_state_name(enum pg_run_state s);
int pg_run_state_find(const char *name); /* -1 = none */

/* ---- reading ---- */

enum pg_record_kind {
	PG_REC_HEADER,
	PG_REC_SESSION,
	PG_REC_CAL,
	PG_REC_REP,
	PG_REC_END,
	PG_REC_RETRY,
	PG_REC_CANARY,
	PG_REC_STATE
};

#define PG_RECORD_FACTS	  32
#define PG_RECORD_VARIANT 65 /* a label and its NUL */
/* A number of the journal: value = raw * 10^exp10; plain = no exponent was written, the unit's raw unit holds. */
struct pg_raw {
	int64_t raw;
	int8_t exp10;
	bool plain, missing;
};

struct pg_record {
	enum pg_record_kind kind;
	uint64_t n, cell;
	char variant[PG_RECORD_VARIANT]; /* "" = none */
	uint64_t ops;
	enum pg_stop stop;
	enum pg_run_state state;
	bool warmup;
	uint32_t round, position, attempt;
	bool disturbed, redo;
	bool seeded;
	uint64_t seed;
	enum pg_status status;
	struct pg_raw m[PG_OUT_SAMPLES];
	size_t n_m;
	int64_t f[PG_RECORD_FACTS]; /* PG_FACT_ABSENT = null */
	size_t n_f;
	char why[PG_WHY];
	char boot[64];
	uint32_t part;		     /* SESSION; 0 = not told */
	int64_t canary[PG_CANARIES]; /* ns */
	struct json_t *header;	     /* HEADER: the document, else NULL; pg_record_drop() */
};

/* -1: PG_EINPUT with what is wrong. */
int pg_record_parse(const char *line, size_t n, struct pg_record *r, struct pg_err *err);
void pg_record_drop(struct pg_record *r);				/* frees what it holds */
bool pg_record_status(const char *name, size_t n, enum pg_status *out); /* of a rep */
/* The two ways, for tests: _fast says false where the line has another shape than a written rep record. */
bool pg_record_fast(const char *line, size_t n, struct pg_record *r);
int pg_record_slow(const char *line, size_t n, struct pg_record *r, struct pg_err *err);

/* The cell that a CAL, REP, END or RETRY record is about; SIZE_MAX = the plan has none. */
size_t pg_record_cell(struct pg_plan *p, const struct pg_record *r);

/* What the columns of a sweep's rep records mean in this plan, by name. */
struct pg_columns {
	size_t n_m, n_f;
	size_t m[PG_OUT_SAMPLES]; /* metric row; SIZE_MAX = not known here */
	int f[PG_RECORD_FACTS];	  /* enum pg_fact; -1 */
	bool known;
};
/* From the header's "columns"; `out` has one entry per sweep. -1: PG_EINPUT. */
int pg_columns_read(const struct json_t *header, const struct pg_plan *p, struct pg_columns *out, struct pg_err *err);
/* A rep record as an outcome; -1: the record does not have the columns of its sweep. */
int pg_record_outcome(const struct pg_record *r, const struct pg_columns *c, const struct pg_metric *metrics,
		      struct pg_outcome *out, struct pg_err *err);

/* Line by line through a descriptor, from any offset. */
struct pg_journal_lines {
	int fd;
	char *buf;
	size_t cap, len, at;
	off_t offset; /* of the line handed out last */
	off_t next;   /* of the line after it */
	bool eof;
};
void pg_journal_lines_init(struct pg_journal_lines *l, int fd, off_t from);
void pg_journal_lines_release(struct pg_journal_lines *l);
/* 1: a line, without newline; *whole: it had one. 0: the end. -1: PG_ESYS, PG_ENOMEM. */
int pg_journal_lines_next(struct pg_journal_lines *l, const char **s, size_t *n, bool *whole, struct pg_err *err);

/*
 * Every whole record to `each`, in order, with its place. A last line that is cut or no record is the torn tail: *torn
 * is its offset (-1 = none). PG_EDAMAGED with the line's number and the next step where anything before it is no
 * record, or `each` refuses (PG_EINPUT).
 */
struct pg_line_at {
	size_t line; /* 1-based */
	off_t offset, end;
};
typedef int pg_record_fn(void *ctx, struct pg_record *r, const struct pg_line_at *at, struct pg_err *err);
int pg_journal_scan(int fd, pg_record_fn *each, void *ctx, off_t *torn, struct pg_err *err);

#endif
