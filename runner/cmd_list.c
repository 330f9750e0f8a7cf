/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `list`: benches, metrics, functions. */
#include <string.h>

#include "base/str.h"
#include "model/suite.h"
#include "runner/args.h"
#include "runner/commands.h"
#include "runner/report.h"
#include "runner/terminal.h"
#include "runner/world.h"

static void row(struct pg_grid *g, const char *const *fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pg_grid_add(g, fields[i]);
	pg_grid_end_row(g);
}

#define ROW(g, ...)                                                                                                    \
	row(g, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void list_bench(struct pg_grid *g, const struct pg_bench *b)
{
	ROW(g, b->name, b->summary);
}

static void list_metrics(struct pg_grid *g, const struct pg_bench *b)
{
	for (const struct pg_metric *m = b->metrics; m->name; m++)
		if (!(m->flags & PG_M_HIDDEN))
			ROW(g, b->name, m->name, pg_unit_name(m->unit), pg_better_name(m->better), m->doc);
}

/* What the engine measures around every rep. */
static void list_engine(struct pg_grid *g)
{
	for (const struct pg_metric *m = pg_engine_metrics; m->name; m++)
		ROW(g, "(every bench)", m->name, pg_unit_name(m->unit), pg_better_name(m->better), m->doc);
}

static void list_functions(struct pg_grid *g, const struct pg_bench *b)
{
	for (const struct pg_param *p = b->params; p->name; p++) {
		if (strcmp(p->name, "function") != 0)
			continue;
		for (int i = 0; p->choices && p->choices[i].name; i++) {
			const char *why = NULL;
			bool runs = !p->choice_probe || p->choice_probe(i, &why) == 0;

			ROW(g, b->name, p->choices[i].name, runs ? "yes" : why,
			    p->choices[i].doc ? p->choices[i].doc : "");
		}
	}
}

static void each(const struct pg_world *w, struct pg_grid *g, void (*one)(struct pg_grid *g, const struct pg_bench *b))
{
	for (const struct pg_suite *const *s = w->suites; *s; s++)
		for (const struct pg_bench *const *b = (*s)->benches; *b; b++)
			one(g, *b);
}

int pg_cmd_list(struct pg_world *w, const void *opts, const struct pg_args *args)
{
	const char *what = args->n > 0 ? args->operand[0] : "suites";
	struct pg_grid g;
	struct pg_str text;

	(void)opts;
	pg_grid_init(&g);
	if (strcmp(what, "suites") == 0) {
		ROW(&g, "bench", "what it measures");
		each(w, &g, list_bench);
	} else if (strcmp(what, "metrics") == 0) {
		ROW(&g, "bench", "metric", "unit", "better", "what it is");
		each(w, &g, list_metrics);
		list_engine(&g);
	} else if (strcmp(what, "functions") == 0) {
		ROW(&g, "bench", "function", "runs here", "what it is");
		each(w, &g, list_functions);
	} else {
		pg_say(w, "list knows no '%s'; one of suites, metrics, functions", what);
		pg_grid_release(&g);
		return PG_EXIT_USAGE;
	}
	pg_str_init(&text);
	pg_grid_print(&g, &text);
	pg_stdout_text(w, &text);
	pg_str_release(&text);
	pg_grid_release(&g);
	return pg_stdout_done(w, PG_EXIT_OK);
}
