/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scenario, and after form feeds: an included file, --set, --vary, --only; a first `q` after the last one is --quick.
 * Messages, or a plan whose cells have values in range and ids that lead back to them, and which is the same when it is
 * made again.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "plan/plan.h"
#include "registry/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PARTS 6

struct input {
	const char *part[PARTS]; /* NULL = not there */
};

static int read_part(void *ctx, const char *path, struct pg_str *out, struct pg_err *err)
{
	const struct input *in = ctx;
	const char *text = in->part[strcmp(path, "main.yaml") == 0 ? 0 : 1];

	if (!text)
		return pg_fail(err, PG_EINPUT, "no such file");
	pg_str_adds(out, text);
	return 0;
}

static void split(struct input *in, char *text)
{
	memset(in, 0, sizeof(*in));
	for (size_t i = 0; i < PARTS && text; i++) {
		char *end = strchr(text, '\f');

		in->part[i] = text;
		if (end)
			*end++ = '\0';
		text = end;
	}
}

static int load(struct input *in, struct pg_plan **plan)
{
	static const struct pg_machine machine = {{4, 2, 1, 1, 1}, NULL, 0};
	struct pg_plan_opts opts = {.max_cells = 2000};
	struct pg_plan_input input = {.file = "main.yaml",
				      .read = read_part,
				      .read_ctx = in,
				      .suites = pg_suites,
				      .machine = &machine,
				      .opts = &opts};
	struct pg_diag d = {NULL, NULL, 0, 0};
	int rc;

	opts.set = &in->part[2];
	opts.n_set = in->part[2] && *in->part[2];
	opts.vary = &in->part[3];
	opts.n_vary = in->part[3] && *in->part[3];
	opts.only = in->part[4] && *in->part[4] ? in->part[4] : NULL;
	opts.quick = in->part[5] && *in->part[5] == 'q';
	rc = pg_plan_load(&input, plan, &d);
	assert((rc != 0) == (d.errors > 0));
	return rc;
}

static void look(struct pg_plan *plan)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(plan), *other = pg_cell_buf_new(plan);
	size_t n = pg_plan_cells(plan);

	assert(buf && other && n > 0 && n <= 2000);
	for (size_t i = 0; i < n; i++) {
		const struct pg_cell *c = pg_plan_cell(plan, i, buf);
		struct pg_err err;

		assert(c->index == i && c->sweep < pg_plan_sweeps(plan));
		assert((c->skip == PG_NOT_SKIPPED) == (c->why == NULL));
		for (size_t p = 0; p < c->n_params && c->skip == PG_NOT_SKIPPED; p++)
			assert(pg_value_check_range(&c->params[p], &c->vals[p], &err) == 0);
		if (i % 7 == 0)
			assert(pg_plan_cell(plan, i, other)->id == c->id);
		assert(pg_plan_find_arm(plan, c->id, c->variant_label) == i);
		assert(c->variant < c->n_variants && pg_plan_find(plan, c->id) == i - c->variant);
	}
	pg_cell_buf_free(buf);
	pg_cell_buf_free(other);
}

static void look_at_tables(const struct pg_plan *plan)
{
	for (size_t i = 0; i < pg_plan_sweeps(plan); i++) {
		const struct pg_sweep *s = pg_plan_sweep(plan, i);

		assert(s->n_tables > 0 && s->stop_metric < s->n_metrics && s->main_metric < s->n_metrics);
		for (size_t t = 0; t < s->n_tables; t++) {
			const struct pg_table_spec *spec = &s->tables[t];

			assert(spec->n_metrics > 0 && spec->n_stats > 0);
			for (size_t k = 0; k < spec->n_rows; k++)
				assert(spec->rows[k].place != PG_PLACE_AXIS || spec->rows[k].axis < s->n_axes);
			for (size_t k = 0; k < spec->n_metrics; k++)
				assert(spec->metrics[k] < s->n_metrics);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pg_plan *plan = NULL, *again = NULL;
	struct input in;
	struct pg_arena a;
	char *text;

	pg_arena_init(&a, false);
	text = pg_arena_strndup(&a, (const char *)data, size);
	split(&in, text);
	if (load(&in, &plan) == 0) {
		look(plan);
		look_at_tables(plan);
		assert(load(&in, &again) == 0);
		assert(pg_plan_digest(plan) == pg_plan_digest(again));
		pg_plan_free(again);
		pg_plan_free(plan);
	}
	pg_arena_release(&a);
	return 0;
}
