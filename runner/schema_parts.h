/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the schema emitter: schemas of scalars, of params, of one bench. A `key` NULL makes an item of the array that
 * is open; functions named after members write them into the object that is open.
 */
#ifndef PG_RUNNER_SCHEMA_PARTS_H
#define PG_RUNNER_SCHEMA_PARTS_H

#include <stdbool.h>

struct pg_bench;
struct pg_jout;
struct pg_key;
struct pg_metric;
struct pg_param;
struct pg_str;

/* The name of a bench's definition ("sched.pipe.set"), the member "$ref" to it, and an object that is only this. */
void pg_schema_bench_name(const struct pg_bench *b, const char *what, struct pg_str *out);
void pg_schema_bench_members(struct pg_jout *j, const struct pg_bench *b, const char *what);
void pg_schema_bench_ref(struct pg_jout *j, const char *key, const struct pg_bench *b, const char *what);

/* The member `type` of any scalar; an object that takes any scalar, or a list of them as well. */
void pg_schema_scalar(struct pg_jout *j);
void pg_schema_any(struct pg_jout *j, const char *key, bool list);

/* An object named after the param: one value, or the values of an axis. */
void pg_schema_value(struct pg_jout *j, const struct pg_param *row);
void pg_schema_axis(struct pg_jout *j, const struct pg_param *row);

/* The definitions BENCH.set, .item, .vary, .derive, .table, .quick. */
void pg_schema_bench(struct pg_jout *j, const struct pg_bench *b);

/* The definitions key.NAME of all sweep keys but `suite`. */
void pg_schema_definitions(struct pg_jout *j);
/* An object named after the key. */
void pg_schema_key(struct pg_jout *j, const struct pg_key *row);
/* The key `value` of a table, with these metrics and those of the engine. */
void pg_schema_metrics(struct pg_jout *j, const struct pg_key *row, const struct pg_metric *metrics);
/* Members of an open `properties`: the keys that have one of `with` and none of `without`. */
void pg_schema_properties(struct pg_jout *j, const struct pg_key *rows, unsigned with, unsigned without);
/* The member `required` of a map with such keys. */
void pg_schema_required(struct pg_jout *j, const struct pg_key *rows, unsigned with);
/* Members of a map of such keys and no others. */
void pg_schema_map(struct pg_jout *j, const struct pg_key *rows, unsigned with);

#endif
