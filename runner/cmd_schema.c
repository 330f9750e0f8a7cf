/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `schema`, and `generate` for the files that are committed: texts made from the rows. */
#include <string.h>

#include "base/str.h"
#include "runner/commands.h"
#include "runner/emit_help.h"
#include "runner/emit_schema.h"
#include "runner/report.h"
#include "runner/world.h"

static int print(struct pg_world *w, void (*emit)(const struct pg_suite *const *suites, struct pg_str *out))
{
	struct pg_str text;

	pg_str_init(&text);
	emit(w->suites, &text);
	pg_stdout_text(w, &text);
	pg_str_release(&text);
	return pg_stdout_done(w, PG_EXIT_OK);
}

int pg_cmd_schema(struct pg_world *w, const void *opts, const struct pg_args *args)
{
	(void)opts;
	(void)args;
	return print(w, pg_emit_schema);
}

int pg_cmd_generate(struct pg_world *w, const void *opts, const struct pg_args *args)
{
	(void)opts;
	if (strcmp(args->operand[0], "man") == 0)
		return print(w, pg_emit_man);
	if (strcmp(args->operand[0], "schema") == 0)
		return print(w, pg_emit_schema);
	pg_say(w, "generate knows no '%s'; one of man, schema", args->operand[0]);
	return PG_EXIT_USAGE;
}
