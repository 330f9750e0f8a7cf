/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the command line and quick forms make of a scenario: --set, --vary, --only, --quick, --repeat, --warmup. */
#include "tests/support/pgtest.h"

#include "tests/support/plankit.h"

#define SW KIT_HEAD "  - name: s\n    suite: fake/types\n"
#define GRID                                                                                                           \
	SW "    set: {size: 2KB}\n    vary:\n      count: [1, 2]\n      load:\n        - {label: light, limit: 3, "    \
	   "span: 1ms}\n"                                                                                              \
	   "        - {label: heavy, limit: 4, span: 2ms}\n    derive: {loops: count * 10}\n"

struct selection {
	const char *yaml;
	const char *set[3], *vary[3]; /* NULL ends */
	const char *params, *cells, *told;
};

static const struct selection selections[] = {
	/* --set: of a default, a set, an axis, a bundle, a derived param. */
	{GRID, {"ratio=0.75"}, {NULL}, "ratio count", "0.75 1; 0.75 1; 0.75 2; 0.75 2", ""},
	{GRID, {"size=4KB"}, {NULL}, "size", "4KB; 4KB; 4KB; 4KB", ""},
	{GRID, {"count=9"}, {NULL}, "count limit loops", "9 3 90; 9 4 90", ""},
	{GRID, {"limit=none"}, {NULL}, "limit span count", "none 1ms 1; none 2ms 1; none 1ms 2; none 2ms 2", ""},
	{GRID, {"loops=5"}, {NULL}, "loops count", "5 1; 5 1; 5 2; 5 2", ""},
	{GRID, {"load=heavy"}, {NULL}, "limit count", "4 1; 4 2", ""},
	{GRID, {"s.count=9", "count=8"}, {NULL}, "count", "9; 9", ""}, /* the closer one counts, wherever it stands */
	{GRID, {"count=8", "s.count=9"}, {NULL}, "count", "9; 9", ""},
	{GRID, {NULL}, {"count=8", "s.count=9"}, "count limit", "9 3; 9 4", ""},
	{KIT_HEAD "  - {name: g, suite: fake/*}\n",
	 {"depth=1", "g-plain.depth=3", "g.depth=2"},
	 {NULL},
	 "?depth",
	 "-; 2; 3",
	 ""},
	{GRID,
	 {"count=9", "count=8"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: --set count=9 stands before it for the same param; give one of the two"},
	{GRID,
	 {"s.count=9", "size=1KB", "s.count=9"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: --set s.count=9 stands before it for the same param; give one of the two"},
	{GRID,
	 {NULL},
	 {"flag=no", "flag=yes"},
	 NULL,
	 NULL,
	 "0:0: --vary flag=no stands before it for the same param; give one of the two"},
	{GRID, {"count=2*cpus"}, {NULL}, "count", "8; 8", ""},
	{GRID, {"cpu_set=0,2-3"}, {NULL}, "cpu_set", "0,2-3; 0,2-3; 0,2-3; 0,2-3", ""},
	{GRID, {"s.count=9"}, {NULL}, "count", "9; 9", ""},
	/* --vary: the same places. A new axis is the last one. */
	{GRID,
	 {NULL},
	 {"flag=no,yes"},
	 "count limit flag",
	 "1 3 false; 1 3 true; 1 4 false; 1 4 true; 2 3 false; 2 3 true; 2 4 false; 2 4 true",
	 ""},
	{GRID, {NULL}, {"count=5..7"}, "count limit", "5 3; 5 4; 6 3; 6 4; 7 3; 7 4", ""},
	{GRID, {"load=light"}, {"size=1KB,cpus*1KB"}, "size count", "1KB 1; 4KB 1; 1KB 2; 4KB 2", ""},
	{GRID, {"load=light"}, {"size=1KB,8KB"}, "size count", "1KB 1; 8KB 1; 1KB 2; 8KB 2", ""},
	{GRID, {"count=1"}, {"limit=7,8"}, "limit span", "7 1ms; 8 1ms; 7 2ms; 8 2ms", ""},
	{GRID, {"load=light"}, {"loops=3,auto"}, "count loops", "1 3; 1 auto; 2 3; 2 auto", ""},
	{GRID, {NULL}, {"load=heavy,light", "count=1"}, "limit count", "4 1; 3 1", ""},
	{GRID, {NULL}, {"colour=all", "load=light", "count=1"}, "colour", "red; green; blue", ""},
	/* What no longer fits. */
	{GRID "    add:\n      - {count: 3, load: light}\n",
	 {"count=4"},
	 {NULL},
	 "count",
	 "4; 4",
	 "14:7: note: the axes of sweep s are others now; 1 item of `add` left out"},
	{GRID "    add:\n      - {count: 3, load: light}\n      - {count: 4, load: light}\n",
	 {"load=light"},
	 {"flag=no"},
	 "count",
	 "1; 2",
	 "14:7: note: the axes of sweep s are others now; 2 items of `add` left out"},
	{GRID "    add:\n      - {count: 3, load: light}\n",
	 {"limit=9"},
	 {NULL},
	 "count limit",
	 "1 9; 1 9; 2 9; 2 9; 3 9",
	 ""},
	{GRID "    add:\n      - {count: 3, load: light}\n", {"size=1KB"}, {NULL}, "count", "1; 1; 2; 2; 3", ""},
	{GRID "    skip:\n      - {count: 2}\n", {"count=4"}, {NULL}, "count", "4; 4", ""},
	/* Refused. */
	{GRID, {"cuont=1"}, {NULL}, NULL, NULL, "0:0: no sweep takes `cuont`; did you mean `count`?"},
	{GRID, {"zzzzzz=1"}, {NULL}, NULL, NULL, "0:0: no sweep takes `zzzzzz`; see `perfgrid describe BENCH`"},
	{GRID, {"copy.count=1"}, {NULL}, NULL, NULL, "0:0: there is no sweep `copy`; the file has s"},
	{KIT_HEAD "  - {name: copy, suite: fake/types}\n",
	 {"copi.count=1"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: there is no sweep `copi`; did you mean `copy`?"},
	{GRID, {NULL}, {"s.cuont=1"}, NULL, NULL, "0:0: no sweep takes `cuont`; did you mean `count`?"},
	{GRID, {"count"}, {NULL}, NULL, NULL, "0:0: no name and value; write --set name=value or SWEEP.name=..."},
	{GRID,
	 {NULL},
	 {"count="},
	 NULL,
	 NULL,
	 "0:0: no name and value; write --vary name=value,value or SWEEP.name=..."},
	{GRID, {"=3"}, {NULL}, NULL, NULL, "0:0: no name and value; write --set name=value or SWEEP.name=..."},
	/* Names that are none. */
	{GRID,
	 {".count=3"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: no sweep is named before the dot; write --set name=value for every sweep that takes it, or "
	 "SWEEP.name=value for one"},
	{GRID,
	 {".=3"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: no sweep is named before the dot; write --set name=value for every sweep that takes it, or "
	 "SWEEP.name=value for one"},
	{GRID,
	 {NULL},
	 {".count=3"},
	 NULL,
	 NULL,
	 "0:0: no sweep is named before the dot; write --vary name=value,value for every sweep that takes it, or "
	 "SWEEP.name=value,value for one"},
	{GRID, {"s.=3"}, {NULL}, NULL, NULL, "0:0: no param is named after the dot; write --set SWEEP.name=value"},
	{GRID,
	 {" =3"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: ` ` cannot be the name of a param; allowed: small letters, digits, `_`, first a letter"},
	{GRID,
	 {"s.a.b=3"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: `a.b` cannot be the name of a param; allowed: small letters, digits, `_`, first a letter"},
	{GRID, {"COUNT=3"}, {NULL}, NULL, NULL, "0:0: no sweep takes `COUNT`; did you mean `count`?"},
	{GRID, {" .count=3"}, {NULL}, NULL, NULL, "0:0: there is no sweep ` `; did you mean `s`?"},
	/* Keys are no params. */
	{GRID, {"repeat=3"}, {NULL}, NULL, NULL, "0:0: `repeat` is a key and no param; use --repeat N"},
	{GRID, {"s.warmup=3"}, {NULL}, NULL, NULL, "0:0: `warmup` is a key and no param; use --warmup N"},
	{GRID, {NULL}, {"label=a,b"}, NULL, NULL, "0:0: `label` is a key and no param; use --label TEXT"},
	{GRID, {"vary=3"}, {NULL}, NULL, NULL, "0:0: `vary` is a key and no param; use --vary name=value,value"},
	{GRID,
	 {NULL},
	 {"pin=0,1"},
	 NULL,
	 NULL,
	 "0:0: `pin` is a key and no param; write it in the scenario, in the sweep or in `defaults`"},
	{GRID,
	 {"timeout=3s"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: `timeout` is a key and no param; write it in the scenario, in the sweep or in `defaults`"},
	{GRID,
	 {"derive=3"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: `derive` is a key and no param; write it in the scenario, in the sweep"},
	{GRID,
	 {"cpus=3"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: `cpus` is a machine word and no param; see `perfgrid describe BENCH`"},
	{GRID,
	 {"cell=3"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: `cell` is a column of the result files and no param; see `perfgrid describe BENCH`"},
	{GRID,
	 {"count=99999999999999999999"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: count: '99999999999999999999' is no whole number (number too large); allowed: a number from 0 to 1000"},
	{GRID, {"count=1001"}, {NULL}, NULL, NULL, "0:0: count: value 1001 is out of range; allowed: 0 to 1000"},
	{GRID,
	 {"count=1,2"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: count takes one value here, not a list; several values stand in `--vary`"},
	{GRID,
	 {"count=1"},
	 {"count=1,2"},
	 NULL,
	 NULL,
	 "0:0: --set count=1 has this param as well; give one of the two"},
	{GRID, {"load=hevy"}, {NULL}, NULL, NULL, "0:0: bundle `load` has no item hevy; did you mean `heavy`?"},
	{GRID, {NULL}, {"load=light,light"}, NULL, NULL, "0:0: label light stands here a second time; keep one"},
	/* Two sweeps: both take it, or one of them. */
	{GRID "  - {name: u, suite: fake/types}\n  - {name: v, suite: fake/types}\n",
	 {"u.count=3"},
	 {NULL},
	 "count",
	 "1; 1; 2; 2; 3; 1",
	 ""},
	{GRID "  - {name: u, suite: fake/types}\n  - {name: v, suite: fake/plain}\n",
	 {"ratio=0.1", "v.depth=3"},
	 {NULL},
	 "",
	 "; ; ; ; ; ",
	 ""},
	/* Expanded sweeps: by their own name, and all by that of the glob. */
	{KIT_HEAD "  - {name: g, suite: fake/*}\n", {"g-plain.depth=3"}, {NULL}, "?depth", "-; 1; 3", ""},
	{KIT_HEAD "  - {name: g, suite: fake/*}\n", {"g.depth=3"}, {"g-types.flag=no,yes"}, "?depth", "-; -; 3; 3", ""},
	/* exec: its own names, types by the new text. */
	{KIT_HEAD "  - {name: e, suite: exec, command: [x, \"{jobs}\"], vary: {jobs: [1, 2]}}\n",
	 {NULL},
	 {"jobs=a,3"},
	 "jobs",
	 "a; 3",
	 ""},
	{KIT_HEAD "  - {name: e, suite: exec, command: [x, \"{jobs}\"], vary: {jobs: [1, 2]}}\n",
	 {"dir=1"},
	 {NULL},
	 NULL,
	 NULL,
	 "0:0: no sweep takes `dir`; see `perfgrid describe BENCH`"},
};

START_TEST(set_and_vary)
{
	const struct selection *s = &selections[_i];
	struct kit k;

	kit_init(&k);
	k.opts.set = s->set;
	k.opts.vary = s->vary;
	while (k.opts.n_set < 3 && s->set[k.opts.n_set])
		k.opts.n_set++;
	while (k.opts.n_vary < 3 && s->vary[k.opts.n_vary])
		k.opts.n_vary++;
	kit_load(&k, s->yaml);
	ck_assert_str_eq(pg_told_text(&k.told), s->told);
	ck_assert_int_eq(k.plan == NULL, s->cells == NULL);
	if (k.plan)
		ck_assert_str_eq(kit_cells(&k, s->params), s->cells);
	kit_done(&k);
}
END_TEST

struct only {
	const char *yaml, *expr, *cells, *told;
};

static const struct only onlys[] = {
	{GRID, "count == 2 and load == 'heavy'", "(1 3); (1 4); (2 3); 2 4", ""},
	{GRID, "loops > 10", "(1 3); (1 4); 2 3; 2 4", ""},
	{GRID, "size == 2KB and wakers == cpus", "1 3; 1 4; 2 3; 2 4", ""},
	{GRID "  - {name: u, suite: fake/types, set: {limit: 9}}\n", "sweep == 'u'", "(1 3); (1 4); (2 3); (2 4); 1 9",
	 ""},
	/* Where a name means nothing, nothing is selected. */
	{GRID "  - {name: u, suite: fake/types, set: {limit: 9}}\n", "load == 'light'", "1 3; (1 4); 2 3; (2 4); (1 9)",
	 ""},
	{GRID "    skip:\n      - {count: 2}\n", "limit == 3", "1 3; (1 4); (2 3); (2 4)", ""},
	{GRID, "count > 7", NULL, "0:0: no cell is left to run; `perfgrid plan` shows all"},
	{GRID "    skip:\n      - {count: 2}\n", "count == 2", NULL,
	 "0:0: no cell is left to run; `perfgrid plan` shows all"},
	{GRID, "cuont > 7", NULL, "1:1: unknown name cuont; did you mean count"},
	{GRID, "count +", NULL, "1:8: the expression ends too early; a name, a number or 'text' is due here"},
	{GRID, "count", NULL, "1:1: a condition is due here, not a number; write one, such as groups > 4"},
	{GRID, "10 / (count - 1) > 3", NULL,
	 "1:4: division by zero; test the divisor first, as in `x != 0 and ...`, or keep 0 out of the axis"},
};

START_TEST(only)
{
	const struct only *o = &onlys[_i];
	struct kit k;

	kit_init(&k);
	k.opts.only = o->expr;
	kit_load(&k, o->yaml);
	ck_assert_str_eq(pg_told_text(&k.told), o->told);
	ck_assert_int_eq(k.plan == NULL, o->cells == NULL);
	if (k.plan)
		ck_assert_str_eq(kit_cells(&k, "count limit"), o->cells);
	kit_done(&k);
}
END_TEST

/* Not selected is not skipped: those skipped by a rule keep their reason; the selection is part of the digest. */
START_TEST(only_marks)
{
	struct kit k;
	uint64_t all;

	kit_init(&k);
	kit_good(&k, GRID "    skip:\n      - {count: 2}\n", "");
	all = pg_plan_digest(k.plan);
	k.opts.only = "limit == 3";
	kit_good(&k, GRID "    skip:\n      - {count: 2}\n", "");
	ck_assert_int_eq(kit_cell(&k, 0)->skip, PG_NOT_SKIPPED);
	ck_assert_int_eq(kit_cell(&k, 1)->skip, PG_SKIP_NOT_SELECTED);
	ck_assert_str_eq(kit_cell(&k, 1)->why, "not selected by --only");
	ck_assert_int_eq(kit_cell(&k, 2)->skip, PG_SKIP_RULE);
	ck_assert_int_eq(kit_cell(&k, 3)->skip, PG_SKIP_RULE);
	ck_assert_uint_ne(pg_plan_digest(k.plan), all);
	kit_done(&k);
}
END_TEST

struct quick {
	const char *form, *params, *cells, *told;
};

static const struct quick quicks[] = {
	{"{repeat: 2, warmup: 0, pause: 2s, timeout: 3s}", "count limit", "1 3; 1 4; 2 3; 2 4", ""},
	{"{vary: {count: [7]}}", "count limit loops", "7 3 70; 7 4 70", ""},
	{"{set: {count: 7, ratio: 0.1}}", "count limit ratio", "7 3 0.1; 7 4 0.1", ""},
	{"{vary: {load: [heavy]}}", "count limit", "1 4; 2 4", ""},
	{"{set: {load: heavy}}", "count limit", "1 4; 2 4", ""},
	{"{vary: {load: [{label: tiny, limit: 1, span: 1us}]}}", "count limit span", "1 1 1us; 2 1 1us", ""},
	{"{derive: {loops: count + 100}}", "loops", "101; 101; 102; 102", ""},
	{"{derive: {size: 1KB * count}}", "size", "1KB; 1KB; 2KB; 2KB", ""},
	{"{vary: {loops: [3, 4], count: [1]}}", "loops limit", "3 3; 4 3; 3 4; 4 4", ""},
	{"{set: {limit: 9}}", NULL, NULL,
	 "14:19: `limit` stands in set of `quick` here and in bundle `load` on line 10; a param stands in one place"},
	{"{vary: {limit: [9]}}", NULL, NULL,
	 "14:20: `limit` stands in vary of `quick` here and in bundle `load` on line 10; a param stands in one place"},
	{"{set: {count: 1}, vary: {count: [1]}}", NULL, NULL,
	 "14:37: `count` stands in `quick` twice, first on line 14; a param stands in one place"},
	{"{set: {cuont: 1}}", NULL, NULL, "14:19: fake/types has no param `cuont`; did you mean `count`?"},
	{"{vary: {load: [{label: tiny, size: 1KB}]}}", NULL, NULL,
	 "14:41: `size` stands in a bundle here and in set on line 6; a param stands in one place"},
	{"{derive: {load: 3}}", NULL, NULL, "14:22: `load` is a bundle and cannot be derived; derive a param"},
};

START_TEST(quick_forms)
{
	const struct quick *q = &quicks[_i];
	char yaml[2048];
	struct kit k;

	kit_init(&k);
	snprintf(yaml, sizeof(yaml), GRID "    repeat: {min: 9}\n    quick: %s\n", q->form);
	k.opts.quick = true;
	kit_load(&k, yaml);
	ck_assert_int_eq(strncmp(pg_told_text(&k.told), q->told, *q->told ? strlen(q->told) : 1), 0);
	ck_assert_int_eq(k.plan == NULL, q->cells == NULL);
	if (k.plan)
		ck_assert_str_eq(kit_cells(&k, q->params), q->cells);
	/* Without --quick the form is looked at all the same, and changes nothing. */
	k.opts.quick = false;
	kit_load(&k, yaml);
	ck_assert_int_eq(strncmp(pg_told_text(&k.told), q->told, *q->told ? strlen(q->told) : 1), 0);
	ck_assert_int_eq(k.plan == NULL, q->cells == NULL);
	if (k.plan) {
		ck_assert_str_eq(kit_cells(&k, "count limit loops"), "1 3 10; 1 4 10; 2 3 20; 2 4 20");
		ck_assert(!pg_plan_sweep(k.plan, 0)->rules.repeat.fixed);
	}
	kit_done(&k);
}
END_TEST

START_TEST(quick_rules)
{
	const struct pg_rules *r;
	struct kit k;

	kit_init(&k);
	k.opts.quick = true;
	kit_good(&k,
		 GRID
		 "    repeat: {min: 9}\n    quick: {repeat: 2, warmup: 0, pause: 2s, timeout: 3s, vary: {count: [5]}}\n"
		 "    add:\n      - {count: 3, load: light}\n    skip:\n      - {count: 1}\n",
		 "16:7: note: the axes of sweep s are others now; 1 item of `add` left out");
	r = &pg_plan_sweep(k.plan, 0)->rules;
	ck_assert(r->repeat.fixed);
	ck_assert_uint_eq(r->repeat.n, 2);
	ck_assert_uint_eq(r->warmup, 0);
	ck_assert_int_eq(r->pause_ns, INT64_C(2000000000));
	ck_assert_int_eq(r->timeout_ns, INT64_C(3000000000));
	/* A sweep without a quick form runs as it stands; the command line stands above all. */
	k.opts.repeat = 4;
	k.opts.has_warmup = true;
	k.opts.warmup = 3;
	kit_good(&k, GRID "    repeat: {min: 9}\n", "");
	r = &pg_plan_sweep(k.plan, 0)->rules;
	ck_assert(r->repeat.fixed);
	ck_assert_uint_eq(r->repeat.n, 4);
	ck_assert_uint_eq(r->warmup, 3);
	k.opts.repeat = 0;
	kit_good(&k, GRID "    repeat: {min: 9}\n", "");
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->rules.repeat.min, 9);
	kit_done(&k);
}
END_TEST

PG_TEST_MAIN("plan_select", ((const struct pg_test[]){
				    {set_and_vary, sizeof(selections) / sizeof(selections[0])},
				    {only, sizeof(onlys) / sizeof(onlys[0])},
				    {only_marks, 0},
				    {quick_forms, sizeof(quicks) / sizeof(quicks[0])},
				    {quick_rules, 0},
				    {NULL, 0},
			    }))
