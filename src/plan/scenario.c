/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pg_plan_load(): the way from files to a plan, and what every step of it shares. */
#include "plan/sweep.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

void *pg_build_array(struct pg_build *b, size_t n, size_t size)
{
	void *p = pg_arena_array(b->a, n ? n : 1, size);

	if (!p)
		pg_diag_error(&b->d, NULL, "out of memory");
	return p;
}

const char *pg_build_printf(struct pg_build *b, const char *fmt, ...)
{
	char small[256];
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	s = n < 0 ? NULL : pg_build_array(b, (size_t)n + 1, 1);
	if (!s)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

/* The same thing found twice, in a map of defaults that each sweep looks at, is told once. */
static bool is_new(struct pg_build *b, const struct pg_err *e)
{
	uint64_t h = pg_fnv1a(PG_FNV_INIT, e->msg, strlen(e->msg));

	h = pg_fnv1a(h, e->loc.file ? e->loc.file : "", e->loc.file ? strlen(e->loc.file) : 0);
	h = pg_fnv1a(h, &e->loc.line, sizeof(e->loc.line));
	h = pg_fnv1a(h, &e->loc.col, sizeof(e->loc.col));
	for (size_t i = 0; i < b->n_seen; i++)
		if (b->seen[i] == h)
			return false;
	if (b->n_seen < sizeof(b->seen) / sizeof(b->seen[0]))
		b->seen[b->n_seen++] = h;
	return true;
}

static void report(void *ctx, const struct pg_err *e, bool note)
{
	struct pg_build *b = ctx;

	if (note && b->quick_check)
		return;
	if (!is_new(b, e)) {
		b->d.errors -= !note; /* it was counted when it was new */
		return;
	}
	if (note)
		pg_diag_note(b->out, &e->loc, "%s", e->msg);
	else
		pg_diag_pass(b->out, e);
}

static int check_cells(struct pg_build *b)
{
	const char *file = b->in->file;

	if (b->plan->n_cells == 0)
		return pg_diag_error(&b->d, &(struct pg_loc){.file = file},
				     "the plan has no cell; `sweeps` needs at least one");
	return 0;
}

static int load(struct pg_build *b)
{
	b->set_taken = pg_build_array(b, b->opts.n_set, sizeof(bool));
	b->vary_taken = pg_build_array(b, b->opts.n_vary, sizeof(bool));
	if (!b->set_taken || !b->vary_taken || pg_scenario_read(b))
		return -1;
	for (size_t i = 0; i < b->n_drafts && !pg_diag_full(&b->d); i++)
		if (!b->quick_check || b->drafts[i].quick)
			pg_sweep_make(&b->drafts[i]);
	if (b->quick_check || pg_select_all_taken(b) || b->d.errors)
		return b->d.errors ? -1 : 0;
	pg_variants_unused(b);
	return check_cells(b) || pg_select_only(b) ? -1 : 0;
}

static struct pg_plan *begin(struct pg_build *b, const struct pg_plan_input *in, struct pg_diag *out)
{
	struct pg_plan *p = calloc(1, sizeof(*p));

	*b = (struct pg_build){.in = in, .out = out, .plan = p};
	if (!p) {
		pg_diag_error(out, NULL, "out of memory");
		return NULL;
	}
	pg_arena_init(&p->arena, true);
	p->sessions = 1;
	memcpy(p->words, in->machine->word, sizeof(p->words));
	b->a = &p->arena;
	pg_nameset_init(&b->sweep_names, true);
	b->d = (struct pg_diag){.report = report, .ctx = b};
	if (in->opts)
		b->opts = *in->opts;
	return p;
}

/* The plan stays the caller's. */
static void end(struct pg_build *b)
{
	pg_nameset_release(&b->sweep_names);
}

/* A quick form is read and expanded even where it is not asked for: `check` must not leave its errors to the first `run
 * --quick`. */
static int check_quick(const struct pg_build *b)
{
	bool any = false;
	struct pg_build q;
	int rc;

	for (size_t i = 0; i < b->n_drafts; i++)
		any |= b->drafts[i].quick != NULL;
	if (!any || b->opts.quick)
		return 0;
	if (!begin(&q, b->in, b->out))
		return -1;
	q.opts = (struct pg_plan_opts){.quick = true, .max_cells = b->opts.max_cells};
	q.quick_check = true;
	rc = load(&q);
	end(&q);
	pg_plan_free(q.plan);
	return rc;
}

int pg_plan_load(const struct pg_plan_input *in, struct pg_plan **out, struct pg_diag *d)
{
	unsigned before = d->errors;
	struct pg_build b;
	int rc;

	if (!begin(&b, in, d))
		return -1;
	rc = load(&b) || check_quick(&b) ? -1 : 0;
	end(&b);
	if (rc) {
		if (d->errors == before && !pg_diag_full(d))
			pg_diag_error(d, NULL, "the scenario could not be read");
		pg_plan_free(b.plan);
		return -1;
	}
	b.plan->digest = pg_digest_make(b.plan, in->version ? in->version : "");
	*out = b.plan;
	return 0;
}
