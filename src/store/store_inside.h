/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside store: an open run directory.
 */
#ifndef PG_STORE_STORE_INSIDE_H
#define PG_STORE_STORE_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/clock.h"
#include "engine/canary.h"
#include "store/journal.h"
#include "store/results.h"
#include "store/samples.h"
#include "store/store.h"

/* What is kept per sweep. */
struct sweep_state {
	off_t from, end;  /* part of the journal with its reps; end 0 = none */
	uint64_t session; /* at `from` */
	bool dirty;	  /* changed since its files were refreshed */
};

/* Canaries of the journal, in its order. */
struct pg_canaries {
	struct pg_canary_at {
		uint64_t session; /* that it stands in */
		int64_t ns[PG_CANARIES];
	} * v;
	size_t n, cap;
};

struct pg_compare;

struct pg_store {
	char *dir;
	int dirfd;
	const char *root;
	const struct pg_clock *clock;
	struct pg_plan *plan;
	struct pg_arena arena;
	struct pg_run_info info;
	const char *host, *boot; /* of the first session, for run.json */
	struct pg_samples *samples;
	struct pg_guard_shares *shares;
	struct pg_journal journal;
	off_t size; /* of the journal, whole records */
	struct pg_columns *columns;
	struct sweep_state *sweeps;
	size_t n_sweeps;
	bool for_writing;
	bool cut; /* pg_store_is_cut() */
	uint64_t sessions;
	uint32_t part;	    /* of the session at hand, as rounds were split at its start; 0 = not told */
	const char **boots; /* distinct boot ids, in order; boot_now is 1-based */
	size_t n_boots;
	uint16_t boot_now;
	int64_t synced_ns, refresh_ns; /* last sync; earliest next refresh */
	struct pg_canaries canaries;   /* that replay has found */
	struct pg_canary canary;
	bool with_canary;
	struct pg_compare *compared; /* of the arms, as the files of pg_store_finish() have it; NULL = not made */
	struct pg_observer obs;
	void (*note)(void *ctx, const char *text);
	void *note_ctx;
};

/* rundir.c */
/* Sets dir, dirfd, info.id, and takes the directory by making files/ in it. 1 = made, 0 = was there and empty, -1. */
int pg_rundir_make(struct pg_store *s, const char *dir, struct pg_err *err);
int pg_rundir_open(struct pg_store *s, const char *dir, struct pg_err *err);
int pg_rundir_copy_files(struct pg_store *s, struct pg_err *err);
/* "files/01-sched.yaml" of file i (0-based). */
void pg_rundir_copy_name(size_t i, const char *path, struct pg_str *out);
/* Whose change makes another plan: "DIR/files/01-sched.yaml", or "DIR/files" where there are several. Appended. */
void pg_rundir_copies(const struct pg_store *s, struct pg_str *out);
void pg_rundir_settle(struct pg_store *s);	    /* the directory's own entry onto the disk */
void pg_rundir_latest(struct pg_store *s);	    /* the link in results/NAME; a note where it cannot be made */
void pg_rundir_undo(struct pg_store *s, bool made); /* after a failed start: nothing of ours stays */

/* runjson.c */
#define PG_RUN_JSON "run.json"
struct pg_run_stored {
	struct pg_run_info info;
	const char *host, *boot; /* NULL = not known */
};
int pg_run_json_write(struct pg_store *s, struct pg_err *err);
int pg_run_json_read(int dirfd, const char *dir, struct pg_arena *a, struct pg_run_stored *out, struct pg_err *err);
int pg_run_info_copy(struct pg_arena *a, struct pg_run_info *info); /* its texts into the arena; -1: out of memory */

/* env.c */
int pg_env_write(struct pg_store *s, struct pg_err *err);
struct json_t *pg_env_read(int dirfd); /* env.json; NULL = not there (an older run), or not to be read. The caller's */
/* The clock of the run's first session, from env.json; false = not there (an older run), or not to be read. */
struct pg_env_clock {
	struct pg_clock_figures figures;
	char clocksource[64]; /* "" = not known */
};
bool pg_env_clock(int dirfd, struct pg_env_clock *out);
/*
 * The kernel drew no layout, or not all of one, for each new program: randomize_va_space was known, and not 2, or the
 * run had it switched off for its own (setarch -R).
 */
bool pg_env_one_layout(int dirfd);
/* env_settings.c: those of the run's first session that spread its numbers, "governor powersave, turbo on". Appended.
 */
void pg_env_settings(const struct pg_store *s, struct pg_str *out);
/* Boot id of this machine, "" where there is none. */
void pg_boot_id(const char *root, char *buf, size_t size);

/* store.c */
void pg_store_note(struct pg_store *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int pg_store_boot(struct pg_store *s, const char *boot, struct pg_err *err); /* sets boot_now */
/* A rep of cell `index`, and where it stands in the journal. */
int pg_store_take_rep(struct pg_store *s, size_t index, struct pg_rep_record *r, const struct pg_line_at *at,
		      struct pg_err *err);

/* canaries.c */
int pg_canaries_add(struct pg_canaries *c, uint64_t session, const int64_t ns[PG_CANARIES], struct pg_err *err);
void pg_canaries_release(struct pg_canaries *c);

/* refresh.c */
void pg_store_refresh_first(struct pg_store *s);	      /* sets the date of the first refresh of a session */
int pg_store_refresh(struct pg_store *s, struct pg_err *err); /* sweeps that changed: cells.csv and tables */

#endif
