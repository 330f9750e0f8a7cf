/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variants as cells: the last axis, its values over set and defaults, what the command line picks, one id for all arms.
 */
#include "tests/support/pgtest.h"

#include "tests/support/plankit.h"

#define LEN(a)	   ((int)(sizeof(a) / sizeof(*(a))))
#define SW	   KIT_HEAD "  - name: s\n    suite: fake/types\n"
#define VAR(items) "    variants:\n" items
#define AB	   VAR("      - {label: a}\n      - {label: b, count: 7}\n")

/* "LABEL:VALUES; ..." of every cell, skipped ones in ( ). */
static const char *arms(struct kit *k, const char *params)
{
	const char *cells = kit_cells(k, params);
	struct pg_str all;
	size_t i = 0;

	pg_str_init(&all);
	for (char *copy = strdup(cells), *save, *c = strtok_r(copy, ";", &save);; c = strtok_r(NULL, ";", &save), i++) {
		const char *label;

		if (!c) {
			free(copy);
			break;
		}
		label = kit_cell(k, i)->variant_label;
		c += *c == ' ';
		pg_str_addf(&all, "%s%s%s:%s", i ? "; " : "", *c == '(' ? "(" : "", label ? label : "-",
			    c + (*c == '('));
	}
	pg_str_reset(&k->text);
	pg_str_adds(&k->text, pg_str_text(&all));
	pg_str_release(&all);
	return pg_str_text(&k->text);
}

struct cells {
	const char *yaml, *params, *cells, *told;
};

static const struct cells cells[] = {
	/* Over set and defaults; what an item does not name stays. */
	{SW "    set: {count: 5}\n    vary: {flag: [no, yes]}\n" AB, "count flag",
	 "a:5 false; b:7 false; a:5 true; b:7 true", ""},
	{SW VAR("      - {label: a, count: 2}\n      - {label: b, size: 1KB}\n      - {label: c, colour: blue, count: "
		"cpus}\n"),
	 "count size colour", "a:2 4KB red; b:1 1KB red; c:4 4KB blue", ""},
	{SW "    set: {text: sweep}\n" VAR("      - {label: a, text: x}\n      - {label: b}\n"), "text", "a:x; b:sweep",
	 ""},
	{SW VAR("      - {label: a, cpu_set: '0'}\n      - {label: b}\n"), "cpu_set", "a:0; b:", ""},
	/* Run keys alone. */
	{SW "    vary: {count: [1, 2]}\n" VAR("      - {label: a}\n      - {label: b, nice: 3}\n"), "count",
	 "a:1; b:1; a:2; b:2", ""},
	/* What is computed follows. */
	{SW "    derive: {span: 1ms * count}\n" AB, "count span", "a:1 1ms; b:7 7ms", ""},
	{SW VAR("      - {label: a, threads: 2}\n      - {label: b, threads: 6}\n"), "threads wakers", "a:2 2; b:6 6",
	 ""},
	{SW
	 "    derive: {ratio: 0.25 * count}\n    vary: {flag: [no, yes]}\n    skip:\n      - when: variant == 'b' and "
	 "flag\n" AB,
	 "ratio flag", "a:0.25 false; b:1.75 false; a:0.25 true; (b:1.75 true)", ""},
	{SW
	 "    vary: {flag: [no, yes]}\n    skip:\n      - {variant: a, flag: yes}\n      - {count: 7, flag: no}\n" AB,
	 "flag", "a:false; (b:false); (a:true); b:true", ""},
	/* Added cells come in every arm. */
	{SW "    vary: {size: [1KB, 2KB], flag: [no, yes]}\n    add:\n      - {size: 3KB, flag: yes}\n      - {size: "
	    "1KB, flag: no}\n      - {flag: no, size: 3KB}\n      - {size: 3KB, flag: yes}\n    skip:\n      - {size: "
	    "[1KB, 2KB]}\n" AB,
	 "size flag count",
	 "(a:1KB false 1); (b:1KB false 7); (a:1KB true 1); (b:1KB true 7); (a:2KB false 1); (b:2KB false 7); (a:2KB "
	 "true 1); (b:2KB true 7); a:3KB true 1; b:3KB true 7; a:3KB false 1; b:3KB false 7",
	 "9:9: note: this cell is there already; dropped\n11:9: note: this cell is there already; dropped"},
	/* Of defaults, for every sweep; a sweep's own replace them. */
	{"perfgrid: 1\nname: t\ndefaults:\n  variants: [{label: x}, {label: y, nice: 1}]\nsweeps:\n"
	 "  - {name: p, suite: fake/plain}\n  - {name: q, suite: fake/plain, variants: [{label: u, depth: 2}, {label: "
	 "v}]}\n",
	 "depth", "x:1; y:1; u:2; v:1", ""},
	/* Several benches: run keys. */
	{KIT_HEAD "  - {name: g, suite: fake/*, variants: [{label: x}, {label: y, nice: 1}]}\n", "?depth",
	 "x:-; y:-; x:1; y:1; x:1; y:1", ""},
	/* exec: a param is set, or every item names it; its type is that of all its values. */
	{KIT_HEAD
	 "  - name: e\n    suite: exec\n    command: ['{bin}', '{num}']\n    set: {num: 3}\n    vary: {jobs: [1, "
	 "2]}\n    variants: [{label: old, bin: /old/p}, {label: new, bin: /new/p, num: 2.5}]\n",
	 "jobs bin num", "old:1 /old/p 3; new:1 /new/p 2.5; old:2 /old/p 3; new:2 /new/p 2.5", ""},
	/* A bundle beside them; three arms. */
	{SW "    vary:\n      load:\n        - {label: l, size: 1KB, pin: '0'}\n        - {label: h, size: 2KB}\n" VAR(
		 "      - {label: a}\n      - {label: b, nice: 1}\n      - {label: c, env: {A: 1}}\n"),
	 "size", "a:1KB; b:1KB; c:1KB; a:2KB; b:2KB; c:2KB", ""},
};

START_TEST(made)
{
	struct kit k;

	kit_init(&k);
	kit_good(&k, cells[_i].yaml, cells[_i].told);
	ck_assert_str_eq(arms(&k, cells[_i].params), cells[_i].cells);
	kit_done(&k);
}
END_TEST

struct selection {
	const char *yaml, *set, *vary;
	const char *params, *cells, *told;
};

#define QUICK(keys) SW "    set: {size: 2KB}\n" AB "    quick: {" keys "}\n"

static const struct selection selections[] = {
	/* --set reaches every arm, --vary takes the param out of the variants. */
	{SW AB, "count=9", NULL, "count", "a:9; b:9", ""},
	{SW "    set: {count: 2}\n" AB, "count=9", NULL, "count", "a:9; b:9", ""},
	{SW AB, NULL, "count=8,9", "count", "a:8; b:8; a:9; b:9", ""},
	{SW "    set: {count: 2}\n" AB, NULL, "count=8,9", "count", "a:8; b:8; a:9; b:9", ""},
	{SW AB, NULL, "flag=no,yes", "flag count", "a:false 1; b:false 7; a:true 1; b:true 7", ""},
	{SW AB, "size=8KB", NULL, "size count", "a:8KB 1; b:8KB 7", ""},
	{KIT_HEAD "  - {name: e, suite: exec, command: [x], variants: [{label: a, num: 1}, {label: b, num: 2}]}\n",
	 "num=7", NULL, "num", "a:7; b:7", ""},
	/* By their labels: fewer of them, another order; added cells stay. */
	{SW "    vary: {flag: [no]}\n    add:\n      - {flag: yes}\n" AB, "variant=b", NULL, "count flag",
	 "b:7 false; b:7 true", ""},
	{SW AB, NULL, "variant=b,a", "count", "b:7; a:1", ""},
	{SW AB, "variant=c", NULL, NULL, NULL, "0:0: `variants` has no item c; did you mean `a`?"},
	/* Quick forms. */
	{QUICK("vary: {variant: [b, a]}"), NULL, NULL, "count size", "b:7 2KB; a:1 2KB", ""},
	{QUICK("set: {count: 3, size: 1KB}"), NULL, NULL, "count size", "a:3 1KB; b:7 1KB", ""},
	{QUICK("vary: {count: [3]}"), NULL, NULL, NULL, NULL,
	 "10:20: `count` stands in vary of `quick` here and in variants on line 9; they override only what is set or a "
	 "default"},
	{QUICK("derive: {count: 3}"), NULL, NULL, NULL, NULL,
	 "10:22: `count` stands in derive of `quick` here and in variants on line 9; they override only what is set or "
	 "a default"},
	{QUICK("vary: {variant: [{label: c}, {label: d}]}"), NULL, NULL, NULL, NULL,
	 "10:29: `variant` takes labels of `variants` here, not new ones"},
	{SW "    set: {count: 2}\n" AB "    quick: {vary: {count: [3]}}\n", NULL, NULL, NULL, NULL,
	 "9:20: `count` stands in variants here and in vary on line 10; they override only what is set or a default"},
};

START_TEST(selected)
{
	const struct selection *s = &selections[_i];
	struct kit k;

	kit_init(&k);
	k.opts.quick = strstr(s->yaml, "quick:") != NULL;
	k.opts.set = &s->set;
	k.opts.n_set = s->set != NULL;
	k.opts.vary = &s->vary;
	k.opts.n_vary = s->vary != NULL;
	if (s->cells) {
		kit_good(&k, s->yaml, s->told);
		ck_assert_str_eq(arms(&k, s->params), s->cells);
	} else {
		kit_bad(&k, s->yaml, s->told);
	}
	kit_done(&k);
}
END_TEST

/* --only sees the arm; a skipped baseline is still the baseline of its cell. */
START_TEST(only)
{
	struct kit k;

	kit_init(&k);
	k.opts.only = "variant == 'b'";
	kit_good(&k, SW "    vary: {flag: [no, yes]}\n" AB, "");
	ck_assert_str_eq(arms(&k, "flag"), "(a:false); b:false; (a:true); b:true");
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->n_variants, 2);
	kit_done(&k);
}
END_TEST

static void cell_is(struct kit *k, size_t i, uint32_t variant, const char *label)
{
	const struct pg_cell *c = kit_cell(k, i);

	ck_assert_uint_eq(c->variant, variant);
	ck_assert_uint_eq(c->n_variants, pg_plan_sweep(k->plan, c->sweep)->n_variants);
	ck_assert(label ? c->variant_label && strcmp(c->variant_label, label) == 0 : !c->variant_label);
}

START_TEST(fields_of_cells)
{
	struct kit k;

	kit_init(&k);
	kit_good(&k, SW "    vary: {flag: [no, yes]}\n" AB "  - {name: p, suite: fake/plain}\n", "");
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->n_variants, 2);
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->n_axes, 2);
	ck_assert_str_eq(pg_plan_sweep(k.plan, 0)->axes[1].name, "variant");
	ck_assert(pg_plan_sweep(k.plan, 0)->axes[1].bundle);
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 1)->n_variants, 1);
	cell_is(&k, 0, 0, "a");
	cell_is(&k, 1, 1, "b");
	cell_is(&k, 4, 0, NULL);
	cell_is(&k, 3, 1, "b");
	cell_is(&k, 2, 0, "a");
	ck_assert_str_eq(kit_cell(&k, 0)->texts[2] ? kit_cell(&k, 0)->texts[2] : "-", "-");
	ck_assert_str_eq(kit_cell(&k, 1)->texts[2], "7");
	kit_done(&k);
}
END_TEST

/* Run keys of an arm over those of the sweep, variables name by name. */
START_TEST(run_keys)
{
	const struct pg_runkeys *r;
	struct kit k;

	kit_init(&k);
	kit_good(&k,
		 SW
		 "    nice: 1\n    env: {A: sweep, B: sweep}\n" VAR("      - {label: a, before: [x], env: {B: a, C: "
								    "a}}\n      - {label: b, nice: 2, after: [y]}\n"),
		 "");
	r = kit_cell(&k, 0)->keys;
	ck_assert_int_eq(r->nice, 1);
	ck_assert_str_eq(r->before.w[0], "x");
	ck_assert_uint_eq(r->n_env, 3);
	ck_assert_str_eq(r->env[1].text, "a");
	r = kit_cell(&k, 1)->keys;
	ck_assert_int_eq(r->nice, 2);
	ck_assert_uint_eq(r->before.n, 0);
	ck_assert_uint_eq(r->after.n, 1);
	ck_assert_uint_eq(r->n_env, 2);
	ck_assert_str_eq(r->env[1].text, "sweep");
	kit_done(&k);
}
END_TEST

static uint64_t id_of(const char *lines)
{
	return pg_mix64(pg_fnv1a(PG_FNV_INIT, lines, strlen(lines)));
}

/* The arms of a cell have one id, without what tells them apart; without variants nothing of it changes. */
struct vector {
	const char *yaml, *lines;
	size_t cell;
};

static const struct vector vectors[] = {
	{SW "    vary: {size: [1KB, 2KB]}\n    derive: {span: 1ms * count, ratio: 0.25 * 2}\n" AB,
	 "s\nfake/types\nchunk=whole\ncolour=red\nflag=false\nlimit=none\nloops=auto\nratio=0.5\nsize=2KB\nthreads=4\n"
	 "wakers=4\n",
	 2},
	/* wakers is threads; limit is computed from what is computed. */
	{SW "    derive: {limit: wakers + 1}\n" VAR("      - {label: a, threads: 2}\n      - {label: b, threads: 6}\n"),
	 "s\nfake/types\nchunk=whole\ncolour=red\ncount=1\nflag=false\nloops=auto\nratio=0.5\nsize=4KB\nspan=1ms\n", 0},
	{SW "    derive: {flag: variant == 'b'}\n" VAR("      - {label: a}\n      - {label: b, nice: 1}\n"),
	 "s\nfake/types\nchunk=whole\ncolour=red\ncount=1\nlimit=none\nloops=auto\nratio=0.5\nsize=4KB\nspan=1ms\n"
	 "threads=4\nwakers=4\n",
	 0},
	{KIT_HEAD "  - {name: e, suite: exec, command: [x], set: {jobs: 3, dir: /tmp}, variants: [{label: a}, {label: "
		  "b, dir: /b}]}\n",
	 "e\nexec\njobs=3\n", 0},
};

START_TEST(one_id)
{
	const struct vector *v = &vectors[_i];
	struct kit k;

	kit_init(&k);
	kit_good(&k, v->yaml, "");
	ck_assert_uint_eq(kit_cell(&k, v->cell)->id, id_of(v->lines));
	ck_assert_uint_eq(kit_cell(&k, v->cell + 1)->id, id_of(v->lines));
	kit_done(&k);
}
END_TEST

/* In any order; an id leads to the baseline, with a label to the arm. */
START_TEST(any_order)
{
	static const char yaml[] = SW
		"    vary:\n      size: 1KB..9KB by 1KB\n      load:\n        - {label: l, limit: 1}\n        - "
		"{label: "
		"h, limit: 2}\n    derive: {span: 1ms * count, ratio: 0.5 * count, chunk: size / 2}\n    add:\n      - "
		"{size: 99KB, load: h}\n    variants: [{label: x}, {label: y, count: 3}, {label: z, count: 4}]\n"
		"  - {name: p, suite: fake/plain, vary: {depth: [1, 2, 3]}}\n";
	static const char *const labels[] = {"x", "y", "z"};
	struct kit k;
	uint64_t ids[64];
	char *texts[64];
	size_t n;

	kit_init(&k);
	kit_good(&k, yaml, "");
	n = pg_plan_cells(k.plan);
	ck_assert_uint_eq(n, (9 * 2 + 1) * 3 + 3);
	for (size_t i = 0; i < n; i++) {
		const struct pg_cell *c = kit_cell(&k, i);

		pg_str_reset(&k.text);
		pg_cell_describe(c, &k.text);
		texts[i] = strdup(pg_str_text(&k.text));
		ids[i] = c->id;
		for (size_t b = 0; b < i; b++)
			ck_assert_int_eq(ids[b] == ids[i], i < 57 && b / 3 == i / 3);
	}
	for (size_t step = 1; step < n; step++)
		for (size_t i = step % 7, times = 0; times < n; times++, i = (i + step) % n) {
			const struct pg_cell *c = kit_cell(&k, i);

			pg_str_reset(&k.text);
			pg_cell_describe(c, &k.text);
			ck_assert_uint_eq(c->id, ids[i]);
			ck_assert_str_eq(pg_str_text(&k.text), texts[i]);
		}
	for (size_t i = n; i-- > 0; free(texts[i])) {
		bool arm = i < 57;

		ck_assert_uint_eq(pg_plan_find(k.plan, ids[i]), arm ? i - i % 3 : i);
		ck_assert_uint_eq(pg_plan_find_arm(k.plan, ids[i], arm ? labels[i % 3] : NULL), i);
		ck_assert_uint_eq(pg_plan_find_arm(k.plan, ids[i], arm ? NULL : "x"), SIZE_MAX);
		ck_assert_uint_eq(pg_plan_find_arm(k.plan, ids[i], "w"), SIZE_MAX);
	}
	ck_assert_uint_eq(pg_plan_find_arm(k.plan, 1, NULL), SIZE_MAX);
	ck_assert_uint_eq(pg_plan_find_arm(k.plan, 1, "x"), SIZE_MAX);
	kit_done(&k);
}
END_TEST

/* The limit of cells counts arms; a million of them is quick to make. */
START_TEST(limit_of_cells)
{
	struct kit k;

	kit_init(&k);
	k.opts.max_cells = 5;
	kit_bad(&k, SW "    vary: {size: 1KB..3KB by 1KB}\n" AB,
		"4:5: with sweep s the plan has more than 5 cells; take values out or raise --max-cells");
	k.opts.max_cells = 0;
	kit_good(&k,
		 SW "    vary: {limit: 1..100, threads: 1001..6000}\n    set: {wakers: 1}\n    variants: [{label: a}, "
		    "{label: b, count: 2}]\n",
		 "");
	ck_assert_uint_eq(pg_plan_cells(k.plan), 1000000);
	ck_assert_uint_eq(pg_plan_find(k.plan, kit_cell(&k, 999999)->id), 999998);
	kit_done(&k);
}
END_TEST

PG_TEST_MAIN("plan_variants", ((const struct pg_test[]){
				      {made, LEN(cells)},
				      {selected, LEN(selections)},
				      {only, 0},
				      {fields_of_cells, 0},
				      {run_keys, 0},
				      {one_id, LEN(vectors)},
				      {any_order, 0},
				      {limit_of_cells, 0},
				      {NULL, 0},
			      }))
