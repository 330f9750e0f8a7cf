/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diagnostics of a validation, apart from report.c: the static hackbench reports too, and must not pull in the store.
 */
#include "runner/report.h"

#include "base/str.h"
#include "store/store.h"

void pg_reporter_report(void *ctx, const struct pg_err *e, bool note)
{
	const struct pg_reporter *r = ctx;
	struct pg_err named = *e;
	struct pg_str copy;

	if (note && r->quiet)
		return;
	pg_str_init(&copy);
	if (r->copies && e->loc.file)
		pg_run_copy_path(r->copies, e->loc.file, &copy);
	if (copy.len)
		named.loc.file = pg_str_text(&copy);
	if (copy.len && !note && r->in_copy)
		*r->in_copy = true;
	pg_report(r->world, &named, note);
	pg_str_release(&copy);
}
