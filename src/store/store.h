/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The run directory: everything on disk. One run = one directory, created exclusively; the journal, with plan.csv and
 * run.json, is the source of every CSV.
 */
#ifndef PG_STORE_STORE_H
#define PG_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/rounds.h"
#include "plan/plan.h"

struct pg_clock;
struct pg_store;
struct pg_samples;

enum pg_run_state { PG_RUN_RUNNING, PG_RUN_COMPLETE, PG_RUN_INTERRUPTED };

/* What run.json holds beside the plan itself. */
struct pg_run_info {
	char id[64];		     /* STAMP-xxxx: name of the directory by default */
	const char *name;	     /* scenario */
	const char *label;	     /* "" = none */
	const char *version, *build; /* of perfgrid */
	uint64_t seed, digest;
	enum pg_run_state state;
	int64_t started_wall_ns;
	struct pg_plan_opts opts;
	struct pg_machine machine;
	const char *scenario; /* the FILE as given */
};

struct pg_store_opts {
	const char *dir;  /* -o: new or empty; NULL = results/NAME/STAMP-xxxx below the working directory */
	const char *root; /* "" or fake root, for env.json */
	const struct pg_clock *clock;
	const struct pg_run_info *info; /* id and started are filled by create */
	/* What is no error and should be known: a cut last line, a CSV too large for spreadsheets. NULL = to nobody. */
	void (*note)(void *ctx, const char *text);
	void *note_ctx;
	bool canary; /* between reps the machine itself is timed (canary.h) and the journal told */
};

/*
 * Makes the directory and everything in it but results: files/, env.json, plan.csv, journal header, run.json, `latest`.
 * -1: PG_EUSAGE (exit 2), and nothing is left behind.
 */
int pg_store_create(const struct pg_store_opts *opts, struct pg_plan *plan, struct pg_store **out, struct pg_err *err);

/*
 * Opens an existing run directory. Two steps, for the plan comes from it: pg_run_info_read() gives options and machine,
 * and a reader that serves the copies in DIR/files under their first paths; the caller makes the plan; pg_store_open()
 * takes plan.csv's skip reasons over into it (pg_plan_mark): rounds are made after it. With for_writing the digest must
 * be the run's (PG_EUSAGE), nobody else may be writing (PG_EBUSY), and opts->info gives the options that go into
 * run.json.
 */
int pg_run_info_read(const char *dir, struct pg_arena *a, struct pg_run_info *out, struct pg_err *err);
/* pg_plan_input.read; ctx is the char *dir. */
int pg_run_file_read(void *dir, const char *path, struct pg_str *out, struct pg_err *err);
/* "DIR/files/01-sched.yaml", the copy of the file that had that path; nothing where there is none. Appended. */
void pg_run_copy_path(const char *dir, const char *path, struct pg_str *out);
int pg_store_open(const struct pg_store_opts *opts, struct pg_plan *plan, bool for_writing, struct pg_store **out,
		  struct pg_err *err);

/*
 * Reads the journal once: torn tail cut into journal.torn (only when for_writing), damage before the last line =
 * PG_EDAMAGED. Every record goes into the store's samples, and, where `rounds` is not NULL (one per sweep), into
 * pg_rounds_restore_*().
 */
int pg_store_replay(struct pg_store *s, struct pg_rounds *const *rounds, struct pg_err *err);
/* After replay, of a reader: run.json says that the run is complete, and the journal ends before that. */
bool pg_store_is_cut(const struct pg_store *s);
void pg_store_replayed(struct pg_store *s); /* of a reader of its samples alone: the journal is closed */
/* Cells that ended by failures forget them, also in the journal: a record says so. */
int pg_store_retry_failed(struct pg_store *s, struct pg_err *err);

/* The sessions that begin from here on are of this part of the rounds, as they are split now; 0 = of none. */
void pg_store_part(struct pg_store *s, uint32_t part);
uint32_t pg_store_last_part(const struct pg_store *s); /* of the latest measured rep, 0 = none */
/* A session begins: boot id, clocks. */
int pg_store_session(struct pg_store *s, struct pg_err *err);
/* What rounds should call; valid as long as s. */
const struct pg_observer *pg_store_observer(struct pg_store *s);
/* Writes {"state"}, run.json, all CSVs and tables. */
int pg_store_finish(struct pg_store *s, enum pg_run_state state, struct pg_err *err);
void pg_store_close(struct pg_store *s);
bool pg_store_same_run(const struct pg_store *a, const struct pg_store *b); /* one run, or copies of one */
const char *pg_store_dir(const struct pg_store *s);
/* Status of a cell as it stands in cells.csv. */
enum pg_status pg_store_cell_status(const struct pg_store *s, size_t cell);
/* Counts over all cells, for exit status and the closing line. */
struct pg_store_counts {
	size_t ok, failed, timeout, skipped, unstable, not_run;
};
void pg_store_counts(const struct pg_store *s, struct pg_store_counts *out);

/* CSV style of tables. */
enum pg_csv_style { PG_CSV_PLAIN, PG_CSV_RFC4180, PG_CSV_EXCEL, PG_CSV_EXCEL_EU, PG_CSV_TSV };
int pg_csv_style_find(const char *name); /* "rfc4180", "excel", "excel-eu", "tsv"; -1 */

/* Writes all result files into `dir` (NULL = the run directory) in a style; `written` gets the path of each table. */
int pg_store_write_all(struct pg_store *s, const char *dir, enum pg_csv_style style,
		       void (*written)(void *ctx, const char *path), void *ctx, struct pg_err *err);
/* One table. Files of its own when split or lists make several. */
int pg_store_write_table(struct pg_store *s, const char *dir, size_t sweep, const struct pg_table_spec *t,
			 enum pg_csv_style style, void (*written)(void *ctx, const char *path), void *ctx,
			 struct pg_err *err);
/* The paths of the tables of a sweep, without writing: for check (two alike = error at check) and for run's output. */
int pg_table_names(const struct pg_plan *p, size_t sweep, const struct pg_table_spec *t,
		   int (*name)(void *ctx, const char *file_name, struct pg_err *err), void *ctx, struct pg_err *err);
/*
 * Per table of a sweep: the one whose status file has its shape, itself where it brings that file. SIZE_MAX: no file
 * has it, for its name is that of a table of another shape. Freed by the caller; NULL = out of memory.
 */
size_t *pg_status_owners(const struct pg_sweep *sw, struct pg_err *err);
bool pg_status_same_file(const struct pg_table_spec *a, const struct pg_table_spec *b); /* by name */
/* plan.csv to a stream-like sink; also `perfgrid plan`. */
int pg_plan_csv(const struct pg_plan *p, int (*write)(void *ctx, const char *s, size_t n), void *ctx,
		struct pg_err *err);
/*
 * Reads a CSV (libcsv, strict) and calls row for each, the header too; for terminal tables and tests. Spreadsheet
 * apostrophes are taken away; a row with another number of fields than the header is an error. A row function that
 * answers -1 has filled *err itself.
 */
int pg_csv_read(const char *path, char separator,
		int (*row)(void *ctx, size_t line, const char *const *fields, size_t n), void *ctx, struct pg_err *err);

/* flock on /run/lock/perfgrid.lock, opened before the guardian forks, so that both hold it. */
int pg_lock_open(const char *path, int *fd); /* -1 with errno and *fd -1 where it can be neither opened nor made */
/*
 * wait_ns 0 = at once. -1: PG_EBUSY, the message names the holder's pid; a signal ends the wait. fd -1: 0, with PG_OK
 * and a note in *err, for then nothing is locked.
 */
int pg_lock_take(int fd, int64_t wait_ns, const struct pg_clock *clock, struct pg_err *err);

#endif
