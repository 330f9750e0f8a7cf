/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JSON Schema (draft 2020-12) of scenario files, from the rows of keys, benches and metrics. It accepts a file
 * whose scalars are YAML numbers and booleans as well as one whose scalars are all text, for the type of a scalar comes
 * from its row. It serves editors: what it cannot say (expressions, ranges, names across keys) the validator does.
 */
#ifndef PG_RUNNER_EMIT_SCHEMA_H
#define PG_RUNNER_EMIT_SCHEMA_H

struct pg_str;
struct pg_suite;

void pg_emit_schema(const struct pg_suite *const *suites, struct pg_str *out);

#endif
