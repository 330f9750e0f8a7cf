/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the YAML reader share. Nobody else includes this. */
#ifndef PG_PLAN_YAML_PARTS_H
#define PG_PLAN_YAML_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "plan/node.h"

#define PG_YAML_DEPTH  64u
#define PG_YAML_COPIES 10000u
#define PG_YAML_BYTES  ((size_t)16 << 20)

/* yaml_copy.c: an alias becomes a copy of what it names. */
enum pg_copy { PG_COPY_OK, PG_COPY_DEPTH, PG_COPY_MANY, PG_COPY_NOMEM };
/*
 * Copies n as a value inside `depth` open lists and maps; *copied counts the nodes of all copies of a file. Keys and
 * text are shared, they never change.
 */
enum pg_copy pg_yaml_copy(const struct pg_node *n, size_t depth, size_t *copied, struct pg_arena *a,
			  struct pg_node **out);

/* yaml_keys.c: reports each key of a map that stands there before; out of memory is reported as well. */
void pg_yaml_unique(const struct pg_node *map, struct pg_diag *d);

/* yaml_error.c: what the library complains of, in terms of the file. Lines and columns are 1-based; line 0 = unknown.
 */
struct pg_yaml_problem {
	const char *problem; /* the library's words; NULL = none */
	const char *context;
	struct pg_loc at, context_at;
};
void pg_yaml_explain(const struct pg_yaml_problem *p, const char *s, size_t n, struct pg_diag *d);
/* The place of byte `off`: the library gives no line and column with bytes it cannot read. */
struct pg_loc pg_yaml_locate(const char *file, const char *s, size_t n, size_t off);
/*
 * NULL, or the encoding by iconv's name that the file has instead of UTF-8. The library would take UTF-16 by its mark;
 * one encoding, so that the bytes of a file mean the same to every tool. The first character of a scenario is ASCII, by
 * which text without a mark shows.
 */
const char *pg_yaml_encoding(const char *s, size_t n);

#endif
