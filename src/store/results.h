/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CSV files of a sweep, each written whole. All of them depend only on plan and journal.
 */
#ifndef PG_STORE_RESULTS_H
#define PG_STORE_RESULTS_H

#include <stdbool.h>

#include "plan/plan.h"
#include "store/fileio.h"
#include "store/samples.h"
#include "store/store.h"

struct pg_columns;
struct pg_csv;
struct pg_guard_shares;
struct pg_values;

/* What a writer of results needs. */
struct pg_results {
	struct pg_plan *plan; /* not changed, but for its index of ids */
	const struct pg_samples *samples;
	struct pg_guard_shares *shares;
	bool interrupted; /* the run ended before its plan: cells that went on say so */
	int rundir;	  /* of the run: what its env.json says of the clock */
	int dirfd;	  /* where files go */
	const char *dir;  /* its name, for paths handed out */
	enum pg_csv_style style;
	void (*written)(void *ctx, const char *path); /* each table; may be NULL */
	void *written_ctx;
	void (*note)(void *ctx, const char *text); /* may be NULL */
	void *note_ctx;
};

/* A CSV file in a results directory: opened, rows put into .csv, closed. */
struct pg_csv_file;
struct pg_csv_file *pg_csv_file_open(const struct pg_results *r, const char *name, struct pg_err *err);
struct pg_csv *pg_csv_file_rows(struct pg_csv_file *f);
/* keep false: the file is dropped. A note goes out where a spreadsheet would cut it. */
int pg_csv_file_close(struct pg_csv_file *f, bool keep, struct pg_err *err);

/* Fixed columns, for tests and docs: names ended by NULL. */
extern const char *const pg_cells_head[], *const pg_cells_tail[]; /* around the params of SWEEP.cells.csv */
extern const char *const pg_samples_head[];			  /* before the params of SWEEP.samples.csv */

int pg_cells_write(const struct pg_results *r, const struct pg_sweep *sw, struct pg_err *err);
/* Reads the journal again, from `from` on: warm-ups, failures and facts are not in memory. */
struct pg_journal_part {
	int fd;
	off_t from, end;
	uint64_t session;		  /* at `from` */
	const struct pg_columns *columns; /* per sweep */
};
int pg_samples_write(const struct pg_results *r, const struct pg_sweep *sw, const struct pg_journal_part *j,
		     struct pg_err *err);
/*
 * Tables and status tables of a sweep. `values` keeps what was folded, for further tables of the same sweep; it ends
 * with pg_values_free().
 */
int pg_values_new(const struct pg_results *r, const struct pg_sweep *sw, struct pg_values **out, struct pg_err *err);
void pg_values_free(struct pg_values *v);
/* One number per cell of the sweep; NaN = empty. Kept by v. */
const double *pg_values_get(struct pg_values *v, size_t metric, enum pg_statistic which, struct pg_err *err);
enum pg_status pg_values_status(const struct pg_values *v, size_t cell); /* cell of the sweep */
int pg_table_write(const struct pg_results *r, const struct pg_sweep *sw, const struct pg_table_spec *t,
		   struct pg_values *v, struct pg_err *err);
int pg_status_write(const struct pg_results *r, const struct pg_sweep *sw, const struct pg_table_spec *t,
		    struct pg_values *v, struct pg_err *err);

#endif
