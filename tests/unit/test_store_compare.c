/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arms of a run against its baseline: which rounds pair, what is judged together, and SWEEP.compare.csv. */
#include "store/compare.h"

#include <math.h>

#include "store/results.h"
#include "store/samples.h"
#include "tests/support/csvkit.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define HEAD "perfgrid: 1\nname: kit\nsweeps:\n"
#define ARMS ", variants: [{label: old}, {label: new}]"

static void load(struct csvkit *s, const struct kit *k, const char *name)
{
	char path[512];
	struct pg_err err;

	kit_ok(pg_store_write_all(k->store, NULL, PG_CSV_PLAIN, NULL, NULL, &err), &err);
	snprintf(path, sizeof(path), "%s/%s", k->run, name);
	csvkit_load(s, path);
}

/* The same length with a little noise that differs from round to round and arm to arm. */
static int64_t about(int64_t ns, uint32_t round, size_t cell)
{
	return ns + (int64_t)(round * 7919 + cell * 104729) % (ns / 200 + 1);
}

/* Rounds of the cells [first, first + n): one is `factor` percent as long as the first. */
static void measure(struct kit *k, size_t first, size_t n, uint32_t rounds, const int64_t *percent)
{
	for (uint32_t r = 1; r <= rounds; r++)
		for (size_t i = 0; i < n; i++)
			kit_rep(k, (struct kit_rep){.cell = first + i,
						    .round = r,
						    .ns = about(1000000 * percent[i] / 100, r, first + i),
						    .count = 1000});
	for (size_t i = 0; i < n; i++)
		kit_done(k, first + i, PG_STOP_FIXED);
}

/* Flags of the comparison, then what was seen of the cells: a kit counts a thousand of everything, major faults too. */
static void flags_are(const struct csvkit *s, size_t row, const char *want)
{
	char all[128];

	snprintf(all, sizeof(all), "%s%smajor-faults:100%%", want, *want ? " " : "");
	csvkit_is(s, row, "flags", all);
}

START_TEST(columns)
{
	static const char want[] = "cell,outcome,";
	static const char tail[] =
		",variant,metric,unit,better,base,base_sd_pct,new,new_sd_pct,change_pct,interval,p_adj,verdict,reason,"
		"flags,n,n_dropped,typical_ratio,typical_lo,typical_hi,typical_p,typical_p_adj,floor_ratio,floor_lo,"
		"floor_hi,floor_p,floor_p_adj,ratio_median,mde,rounds_needed,threshold\n";
	struct kit k;
	char *text;

	kit_init(&k, HEAD "  - {name: s, suite: noop, process: exec" ARMS "}\n");
	kit_create(&k);
	kit_ok(pg_store_write_all(k.store, NULL, PG_CSV_PLAIN, NULL, NULL, &(struct pg_err){.code = PG_OK}), NULL);
	kit_has(&k, "s.compare.csv", tail);
	text = kit_file(&k, "s.compare.csv");
	ck_assert_int_eq(strncmp(text, want, strlen(want)), 0);
	free(text);
	text = kit_file(&k, "all.compare.csv");
	ck_assert_int_eq(strncmp(text, "sweep,cell,", 11), 0);
	free(text);
	kit_end(&k);
}
END_TEST

START_TEST(no_variants_no_files)
{
	struct kit k;
	struct pg_err err;

	kit_init(&k, HEAD "  - {name: s, suite: noop}\n");
	kit_create(&k);
	kit_ok(pg_store_write_all(k.store, NULL, PG_CSV_PLAIN, NULL, NULL, &err), &err);
	ck_assert_ptr_null(kit_file(&k, "s.compare.csv"));
	ck_assert_ptr_null(kit_file(&k, "all.compare.csv"));
	ck_assert(!pg_compare_wanted(k.plan) && pg_compare_family(k.plan) == 0);
	kit_end(&k);
}
END_TEST

START_TEST(verdicts)
{
	static const int64_t percent[] = {100, 100, 130, 70};
	struct csvkit s;
	struct kit k;
	size_t r;

	kit_init(&k, HEAD "  - name: s\n    suite: noop\n    process: exec\n    repeat: 12\n"
			  "    variants: [{label: old}, {label: same}, {label: slow}, {label: fast}]\n");
	kit_create(&k);
	ck_assert_uint_eq(pg_compare_family(k.plan), 6);
	measure(&k, 0, 4, 12, percent);
	load(&s, &k, "s.compare.csv");
	r = csvkit_find(&s, 1, "variant", "same");
	csvkit_is(&s, r, "metric", "time_per_op");
	for (; strcmp(csvkit_at(&s, r, "metric"), "time") != 0; r++)
		csvkit_is(&s, r, "reason", strcmp(csvkit_at(&s, r, "metric"), "time_per_op") ? "exploration" : "");
	r = csvkit_find(&s, 1, "variant", "same");
	csvkit_is(&s, r, "verdict", "same");
	csvkit_is(&s, r, "n", "12");
	csvkit_is(&s, r, "n_dropped", "0");
	csvkit_is(&s, r, "threshold", "0.05");
	flags_are(&s, r, "");
	csvkit_is(&s, r, "rounds_needed", "");
	r = csvkit_find(&s, 1, "variant", "slow");
	csvkit_is(&s, r, "verdict", "regressed");
	ck_assert(fabs(strtod(csvkit_at(&s, r, "change_pct"), NULL) - 30) < 1);
	ck_assert(fabs(strtod(csvkit_at(&s, r, "typical_ratio"), NULL) - 1.3) < 0.01);
	ck_assert(fabs(strtod(csvkit_at(&s, r, "floor_ratio"), NULL) - 1.3) < 0.01);
	ck_assert(fabs(strtod(csvkit_at(&s, r, "ratio_median"), NULL) - 1.3) < 0.01);
	/* The smallest p of 12 rounds, of six hypotheses. */
	ck_assert(fabs(strtod(csvkit_at(&s, r, "typical_p"), NULL) - 2.0 / 4096) < 1e-12);
	ck_assert(strtod(csvkit_at(&s, r, "p_adj"), NULL) > 4.0 / 4096);
	/* A rate falls where the time rises: no direction is turned, the verdict is one. */
	while (strcmp(csvkit_at(&s, r, "metric"), "rate") != 0)
		r++;
	csvkit_is(&s, r, "better", "higher");
	csvkit_is(&s, r, "verdict", "regressed");
	ck_assert(fabs(strtod(csvkit_at(&s, r, "change_pct"), NULL) + 100 * (1 - 1 / 1.3)) < 1);
	ck_assert(strtod(csvkit_at(&s, r, "typical_lo"), NULL) < strtod(csvkit_at(&s, r, "typical_hi"), NULL));
	csvkit_is(&s, csvkit_find(&s, 1, "variant", "fast"), "verdict", "improved");
	csvkit_drop(&s);
	kit_end(&k);
}
END_TEST

/* Only rounds with both values count, and the others are told. */
START_TEST(rounds_pair)
{
	struct csvkit s;
	struct kit k;

	kit_init(&k, HEAD "  - {name: s, suite: noop, process: exec, repeat: 10" ARMS "}\n");
	kit_create(&k);
	for (uint32_t r = 1; r <= 10; r++) {
		bool bad = r == 3;

		kit_rep(&k, (struct kit_rep){.cell = 0, .round = r, .ns = 1000, .count = 1});
		if (r != 5)
			kit_rep(&k, (struct kit_rep){.cell = 1,
						     .round = r,
						     .ns = 2000,
						     .count = 1,
						     .status = bad ? PG_ST_FAILED : PG_ST_OK,
						     .why = bad ? "broken" : ""});
	}
	load(&s, &k, "s.compare.csv");
	csvkit_is(&s, 1, "n", "8");
	csvkit_is(&s, 1, "n_dropped", "2");
	csvkit_is(&s, 1, "base", "1e-06");
	csvkit_is(&s, 1, "new", "2e-06");
	csvkit_is(&s, 1, "change_pct", "100");
	kit_has(&k, "s.compare.csv", ",[100 to 100],");
	csvkit_drop(&s);
	kit_end(&k);
}
END_TEST

START_TEST(failed_and_left_out)
{
	struct csvkit s;
	struct kit k;
	size_t r;

	kit_init(&k,
		 HEAD "  - name: s\n    suite: noop\n    process: exec\n    repeat: 8\n    vary: {first: [1, 2, 3]}\n"
		      "    skip: [{first: 2, why: too long}]\n    variants: [{label: old}, {label: new}]\n");
	kit_create(&k);
	ck_assert_uint_eq(pg_compare_family(k.plan), 4);
	for (uint32_t i = 1; i <= 8; i++)
		kit_rep(&k, (struct kit_rep){.cell = 0, .round = i, .ns = 1000, .count = 1});
	for (uint32_t i = 1; i <= 3; i++)
		kit_rep(&k, (struct kit_rep){.cell = 1, .round = i, .status = PG_ST_FAILED, .why = "exit status 3"});
	kit_done(&k, 0, PG_STOP_FIXED);
	kit_done(&k, 1, PG_STOP_ERROR);
	load(&s, &k, "s.compare.csv");
	r = csvkit_find(&s, 1, "first", "1");
	csvkit_is(&s, r, "verdict", "failed");
	csvkit_is(&s, r, "reason", "new: exit status 3");
	csvkit_is(&s, r, "base", "");
	csvkit_is(&s, r, "p_adj", "");
	r = csvkit_find(&s, 1, "first", "2");
	csvkit_is(&s, r, "verdict", "");
	csvkit_is(&s, r, "reason", "old: too long");
	csvkit_is(&s, r, "n", "");
	r = csvkit_find(&s, 1, "first", "3");
	csvkit_is(&s, r, "verdict", "");
	csvkit_is(&s, r, "reason", "old: not-run");
	csvkit_drop(&s);
	kit_end(&k);
}
END_TEST

static const struct {
	const char *keys, *verdict, *reason, *flags;
} bars[] = {
	{"process: fork", "unclear", "layout", "one-layout"},
	{"process: exec, order: grouped", "unclear", "flag", "grouped"},
	{"process: fork, order: grouped", "unclear", "flag", "grouped one-layout"},
	{"process: exec, compare: {threshold: 60%}", "minor+", "", ""},
	{"process: exec, compare: {lens: floor}", "regressed", "", ""},
	{"process: exec, compare: {lens: typical, correction: none}", "regressed", "", ""},
};

START_TEST(what_bars_a_verdict)
{
	static const int64_t percent[] = {100, 150};
	char text[256];
	struct csvkit s;
	struct kit k;

	snprintf(text, sizeof(text), HEAD "  - {name: s, suite: noop, repeat: 12, %s" ARMS "}\n", bars[_i].keys);
	kit_init(&k, text);
	kit_create(&k);
	measure(&k, 0, 2, 12, percent);
	load(&s, &k, "s.compare.csv");
	csvkit_is(&s, 1, "verdict", bars[_i].verdict);
	csvkit_is(&s, 1, "reason", bars[_i].reason);
	flags_are(&s, 1, bars[_i].flags);
	csvkit_is(&s, 1, "change_pct", csvkit_at(&s, 1, "change_pct"));
	if (strstr(bars[_i].keys, "lens: floor"))
		csvkit_is(&s, 1, "typical_p", "");
	if (strstr(bars[_i].keys, "lens: typical"))
		csvkit_is(&s, 1, "floor_p", "");
	csvkit_drop(&s);
	kit_end(&k);
}
END_TEST

START_TEST(zero_and_two_modes)
{
	struct csvkit s;
	struct kit k;
	size_t r;

	kit_init(&k, HEAD "  - {name: s, suite: noop, process: exec, repeat: 12" ARMS "}\n");
	kit_create(&k);
	for (uint32_t i = 1; i <= 12; i++) {
		kit_rep(&k,
			(struct kit_rep){.cell = 0, .round = i, .ns = about(i % 3 ? 1000 : 9000, i, 0), .count = 0});
		kit_rep(&k, (struct kit_rep){.cell = 1, .round = i, .ns = about(1000, i, 1), .count = 5});
	}
	load(&s, &k, "s.compare.csv");
	r = csvkit_find(&s, 1, "metric", "time");
	csvkit_is(&s, r, "flags", "bimodal");
	r = csvkit_find(&s, 1, "metric", "major_faults");
	csvkit_is(&s, r, "verdict", "unclear");
	csvkit_is(&s, r, "p_adj", "");
	csvkit_is(&s, r, "base", "0");
	csvkit_is(&s, r, "ratio_median", "");
	csvkit_drop(&s);
	kit_end(&k);
}
END_TEST

/* Loops that were calibrated apart. */
START_TEST(loops_differ)
{
	static const int64_t percent[] = {100, 100};
	struct pg_cell_buf *buf;
	struct csvkit s;
	struct kit k;
	struct pg_err err;

	kit_init(&k, HEAD "  - {name: s, suite: noop, process: exec, repeat: 12, set: {loops: auto}, "
			  "tables: [{value: time_per_op}]" ARMS "}\n");
	kit_create(&k);
	buf = pg_cell_buf_new(k.plan);
	for (size_t i = 0; i < 2; i++) {
		const struct pg_observer *obs = pg_store_observer(k.store);

		kit_ok(obs->calibrated(obs->ctx, pg_plan_cell(k.plan, i, buf), 100 + i, &err), &err);
	}
	pg_cell_buf_free(buf);
	measure(&k, 0, 2, 12, percent);
	load(&s, &k, "s.compare.csv");
	flags_are(&s, 1, "loops-differ");
	csvkit_is(&s, 1, "reason", "flag");
	csvkit_is(&s, 1, "loops", "101");
	csvkit_drop(&s);
	kit_end(&k);
}
END_TEST

/* One family over all sweeps; each sweep's other metrics by themselves; a sweep may be called `all`. */
START_TEST(several_sweeps)
{
	static const int64_t percent[] = {100, 130};
	struct csvkit one, all;
	struct kit k;
	size_t r;

	kit_init(&k, HEAD "  - {name: a, suite: noop, process: exec, repeat: 12, vary: {first: [1, 2]}" ARMS "}\n"
			  "  - {name: plain, suite: noop}\n"
			  "  - {name: ALL, suite: noop, process: exec, repeat: 12" ARMS "}\n");
	kit_create(&k);
	ck_assert_uint_eq(pg_compare_family(k.plan), 6);
	measure(&k, 0, 2, 12, percent);
	measure(&k, 2, 2, 12, percent);
	measure(&k, 5, 2, 12, percent);
	load(&one, &k, "a.compare.csv");
	load(&all, &k, "all.compare.csv");
	ck_assert_uint_gt(one.n, 20);
	ck_assert_uint_eq(2 * (all.n - 1), 3 * (one.n - 1));
	/* Three cells, two lenses, one p for all: the first is taken six times. */
	ck_assert(fabs(strtod(csvkit_at(&one, 1, "typical_p_adj"), NULL) - 6 * 2.0 / 4096) < 1e-12);
	for (size_t i = 1; i < one.n; i++)
		csvkit_is(&all, i, "p_adj", csvkit_at(&one, i, "p_adj"));
	r = csvkit_find(&all, 1, "sweep", "ALL");
	csvkit_is(&all, r, "verdict", "regressed");
	ck_assert_ptr_null(kit_file(&k, "plain.compare.csv"));
	csvkit_drop(&one);
	csvkit_drop(&all);
	kit_end(&k);
}
END_TEST

/* The same records give the same file, from memory and from the journal. */
START_TEST(again_from_the_journal)
{
	static const int64_t percent[] = {100, 104};
	struct pg_err err;
	struct kit k;
	char *first;

	kit_init(&k, HEAD "  - {name: s, suite: noop, process: exec, repeat: 40" ARMS "}\n");
	kit_create(&k);
	measure(&k, 0, 2, 40, percent);
	kit_ok(pg_store_finish(k.store, PG_RUN_COMPLETE, &err), &err);
	first = kit_file(&k, "s.compare.csv");
	ck_assert_ptr_nonnull(first);
	kit_reopen(&k, false);
	kit_ok(pg_store_write_all(k.store, NULL, PG_CSV_PLAIN, NULL, NULL, &err), &err);
	kit_is(&k, "s.compare.csv", first);
	free(first);
	kit_end(&k);
}
END_TEST

/* What stands in the plan's rules may be replaced; nobody else's file changes by it. */
START_TEST(other_rules)
{
	static const int64_t percent[] = {100, 130};
	const struct pg_compare_opts opts = {.has_threshold = true,
					     .threshold = 0.5,
					     .has_lens = true,
					     .lens = PG_LENS_TYPICAL,
					     .has_correction = true,
					     .correction = PG_CORRECT_NONE,
					     .judged_only = true};
	struct pg_compare c;
	struct pg_err err;
	struct kit k;

	kit_init(&k, HEAD "  - {name: s, suite: noop, process: exec, repeat: 12" ARMS "}\n");
	kit_create(&k);
	measure(&k, 0, 2, 12, percent);
	pg_compare_init(&c);
	kit_ok(pg_store_compare(k.store, &opts, &c, &err), &err);
	ck_assert_uint_eq(c.n, 1);
	ck_assert(c.hypotheses > 0 && c.hypotheses < 2);
	ck_assert_int_eq(c.row[0].c.verdict, PG_V_MINOR_WORSE);
	ck_assert(isnan(c.row[0].c.lens[PG_FLOOR].p));
	ck_assert(fabs(c.row[0].c.p_adj[PG_TYPICAL] - c.row[0].c.lens[PG_TYPICAL].p) < 1e-15);
	pg_compare_release(&c);
	kit_end(&k);
}
END_TEST

static struct pg_sample *sample_of(struct pg_outcome *o, size_t metric)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->s[i].metric == metric)
			return &o->s[i];
	ck_abort_msg("no sample of metric %zu", metric);
	return NULL;
}

/* Batches: the floor lens looks at their floor where each round of both arms has one, else at the values. */
START_TEST(floors_of_batches)
{
	const struct pg_compare_opts opts = {.judged_only = true};
	const struct pg_sweep *sw;
	struct pg_cell_buf *buf;
	struct pg_samples *s;
	size_t low = 0, time, wall;
	struct pg_outcome o;
	struct pg_compare c;
	struct pg_err err;
	struct kit k;
	double v;

	kit_init(&k, HEAD "  - {name: s, suite: syscall/basic, repeat: 10" ARMS "}\n");
	sw = pg_plan_sweep(k.plan, 0);
	while (!(sw->metrics[low].flags & PG_M_FLOOR))
		low++;
	ck_assert(pg_metric_find(sw->metrics, "time", &time) && pg_metric_find(sw->metrics, "wall_time", &wall));
	buf = pg_cell_buf_new(k.plan);
	for (int lacking = 0; lacking < 2; lacking++) {
		kit_ok(pg_samples_new(k.plan, &s, &err), &err);
		for (uint32_t i = 0; i < 20; i++) {
			struct pg_rep_record rec = {.round = 1 + i / 2, .attempt = 1, .out = &o};

			kit_outcome(pg_plan_cell(k.plan, i % 2, buf), &(struct kit_rep){.ns = 1000, .count = 10}, &o);
			*sample_of(&o, low) = (struct pg_sample){.raw = i % 2 ? 240 : 120,
								 .metric = (uint32_t)low,
								 .exp10 = -12,
								 .missing = lacking && i == 7};
			kit_ok(pg_samples_rep(s, i % 2, &rec, 1, &err), &err);
		}
		ck_assert(pg_samples_floor(s, 0, time, 1, &v) && fabs(v - 240e-12) < 1e-18);
		ck_assert_int_eq(pg_samples_floor(s, 0, time, 7, &v), !lacking);
		ck_assert(!pg_samples_floor(s, 0, wall, 1, &v));
		pg_compare_init(&c);
		kit_ok(pg_compare_live(k.plan, s, 1, &opts, &c, &err), &err);
		ck_assert_uint_eq(c.n, 1);
		ck_assert(fabs(c.row[0].c.lens[PG_TYPICAL].estimate) < 1e-12);
		ck_assert(fabs(c.row[0].c.lens[PG_FLOOR].estimate - (lacking ? 0 : log(2))) < 1e-9);
		pg_compare_release(&c);
		pg_samples_free(s);
	}
	pg_cell_buf_free(buf);
	kit_end(&k);
}
END_TEST

PG_TEST_MAIN("store_compare", ((const struct pg_test[]){
				      {columns, 0},
				      {no_variants_no_files, 0},
				      {verdicts, 0},
				      {rounds_pair, 0},
				      {failed_and_left_out, 0},
				      {what_bars_a_verdict, (int)(sizeof(bars) / sizeof(*bars))},
				      {zero_and_two_modes, 0},
				      {loops_differ, 0},
				      {several_sweeps, 0},
				      {again_from_the_journal, 0},
				      {other_rules, 0},
				      {floors_of_batches, 0},
				      {NULL, 0},
			      }))
