/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every bench of the registry, row by row: what a new bench must obey without anybody writing a test for it. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "model/metric.h"
#include "model/param.h"
#include "registry/registry.h"
#include "tests/support/pgtest.h"

#define EACH_BENCH(b)                                                                                                  \
	for (size_t s_ = 0; pg_suites[s_]; s_++)                                                                       \
		for (const struct pg_bench *const *p_ = pg_suites[s_]->benches, *b; (b = *p_) != NULL; p_++)

/* Words that mean something else where a param's name stands. */
static const char *const reserved[] = {
	/* sweep keys and run keys, those of later issues too */
	"name",
	"description",
	"suite",
	"set",
	"vary",
	"derive",
	"skip",
	"add",
	"tables",
	"quick",
	"repeat",
	"warmup",
	"pause",
	"timeout",
	"retry",
	"redo",
	"order",
	"sample_time",
	"process",
	"counters",
	"variants",
	"compare",
	"pin",
	"nice",
	"policy",
	"cgroup",
	"env",
	"prefix",
	"before",
	"after",
	"background",
	/* machine words and functions of expressions */
	"cpus",
	"cores",
	"llcs",
	"sockets",
	"nodes",
	"min",
	"max",
	"and",
	"or",
	"not",
	/* fixed columns of samples.csv and cells.csv, placeholders */
	"cell",
	"rep",
	"seed",
	"variant",
	"label",
	"status",
	"bench",
	"sweep",
	"phase",
	"round",
	"position",
	"attempt",
	"metric",
	"unit",
	"n",
	"median",
	"mean",
	"best",
	"sd",
	"sd_pct",
	"mad",
	"q25",
	"q75",
	"ci_lo",
	"ci_hi",
	"ci_pct",
	"statistic",
	"reason",
	"n_failed",
	"n_warmup",
	"stop",
	"flags",
	/* what YAML 1.1 reads as no text */
	"y",
	"yes",
	"no",
	"on",
	"off",
	"null",
	"true",
	"false",
};

static bool is_reserved(const char *name)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcasecmp(name, reserved[i]) == 0)
			return true;
	return false;
}

START_TEST(names_are_unique)
{
	size_t n = 0;

	EACH_BENCH(a)
	{
		const char *suite = pg_suites[s_]->name;
		size_t same = 0;

		n++;
		ck_assert_msg(a->name && a->summary && *a->summary, "bench without name or summary in %s", suite);
		/* "suite/bench", or the suite's own name */
		ck_assert_msg(pg_streq(a->name, suite) ||
				      (pg_startswith(a->name, suite) && a->name[strlen(suite)] == '/'),
			      "%s in %s", a->name, suite);
		ck_assert_ptr_eq(pg_bench_find(a->name), a);
		for (size_t s = 0; pg_suites[s]; s++)
			for (size_t k = 0; pg_suites[s]->benches[k]; k++)
				same += pg_streq(pg_suites[s]->benches[k]->name, a->name);
		ck_assert_msg(same == 1, "%s stands %zu times", a->name, same);
	}
	ck_assert_uint_ge(n, 7);
	ck_assert_ptr_null(pg_bench_find("sched/"));
	ck_assert_ptr_null(pg_bench_find(""));
}
END_TEST

START_TEST(suites_are_unique)
{
	for (size_t i = 0; pg_suites[i]; i++) {
		ck_assert(pg_suites[i]->name && pg_suites[i]->summary && *pg_suites[i]->summary &&
			  pg_suites[i]->benches[0]);
		for (size_t k = 0; k < i; k++)
			ck_assert(!pg_streq(pg_suites[i]->name, pg_suites[k]->name));
	}
}
END_TEST

START_TEST(hooks_fit)
{
	EACH_BENCH(b)
	{
		if (pg_streq(b->name, "exec")) {
			ck_assert(!b->probe && !b->check && !b->setup && !b->once && !b->teardown && b->conf_size == 0);
			continue;
		}
		ck_assert_msg(b->once && b->conf_size > 0, "%s", b->name);
		ck_assert_msg(b->one_process == pg_streq(b->name, "noop"), "%s", b->name);
	}
}
END_TEST

START_TEST(param_names)
{
	EACH_BENCH(b)
	{
		for (const struct pg_param *p = b->params; p->name; p++) {
			ck_assert_msg(pg_is_param_name(p->name), "%s: %s", b->name, p->name);
			ck_assert_msg(!is_reserved(p->name), "%s: %s is reserved", b->name, p->name);
			ck_assert_msg(strncmp(p->name, "nr_", 3) && strncmp(p->name, "no_", 3), "%s: %s", b->name,
				      p->name);
			ck_assert_msg(p->doc && *p->doc && p->doc[strlen(p->doc) - 1] != '.', "%s: doc of %s", b->name,
				      p->name);
			for (const struct pg_param *q = b->params; q < p; q++) {
				ck_assert_msg(!pg_streq(p->name, q->name), "%s: %s twice", b->name, p->name);
				ck_assert_msg(p->opt == 0 || p->opt != q->opt, "%s: -%c twice", b->name, p->opt);
			}
		}
	}
}
END_TEST

static size_t field_bytes(const struct pg_param *p)
{
	switch (p->type) {
	case PG_BOOL:
		return sizeof(bool);
	case PG_COUNT:
	case PG_SIZE:
		return p->choices && !(p->role & PG_OPS) ? sizeof(struct pg_word_num) : sizeof(uint64_t);
	case PG_TIME:
		return sizeof(int64_t);
	case PG_REAL:
		return sizeof(double);
	case PG_ENUM:
		return sizeof(int);
	case PG_CPULIST:
	case PG_NODELIST:
	case PG_TEXT:
		return sizeof(const char *);
	}
	return 0;
}

/* Two rows never share a byte of the conf: a row copied from another and not changed. */
START_TEST(fields_do_not_overlap)
{
	EACH_BENCH(b)
	{
		for (const struct pg_param *p = b->params; p->name; p++) {
			ck_assert_msg(p->offset + field_bytes(p) <= b->conf_size, "%s: %s", b->name, p->name);
			for (const struct pg_param *q = b->params; q < p; q++)
				ck_assert_msg(p->offset + field_bytes(p) <= q->offset ||
						      q->offset + field_bytes(q) <= p->offset,
					      "%s: %s and %s", b->name, p->name, q->name);
		}
	}
}
END_TEST

/* Digits and units, or a word: no names of other rows or machine words, and no operators but the dot of a decimal. */
static bool is_plain(const struct pg_param *p, const char *text)
{
	if (p->type == PG_ENUM || p->type == PG_BOOL || p->type == PG_TEXT || p->type == PG_CPULIST ||
	    p->type == PG_NODELIST)
		return true;
	if (pg_choice_find(p->choices, text, strlen(text)) >= 0)
		return true;
	return *text >= '0' && *text <= '9' && !strpbrk(text, " (+*/");
}

START_TEST(defaults_are_read)
{
	struct pg_arena a;

	pg_arena_init(&a, false);
	EACH_BENCH(b)
	{
		for (const struct pg_param *p = b->params; p->name; p++) {
			const char *texts[] = {p->def, p->sdef};

			ck_assert_msg(p->def || !p->sdef, "%s: %s", b->name, p->name);
			for (size_t i = 0; i < 2; i++) {
				struct pg_value v;
				struct pg_err err;

				if (!texts[i] || !is_plain(p, texts[i]))
					continue;
				ck_assert_msg(pg_value_parse(p, texts[i], strlen(texts[i]), &a, &v, &err) == 0,
					      "%s: %s: %s", b->name, p->name, err.msg);
			}
		}
	}
	pg_arena_release(&a);
}
END_TEST

/* A limit is itself a value of the row; one that names another row is the plan's work. */
START_TEST(limits_are_read)
{
	struct pg_arena a;

	pg_arena_init(&a, false);
	EACH_BENCH(b)
	{
		for (const struct pg_param *p = b->params; p->name; p++) {
			const char *texts[] = {p->min, p->max};

			for (size_t i = 0; i < 2; i++) {
				struct pg_value v;
				struct pg_err err;

				if (!texts[i] || pg_param_find(b->params, texts[i], NULL))
					continue;
				ck_assert_msg(pg_value_parse(p, texts[i], strlen(texts[i]), &a, &v, &err) == 0,
					      "%s: %s: %s", b->name, p->name, err.msg);
			}
		}
	}
	pg_arena_release(&a);
}
END_TEST

static bool is_choice_name(const char *s)
{
	if (!((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9')))
		return false;
	return strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == strlen(s);
}

START_TEST(choices_are_words)
{
	static const char *const not_text[] = {"y", "n", "yes", "no", "on", "off", "null", "true", "false"};

	EACH_BENCH(b)
	{
		for (const struct pg_param *p = b->params; p->name; p++) {
			ck_assert_msg(p->type != PG_ENUM || pg_choice_count(p->choices) >= 2, "%s: %s", b->name,
				      p->name);
			for (size_t i = 0; i < pg_choice_count(p->choices); i++) {
				const char *name = p->choices[i].name;

				ck_assert_msg(is_choice_name(name) && strspn(name, "0123456789") < strlen(name),
					      "%s: %s: %s", b->name, p->name, name);
				for (size_t k = 0; k < sizeof(not_text) / sizeof(not_text[0]); k++)
					ck_assert_msg(!pg_streq(name, not_text[k]), "%s: %s: %s", b->name, p->name,
						      name);
				for (size_t k = 0; k < i; k++)
					ck_assert_msg(!pg_streq(name, p->choices[k].name), "%s: %s: %s twice", b->name,
						      p->name, name);
			}
		}
	}
}
END_TEST

/* One operation count at most; it takes `auto`, and `auto` is no other row's word. */
START_TEST(operation_counts)
{
	EACH_BENCH(b)
	{
		unsigned ops = 0;

		for (const struct pg_param *p = b->params; p->name; p++) {
			const bool takes_auto = pg_choice_find(p->choices, "auto", 4) >= 0;

			ck_assert_msg(takes_auto == ((p->role & PG_OPS) != 0), "%s: %s", b->name, p->name);
			ops += takes_auto;
			if (!takes_auto)
				continue;
			ck_assert_msg(pg_streq(p->name, "loops") && p->type == PG_COUNT, "%s: %s", b->name, p->name);
			if (pg_streq(b->name, "sched/messaging") || pg_streq(b->name, "noop"))
				ck_assert_msg(!p->sdef, "%s", b->name);
			else
				ck_assert_msg(p->sdef && pg_streq(p->sdef, "auto"), "%s", b->name);
		}
		ck_assert_msg(ops <= 1, "%s", b->name);
	}
}
END_TEST

static bool names_a_param(const char *name)
{
	EACH_BENCH(b)
	{
		if (pg_param_find(b->params, name, NULL))
			return true;
	}
	return false;
}

START_TEST(metric_names)
{
	EACH_BENCH(b)
	{
		ck_assert_uint_le(pg_metric_count(b->metrics), PG_RUN_SAMPLES);
		for (const struct pg_metric *m = b->metrics; m->name; m++) {
			ck_assert_msg(pg_is_param_name(m->name) && !is_reserved(m->name), "%s: %s", b->name, m->name);
			ck_assert_msg(m->doc && *m->doc && m->doc[strlen(m->doc) - 1] != '.', "%s: doc of %s", b->name,
				      m->name);
			ck_assert_msg(!names_a_param(m->name), "%s: %s is a param", b->name, m->name);
			ck_assert_msg(!pg_metric_find(pg_engine_metrics, m->name, NULL), "%s: %s is the engine's",
				      b->name, m->name);
			for (const struct pg_metric *q = b->metrics; q < m; q++)
				ck_assert_msg(!pg_streq(m->name, q->name), "%s: %s twice", b->name, m->name);
		}
	}
}
END_TEST

START_TEST(engine_metrics)
{
	size_t n = 0;

	for (const struct pg_metric *m = pg_engine_metrics; m->name; m++, n++) {
		ck_assert_msg(!names_a_param(m->name) && !is_reserved(m->name), "%s", m->name);
		ck_assert_msg(m->flags & PG_M_ENGINE && m->reduce != PG_RATIO && *m->doc, "%s", m->name);
	}
	ck_assert_uint_eq(n, PG_ENGINE_METRICS);
}
END_TEST

/* Time and memory are better low, rates high; hidden rows need no direction. */
/* The standard error of a rate is better low. */
static bool is_error(const char *name)
{
	static const char end[] = "_standard_error";
	const size_t n = strlen(name), k = sizeof(end) - 1;

	return n > k && strcmp(name + n - k, end) == 0;
}

START_TEST(metric_units_and_directions)
{
	EACH_BENCH(b)
	{
		for (const struct pg_metric *m = b->metrics; m->name; m++) {
			const bool rate = m->unit == PG_U_PER_S || m->unit == PG_U_B_PER_S;

			ck_assert_msg((unsigned)m->unit <= PG_U_COUNT && (unsigned)m->better <= PG_NEITHER &&
					      (unsigned)m->reduce <= PG_RATIO,
				      "%s: %s", b->name, m->name);
			if (rate)
				ck_assert_msg(m->better == (is_error(m->name) ? PG_LOWER : PG_HIGHER) &&
						      m->reduce == PG_RATIO,
					      "%s: %s", b->name, m->name);
			if (m->unit == PG_U_S)
				ck_assert_msg(m->better == PG_LOWER, "%s: %s", b->name, m->name);
		}
	}
}
END_TEST

static enum pg_unit quotient(enum pg_unit num, enum pg_unit den)
{
	if (num == den)
		return PG_U_COUNT;
	if (den == PG_U_S)
		return num == PG_U_B ? PG_U_B_PER_S : PG_U_PER_S;
	return num;
}

START_TEST(ratios_point_at_raw_rows)
{
	EACH_BENCH(b)
	{
		const size_t n = pg_metric_count(b->metrics);

		for (const struct pg_metric *m = b->metrics; m->name; m++) {
			const struct pg_metric *num = &b->metrics[m->num], *den = &b->metrics[m->den];

			if (m->reduce != PG_RATIO)
				continue;
			ck_assert_msg(m->num < n && m->den < n && m->num != m->den, "%s: %s", b->name, m->name);
			ck_assert_msg(num->reduce != PG_RATIO && den->reduce != PG_RATIO, "%s: %s", b->name, m->name);
			ck_assert_msg(m->unit == quotient(num->unit, den->unit), "%s: %s", b->name, m->name);
			ck_assert_msg(!(m->flags & PG_M_HIDDEN), "%s: %s", b->name, m->name);
		}
	}
}
END_TEST

/* One headline; where it grows with loops and loops is `auto`, another one that does not. */
START_TEST(one_headline)
{
	EACH_BENCH(b)
	{
		unsigned main_rows = 0, auto_rows = 0;
		const struct pg_metric *headline = NULL;

		for (const struct pg_metric *m = b->metrics; m->name; m++) {
			if (m->flags & PG_M_MAIN) {
				main_rows++;
				headline = m;
			}
			auto_rows += (m->flags & PG_M_AUTO_MAIN) != 0;
			ck_assert_msg(!(m->flags & PG_M_AUTO_MAIN) ||
					      !(m->flags & (PG_M_GROWS | PG_M_HIDDEN | PG_M_MAIN)),
				      "%s: %s", b->name, m->name);
			ck_assert_msg(!(m->flags & PG_M_ENGINE), "%s: %s", b->name, m->name);
		}
		if (pg_streq(b->name, "exec")) {
			ck_assert_uint_eq(main_rows, 0);
			continue;
		}
		ck_assert_msg(main_rows == 1, "%s: %u headlines", b->name, main_rows);
		ck_assert_msg(!(headline->flags & PG_M_HIDDEN), "%s", b->name);
		ck_assert_msg(auto_rows == ((headline->flags & PG_M_GROWS) ? 1 : 0), "%s", b->name);
		ck_assert_ptr_eq(&b->metrics[pg_metric_main(b->metrics, false)], headline);
		ck_assert_msg(!(b->metrics[pg_metric_main(b->metrics, true)].flags & PG_M_GROWS), "%s", b->name);
	}
}
END_TEST

PG_TEST_MAIN("registry_rows", ((const struct pg_test[]){
				      {names_are_unique, 0},
				      {suites_are_unique, 0},
				      {hooks_fit, 0},
				      {param_names, 0},
				      {fields_do_not_overlap, 0},
				      {defaults_are_read, 0},
				      {limits_are_read, 0},
				      {choices_are_words, 0},
				      {operation_counts, 0},
				      {metric_names, 0},
				      {engine_metrics, 0},
				      {metric_units_and_directions, 0},
				      {ratios_point_at_raw_rows, 0},
				      {one_headline, 0},
				      {NULL, 0},
			      }))
