/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of a table: SWEEP[.NAME][.SPLIT...].METRIC_UNIT.STATISTIC.csv. Where metrics or statistics are placed on rows
 * or columns, the word stands in the place of the name.
 */
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "store/fileio.h"
#include "store/store.h"
#include "store/table_shape.h"

#define PART_MAX 64 /* bytes of one SPLIT */

size_t pg_shape_files(const struct pg_shape *s)
{
	return s->split.count * (s->has_metric ? 1 : s->t->n_metrics) * (s->has_stat ? 1 : s->t->n_stats);
}

struct pg_table_file pg_shape_file(const struct pg_shape *s, size_t i)
{
	size_t stats = s->has_stat ? 1 : s->t->n_stats, metrics = s->has_metric ? 1 : s->t->n_metrics;
	struct pg_table_file f = {.split = i / (stats * metrics)};
	struct pg_line l = pg_shape_line(s, &s->split, f.split);

	f.metric = s->has_metric ? l.metric : s->t->metrics[i / stats % metrics];
	f.stat = s->has_stat ? l.stat : s->t->stats[i % stats];
	return f;
}

/* A value as a part of a name: what no name may have becomes `_`. */
static void add_part(struct pg_str *out, const char *s, size_t n)
{
	n = n > PART_MAX ? PART_MAX : n;
	pg_str_addc(out, '.');
	if (n == 0)
		pg_str_addc(out, '_');
	for (size_t i = 0; i < n; i++) {
		bool ok = (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
			  (s[i] >= '0' && s[i] <= '9') || s[i] == '_' || s[i] == '-';

		pg_str_addc(out, ok ? s[i] : '_');
	}
}

static void add_stem(const struct pg_shape *s, size_t split, struct pg_str *out)
{
	pg_str_adds(out, s->sw->name);
	if (s->t->name) {
		pg_str_addc(out, '.');
		pg_str_adds(out, s->t->name);
	}
	for (size_t k = 0; k < s->split.n; k++) {
		struct pg_side one = {s->split.placed + k, 1, 1};
		size_t below = 1;
		struct pg_str text;

		if (s->split.placed[k].place != PG_PLACE_AXIS)
			continue; /* stands in its own part of the name */
		for (size_t j = k + 1; j < s->split.n; j++)
			below *= pg_shape_length(s, &s->split.placed[j]);
		pg_str_init(&text);
		pg_shape_label(s, &one, split / below, &text);
		add_part(out, pg_str_text(&text), text.len);
		out->failed = out->failed || text.failed;
		pg_str_release(&text);
	}
}

static int check_length(const struct pg_shape *s, const struct pg_str *out, struct pg_err *err)
{
	if (out->failed)
		return pg_fail_nomem(err);
	if (out->len <= PG_FILE_NAME_MAX)
		return 0;
	return pg_fail_at(err, PG_EINPUT, &s->t->loc,
			  "file name '%.40s...' has %zu characters; at most %d: give shorter names", pg_str_text(out),
			  out->len, PG_FILE_NAME_MAX);
}

int pg_shape_file_name(const struct pg_shape *s, const struct pg_table_file *f, struct pg_str *out, struct pg_err *err)
{
	add_stem(s, f->split, out);
	pg_str_addc(out, '.');
	if (f->metric == SIZE_MAX)
		pg_str_adds(out, "metric");
	else
		pg_table_metric_text(s, f->metric, out);
	pg_str_addc(out, '.');
	pg_str_adds(out, f->stat == SIZE_MAX ? "statistic" : pg_statistic_names[f->stat]);
	pg_str_adds(out, ".csv");
	return check_length(s, out, err);
}

int pg_status_file_name(const struct pg_shape *s, size_t split, struct pg_str *out, struct pg_err *err)
{
	add_stem(s, split, out);
	pg_str_adds(out, ".status.csv");
	return check_length(s, out, err);
}

int pg_table_names(const struct pg_plan *p, size_t sweep, const struct pg_table_spec *t,
		   int (*name)(void *ctx, const char *file_name, struct pg_err *err), void *ctx, struct pg_err *err)
{
	struct pg_shape shape;
	struct pg_str text;
	int result = 0;

	if (pg_shape_init(&shape, pg_plan_sweep(p, sweep), t, err) != 0)
		return -1;
	pg_str_init(&text);
	for (size_t i = 0; result == 0 && i < pg_shape_files(&shape); i++) {
		struct pg_table_file f = pg_shape_file(&shape, i);

		pg_str_reset(&text);
		result = pg_shape_file_name(&shape, &f, &text, err);
		if (result == 0)
			result = name(ctx, pg_str_text(&text), err);
	}
	pg_str_release(&text);
	pg_shape_release(&shape);
	return result;
}
