/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results for machines (JSON, CSV), and what standard error says of repeated runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/compat_perf_call.h"
#include "runner/report.h"
#include "store/csv_write.h"

static void to_str(void *out, const char *s, size_t n)
{
	pg_str_add(out, s, n);
}

/* A row of CSV: five texts, and a number or a sixth text. */
static void csv_row(struct pg_str *out, const char *const *texts, size_t n, const double *v)
{
	struct pg_csv c;
	struct pg_err err;

	if (pg_csv_init(&c, PG_CSV_PLAIN, to_str, out, &err)) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		pg_csv_text(&c, texts[i]);
	if (v)
		pg_csv_double(&c, *v);
	pg_csv_row(&c);
	if (pg_csv_end(&c, &err))
		out->failed = true;
	pg_csv_release(&c);
}

void pg_pb_machine_begin(struct pg_pb_machine *m, enum pg_pb_format format)
{
	static const char *const heading[] = {"bench", "run", "params", "metric", "unit", "value"};

	pg_str_init(&m->text);
	pg_jout_init(&m->json, &m->text);
	if (format == PG_PB_JSON)
		pg_jout_array(&m->json, NULL);
	else if (format == PG_PB_CSV)
		csv_row(&m->text, heading, 6, NULL);
}

void pg_pb_machine_end(struct pg_pb_machine *m, enum pg_pb_format format)
{
	if (format == PG_PB_JSON)
		pg_jout_close(&m->json);
	else if (format != PG_PB_CSV)
		pg_str_reset(&m->text);
}

/* A number of the run, 1, 2 ...: over rounds and parts. */
static uint64_t run_number(const struct pg_pb *p)
{
	return p->round * p->parts + p->part + 1;
}

static void json_params(struct pg_pb *p)
{
	struct pg_jout *j = &p->machine->json;
	const struct pg_param *rows = p->d.bench->params;
	struct pg_str text;

	pg_str_init(&text);
	pg_jout_object(j, "params");
	for (size_t i = 0; rows[i].name; i++) {
		const struct pg_value *v = &p->d.vals[i];
		const bool number = v->state == PG_V_SET && (rows[i].type == PG_COUNT || rows[i].type == PG_SIZE ||
							     rows[i].type == PG_TIME || rows[i].type == PG_REAL);

		if (v->state == PG_V_UNSET)
			continue;
		pg_str_reset(&text);
		pg_value_format_csv(&rows[i], v, &text);
		if (rows[i].type == PG_BOOL)
			pg_jout_bool(j, rows[i].name, v->u.i != 0);
		else if (number)
			pg_jout_number(j, rows[i].name, pg_value_double(v));
		else
			pg_jout_text(j, rows[i].name, pg_str_text(&text));
	}
	pg_jout_close(j);
	pg_str_release(&text);
}

static void json_part(struct pg_pb *p)
{
	struct pg_jout *j = &p->machine->json;
	const struct pg_metric *m = p->d.bench->metrics;

	pg_jout_object(j, NULL);
	pg_jout_text(j, "bench", p->d.bench->name);
	pg_jout_int(j, "run", (int64_t)run_number(p));
	json_params(p);
	pg_jout_object(j, "metrics");
	for (size_t i = 0; m[i].name; i++) {
		const double v = pg_dropin_number_at(&p->d, i);
		char key[96];

		if (m[i].flags & PG_M_HIDDEN || !isfinite(v))
			continue;
		snprintf(key, sizeof(key), "%s_%s", m[i].name, pg_unit_suffix(m[i].unit));
		pg_jout_number(j, key, v);
	}
	pg_jout_close(j);
	pg_jout_close(j);
}

static void params_text(const struct pg_pb *p, struct pg_str *out)
{
	const struct pg_param *rows = p->d.bench->params;

	for (size_t i = 0; rows[i].name; i++) {
		if (p->d.vals[i].state == PG_V_UNSET)
			continue;
		pg_str_addf(out, "%s%s=", out->len ? " " : "", rows[i].name);
		pg_value_format_csv(&rows[i], &p->d.vals[i], out);
	}
}

static void csv_part(struct pg_pb *p)
{
	const struct pg_metric *m = p->d.bench->metrics;
	struct pg_str params;
	char run[24];

	pg_str_init(&params);
	params_text(p, &params);
	snprintf(run, sizeof(run), "%llu", (unsigned long long)run_number(p));
	for (size_t i = 0; m[i].name; i++) {
		const char *const texts[] = {p->d.bench->name, run, pg_str_text(&params), m[i].name,
					     pg_unit_name(m[i].unit)};
		const double v = pg_dropin_number_at(&p->d, i);

		if (!(m[i].flags & PG_M_HIDDEN) && isfinite(v))
			csv_row(&p->machine->text, texts, 5, &v);
	}
	pg_str_release(&params);
}

void pg_pb_report_part(struct pg_pb *p)
{
	if (p->format == PG_PB_JSON)
		json_part(p);
	else
		csv_part(p);
	pg_str_add(&p->out, pg_str_text(&p->machine->text), p->machine->text.len);
	pg_str_reset(&p->machine->text);
}

static struct pg_pb_series *series_of_step(struct pg_pb *p)
{
	struct pg_pb_series *more;

	if (p->step < p->n_series)
		return &p->series[p->step];
	more = realloc(p->series, (p->step + 1) * sizeof(*more));
	if (!more)
		return NULL;
	memset(more + p->n_series, 0, (p->step + 1 - p->n_series) * sizeof(*more));
	p->series = more;
	p->n_series = p->step + 1;
	return &p->series[p->step];
}

void pg_pb_report_step(struct pg_pb *p)
{
	struct pg_pb_series *s;
	double *more;

	if (p->rounds < 2)
		return;
	s = series_of_step(p);
	if (!s)
		return;
	if (s->n == s->cap) {
		more = realloc(s->v, (s->cap * 2 + 8) * sizeof(*more));
		if (!more)
			return;
		s->v = more;
		s->cap = s->cap * 2 + 8;
	}
	memcpy(s->label, p->label, sizeof(s->label));
	s->v[s->n++] = p->headline.mean * p->bench->scale;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void summary(const struct pg_pb *p, struct pg_pb_series *s)
{
	struct pg_pb_sum sum = {.n = 0};
	double median;

	for (size_t i = 0; i < s->n; i++)
		pg_pb_add(&sum, s->v[i]);
	qsort(s->v, s->n, sizeof(*s->v), ascending);
	median = s->n % 2 ? s->v[s->n / 2] : (s->v[s->n / 2 - 1] + s->v[s->n / 2]) / 2;
	pg_say(p->world, "%s/%s%s%s: %zu runs, %s: median %.6g, mean %.6g, min %.6g, max %.6g, sd %.3g",
	       p->bench->collection, p->bench->name, s->label[0] ? " " : "", s->label, s->n, p->bench->unit, median,
	       sum.mean, s->v[0], s->v[s->n - 1], s->n > 1 ? sqrt(sum.m2 / (sum.n - 1)) : 0.0);
}

void pg_pb_report_end(struct pg_pb *p)
{
	for (size_t i = 0; i < p->n_series; i++) {
		if (p->series[i].n > 1)
			summary(p, &p->series[i]);
		free(p->series[i].v);
	}
	free(p->series);
	p->series = NULL;
	p->n_series = 0;
}
