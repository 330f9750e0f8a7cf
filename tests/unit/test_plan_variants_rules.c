/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What beside cells a sweep with variants has: the looks of a comparison, tables, its digest; what is refused. */
#include "tests/support/pgtest.h"

#include "plan/keys.h"
#include "tests/support/plankit.h"

#define LEN(a)	   ((int)(sizeof(a) / sizeof(*(a))))
#define SW	   KIT_HEAD "  - name: s\n    suite: fake/types\n"
#define VAR(items) "    variants:\n" items
#define AB	   VAR("      - {label: a}\n      - {label: b, count: 7}\n")

/* When a comparison is looked at. */
struct rules {
	const char *keys;
	uint32_t looks[PG_LOOKS]; /* 0 ends */
	bool fixed;
	uint32_t n;
	const char *told;
};

#define CI_NOTE "note: with `variants` a cell ends at a look of `compare`, not by `ci`; max and time bind as ever"

static const struct rules rules[] = {
	{"", {10, 15, 20, 30, 40}, true, 40, ""},
	{"    repeat: 25\n", {10, 15, 20, 25}, true, 25, ""},
	{"    repeat: 20\n", {10, 15, 20}, true, 20, ""},
	{"    repeat: 7\n", {7}, true, 7, ""},
	{"    repeat: 60\n", {10, 15, 20, 30, 40, 60}, true, 60, ""},
	{"    repeat: {max: 18}\n", {10, 15, 18}, false, 18, "8:13: " CI_NOTE},
	{"    compare: {looks: [6, 9]}\n", {6, 9}, true, 9, ""},
	{"    compare: {looks: [6, 9, 20]}\n    repeat: 8\n",
	 {6, 8},
	 true,
	 8,
	 "8:22: note: 2 of the 3 `looks` come after the last rep, which is 8, and are left out"},
	{"    compare: {looks: none}\n", {10}, true, 10, ""},
	{"    compare: {looks: none}\n    repeat: 33\n", {33}, true, 33, ""},
	{"    compare: {looks: none}\n    repeat: {max: 33}\n", {33}, false, 33, "9:13: " CI_NOTE},
	/* As many as there can be: the end takes the place of the last one. */
	{"    compare: {looks: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}\n    repeat: 50\n",
	 {2, 3, 4, 5, 6, 7, 8, 9, 10, 50},
	 true,
	 50,
	 ""},
};

static void looks_are(const struct pg_rules *r, const uint32_t *want)
{
	uint32_t n = 0;

	while (n < PG_LOOKS && want[n])
		n++;
	ck_assert_uint_eq(r->compare.n_looks, n);
	for (uint32_t i = 0; i < n; i++)
		ck_assert_uint_eq(r->compare.looks[i], want[i]);
}

START_TEST(looks)
{
	const struct rules *r = &rules[_i];
	char yaml[512];
	struct kit k;

	kit_init(&k);
	snprintf(yaml, sizeof(yaml), SW "    variants:\n      [{label: a}, {label: b, nice: 1}]\n%s", r->keys);
	kit_good(&k, yaml, r->told);
	looks_are(&pg_plan_sweep(k.plan, 0)->rules, r->looks);
	ck_assert_int_eq(pg_plan_sweep(k.plan, 0)->rules.repeat.fixed, r->fixed);
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->rules.repeat.n, r->n);
	ck_assert(r->fixed || pg_plan_sweep(k.plan, 0)->rules.repeat.ci == 0);
	kit_done(&k);
}
END_TEST

/* The command line and a quick form give `repeat` as a sweep does; defaults too. */
START_TEST(looks_of_options)
{
	struct kit k;

	kit_init(&k);
	k.opts.repeat = 12;
	kit_good(&k, SW AB, "");
	looks_are(&pg_plan_sweep(k.plan, 0)->rules, (uint32_t[PG_LOOKS]){10, 12});
	k.opts.repeat = 0;
	k.opts.quick = true;
	kit_good(&k, SW AB "    quick: {repeat: 4}\n", "");
	looks_are(&pg_plan_sweep(k.plan, 0)->rules, (uint32_t[PG_LOOKS]){4});
	kit_good(&k,
		 "perfgrid: 1\nname: t\ndefaults: {repeat: 11, compare: {threshold: 2.5%, lens: floor, correction: "
		 "bh}}\nsweeps:\n  - {name: p, suite: fake/plain, variants: [{label: a}, {label: b}]}\n  - {name: q, "
		 "suite: fake/plain}\n",
		 "");
	looks_are(&pg_plan_sweep(k.plan, 0)->rules, (uint32_t[PG_LOOKS]){10, 11});
	ck_assert_double_eq(pg_plan_sweep(k.plan, 0)->rules.compare.threshold, 0.025);
	ck_assert_int_eq(pg_plan_sweep(k.plan, 0)->rules.compare.lens, PG_LENS_FLOOR);
	ck_assert_int_eq(pg_plan_sweep(k.plan, 0)->rules.compare.correction, PG_CORRECT_BH);
	looks_are(&pg_plan_sweep(k.plan, 1)->rules, (uint32_t[PG_LOOKS]){0});
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 1)->rules.repeat.n, 11);
	/* One arm left is no comparison. */
	k.opts.quick = false;
	k.opts.set = (const char *const[]){"variant=b"};
	k.opts.n_set = 1;
	kit_good(&k, SW AB, "");
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->n_variants, 1);
	ck_assert_str_eq(kit_cell(&k, 0)->variant_label, "b");
	looks_are(&pg_plan_sweep(k.plan, 0)->rules, (uint32_t[PG_LOOKS]){0});
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->rules.repeat.n, 10);
	kit_done(&k);
}
END_TEST

/* A run that goes on with another number of reps: what was looked at stays counted, whatever the order of the numbers.
 */
START_TEST(looks_that_are_spent)
{
	static const struct {
		const char *keys;
		uint32_t earlier[3];
		size_t n;
		uint32_t repeat;
		uint32_t looks[PG_LOOKS];
		double alpha;
	} c[] = {
		{"", {0}, 0, 0, {10, 15, 20, 30, 40}, 0.0158},
		{"", {0}, 1, 40, {10, 15, 20, 30, 40}, 0.0158},
		{"", {0}, 1, 60, {10, 15, 20, 30, 40, 60}, 0.0137},
		{"", {0, 60}, 2, 80, {10, 15, 20, 30, 40, 60, 80}, 0.0121},
		{"", {0, 80}, 2, 60, {10, 15, 20, 30, 40, 80}, 0.0133}, /* 80 were done: nothing is new at 60 */
		{"", {0}, 1, 20, {10, 15, 20, 30, 40}, 0.0158},
		{"    repeat: 25\n", {0}, 1, 28, {10, 15, 20, 25, 28}, 0.0158},
		{"    repeat: {max: 25}\n", {0, 28, 0}, 3, 12, {10, 15, 20, 25, 28}, 0.0158},
		{"    repeat: 25\n", {33}, 1, 0, {10, 15, 20, 30, 33}, 0.0158},
		{"    compare: {looks: none}\n", {0}, 1, 20, {10, 20}, 0.0294},
		{"    compare: {looks: [10, 100, 1000]}\n", {0}, 0, 0, {10, 100, 1000}, 0.0173},
	};
	char yaml[512];
	struct kit k;

	kit_init(&k);
	k.opts.earlier = c[_i].earlier;
	k.opts.n_earlier = c[_i].n;
	k.opts.repeat = c[_i].repeat;
	snprintf(yaml, sizeof(yaml), SW "    variants: [{label: a}, {label: b, nice: 1}]\n%s", c[_i].keys);
	kit_good(&k, yaml, "");
	looks_are(&pg_plan_sweep(k.plan, 0)->rules, c[_i].looks);
	ck_assert_double_eq_tol(pg_plan_sweep(k.plan, 0)->rules.compare.alpha, c[_i].alpha, 2.5e-4);
	ck_assert(pg_plan_sweep(k.plan, 0)->rules.compare.again == (c[_i].n > 0 || c[_i].repeat > 0));
	if (c[_i].repeat)
		ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->rules.repeat.n, c[_i].repeat);
	kit_done(&k);
}
END_TEST

/* The self-check: two arms for every sweep, one session, the last rep is the only look; other arms have no place. */
START_TEST(against_itself)
{
	static const char *const bad[] = {
		SW AB,
		KIT_HEAD "  - name: s\n    suite: fake/types\n    variants: [{label: a}, {label: a2, pin: '0'}]\n",
	};
	struct kit k;

	kit_init(&k);
	k.opts.against_itself = true;
	k.opts.repeat = 20;
	kit_good(&k,
		 "perfgrid: 1\nname: t\nsessions: 4\nsweeps:\n  - {name: p, suite: fake/plain, compare: {threshold: "
		 "7%}}\n"
		 "  - {name: q, suite: fake/plain, repeat: {max: 9}, compare: {lens: floor, looks: [3, 4]}}\n",
		 "");
	ck_assert_uint_eq(pg_plan_sessions(k.plan), 1);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(pg_plan_sweep(k.plan, i)->n_variants, 2);
		looks_are(&pg_plan_sweep(k.plan, i)->rules, (uint32_t[PG_LOOKS]){20});
	}
	ck_assert_str_eq(kit_cell(&k, 1)->variant_label, "a2");
	ck_assert_double_eq(pg_plan_sweep(k.plan, 0)->rules.compare.threshold, 0.07);
	ck_assert_int_eq(pg_plan_sweep(k.plan, 1)->rules.compare.lens, PG_LENS_FLOOR);
	for (int i = 0; i < LEN(bad); i++)
		kit_bad(&k, bad[i],
			"6:5: the self-check compares each cell with itself; leave out `variants`, or give it a "
			"scenario without");
	kit_done(&k);
}
END_TEST

/* The text of a row's default, read as a user's, is the built-in value; `compare` alone is noted. */
START_TEST(compare_keys)
{
	char keys[512] = "    compare: {";
	const struct pg_compare_rules *c;
	struct pg_compare_rules built;
	char yaml[1024];
	struct kit k;

	kit_init(&k);
	kit_good(&k, SW AB, "");
	built = pg_plan_sweep(k.plan, 0)->rules.compare;
	ck_assert_double_eq(built.threshold, PG_THRESHOLD);
	ck_assert_int_eq(built.lens, PG_LENS_BOTH);
	ck_assert_int_eq(built.correction, PG_CORRECT_HOLM);
	for (const struct pg_key *row = pg_compare_keys; row->name; row++)
		snprintf(keys + strlen(keys), sizeof(keys) - strlen(keys), "%s%s: %s",
			 row == pg_compare_keys ? "" : ", ", row->name, row->def);
	snprintf(yaml, sizeof(yaml), SW AB "%s}\n", keys);
	kit_good(&k, yaml, "");
	c = &pg_plan_sweep(k.plan, 0)->rules.compare;
	ck_assert_double_eq(c->threshold, built.threshold);
	ck_assert(c->lens == built.lens && c->correction == built.correction);
	looks_are(&pg_plan_sweep(k.plan, 0)->rules, built.looks);
	kit_good(&k, SW "    compare: {looks: [8, 9]}\n", "6:22: note: `looks` have no effect without `variants`");
	/* The others are of use between runs. */
	kit_good(&k, SW "    compare: {threshold: 2%, lens: floor, correction: bh}\n", "");
	kit_good(&k,
		 "perfgrid: 1\nname: t\ndefaults: {compare: {lens: typical, looks: [8]}}\nsweeps:\n  - {name: p, "
		 "suite: fake/plain}\n",
		 "3:44: note: `looks` have no effect where no sweep has `variants`");
	kit_good(&k,
		 "perfgrid: 1\nname: t\ndefaults: {compare: {lens: typical}}\nsweeps:\n  - {name: p, suite: "
		 "fake/plain}\n",
		 "");
	kit_done(&k);
}
END_TEST

START_TEST(run_rules)
{
	struct kit k;

	kit_init(&k);
	kit_good(&k, KIT_HEAD "  - {name: p, suite: fake/plain}\n", "");
	ck_assert_uint_eq(pg_plan_sessions(k.plan), 1);
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->rules.redo, 0);
	kit_good(&k,
		 "perfgrid: 1\nname: t\nsessions: 5\ndefaults: {redo: 2}\nsweeps:\n  - {name: p, suite: fake/plain}\n  "
		 "- "
		 "{name: q, suite: fake/plain, redo: 7}\n",
		 "");
	ck_assert_uint_eq(pg_plan_sessions(k.plan), 5);
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->rules.redo, 2);
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 1)->rules.redo, 7);
	kit_done(&k);
}
END_TEST

static const struct {
	const char *yaml, *tables;
} tables[] = {
	/* Without `tables`: rows, columns, then variant. */
	{SW "    vary: {count: [1, 2], flag: [no, yes]}\n" VAR("      - {label: a}\n      - {label: b, nice: 1}\n"),
	 "count/flag,variant/ rate median"},
	{SW AB, "/variant/ rate median"},
	/* Not placed, each arm has a file of its own. */
	{SW "    vary: {flag: [no, yes]}\n    tables:\n      - {rows: flag, value: [rate, time_per_op]}\n" AB,
	 "flag//variant,metric rate,time_per_op median"},
	{SW
	 "    vary: {flag: [no, yes]}\n    tables:\n      - {rows: flag, columns: variant, value: rate, relative_to: "
	 "{variant: a}}\n" AB,
	 "flag/variant/ rate median variant=a"},
	{SW "    tables:\n      - {rows: variant}\n" AB, "variant// rate median"},
};

START_TEST(placed)
{
	struct kit k;

	kit_init(&k);
	kit_good(&k, tables[_i].yaml, "");
	ck_assert_str_eq(kit_tables(&k, 0), tables[_i].tables);
	kit_done(&k);
}
END_TEST

/* Arms shape a rep; when they are looked at, how often a rep is done again and in how many sessions do not. */
START_TEST(digest)
{
	static const struct {
		const char *keys;
		bool same;
	} rows[] = {
		{AB "    compare: {lens: floor, looks: [10]}\n    redo: 3\n", true},
		{AB "    repeat: 3\n", true},
		{VAR("      - {label: a}\n      - {label: c, count: 7}\n"), false},
		{VAR("      - {label: a}\n      - {label: b, count: 8}\n"), false},
		{VAR("      - {label: a}\n      - {label: b, count: 7, nice: 1}\n"), false},
		{VAR("      - {label: b, count: 7}\n      - {label: a}\n"), false},
		{"    set: {count: 2}\n" AB, false},
		{"", false},
	};
	uint64_t base;
	struct kit k;

	kit_init(&k);
	kit_good(&k, SW AB, "");
	base = pg_plan_digest(k.plan);
	for (int i = 0; i < LEN(rows); i++) {
		char yaml[512];

		snprintf(yaml, sizeof(yaml), SW "%s", rows[i].keys);
		kit_load(&k, yaml);
		ck_assert_ptr_nonnull(k.plan);
		ck_assert_msg((pg_plan_digest(k.plan) == base) == rows[i].same, "%s", rows[i].keys);
	}
	kit_done(&k);
}
END_TEST

struct bad {
	const char *yaml, *messages;
};

static const struct bad bad[] = {
	{SW "    variants: [{label: a}]\n",
	 "6:15: `variants` has one item; a comparison needs two or more, the baseline first"},
	{SW "    variants: []\n", "6:15: `variants` is empty; it is a list of two or more maps, each with `label`"},
	{SW "    variants: {a: 1}\n",
	 "6:15: `variants` must be a list of two or more maps, each with `label`; this is a map"},
	{SW "    variants: [{label: a}, {count: 2}]\n",
	 "6:28: `label` is missing in this item; it names the item in tables and CSV"},
	{SW "    variants: [{label: a}, b]\n", "6:28: an item of `variants` must be a map with `label`; this is text"},
	{SW "    variants: [{label: a}, {label: A}]\n",
	 "6:36: label A stands in `variants` a second time; a label is taken once, whatever its case"},
	{SW "    variants: [{label: a, cuont: 2}, {label: b}]\n",
	 "6:27: fake/types has no param `cuont`; did you mean `count`?"},
	{SW "    variants: [{label: a, repeat: 2}, {label: b}]\n",
	 "6:27: `repeat` is a key of a sweep, no param of fake/types; it stands beside `suite`"},
	{SW "    variants: [{label: a, count: 2000}, {label: b}]\n",
	 "6:34: count: value 2000 is out of range; allowed: 0 to 1000"},
	/* In one place, but over set. */
	{SW "    vary: {count: [1, 2]}\n" AB,
	 "9:20: `count` stands in variants here and in vary on line 6; they override only what is set or a default"},
	{SW "    derive: {count: 2}\n" AB,
	 "9:20: `count` stands in variants here and in derive on line 6; they override only what is set or a default"},
	{SW "    vary:\n      load:\n        - {label: l, count: 1}\n" AB,
	 "11:20: `count` stands in variants here and in bundle `load` on line 8; they override only what is set or a "
	 "default"},
	/* A default that is computed does not stay beside values. */
	{SW "    variants: [{label: a}, {label: b, wakers: 1}]\n",
	 "6:16: `wakers` is missing in this item and stands in another; its default is computed, so each item names "
	 "it"},
	{KIT_HEAD "  - {name: e, suite: exec, command: [x], variants: [{label: a}, {label: b, num: 1}]}\n",
	 "4:53: `num` is missing in this item and stands in another; it is not in `set`, so each item names it"},
	/* As in bundles. */
	{SW "    variants: [{label: a, before: [x]}, {label: b}]\n",
	 "6:41: another item of `variants` has `before` and this one has not: its setting would stay; give each item "
	 "`before` or `after`"},
	{SW "    vary:\n      load:\n        - {label: l, nice: 1}\n    variants: [{label: a}, {label: b, nice: 2}]\n",
	 "9:5: `nice` stands in bundle `load` and in `variants`; keep it in one"},
	{SW "    variants: [{label: a, before: ['{x}']}, {label: b, after: [y]}]\n",
	 "6:37: unknown placeholder {x}; allowed: "},
	{KIT_HEAD "  - {name: g, suite: fake/*, variants: [{label: a}, {label: b, depth: 2}]}\n",
	 "4:64: `depth` has no place in `variants` where suite is several benches; run keys have"},
	{SW "    vary: {flag: [no, yes]}\n    add:\n      - {flag: no, variant: a}\n" AB,
	 "8:20: `variant` has no place in `add`; what it adds comes in every variant"},
	{SW "    vary:\n      variant: [{label: a}, {label: b}]\n",
	 "7:7: `variant` cannot be the name of a bundle: it is a column of the result files; take another"},
	{SW "    vary: {flag: [no, yes]}\n    skip:\n      - {variant: c}\n" AB,
	 "8:19: bundle `variant` has no item c; did you mean `a`?"},
	/* compare, redo, sessions. */
	{SW AB "    compare: {looks: [10, 10]}\n", "9:27: look 10 does not come after 10; each is later than the one "
						   "before"},
	{SW AB "    compare: {looks: [1, 10]}\n", "9:23: `looks` 1 is out of range; allowed: 2 to 1000000"},
	{SW AB "    compare: {looks: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}\n",
	 "9:22: `looks` has 11 items; at most 10"},
	{SW AB "    compare: {looks: 10}\n",
	 "9:22: `looks` must be a list of whole numbers, each above the one before, or `none`; this is text"},
	{SW AB "    compare: {looks: [[10]]}\n", "9:23: `looks` must be a whole number; this is a list"},
	{SW AB "    compare: {threshold: 0%}\n", "9:26: `threshold` 0% is out of range; allowed: above 0% to 100%"},
	{SW AB "    compare: {lens: low}\n", "9:21: `lens` cannot be low; allowed: both, typical, floor"},
	{SW AB "    compare: {correction: bonf}\n",
	 "9:27: `correction` cannot be bonf; allowed: holm, bh, none; did you mean `none`?"},
	{SW AB "    compare: {alpha: 5%}\n", "9:15: unknown key `alpha` in `compare`; allowed: threshold, lens, looks, "
					     "correction"},
	{SW AB "    compare: 5%\n",
	 "9:14: `compare` must be a map of threshold, lens, looks, correction; this is text"},
	{SW "    redo: -1\n", "6:11: `redo` -1 is no whole number (a sign); allowed: 0 to 1000000"},
	{"perfgrid: 1\nname: t\nsessions: 101\nsweeps:\n  - {name: p, suite: fake/plain}\n",
	 "3:11: `sessions` 101 is out of range; allowed: 1 to 100"},
};

START_TEST(refused)
{
	const char *want = bad[_i].messages;
	struct kit k;
	size_t n = strlen(want);

	kit_init(&k);
	kit_load(&k, bad[_i].yaml);
	ck_assert_ptr_null(k.plan);
	/* A list of everything that is allowed is cut here. */
	if (want[n - 1] == ' ')
		ck_assert_msg(strncmp(pg_told_text(&k.told), want, n) == 0, "%s", pg_told_text(&k.told));
	else
		ck_assert_str_eq(pg_told_text(&k.told), want);
	kit_done(&k);
}
END_TEST

PG_TEST_MAIN("plan_variants_rules", ((const struct pg_test[]){
					    {looks, LEN(rules)},
					    {looks_of_options, 0},
					    {looks_that_are_spent, 11},
					    {against_itself, 0},
					    {compare_keys, 0},
					    {run_rules, 0},
					    {placed, LEN(tables)},
					    {digest, 0},
					    {refused, LEN(bad)},
					    {NULL, 0},
				    }))
