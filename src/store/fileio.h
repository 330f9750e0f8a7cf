/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of a run directory, by descriptor of the directory and name: read whole, and written under a temporary name
 * that is renamed when all of it is there, so that a reader never sees half a file.
 */
#ifndef PG_STORE_FILEIO_H
#define PG_STORE_FILEIO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pg_err;
struct pg_str;

#define PG_FILE_NAME_MAX 200 /* longest name of a result file; the temporary name must fit too */

/* A file being written. Errors of writing are kept and reported by commit. */
struct pg_out {
	int dirfd, fd; /* fd -1: not open */
	char name[PG_FILE_NAME_MAX + 1];
	char tmp[PG_FILE_NAME_MAX + 32]; /* .NAME.PID.tmp */
	int failed;			 /* errno of the first write that failed */
};

int pg_out_open(struct pg_out *o, int dirfd, const char *name, struct pg_err *err);
void pg_out_write(struct pg_out *o, const char *s, size_t n);
/* Renames; `sync`: on the disk before and after. The file is closed and gone from its temporary name whatever happens.
 * PG_EWRITE. */
int pg_out_commit(struct pg_out *o, bool sync, struct pg_err *err);
void pg_out_abort(struct pg_out *o); /* nothing when not open */
/* All three in one. */
int pg_file_put(int dirfd, const char *name, const char *s, size_t n, struct pg_err *err);

/*
 * A file that the user has named by its path: as above beside the target of a link, with the mode of a file that is
 * there; into what is no regular file, such as a pipe or a terminal, and into a file that this process's standard
 * output or error is already, as it comes.
 */
struct pg_path_out {
	struct pg_out out;
	const char *path; /* the caller's */
	bool special;
};
/* PG_EUSAGE: it can not be written. Also for a file that is there and may not be written into, for a named pipe that
 * nobody reads, and for what a run's results are made from: its run.json, env.json, plan.csv, journal and files. */
int pg_path_out_open(struct pg_path_out *o, const char *path, struct pg_err *err);
void pg_path_out_write(struct pg_path_out *o, const char *s, size_t n);
int pg_path_out_commit(struct pg_path_out *o, struct pg_err *err); /* PG_EWRITE */
void pg_path_out_abort(struct pg_path_out *o);

/* write(2) until all is written: 0, or -1 with errno. */
int pg_write_all(int fd, const char *s, size_t n);

/* Reads a regular file of at most `limit` bytes into *out (appended). -1: PG_ESYS, sys is ENOENT where it is absent. */
int pg_file_get(int dirfd, const char *name, size_t limit, struct pg_str *out, struct pg_err *err);
/* The same of a small file of /proc or /sys behind a root path, without its trailing newline; false = not there. */
bool pg_sys_get(const char *root, const char *path, struct pg_str *out);

/* Removes temporary files that a killed process left in the directory. */
void pg_tmp_sweep(int dirfd);

#endif
