/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a made plan answers: texts and labels, run keys of items, ids, cells in any order, marks, limits, the digest. */
#include "tests/support/pgtest.h"

#include "tests/support/plankit.h"

#define SW KIT_HEAD "  - name: s\n    suite: fake/types\n"

static const char *shown(struct kit *k, const struct pg_cell *c, const char *param)
{
	const char *label;
	size_t p;

	ck_assert_ptr_nonnull(pg_param_find(c->params, param, &p));
	label = pg_plan_label(k->plan, c, p);
	pg_str_reset(&k->text);
	pg_str_addf(&k->text, "%s|%s", c->texts[p] ? c->texts[p] : "-", label ? label : "-");
	return pg_str_text(&k->text);
}

/* Texts of placeholders are as in the file, but of what was computed; labels stand where a word made a number. */
START_TEST(texts_and_labels)
{
	struct kit k;
	const struct pg_sweep *s;

	kit_init(&k);
	kit_good(&k,
		 SW "    vary:\n      count: [8, 2*cpus - 6, cpus]\n      size: [1024B, 2KB..8KB x4]\n      load:\n    "
		    "    - {label: a, limit: cpus}\n"
		    "        - {label: b, limit: 10}\n    set: {span: 0.5s, threads: cores}\n    add:\n      - {count: "
		    "3, size: 4096B, load: b}\n",
		 "");
	s = pg_plan_sweep(k.plan, 0);
	ck_assert_uint_eq(s->n_cells, 3 * 3 * 2 + 1);
	ck_assert_str_eq(shown(&k, kit_cell(&k, 0), "count"), "8|8");
	ck_assert_str_eq(shown(&k, kit_cell(&k, 6), "count"), "-|2*cpus - 6");
	ck_assert_str_eq(shown(&k, kit_cell(&k, 12), "count"), "-|cpus");
	ck_assert_str_eq(shown(&k, kit_cell(&k, 18), "count"), "3|3");
	ck_assert_str_eq(shown(&k, kit_cell(&k, 0), "size"), "1024B|-");
	ck_assert_str_eq(shown(&k, kit_cell(&k, 2), "size"), "-|-");
	ck_assert_str_eq(shown(&k, kit_cell(&k, 18), "size"), "4096B|-");
	ck_assert_str_eq(shown(&k, kit_cell(&k, 0), "limit"), "-|cpus");
	ck_assert_str_eq(shown(&k, kit_cell(&k, 1), "limit"), "10|10");
	ck_assert_str_eq(shown(&k, kit_cell(&k, 0), "span"), "0.5s|-");
	ck_assert_str_eq(shown(&k, kit_cell(&k, 0), "threads"), "-|cores");
	ck_assert_str_eq(shown(&k, kit_cell(&k, 0), "wakers"), "-|-");
	ck_assert_str_eq(shown(&k, kit_cell(&k, 0), "loops"), "-|auto");
	/* Axes: what tables show. */
	ck_assert_uint_eq(s->n_axes, 3);
	ck_assert_str_eq(s->axes[0].labels[1], "2*cpus - 6");
	ck_assert(s->axes[0].has_label);
	ck_assert(!s->axes[1].has_label);
	ck_assert(s->axes[2].bundle);
	ck_assert_str_eq(s->axes[2].labels[1], "b");
	ck_assert_uint_eq(s->axes[0].n, 4);
	/* 8, 2, 4, 3: numbers ascend */
	ck_assert_uint_eq(s->axes[0].rank[0], 3);
	ck_assert_uint_eq(s->axes[0].rank[1], 0);
	ck_assert_uint_eq(s->axes[0].rank[2], 2);
	ck_assert_uint_eq(s->axes[0].rank[3], 1);
	ck_assert_uint_eq(s->axes[2].rank[0], 0);
	ck_assert_uint_eq(s->axes[2].rank[1], 1);
	kit_good(&k, SW "    set: {loops: 5}\n    vary: {limit: [9, none, 2], colour: [green, red]}\n", "");
	s = pg_plan_sweep(k.plan, 0);
	ck_assert_str_eq(shown(&k, kit_cell(&k, 0), "loops"), "5|-");
	/* words first, in the order of the file */
	ck_assert_uint_eq(s->axes[0].rank[0], 2);
	ck_assert_uint_eq(s->axes[0].rank[1], 0);
	ck_assert_uint_eq(s->axes[0].rank[2], 1);
	ck_assert_uint_eq(s->axes[1].rank[0], 0);
	kit_done(&k);
}
END_TEST

/* Run keys: the item's over the sweep's, variables name by name. */
START_TEST(run_keys_of_items)
{
	struct kit k;
	const struct pg_runkeys *r;

	kit_init(&k);
	kit_good(&k,
		 SW
		 "    nice: 1\n    policy: batch\n    env: {A: sweep, B: sweep}\n    before: [s]\n    vary:\n      g:\n"
		 "        - {label: x, nice: 2, env: {B: x, C: x}, before: [x], count: 1}\n"
		 "        - {label: y, pin: '0', after: [y], count: 2}\n"
		 "      h:\n        - {label: p, cgroup: p, env: {C: p, D: p}, prefix: [p], background: [q, r]}\n      "
		 "  - {label: q}\n",
		 "");
	ck_assert_uint_eq(pg_plan_cells(k.plan), 4);
	r = kit_cell(&k, 0)->keys; /* x p */
	ck_assert_int_eq(r->nice, 2);
	ck_assert_int_eq(r->policy, PG_POLICY_BATCH);
	ck_assert_str_eq(r->before.w[0], "x");
	ck_assert_str_eq(r->cgroup, "p");
	ck_assert_uint_eq(r->background.n, 2);
	ck_assert_uint_eq(r->n_env, 4);
	ck_assert_str_eq(r->env[0].text, "sweep");
	ck_assert_str_eq(r->env[1].text, "x");
	ck_assert_str_eq(r->env[2].text, "p");
	ck_assert_str_eq(r->env[3].name, "D");
	r = kit_cell(&k, 1)->keys; /* x q */
	ck_assert_ptr_null(r->cgroup);
	ck_assert_uint_eq(r->n_env, 3);
	ck_assert_str_eq(r->env[2].text, "x");
	r = kit_cell(&k, 3)->keys; /* y q */
	ck_assert_int_eq(r->nice, 1);
	ck_assert_str_eq(r->pin, "0");
	ck_assert_str_eq(r->before.w[0], "s");
	ck_assert_uint_eq(r->after.n, 1);
	ck_assert_uint_eq(r->n_env, 2);
	ck_assert_str_eq(r->env[1].text, "sweep");
	r = kit_cell(&k, 0)->keys;
	ck_assert_uint_eq(r->n_env, 4);
	kit_done(&k);
}
END_TEST

/*
 * The id: FNV-1a over the sweep's name, the bench and "name=value\n" of each set param in order of name, mixed. Worked
 * out here from that sentence, without the plan's own segments.
 */
static uint64_t id_of(const char *lines)
{
	return pg_mix64(pg_fnv1a(PG_FNV_INIT, lines, strlen(lines)));
}

#define LINES(count, size)                                                                                             \
	"s\nfake/types\nchunk=whole\ncolour=red\ncount=" count                                                         \
	"\nflag=false\nlimit=none\nloops=auto\nratio=0.5\nsize=" size "\nspan=1ms\nthreads=4\nwakers=4\n"

struct vector {
	const char *yaml, *lines;
	size_t cell;
	uint64_t id; /* 0: lines alone */
};

static const struct vector vectors[] = {
	{SW, LINES("1", "4KB"), 0, UINT64_C(0xa6b3e0cfa2133792)},
	{SW "    vary: {size: [4096B, 1536B], count: [1, 2]}\n", LINES("1", "4KB"), 0, 0},
	{SW "    vary: {size: [4096B, 1536B], count: [1, 2]}\n", LINES("2", "1536B"), 3, 0},
	{SW "    derive: {count: 2 * cpus}\n", LINES("8", "4KB"), 0, 0},
	{SW "    vary: {size: [2KB, 4KB]}\n    derive: {count: size / 2KB}\n", LINES("2", "4KB"), 1, 0},
	/* Bundles by their label, in its own place. */
	{SW "    vary:\n      load:\n        - {label: light, count: 3, size: 1KB}\n",
	 "s\nfake/"
	 "types\nchunk=whole\ncolour=red\nflag=false\nlimit=none\nload=light\nloops=auto\nratio=0.5\nspan=1ms\nthreads="
	 "4\nwakers=4\n",
	 0, 0},
	/* What is set beside the defaults, canonical. */
	{SW "    set: {text: 'a\\threads=9', cpu_set: '2-3,1'}\n",
	 "s\nfake/"
	 "types\nchunk=whole\ncolour=red\ncount=1\ncpu_set=1-3\nflag=false\nlimit=none\nloops=auto\nratio=0.5\nsize="
	 "4KB\nspan=1ms\n"
	 "text=a\\threads=9\nthreads=4\nwakers=4\n",
	 0, 0},
	{KIT_HEAD "  - {name: p, suite: sched/pipe, set: {loops: 5}}\n",
	 "p\nsched/pipe\nloops=5\nmode=process\nplacement=free\nsize=4B\ntokens=1\nwait=block\n", 0,
	 UINT64_C(0xc0988fb67d587ba6)},
	{KIT_HEAD "  - {name: e, suite: exec, command: [x], set: {jobs: 3, dir: /tmp}}\n",
	 "e\nexec\ndir=/tmp\njobs=3\n", 0, UINT64_C(0x4af7b49f6d020974)},
};

START_TEST(id_vectors)
{
	const struct vector *v = &vectors[_i];
	struct kit k;

	kit_init(&k);
	kit_good(&k, v->yaml, "");
	ck_assert_uint_eq(kit_cell(&k, v->cell)->id, id_of(v->lines));
	if (v->id)
		ck_assert_uint_eq(id_of(v->lines), v->id);
	kit_done(&k);
}
END_TEST

/* Cells read in any order are the same, and an id leads back. */
START_TEST(any_order)
{
	static const char yaml[] = SW "    vary:\n      count: 1..12\n      load:\n        - {label: a, size: 1KB}\n   "
				      "     - {label: b, size: 2KB, nice: 3}\n      flag: [no, yes]\n"
				      "    derive: {loops: count * 3, span: 1ms * count}\n    skip:\n      - {count: "
				      "5}\n    add:\n      - {count: 40, load: b, flag: yes}\n"
				      "      - {count: 41, load: a, flag: no}\n      - {count: 1, load: b, flag: no}\n"
				      "  - {name: other, suite: fake/plain, vary: {depth: [1, 2, 3, 4, 5, 6, 7]}}\n";
	struct kit k;
	struct pg_cell_buf *fresh;
	uint64_t ids[128];
	char *texts[128];
	size_t n;

	kit_init(&k);
	kit_good(&k, yaml, "18:9: note: this cell is there already; dropped");
	n = pg_plan_cells(k.plan);
	ck_assert_uint_eq(n, 12 * 2 * 2 + 2 + 7);
	for (size_t i = 0; i < n; i++) {
		const struct pg_cell *c = kit_cell(&k, i);

		pg_str_reset(&k.text);
		pg_cell_describe(c, &k.text);
		pg_str_addf(&k.text, " %d %d", c->keys->nice, (int)c->skip);
		texts[i] = strdup(pg_str_text(&k.text));
		ids[i] = c->id;
		for (size_t b = 0; b < i; b++)
			ck_assert_uint_ne(ids[b], ids[i]);
	}
	for (size_t step = 1; step < n; step++)
		for (size_t i = step % 7, times = 0; times < n; times++, i = (i + step) % n) {
			const struct pg_cell *c = kit_cell(&k, i);

			pg_str_reset(&k.text);
			pg_cell_describe(c, &k.text);
			pg_str_addf(&k.text, " %d %d", c->keys->nice, (int)c->skip);
			ck_assert_uint_eq(c->id, ids[i]);
			ck_assert_str_eq(pg_str_text(&k.text), texts[i]);
		}
	for (size_t i = n; i-- > 0;) {
		fresh = pg_cell_buf_new(k.plan);
		ck_assert_uint_eq(pg_plan_cell(k.plan, i, fresh)->id, ids[i]);
		pg_cell_buf_free(fresh);
		ck_assert_uint_eq(pg_plan_find(k.plan, ids[i]), i);
		free(texts[i]);
	}
	ck_assert_uint_eq(pg_plan_find(k.plan, 1), SIZE_MAX);
	kit_done(&k);
}
END_TEST

START_TEST(marks)
{
	const char *reason;
	struct kit k;
	char why[64];

	kit_init(&k);
	kit_good(&k, SW "    vary: {count: 20..519}\n    skip:\n      - {count: 20}\n", "");
	ck_assert_int_eq(pg_plan_mark(k.plan, 1, PG_SKIP_PREFLIGHT, "no room"), 0);
	for (size_t i = 2; i < 500; i++) {
		snprintf(why, sizeof(why), "reason %zu", i / 2);
		ck_assert_int_eq(pg_plan_mark(k.plan, i, PG_SKIP_PREFLIGHT, why), 0);
	}
	ck_assert_int_eq(pg_plan_mark(k.plan, 3, PG_NOT_SKIPPED, NULL), 0);
	ck_assert_str_eq(kit_cell(&k, 0)->why, "count: 20");
	ck_assert_int_eq(pg_plan_skip(k.plan, 0, &reason), PG_SKIP_RULE);
	ck_assert_str_eq(reason, "count: 20");
	ck_assert_int_eq(pg_plan_skip(k.plan, 3, &reason), PG_NOT_SKIPPED);
	ck_assert_ptr_null(reason);
	ck_assert_int_eq(pg_plan_skip(k.plan, 1, NULL), PG_SKIP_PREFLIGHT);
	ck_assert_int_eq(kit_cell(&k, 1)->skip, PG_SKIP_PREFLIGHT);
	ck_assert_str_eq(kit_cell(&k, 1)->why, "no room");
	ck_assert_int_eq(kit_cell(&k, 3)->skip, PG_NOT_SKIPPED);
	ck_assert_ptr_null(kit_cell(&k, 3)->why);
	for (size_t i = 4; i < 500; i++) {
		snprintf(why, sizeof(why), "reason %zu", i / 2);
		ck_assert_str_eq(kit_cell(&k, i)->why, why);
	}
	ck_assert_ptr_eq(kit_cell(&k, 4)->why, kit_cell(&k, 5)->why);
	kit_done(&k);
}
END_TEST

START_TEST(limits_of_a_plan)
{
	struct kit k;
	const char *million = SW "    vary: {count: 1..1000, threads: 1001..2000}\n    skip:\n      - {count: 13}\n    "
				 "set: {wakers: 1}\n";

	kit_init(&k);
	kit_good(&k, million, "");
	ck_assert_uint_eq(pg_plan_cells(k.plan), 1000000);
	ck_assert_uint_eq(pg_plan_find(k.plan, kit_cell(&k, 999999)->id), 999999);
	kit_bad(&k, SW "    vary: {count: 1..1000, threads: 1001..2000}\n    add:\n      - {count: 0, threads: 1}\n",
		"4:5: with sweep s the plan has more than 1000000 cells; take values out or raise --max-cells");
	k.opts.max_cells = 6;
	kit_good(&k, SW "    vary: {count: 1..3, flag: [no, yes]}\n", "");
	kit_bad(&k, SW "    vary: {count: 1..3, flag: [no, yes]}\n  - {name: t, suite: fake/plain}\n",
		"7:5: with sweep t the plan has more than 6 cells; take values out or raise --max-cells");
	/* A product that no integer holds. */
	k.opts.max_cells = SIZE_MAX;
	kit_bad(&k,
		SW "    vary: {count: 1..1000, threads: 1..100000, size: 1B..100000B, span: 1ns..100000ns}\n    set: "
		   "{wakers: 1}\n",
		"4:5: with sweep s the plan has more than 1073741823 cells; take values out or raise --max-cells");
	kit_done(&k);
}
END_TEST

/* Whatever shapes a rep changes the digest, what does not leaves it. */
struct digest {
	const char *yaml;
	bool same;
};

#define BASE(keys, vary, more)                                                                                         \
	KIT_HEAD "  - name: s\n    suite: fake/types\n    vary: {" vary "}\n    set: {size: 1KB}\n" keys more
#define VARY "count: [1, 2], flag: [no, yes]"

static const struct digest digests[] = {
	{BASE("", VARY, "    repeat: 77\n"), true},
	{BASE("", VARY, "    warmup: 7\n    pause: 1s\n    retry: 3\n    timeout: 1s\n    order: grouped\n"), true},
	{BASE("", VARY, "    description: words\n    tables:\n      - {rows: [count, flag]}\n"), true},
	{"# words\n" BASE("", VARY, ""), true},
	{BASE("", "count: [1, 3], flag: [no, yes]", ""), false},
	{BASE("", "flag: [no, yes], count: [1, 2]", ""), false},
	{BASE("", VARY, "    skip:\n      - {count: 1, flag: yes}\n"), false},
	{BASE("", VARY, "    add:\n      - {count: 3, flag: yes}\n"), false},
	{BASE("", VARY, "    derive: {span: 1ms * count}\n"), false},
	{BASE("", VARY, "    derive: {span: 1ms * cpus}\n"), false},
	{BASE("", VARY, "    nice: 1\n"), false},
	{BASE("", VARY, "    env: {A: 1}\n"), false},
	{BASE("", VARY, "    env: {A: ~}\n"), false},
	{BASE("", VARY, "    env: {A: ''}\n"), false},
	{BASE("", VARY, "    prefix: [a]\n"), false},
	{BASE("", VARY, "    before: [a]\n"), false},
	{BASE("", VARY, "    after: [a]\n"), false},
	{BASE("", VARY, "    after: [a, '']\n"), false},
	{BASE("", VARY, "    background: [a]\n"), false},
	{BASE("", VARY, "    pin: '0'\n"), false},
	{BASE("", VARY, "    policy: fifo:1\n"), false},
	{BASE("", VARY, "    policy: fifo:2\n"), false},
	{BASE("", VARY, "    cgroup: a\n"), false},
	{BASE("", VARY, "    process: fork\n"), false},
	{BASE("", VARY, "    sample_time: 51ms\n"), false},
	{BASE("", VARY, "  - {name: t, suite: fake/plain}\n"), false},
	{KIT_HEAD "  - name: r\n    suite: fake/types\n    vary: {" VARY "}\n    set: {size: 1KB}\n", false},
	{KIT_HEAD "  - name: s\n    suite: exec\n    command: [x]\n", false},
	{KIT_HEAD "  - name: s\n    suite: exec\n    command: [y]\n", false},
	{KIT_HEAD "  - name: s\n    suite: exec\n    command: x\n    shell: true\n", false},
	{KIT_HEAD "  - name: s\n    suite: exec\n    command: [x]\n    stdin: f\n", false},
	{KIT_HEAD "  - name: s\n    suite: exec\n    command: [x]\n    working_directory: f\n", false},
	{KIT_HEAD "  - name: s\n    suite: exec\n    command: [x]\n    expected_exit_status: 1\n", false},
	{KIT_HEAD "  - name: s\n    suite: exec\n    command: [x]\n    expected_exit_status: any\n", false},
	{KIT_HEAD "  - name: s\n    suite: exec\n    command: [x]\n    metrics:\n      - {name: a, pattern: '(.)'}\n",
	 false},
	{KIT_HEAD "  - name: s\n    suite: exec\n    command: [x]\n    metrics:\n      - {name: a, pattern: '(.)', "
		  "from: stderr}\n",
	 false},
	{KIT_HEAD
	 "  - name: s\n    suite: exec\n    command: [x]\n    metrics:\n      - {name: a, pattern: '(.)', scale: 2}\n",
	 false},
	{KIT_HEAD "  - name: s\n    suite: exec\n    command: [x]\n    set: {a: 4KB}\n", false},
	{KIT_HEAD "  - name: s\n    suite: exec\n    command: [x]\n    set: {a: 4096}\n", false},
};

START_TEST(digest)
{
	const size_t n = sizeof(digests) / sizeof(digests[0]);
	uint64_t seen[64], base;
	struct kit k;

	kit_init(&k);
	kit_good(&k, BASE("", VARY, ""), "");
	base = pg_plan_digest(k.plan);
	for (size_t i = 0; i < n; i++) {
		kit_load(&k, digests[i].yaml);
		ck_assert_msg(k.plan != NULL, "%zu: %s", i, pg_told_text(&k.told));
		seen[i] = pg_plan_digest(k.plan);
		ck_assert_msg((seen[i] == base) == digests[i].same, "%zu", i);
		for (size_t b = 0; b < i && !digests[i].same; b++)
			ck_assert_msg(seen[b] != seen[i], "%zu and %zu", b, i);
	}
	/* Another machine is another plan only where its words count. */
	k.machine.word[1] = 9;
	kit_good(&k, BASE("", VARY, ""), "");
	ck_assert_uint_eq(pg_plan_digest(k.plan), base);
	k.machine.word[0] = 9; /* threads is cpus by default */
	kit_good(&k, BASE("", VARY, ""), "");
	ck_assert_uint_ne(pg_plan_digest(k.plan), base);
	kit_done(&k);
	kit_init(&k);
	k.version = "2";
	kit_good(&k, BASE("", VARY, ""), "");
	ck_assert_uint_ne(pg_plan_digest(k.plan), base);
	kit_done(&k);
}
END_TEST

PG_TEST_MAIN("plan_cells", ((const struct pg_test[]){
				   {texts_and_labels, 0},
				   {run_keys_of_items, 0},
				   {id_vectors, sizeof(vectors) / sizeof(vectors[0])},
				   {any_order, 0},
				   {marks, 0},
				   {limits_of_a_plan, 0},
				   {digest, 0},
				   {NULL, 0},
			   }))
