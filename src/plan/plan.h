/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From scenario text to cells. A plan is a pure function of files, options and machine: `tables` rebuilds it elsewhere.
 * No array of cells exists: a cell is made from its index.
 */
#ifndef PG_PLAN_PLAN_H
#define PG_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/cell.h"
#include "model/suite.h"
#include "plan/values.h"

struct pg_plan;
struct pg_str;

/* Selection from the command line; all of it stands in run.json and the digest. Texts are the caller's, kept by
 * reference. */
struct pg_plan_opts {
	bool quick;
	const char *only;		      /* expression; NULL = none */
	const char *const *set, *const *vary; /* "[SWEEP.]name=value" */
	size_t n_set, n_vary;
	uint32_t repeat; /* 0 = not given */
	const uint32_t
		*earlier;    /* `repeat` of earlier starts of the run, where it was another: their looks are spent */
	size_t n_earlier;    /* at most PG_ENDS */
	bool against_itself; /* the self-check: each cell in two equal arms, in one session */
	bool has_warmup;
	uint32_t warmup;
	size_t max_cells; /* 0 = 1,000,000 */
};

struct pg_plan_input {
	const char *file; /* path as given; messages carry it */
	/* Reads a file into *out; -1 with err (no regular file, too large, ...). ctx is the caller's. */
	int (*read)(void *ctx, const char *path, struct pg_str *out, struct pg_err *err);
	void *read_ctx;
	const struct pg_suite *const *suites; /* the registry, ended by NULL */
	const struct pg_machine *machine;
	const struct pg_plan_opts *opts; /* NULL = none */
	const char *version;		 /* of perfgrid: part of the digest; NULL = "" */
};

/* A file of the scenario, in order of reading: the main file first. */
struct pg_plan_file {
	const char *path; /* as opened */
	const char *bytes;
	size_t n;
};

struct pg_axis {
	const char *name;
	bool bundle;
	size_t param; /* row; bundles: unused */
	size_t n;
	const struct pg_value *vals; /* !bundle */
	const char *const
		*labels;    /* what stands in tables and CSV: bundles their labels; words and expressions as written */
	const size_t *rank; /* place in tables: numbers ascend, words and labels keep file order */
	bool has_label;	    /* some value came from a machine word or expression: CSV has NAME and NAME.label */
};

enum pg_statistic {
	PG_STAT_MEDIAN,
	PG_STAT_MEAN,
	PG_STAT_MIN,
	PG_STAT_MAX,
	PG_STAT_BEST,
	PG_STAT_SD,
	PG_STAT_SD_PCT,
	PG_STAT_MAD,
	PG_STAT_Q25,
	PG_STAT_Q75,
	PG_STAT_N,
	PG_STAT_CI_LO,
	PG_STAT_CI_HI,
	PG_STAT_CI_PCT,
	PG_STAT_MODE,	  /* median of the mode that most reps are in; of all where there are not two modes */
	PG_STAT_MODE_PCT, /* share of that mode in percent */
};
#define PG_STATISTICS 16
extern const char *const pg_statistic_names[PG_STATISTICS];

/* What is placed on rows, columns or split: an axis, or the lists of value and statistic. */
enum pg_place { PG_PLACE_AXIS, PG_PLACE_METRIC, PG_PLACE_STATISTIC };
struct pg_placed {
	enum pg_place place;
	size_t axis; /* PG_PLACE_AXIS */
};

struct pg_table_spec {
	const char *name; /* NULL = none */
	const struct pg_placed *rows, *columns, *split;
	size_t n_rows, n_columns, n_split; /* rows may be 0: one row named after the sweep */
	const size_t *metrics;		   /* rows of the sweep's metrics */
	size_t n_metrics;
	const enum pg_statistic *stats;
	size_t n_stats;
	const char *unit; /* NULL = base unit */
	bool relative;
	size_t relative_axis, relative_value;
	struct pg_loc loc;
};

struct pg_sweep {
	const char *name, *description;
	size_t index, first_cell, n_cells;
	const struct pg_bench *bench;
	const struct pg_param *params;
	size_t n_params;
	const bool *labelled;		 /* per param: CSV has NAME.label too */
	const struct pg_metric *metrics; /* bench's, pg_engine_metrics, declared; ended by name NULL */
	size_t n_bench_metrics, n_metrics;
	size_t main_metric, stop_metric;
	const struct pg_axis *axes;
	size_t n_axes;
	size_t n_variants; /* arms of each cell: values of the last axis, which is `variant`; 1 = none */
	const struct pg_table_spec *tables; /* at least one */
	size_t n_tables;
	struct pg_rules rules;
	struct pg_loc loc;
};

/* -1 after errors, all of which went to d (at most 20). Notes go to d as well. */
int pg_plan_load(const struct pg_plan_input *in, struct pg_plan **out, struct pg_diag *d);
void pg_plan_free(struct pg_plan *p);

const char *pg_plan_name(const struct pg_plan *p);
const char *pg_plan_description(const struct pg_plan *p); /* "" = none */
const struct pg_plan_file *pg_plan_files(const struct pg_plan *p, size_t *n);
size_t pg_plan_sweeps(const struct pg_plan *p);
const struct pg_sweep *pg_plan_sweep(const struct pg_plan *p, size_t i);
size_t pg_plan_cells(const struct pg_plan *p);
uint32_t pg_plan_sessions(const struct pg_plan *p); /* parts that the rounds of a run are split into; at least 1 */
/* 64 bits over all that shapes a rep (DESIGN 5, --resume). */
uint64_t pg_plan_digest(const struct pg_plan *p);

/* Room for one cell; a caller has one or more. */
struct pg_cell_buf;
struct pg_cell_buf *pg_cell_buf_new(const struct pg_plan *p);
void pg_cell_buf_free(struct pg_cell_buf *b);
/* Cell by index; valid until the next call with the same buf. Never fails after a successful load. */
const struct pg_cell *pg_plan_cell(const struct pg_plan *p, size_t index, struct pg_cell_buf *b);
/* The skip of a cell and its reason (why may be NULL), without making the cell. */
enum pg_skip pg_plan_skip(const struct pg_plan *p, size_t index, const char **why);
/* The label of param i of a cell where the CSV has NAME.label, else NULL. */
const char *pg_plan_label(const struct pg_plan *p, const struct pg_cell *c, size_t param);
/* Marks a cell (preflight). The reason is kept once per distinct text. */
int pg_plan_mark(struct pg_plan *p, size_t index, enum pg_skip skip, const char *why);
/* Index by id, SIZE_MAX = none; the index is built at the first call (about 12 B a cell). With variants: of the
 * baseline; arm v of the cell is v places further. */
size_t pg_plan_find(struct pg_plan *p, uint64_t id);
/* The arm of that cell whose label it is; NULL = of a sweep without variants. SIZE_MAX = none. */
size_t pg_plan_find_arm(struct pg_plan *p, uint64_t id, const char *variant);
/* A further table on a sweep, for `tables --rows ...`: spec texts as on the command line. -1 with *err. */
struct pg_table_request {
	const char *rows, *columns, *split, *value, *statistic, *unit, *relative_to,
		*name; /* comma lists; NULL = not given */
};
int pg_plan_add_table(struct pg_plan *p, size_t sweep, const struct pg_table_request *req, struct pg_table_spec *out,
		      struct pg_err *err);

#endif
