/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `describe`: the rows of a bench, and whether it can run here. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/suite.h"
#include "plan/keys.h"
#include "runner/commands.h"
#include "runner/emit_help.h"
#include "runner/planning.h"
#include "runner/report.h"
#include "runner/terminal.h"
#include "runner/world.h"

static const char *type_name(enum pg_type t)
{
	switch (t) {
	case PG_BOOL:
		return "true or false";
	case PG_COUNT:
		return "count";
	case PG_SIZE:
		return "size";
	case PG_TIME:
		return "time";
	case PG_REAL:
		return "number";
	case PG_ENUM:
		return "choice";
	case PG_CPULIST:
		return "CPU list";
	case PG_NODELIST:
		return "node list";
	case PG_TEXT:
		return "text";
	}
	return "";
}

/* The choices of an enum, else the range. */
static void add_range(const struct pg_param *p, struct pg_str *out)
{
	if (p->type != PG_ENUM) {
		pg_param_range(p, out);
		return;
	}
	for (const struct pg_choice *c = p->choices; c && c->name; c++)
		pg_str_addf(out, "%s%s", c == p->choices ? "" : " ", c->name);
	if (p->role & PG_ALL)
		pg_str_adds(out, "; `all`");
}

static void add_param(struct pg_str *out, const struct pg_param *p)
{
	const char *def = pg_param_default(p);
	struct pg_str range;

	pg_str_init(&range);
	add_range(p, &range);
	pg_str_addf(out, "  %s (%s, default %s)\n      ", p->name, type_name(p->type), def ? def : "unset");
	pg_emit_filled(out, p->doc, 6, 6, 80);
	if (range.len > 0) {
		pg_str_adds(out, "      ");
		pg_emit_filled(out, pg_str_text(&range), 6, 6, 80);
	}
	for (int i = 0; p->choices && p->choices[i].name; i++) {
		const char *why = NULL;

		if (p->choice_probe && p->choice_probe(i, &why) != 0)
			pg_str_addf(out, "      %s cannot run here: %s\n", p->choices[i].name, why);
	}
	pg_str_release(&range);
}

static void add_metric(struct pg_str *out, const struct pg_metric *m, bool main_one)
{
	if (m->flags & PG_M_HIDDEN)
		return;
	pg_str_addf(out, "  %s (%s%s)%s\n      ", m->name, pg_unit_name(m->unit),
		    m->better == PG_LOWER    ? ", lower is better"
		    : m->better == PG_HIGHER ? ", higher is better"
					     : "",
		    main_one ? " *" : "");
	pg_emit_filled(out, m->doc, 6, 6, 80);
}

/* A scenario of one cell, at the defaults, so that plan and preflight treat it as any other. */
struct smallest {
	const struct pg_bench *bench;
};

static int read_smallest(void *ctx, const char *path, struct pg_str *out, struct pg_err *err)
{
	const struct smallest *s = ctx;

	(void)path;
	(void)err;
	pg_str_addf(out, "perfgrid: 1\nname: x\nsweeps:\n  - name: x\n    suite: %s\n", s->bench->name);
	if (!s->bench->params[0].name)
		pg_str_adds(out, "    command: ['true']\n");
	return 0;
}

/* Appends why the bench cannot run here with its defaults; nothing when it can. */
static void add_reason(struct pg_str *out, const struct pg_here *here, const struct pg_bench *b)
{
	struct smallest s = {.bench = b};
	struct pg_plan_opts shape = {.quick = false};
	struct pg_reporter reporter = {.world = here->world, .quiet = true};
	struct pg_load load = {
		.suites = here->world->suites,
		.machine = &here->machine,
		.opts = &shape,
		.read = read_smallest,
		.read_ctx = &s,
	};
	struct pg_plan *plan;
	struct pg_cell_buf *buf;
	struct pg_err err;

	if (pg_load_plan(&load, b->name, &reporter, &plan) != 0)
		return;
	buf = pg_cell_buf_new(plan);
	if (buf && pg_mark_plan(here, plan, NULL, &err) == 0 && pg_plan_cell(plan, 0, buf)->skip != PG_NOT_SKIPPED)
		pg_str_addf(out, "\ncannot run here: %s\n", pg_plan_cell(plan, 0, buf)->why);
	pg_cell_buf_free(buf);
	pg_plan_free(plan);
}

/* What stands beside `suite` where the scenario brings its own params. */
static void add_keys(struct pg_str *out)
{
	pg_str_adds(out, "\nkeys:\n");
	for (const struct pg_key *k = pg_sweep_keys; k->name; k++) {
		if (!(k->flags & PG_KEY_EXEC))
			continue;
		pg_str_addf(out, "  %s (%s)\n      ", k->name, pg_form_text(k->form));
		pg_emit_filled(out, k->doc, 6, 6, 80);
	}
}

static void describe(struct pg_str *out, const struct pg_here *here, const struct pg_bench *b)
{
	size_t main_row = pg_metric_main(b->metrics, false), auto_row = pg_metric_main(b->metrics, true);

	pg_str_addf(out, "%s: %s\n", b->name, b->summary);
	add_reason(out, here, b);
	if (!b->params[0].name)
		add_keys(out);
	pg_str_adds(out, "\nparams:\n");
	if (!b->params[0].name)
		pg_str_adds(out, "  those that the scenario names in set, vary and derive\n");
	for (const struct pg_param *p = b->params; p->name; p++)
		add_param(out, p);
	pg_str_adds(out, "\nmetrics (* the main one):\n");
	for (size_t i = 0; b->metrics[i].name; i++)
		add_metric(out, &b->metrics[i], i == main_row || i == auto_row);
	pg_str_adds(out, "  and of every rep:");
	for (const struct pg_metric *m = pg_engine_metrics; m->name; m++)
		pg_str_addf(out, " %s%s", m->name, m == pg_engine_metrics && !b->metrics[0].name ? " *" : "");
	pg_str_adds(out, "\n");
}

static int unknown(const struct pg_world *w, const char *name)
{
	const char *names[256], *near;
	size_t n = 0;

	for (const struct pg_suite *const *s = w->suites; *s; s++) {
		for (const struct pg_bench *const *b = (*s)->benches; *b && n < 255; b++)
			names[n++] = (*b)->name;
		if (n < 256)
			names[n++] = (*s)->name;
	}
	near = pg_nearest(name, names, n);
	if (near)
		pg_say(w, "no bench '%s'; the nearest is '%s'", name, near);
	else
		pg_say(w, "no bench '%s'; `perfgrid list` shows them", name);
	return PG_EXIT_USAGE;
}

int pg_cmd_describe(struct pg_world *w, const void *opts, const struct pg_args *args)
{
	const char *name = args->operand[0];
	struct pg_here here;
	struct pg_str text;
	struct pg_err err;
	size_t found = 0;

	(void)opts;
	if (pg_here_open(&here, w, &err) != 0)
		return pg_fail_status(w, &err);
	pg_str_init(&text);
	for (const struct pg_suite *const *s = w->suites; *s; s++) {
		bool whole = strcmp((*s)->name, name) == 0;

		for (const struct pg_bench *const *b = (*s)->benches; *b; b++) {
			if (!whole && strcmp((*b)->name, name) != 0)
				continue;
			pg_str_adds(&text, found++ ? "\n" : "");
			describe(&text, &here, *b);
		}
	}
	pg_here_close(&here);
	pg_stdout_text(w, &text);
	pg_str_release(&text);
	return found ? pg_stdout_done(w, PG_EXIT_OK) : unknown(w, name);
}
