/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --help and the man page, both from the command table and the rows. */
#ifndef PG_RUNNER_EMIT_HELP_H
#define PG_RUNNER_EMIT_HELP_H

#include <stddef.h>

struct pg_command;
struct pg_str;
struct pg_suite;

void pg_emit_usage(struct pg_str *out); /* perfgrid --help */
void pg_emit_command_help(const struct pg_command *c, struct pg_str *out);
void pg_emit_man(const struct pg_suite *const *suites, struct pg_str *out);

/* Text filled to `width` columns, every line but the first behind `indent` blanks; the first starts at column `at`. */
void pg_emit_filled(struct pg_str *out, const char *text, size_t at, size_t indent, size_t width);

#endif
