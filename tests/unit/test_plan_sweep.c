/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells of a sweep: axes and their product, bundles, computed params, skips, added cells, limits, ids. */
#include "tests/support/pgtest.h"

#include "tests/support/plankit.h"

#define SW KIT_HEAD "  - name: s\n    suite: fake/types\n"

/* Cells by the params named; "" params: those not at their default. */
struct cells {
	const char *yaml, *params, *cells, *notes;
};

static const struct cells cells[] = {
	/* One cell, all at their defaults; those that are expressions are numbers. */
	{SW, "loops flag count limit size chunk span ratio colour cpu_set threads wakers",
	 "auto false 1 none 4KB whole 1ms 0.5 red  4 4", ""},
	/* The last axis changes fastest; values keep the order of the file. */
	{SW "    vary: {count: [3, 1, 2], flag: [no, yes]}\n", "count flag",
	 "3 false; 3 true; 1 false; 1 true; 2 false; 2 true", ""},
	{SW "    vary: {count: [1, 2, cpus..8 x2], size: 1KB..4KB x4}\n", "count size",
	 "1 1KB; 1 4KB; 2 1KB; 2 4KB; 4 1KB; 4 4KB; 8 1KB; 8 4KB", ""},
	{SW "    vary: {colour: all}\n", "colour", "red; green; blue", ""},
	{SW "    vary: {limit: [none, 5], loops: [auto, 7]}\n", "limit loops", "none auto; none 7; 5 auto; 5 7", ""},
	{SW "    set: {count: 2*cpus, size: 3KB, cpu_set: '1,0', text: words, ratio: 1.250, span: 90s}\n",
	 "count size cpu_set text ratio span", "8 3KB 0-1 words 1.25 90s", ""},
	/* Bundles. */
	{SW "    vary:\n      load:\n        - {label: light, count: 1, size: 1KB}\n        - {size: 2KB, label: "
	    "heavy, count: 2}\n      flag: [no, yes]\n",
	 "count size flag", "1 1KB false; 1 1KB true; 2 2KB false; 2 2KB true", ""},
	{SW "    vary:\n      only_labels:\n        - {label: a}\n        - {label: b}\n", "count", "1; 1", ""},
	/* Defaults over other params follow them, and derive. */
	{SW "    vary: {threads: [2, 6]}\n", "threads wakers", "2 2; 6 6", ""},
	{SW "    derive: {threads: 3 * nodes}\n", "threads wakers", "3 3", ""},
	{SW "    vary: {count: [1, 4]}\n    derive:\n      loops: 100 / count\n      threads: loops + count\n",
	 "loops threads wakers", "100 101 101; 25 29 29", ""},
	{SW "    vary: {size: [1KB, 3KB]}\n    derive: {chunk: size / 2, span: 2ms * (size / 1KB), flag: size > 2KB, "
	    "ratio: 0.25 * 3}\n",
	 "chunk span flag ratio", "512B 2ms false 0.75; 1536B 6ms true 0.75", ""},
	{SW "    vary: {flag: [no, yes]}\n    derive: {colour: \"'blue'\", text: \"'x'\", limit: \"'none'\"}\n",
	 "colour text limit", "blue x none; blue x none", ""},
	/* Skips: map, list, condition, both, bundle, derived and default params. */
	{SW "    vary: {count: 1..4, flag: [no, yes]}\n    skip:\n      - {count: 2}\n      - {count: [3, 4], flag: "
	    "yes}\n      - when: count > 3\n",
	 "count flag", "1 false; 1 true; (2 false); (2 true); 3 false; (3 true); (4 false); (4 true)", ""},
	{SW "    vary: {count: 1..4}\n    derive: {threads: count * 2}\n    skip:\n      - {threads: [2, 6], when: "
	    "count < 3}\n      - {wakers: 8}\n",
	 "count", "(1); 2; 3; (4)", ""},
	{SW "    vary:\n      load:\n        - {label: light, count: 1}\n        - {label: heavy, count: 2}\n      "
	    "flag: [no, yes]\n    skip:\n"
	    "      - {load: heavy, flag: no}\n      - when: load == 'light' and flag\n",
	 "count flag", "1 false; (1 true); (2 false); 2 true", ""},
	{SW "    vary: {limit: [none, 5, 50]}\n    skip:\n      - when: limit != 'none' and limit > 10\n", "limit",
	 "none; 5; (50)", ""},
	{SW "    vary: {count: [1, 2]}\n    skip:\n      - when: text == '' and count == 2\n      - {count: 1, "
	    "cpu_set: '3'}\n",
	 "count", "1; (2)", "9:9: note: this skip matches no cell"},
	/* The second skip matches only what the first has taken: that is something. */
	{SW "    vary: {count: [1, 2]}\n    skip:\n      - {count: 2}\n      - when: count > 1\n", "count", "1; (2)",
	 ""},
	{SW "    vary: {count: [1, 2]}\n    skip:\n      - {count: 9}\n", "count", "1; 2",
	 "8:9: note: this skip matches no cell"},
	/* Added cells come last; what is there already is dropped. */
	{SW "    vary: {count: [1, 2], flag: [no, yes]}\n    add:\n      - {count: 7, flag: yes}\n      - {flag: no, "
	    "count: 1}\n"
	    "      - {count: 7, flag: yes}\n      - {count: 7, flag: no}\n",
	 "count flag", "1 false; 1 true; 2 false; 2 true; 7 true; 7 false",
	 "9:9: note: this cell is there already; dropped\n10:9: note: this cell is there already; dropped"},
	{SW "    vary:\n      load:\n        - {label: light, count: 1}\n        - {label: heavy, count: 2}\n      "
	    "size: [1KB, 2KB]\n"
	    "    add:\n      - {load: heavy, size: 1024B}\n      - {load: heavy, size: 3KB}\n    derive: {loops: count "
	    "* 10}\n    skip:\n      - {size: 3KB}\n",
	 "count size loops", "1 1KB 10; 1 2KB 10; 2 1KB 20; 2 2KB 20; (2 3KB 20)",
	 "12:9: note: this cell is there already; dropped"},
	/* Limits by other params hold in cells that are not skipped. */
	{SW "    vary: {size: [1KB, 4KB], chunk: [1KB, 4KB, whole]}\n    skip:\n      - when: chunk != 'whole' and "
	    "chunk > size\n",
	 "size chunk", "1KB 1KB; (1KB 4KB); 1KB whole; 4KB 1KB; 4KB 4KB; 4KB whole", ""},
	{SW "    vary: {threads: [2, 4]}\n    set: {wakers: 2}\n", "threads wakers", "2 2; 4 2", ""},
	/* Rules of the bench as well. */
	{SW "    vary: {count: 12..14}\n    skip:\n      - {count: 13}\n", "count", "12; (13); 14", ""},
	/* What a machine word made is dropped with a note where it repeats. */
	{SW "    vary: {count: [4, cpus, 2*cpus]}\n", "count", "4; 8",
	 "6:23: note: count: cpus is there already; dropped"},
	/* Cuts. */
	{SW "    vary: {count: [1, 3, 7]}\n    derive: {threads: 20 / count}\n", "threads", "20; 6; 2",
	 "7:23: note: threads: `/` cuts to a whole number and loses 30 % at count=7; multiply first"},
	{SW "    derive: {threads: 500 / 3}\n", "threads", "166", ""},
	{SW "    derive: {threads: 10 / 3}\n", "threads", "3",
	 "6:23: note: threads: `/` cuts to a whole number and loses 10 %; multiply first"},
	{SW "    vary: {count: [9, 10]}\n    skip:\n      - when: count / 2 == 4\n", "count", "(9); 10",
	 "8:9: note: `/` in this condition cuts to a whole number and loses up to 11 %; multiply first"},
};

START_TEST(made)
{
	struct kit k;

	kit_init(&k);
	kit_good(&k, cells[_i].yaml, cells[_i].notes);
	ck_assert_str_eq(kit_cells(&k, cells[_i].params), cells[_i].cells);
	kit_done(&k);
}
END_TEST

struct bad {
	const char *yaml, *messages;
};

static const struct bad bad[] = {
	{SW "    set: {cuont: 1}\n", "6:11: fake/types has no param `cuont`; did you mean `count`?"},
	{SW "    set: {count: 1}\n    vary: {count: [1, 2]}\n",
	 "7:12: `count` stands in vary here and in set on line 6; a param stands in one place"},
	{SW "    vary: {count: [1, 2]}\n    derive: {count: 3}\n",
	 "7:14: `count` stands in derive here and in vary on line 6; a param stands in one place"},
	{SW "    set: {count: 1}\n    vary:\n      load:\n        - {label: a, count: 2}\n",
	 "9:22: `count` stands in a bundle here and in set on line 6; a param stands in one place"},
	{SW "    vary:\n      load:\n        - {label: a, count: 2}\n    derive: {count: 3}\n",
	 "9:14: `count` stands in derive here and in bundle `load` on line 8; a param stands in one place"},
	{SW "    vary:\n      a:\n        - {label: a, count: 2}\n      b:\n        - {label: a, count: 3}\n",
	 "10:22: `count` stands in a bundle here and in bundle `a` on line 8; a param stands in one place"},
	{SW "    vary:\n      load:\n        - {label: a, count: 2}\n        - {label: b}\n",
	 "9:11: `count` is missing in this item and stands in the first; items have the same params"},
	{SW "    vary:\n      load:\n        - {label: a}\n        - {label: b, count: 2}\n",
	 "9:22: `count` stands in this item and not in the first; items have the same params"},
	{SW "    vary:\n      load:\n        - {label: a, count: 2}\n        - {label: A, count: 3}\n",
	 "9:19: label A stands in this bundle a second time; a label is taken once, whatever its case"},
	/* A setting that would stay, and where it does not. */
	{SW "    vary:\n      g:\n        - {label: a, before: [x]}\n        - {label: b}\n        - {label: c, after: "
	    "[y]}\n        - {label: d, nice: 1}\n",
	 "9:11: another item of `g` has `before` and this one has not: its setting would stay; give each item `before` "
	 "or `after`\n"
	 "11:11: another item of `g` has `before` and this one has not: its setting would stay; give each item "
	 "`before` or `after`"},
	{SW "    vary:\n      g:\n        - {label: a, env: {X: 1}, policy: idle}\n      h:\n        - {label: a, env: "
	    "{X: 2}, policy: batch}\n",
	 "9:7: `policy` stands in bundle `g` and in bundle `h`; keep it in one"},
	{SW "    derive: {count: threads, threads: wakers, wakers: count + 1}\n",
	 "6:21: `count` is derived from itself, by way of threads, wakers; a param is derived from params that do not "
	 "need it"},
	/* A default closes the circle. */
	{SW "    derive: {threads: wakers}\n", "6:23: `threads` is derived from itself, by way of wakers; a param is "
					       "derived from params that do not need it"},
	{SW "    vary: {count: [5, 0]}\n    derive: {threads: 10 / count}\n",
	 "7:26: threads at count=0: division by zero; test the divisor first, as in `x != 0 and ...`, or keep 0 out of "
	 "the axis"},
	{SW "    vary: {count: [5, 50]}\n    derive: {threads: 10 / count}\n",
	 "7:23: threads at count=50: value 0 is out of range; allowed: 1 to 100000"},
	{SW "    vary: {count: [5, 50]}\n    derive: {threads: 10 - count}\n",
	 "7:23: threads at count=50: value -40 is below 0; allowed: a number from 1 to 100000"},
	{SW "    derive: {threads: size}\n", "6:23: threads: the result is a size, threads takes another kind; divide "
					     "by a unit, as in size / 1KB; allowed: a number from 1 to 100000"},
	{SW "    derive: {threads: count + size}\n",
	 "6:29: cannot add a number and a size; give the number a unit, as in 4KB"},
	/* Order of work: derive comes before skip. */
	{SW "    vary: {count: [5, 0]}\n    derive: {threads: 10 / count}\n    skip:\n      - {count: 0}\n",
	 "7:26: threads at count=0: division by zero; test the divisor first, as in `x != 0 and ...`, or keep 0 out of "
	 "the axis"},
	{SW "    vary: {size: [1KB, 4KB], chunk: [1KB, 2KB]}\n",
	 "6:37: chunk 2KB is out of range at size=1KB, chunk=2KB; allowed: at most `size`, which is 1KB there; leave "
	 "such cells out with `skip`"},
	{SW "    set: {wakers: 5}\n", "6:19: wakers 5 is out of range; allowed: at most `threads`, which is 4 there"},
	{SW "    vary: {count: 12..14}\n", "6:19: sweep s at count=13: count 13 brings bad luck; allowed: any other"},
	{SW "    set: {count: 13}\n", "6:18: sweep s: count 13 brings bad luck; allowed: any other"},
	{SW "    vary: {count: [1, 2]}\n    skip:\n      - when: count > 0\n",
	 "4:5: every cell of sweep s is skipped; leave the sweep out or skip fewer"},
	{SW "    vary: {count: [1, 2]}\n    skip:\n      - when: count\n",
	 "8:15: a condition is due here, not a number; write one, such as groups > 4"},
	{SW "    vary: {count: [1, 2]}\n    skip:\n      - when: colour == blue\n",
	 "8:25: unknown name blue; text stands in single quotes: 'blue'"},
	{SW "    vary: {count: [1, 2]}\n    skip:\n      - {why: so}\n",
	 "8:9: this skip names no cell; it needs `when` or params and values"},
	{SW "    vary: {count: [1, 2]}\n    skip:\n      - {count: []}\n",
	 "8:17: `count` has an empty list; write a value or several"},
	{SW "    vary: {count: [1, 2], flag: [no, yes]}\n    add:\n      - {count: 3}\n      - {count: 3, flag: "
	    "maybe}\n      - {count: 3, flag: no, size: 1KB}\n",
	 "8:9: `flag` is missing in this item; `add` takes one value for each axis\n"
	 "9:26: flag: 'maybe' is no truth value; allowed: one of true, false, yes, no, on, off\n"
	 "10:30: `size` is no axis of this sweep; `add` takes one value for each of count, flag"},
	{SW
	 "    vary: {count: [1, 2], size: 1..5}\n    skip:\n      - {conut: 1}\n    tables:\n      - {rows: cuont}\n",
	 "8:10: "},
};

START_TEST(refused)
{
	struct kit k;

	kit_init(&k);
	if (bad[_i].messages[strlen(bad[_i].messages) - 1] != ' ') {
		kit_bad(&k, bad[_i].yaml, bad[_i].messages);
	} else {
		/* The beginning only, and more errors after it. */
		kit_load(&k, bad[_i].yaml);
		ck_assert(strncmp(pg_told_text(&k.told), bad[_i].messages, strlen(bad[_i].messages)) == 0);
		ck_assert_uint_ge(k.told.d.errors, 2);
	}
	kit_done(&k);
}
END_TEST

/* Reasons of skips: `why`, else what stands there. */
START_TEST(reasons)
{
	static const char *const want[] = {
		NULL,	   "count: 2", "count: [3, 4], flag: yes", "count: [3, 4], flag: yes", "count: 5, count < 9",
		"too many"};
	struct kit k;

	kit_init(&k);
	kit_good(&k,
		 SW "    vary: {count: 1..6, flag: [yes]}\n    skip:\n      - {count: 2}\n      - {count: [3, 4], "
		    "flag: yes}\n"
		    "      - {count: 5, when: count < 9}\n      - {when: count > 5, why: too many}\n",
		 "");
	for (size_t i = 0; i < 6; i++) {
		const struct pg_cell *c = kit_cell(&k, i);

		ck_assert_int_eq(c->skip, want[i] ? PG_SKIP_RULE : PG_NOT_SKIPPED);
		if (want[i])
			ck_assert_str_eq(c->why, want[i]);
		else
			ck_assert_ptr_null(c->why);
	}
	kit_done(&k);
}
END_TEST

PG_TEST_MAIN("plan_sweep", ((const struct pg_test[]){
				   {made, sizeof(cells) / sizeof(cells[0])},
				   {refused, sizeof(bad) / sizeof(bad[0])},
				   {reasons, 0},
				   {NULL, 0},
			   }))
