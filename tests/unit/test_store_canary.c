/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canaries in the journal: when they are written, what readers make of them, and sides that differ by them. */
#include "store/side.h"
#include "store/store_inside.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define SECOND INT64_C(1000000000)

#define HEAD   "perfgrid: 1\nname: kit\n"
#define CELLS  "sweeps:\n  - {name: s, suite: noop, process: exec, vary: {first: [1, 2]}, repeat: 10}\n"
#define SPREAD HEAD "sessions: 3\n" CELLS

/* Goes on by 500 us with each reading. */
static int64_t ticking(void *ctx)
{
	return ((struct kit *)ctx)->now += 500000;
}

static void watch(struct kit *k, const char *text)
{
	kit_init(k, text);
	k->opts.canary = true;
	k->clock.mono = ticking;
}

static size_t lines(const struct kit *k, const char *start)
{
	char *all = kit_file(k, "journal.jsonl");
	size_t n = 0;

	ck_assert_ptr_nonnull(all);
	for (const char *s = all; *s; s += strcspn(s, "\n") + 1)
		n += strncmp(s, start, strlen(start)) == 0;
	free(all);
	return n;
}

#define CANARY "{\"canary\":["

static void rep(struct kit *k, size_t cell, uint32_t round)
{
	kit_rep(k, (struct kit_rep){.cell = cell, .round = round, .ns = 1000 + round, .count = 1});
}

START_TEST(one_a_round)
{
	struct kit k;
	struct pg_err err;

	watch(&k, HEAD CELLS);
	kit_create(&k);
	kit_rep(&k, (struct kit_rep){.warmup = true, .ns = 5, .count = 6});
	ck_assert_uint_eq(lines(&k, CANARY), 0);
	rep(&k, 0, 1);
	kit_has(&k, "journal.jsonl", "}\n{\"canary\":[500000,500000]}\n");
	k.now += 2 * SECOND;
	rep(&k, 1, 1);
	ck_assert_uint_eq(lines(&k, CANARY), 1);
	rep(&k, 1, 2);
	ck_assert_uint_eq(lines(&k, CANARY), 2);
	rep(&k, 0, 2);
	rep(&k, 0, 3); /* within a second */
	ck_assert_uint_eq(lines(&k, CANARY), 2);
	/* A new session goes on with the rule, and what it writes is its own. */
	kit_ok(pg_store_session(k.store, &err), &err);
	k.now += 2 * SECOND;
	rep(&k, 1, 3);
	ck_assert_uint_eq(lines(&k, CANARY), 3);
	kit_ok(pg_store_finish(k.store, PG_RUN_COMPLETE, &err), &err);
	kit_reopen(&k, false);
	ck_assert_uint_eq(k.store->canaries.n, 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(k.store->canaries.v[i].session, i < 2 ? 1 : 2);
		ck_assert_int_eq(k.store->canaries.v[i].ns[PG_CANARY_ALU], 500000);
	}
	kit_end(&k);
}
END_TEST

/* Without the wish for them, as in `tables`, none. */
START_TEST(none)
{
	struct kit k;

	kit_init(&k, HEAD CELLS);
	kit_create(&k);
	rep(&k, 0, 1);
	ck_assert_uint_eq(lines(&k, CANARY), 0);
	kit_reopen(&k, false);
	ck_assert_uint_eq(k.store->canaries.n, 0);
	kit_end(&k);
}
END_TEST

/* The files of a run are the same with canaries in its journal as without. */
START_TEST(files_of_results)
{
	static const char *const names[] = {"s.samples.csv", "s.cells.csv"};
	char *file[2][2];
	struct kit k;
	struct pg_err err;

	for (int with = 0; with < 2; with++) {
		kit_init(&k, HEAD CELLS);
		kit_create(&k);
		for (uint32_t r = 1; r <= 10; r++) {
			rep(&k, 0, r);
			if (with)
				kit_append(&k, "journal.jsonl", "{\"canary\":[500000,60000]}\n", 26);
			rep(&k, 1, r);
		}
		kit_reopen(&k, true);
		ck_assert_uint_eq(k.store->canaries.n, with ? 10 : 0);
		kit_ok(pg_store_session(k.store, &err), &err);
		rep(&k, 0, 11);
		kit_ok(pg_store_finish(k.store, PG_RUN_COMPLETE, &err), &err);
		for (int i = 0; i < 2; i++) {
			file[with][i] = kit_file(&k, names[i]);
			ck_assert_ptr_nonnull(file[with][i]);
		}
		kit_end(&k);
	}
	for (int i = 0; i < 2; i++) {
		ck_assert_str_eq(file[0][i], file[1][i]);
		free(file[0][i]);
		free(file[1][i]);
	}
}
END_TEST

/* Half a canary at the end is a torn tail; a resumed run takes one at its first rep. */
START_TEST(resumed)
{
	struct kit k;
	struct pg_err err;

	watch(&k, HEAD CELLS);
	kit_create(&k);
	rep(&k, 0, 1);
	kit_append(&k, "journal.jsonl", "{\"canary\":[5000", 15);
	kit_reopen(&k, true);
	ck_assert_uint_eq(k.store->canaries.n, 1);
	kit_is(&k, "journal.torn", "{\"canary\":[5000");
	kit_ok(pg_store_session(k.store, &err), &err);
	rep(&k, 1, 1);
	ck_assert_uint_eq(lines(&k, CANARY), 2);
	rep(&k, 0, 2);
	kit_ok(pg_store_finish(k.store, PG_RUN_COMPLETE, &err), &err);
	kit_reopen(&k, false);
	ck_assert_uint_eq(k.store->canaries.n, 2);
	ck_assert_uint_eq(k.store->canaries.v[1].session, 2);
	kit_end(&k);
}
END_TEST

START_TEST(damaged)
{
	struct kit k;
	struct pg_err err;

	kit_init(&k, HEAD CELLS);
	kit_create(&k);
	kit_append(&k, "journal.jsonl", "{\"canary\":[1]}\n{\"state\":\"complete\"}\n", 36);
	kit_ok(kit_open(&k, false, &err), &err);
	ck_assert_int_eq(pg_store_replay(k.store, NULL, &err), -1);
	ck_assert_int_eq(err.code, PG_EDAMAGED);
	ck_assert_msg(strstr(err.msg, "'canary' is no list") != NULL, "%s", err.msg);
	kit_end(&k);
}
END_TEST

/* ---- sides ---- */

/*
 * Sessions of one run, a part each, ended by an empty one; of each the canaries, in us, ended by a 0. A first one below
 * 0: nothing else was measured in it.
 */
struct units {
	const char *text;
	int64_t alu[5][5], copy;
};

static void fill(struct kit *k, const struct units *u)
{
	struct pg_err err;

	kit_init(k, u->text);
	kit_create(k);
	for (size_t s = 0; s < 5 && (s == 0 || u->alu[s][0]); s++) {
		if (s > 0)
			kit_ok(pg_store_session(k->store, &err), &err);
		if (u->alu[s][0] >= 0)
			rep(k, 0, 1 + 4 * (uint32_t)s);
		for (size_t i = 0; i < 5 && u->alu[s][i]; i++)
			kit_ok(pg_journal_canary(&k->store->journal,
						 (int64_t[PG_CANARIES]){1000 * llabs(u->alu[s][i]), 1000 * u->copy},
						 &err),
			       &err);
	}
	kit_reopen(k, false);
}

static const struct {
	struct units base, new;
	bool on;
	double alu[2]; /* medians, us */
} shifts[] = {
	{{HEAD CELLS, {{500, 500, 500}}, 60}, {HEAD CELLS, {{500, 500, 511}}, 60}, false, {500, 500}},
	{{HEAD CELLS, {{500, 500, 500}}, 60}, {HEAD CELLS, {{500, 509, 509}}, 60}, false, {500, 509}},
	{{HEAD CELLS, {{500, 500, 500}}, 60}, {HEAD CELLS, {{500, 511, 511}}, 60}, true, {500, 511}},
	{{HEAD CELLS, {{500, 500, 500}}, 60}, {HEAD CELLS, {{489, 489, 500}}, 60}, true, {500, 489}},
	{{HEAD CELLS, {{500, 500, 500}}, 60}, {HEAD CELLS, {{500, 500, 500}}, 62}, true, {500, 500}},
	/* Two are too few, three are enough. */
	{{HEAD CELLS, {{500, 500, 500}}, 60}, {HEAD CELLS, {{900, 900}}, 90}, false, {0, 0}},
	{{HEAD CELLS, {{500, 500}}, 60}, {HEAD CELLS, {{900, 900, 900}}, 90}, false, {0, 0}},
	{{HEAD CELLS, {{0}}, 60}, {HEAD CELLS, {{900, 900, 900}}, 90}, false, {0, 0}},
	/* Sessions weigh alike, where the scenario has them: medians 500, 600, 700. Else the run is the unit. */
	{{SPREAD, {{500, 500, 500, 500, 500}, {600}, {700}}, 60},
	 {SPREAD, {{600, 600, 600}, {600}, {600}}, 60},
	 false,
	 {600, 600}},
	{{HEAD CELLS, {{500, 500, 500, 500, 500}, {600}, {700}}, 60},
	 {HEAD CELLS, {{600, 600, 600}, {600}, {600}}, 60},
	 true,
	 {500, 600}},
	/* A session that has none is no unit. */
	{{SPREAD, {{0}, {500, 500, 500}, {510}}, 60}, {SPREAD, {{505, 505}, {505}}, 60}, false, {505, 505}},
	/* Nor is a start that measured nothing, and it parts none in two. */
	{{SPREAD, {{500, 500, 500}, {-900, 900}, {510}}, 60}, {SPREAD, {{505, 505}, {505}}, 60}, false, {505, 505}},
	{{HEAD CELLS, {{500, 500, 500, 500}, {-900}, {600}}, 60},
	 {HEAD CELLS, {{500, 500, 500}}, 60},
	 false,
	 {500, 500}},
	{{HEAD CELLS, {{-900, 900, 900, 900}, {500}}, 60}, {HEAD CELLS, {{500, 500, 500}}, 60}, false, {0, 0}},
	/* A clock that stood. */
	{{HEAD CELLS, {{500, 500, 500}}, 0}, {HEAD CELLS, {{500, 500, 500}}, 90}, false, {500, 500}},
};

START_TEST(sides)
{
	struct kit k[2];
	struct pg_side_run run[2];
	struct pg_env_shift shift;
	struct pg_err err;

	fill(&k[0], &shifts[_i].base);
	fill(&k[1], &shifts[_i].new);
	memset(run, 0, sizeof(run));
	for (int i = 0; i < 2; i++) {
		run[i].plan = k[i].plan;
		run[i].store = k[i].store;
	}
	kit_ok(pg_env_shift(&(struct pg_side){"OLD", &run[0], 1}, &(struct pg_side){"NEW", &run[1], 1}, &shift, &err),
	       &err);
	ck_assert_int_eq(shift.on, shifts[_i].on);
	ck_assert_double_eq_tol(1e6 * shift.base[PG_CANARY_ALU], shifts[_i].alu[0], 1e-6);
	ck_assert_double_eq_tol(1e6 * shift.new[PG_CANARY_ALU], shifts[_i].alu[1], 1e-6);
	kit_end(&k[0]);
	kit_end(&k[1]);
}
END_TEST

/* Runs of a side are units as well. */
START_TEST(sides_of_runs)
{
	static const struct units of[4] = {{HEAD CELLS, {{500, 500, 500, 500}}, 60},
					   {HEAD CELLS, {{600}}, 60},
					   {HEAD CELLS, {{566, 566}}, 60},
					   {HEAD CELLS, {{568}}, 60}};
	struct kit k[4];
	struct pg_side_run run[4];
	struct pg_env_shift shift;
	struct pg_err err;

	memset(run, 0, sizeof(run));
	for (int i = 0; i < 4; i++) {
		fill(&k[i], &of[i]);
		run[i].plan = k[i].plan;
		run[i].store = k[i].store;
	}
	kit_ok(pg_env_shift(&(struct pg_side){"OLD", run, 2}, &(struct pg_side){"NEW", run + 2, 2}, &shift, &err),
	       &err);
	ck_assert(shift.on);
	ck_assert_double_eq_tol(1e6 * shift.base[PG_CANARY_ALU], 550, 1e-6);
	ck_assert_double_eq_tol(1e6 * shift.new[PG_CANARY_ALU], 567, 1e-6);
	for (int i = 0; i < 4; i++)
		kit_end(&k[i]);
}
END_TEST

PG_TEST_MAIN("store_canary", ((const struct pg_test[]){
				     {one_a_round, 0},
				     {none, 0},
				     {files_of_results, 0},
				     {resumed, 0},
				     {damaged, 0},
				     {sides, sizeof(shifts) / sizeof(*shifts)},
				     {sides_of_runs, 0},
				     {NULL, 0},
			     }))
