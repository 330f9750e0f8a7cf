/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of included files. Texts only: the plan reads files through its caller. */
#ifndef PG_PLAN_INCLUDE_H
#define PG_PLAN_INCLUDE_H

#include <stdbool.h>

#include "base/err.h"

struct pg_str;

#define PG_INCLUDE_DEPTH 8u

/* `rel` as from_file means it: relative to the directory of from_file. Appends to out; -1 = out of memory, or rel is
 * empty. */
int pg_include_path(const char *from_file, const char *rel, struct pg_str *out);
/* Do two paths name one file, as far as their text tells (./ // and NAME/.. do not count)? */
bool pg_include_same(const char *a, const char *b);

/* A file being read, and who included it; the scenario itself has from NULL. */
struct pg_include {
	const char *path;
	const struct pg_include *from;
};
/* May `path` be read, included at loc by chain? -1 after an error: a cycle, or more than PG_INCLUDE_DEPTH files inside
 * each other. */
int pg_include_check(const struct pg_include *chain, const char *path, const struct pg_loc *loc, struct pg_diag *d);

#endif
