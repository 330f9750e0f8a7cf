/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.csv, written and read back.
 */
#include "store/plan_csv.h"

#include <string.h>

#include "base/err.h"
#include "store/csv_read.h"
#include "store/csv_write.h"
#include "store/params_csv.h"
#include "store/reason.h"
#include "store/store.h"

static const char *const fixed[] = {"cell", "sweep", "suite", "line", "skip", "reason"};
#define FIXED (sizeof(fixed) / sizeof(*fixed))

static const char *const skip_names[] = {
	[PG_NOT_SKIPPED] = NULL,
	[PG_SKIP_RULE] = "rule",
	[PG_SKIP_PREFLIGHT] = "preflight",
	[PG_SKIP_NOT_SELECTED] = "not-selected",
};

struct sink {
	int (*write)(void *ctx, const char *s, size_t n);
	void *ctx;
	bool failed;
};

static void to_sink(void *ctx, const char *s, size_t n)
{
	struct sink *k = ctx;

	k->failed = k->failed || k->write(k->ctx, s, n) != 0;
}

static void put_cell(struct pg_csv *csv, struct pg_param_cols *cols, const struct pg_sweep *sw, const struct pg_cell *c)
{
	char id[PG_CELL_ID_BUF];

	pg_cell_id_format(id, c->id);
	pg_csv_text_n(csv, id, sizeof(id) - 1);
	pg_csv_text(csv, sw->name);
	pg_csv_text(csv, sw->bench->name);
	pg_csv_u64(csv, c->loc.line);
	pg_csv_text(csv, skip_names[c->skip]);
	if (c->skip == PG_NOT_SKIPPED)
		pg_csv_missing(csv);
	else
		pg_reason_csv(csv, c->why);
	pg_param_cols_cell(cols, c, UINT64_MAX, csv);
	pg_csv_row(csv);
}

int pg_plan_csv(const struct pg_plan *p, int (*write)(void *ctx, const char *s, size_t n), void *ctx,
		struct pg_err *err)
{
	struct sink sink = {write, ctx, false};
	struct pg_cell_buf *buf = pg_cell_buf_new(p);
	struct pg_param_cols cols;
	struct pg_csv csv;
	int result = -1;

	if (!buf)
		return pg_fail_nomem(err);
	if (pg_param_cols_init(&cols, p, NULL, err) != 0)
		goto out_buf;
	if (pg_csv_init(&csv, PG_CSV_PLAIN, to_sink, &sink, err) != 0)
		goto out_cols;
	for (size_t i = 0; i < FIXED; i++)
		pg_csv_text(&csv, fixed[i]);
	pg_param_cols_header(&cols, &csv);
	pg_csv_row(&csv);
	for (size_t s = 0; s < pg_plan_sweeps(p); s++) {
		const struct pg_sweep *sw = pg_plan_sweep(p, s);

		pg_param_cols_enter(&cols, sw);
		for (size_t i = 0; i < sw->n_cells && !sink.failed; i++)
			put_cell(&csv, &cols, sw, pg_plan_cell(p, sw->first_cell + i, buf));
	}
	result = pg_csv_end(&csv, err);
	if (result == 0 && sink.failed)
		result = pg_fail(err, PG_EWRITE, "the plan could not be written");
	pg_csv_release(&csv);
out_cols:
	pg_param_cols_release(&cols);
out_buf:
	pg_cell_buf_free(buf);
	return result;
}

struct marks {
	struct pg_plan *plan;
	bool header;
	size_t rows;
	size_t variant; /* column; 0 = none */
	struct pg_err *err;
};

static int take_row(void *ctx, size_t line, const char *const *fields, size_t n)
{
	struct marks *m = ctx;
	const char *variant = m->variant && m->variant < n && *fields[m->variant] ? fields[m->variant] : NULL;
	uint64_t id;
	size_t index;

	if (!m->header) {
		m->header = true;
		for (size_t i = FIXED; i < n; i++)
			m->variant = strcmp(fields[i], "variant") == 0 ? i : m->variant;
		return pg_csv_check_header(fields, n, fixed, FIXED, m->err);
	}
	m->rows++;
	if (strcmp(fields[4], skip_names[PG_SKIP_PREFLIGHT]) != 0)
		return 0;
	if (pg_cell_id_parse(fields[0], &id) != 0)
		return pg_fail(m->err, PG_EINPUT, "line %zu: '%s' is no cell id", line, fields[0]);
	index = pg_plan_find_arm(m->plan, id, variant);
	if (index == SIZE_MAX)
		return pg_fail(m->err, PG_EINPUT, "line %zu: the plan has no cell %s", line, fields[0]);
	if (pg_plan_mark(m->plan, index, PG_SKIP_PREFLIGHT, fields[5]) != 0)
		return pg_fail_nomem(m->err);
	return 0;
}

int pg_plan_csv_marks(const char *path, struct pg_plan *p, struct pg_err *err)
{
	struct pg_err why = {.code = PG_OK};
	struct marks m = {.plan = p, .err = &why};

	if (pg_csv_read(path, ',', take_row, &m, &why) != 0)
		return why.code == PG_ENOMEM ? pg_fail_nomem(err)
					     : pg_fail(err, why.code, "%s; restore it from a copy", why.msg);
	/* Rows that are gone would turn cells that could not run into cells that were not run. */
	if (m.rows < pg_plan_cells(p))
		return pg_fail(err, PG_EDAMAGED, "'%s' has %zu cells, its plan %zu; restore it from a copy", path,
			       m.rows, pg_plan_cells(p));
	return 0;
}
