/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of a stored run: found by id and variant, one for all arms, and what a directory must be to have some. */
#include "store/loops.h"

#include "base/err.h"
#include "engine/rounds.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define HEAD  "perfgrid: 1\nname: kit\nsweeps:\n"
#define NOOP  "  - {name: s, suite: noop, set: {loops: auto}, "
#define CELLS 8

static const char plain[] = HEAD NOOP "vary: {first: 1..3}}\n"
				      "  - {name: t, suite: noop, set: {loops: 7}}\n";

static void calibrated(struct kit *k, size_t cell, uint64_t ops)
{
	const struct pg_observer *obs = pg_store_observer(k->store);
	struct pg_cell_buf *buf = pg_cell_buf_new(k->plan);
	struct pg_err err;

	kit_ok(obs->calibrated(obs->ctx, pg_plan_cell(k->plan, cell, buf), ops, &err), &err);
	pg_cell_buf_free(buf);
}

static void begin(struct kit *k, const char *text)
{
	kit_init(k, text);
	kit_create(k);
}

/* What a plan takes over, as text: counts, then how many were found and how many not. */
static void taken(struct kit *k, const char *text, const char *want)
{
	struct pg_plan *plan = kit_try_plan(k, text);
	struct pg_loops_found found;
	struct pg_loops *l = NULL;
	uint64_t ops[CELLS];
	struct pg_err err;
	struct pg_str s;

	ck_assert_msg(plan, "%s", k->errors);
	ck_assert_uint_le(pg_plan_cells(plan), CELLS);
	kit_ok(pg_loops_read(k->run, &l, &err), &err);
	kit_ok(pg_loops_take(l, plan, ops, &found, &err), &err);
	pg_str_init(&s);
	for (size_t i = 0; i < pg_plan_cells(plan); i++)
		pg_str_addf(&s, "%llu ", (unsigned long long)ops[i]);
	pg_str_addf(&s, "/ %zu %zu", found.taken, found.lacking);
	ck_assert_str_eq(pg_str_text(&s), want);
	pg_str_release(&s);
	pg_loops_free(l);
	pg_plan_free(plan);
}

START_TEST(by_cell)
{
	struct kit k;

	begin(&k, plain);
	taken(&k, plain, "0 0 0 0 / 0 3");
	calibrated(&k, 2, 456);
	calibrated(&k, 0, 123);
	kit_rep(&k, (struct kit_rep){.cell = 0, .ns = 5, .count = 123});
	taken(&k, plain, "123 0 456 0 / 2 1");
	/* Other values, and one sweep more: what is alike is found. */
	taken(&k, HEAD NOOP "vary: {first: [3, 4, 1]}}\n", "456 0 123 / 2 1");
	taken(&k, HEAD "  - {name: u, suite: noop, set: {loops: auto}}\n" NOOP "vary: {first: [1]}}\n", "0 123 / 1 1");
	/* A number is one, and what is not to run needs none. */
	taken(&k, HEAD NOOP "vary: {first: [1, 3]}, skip: [{first: 3, why: no}]}\n", "123 0 / 1 0");
	taken(&k, HEAD "  - {name: s, suite: noop, set: {loops: 9}, vary: {first: 1..3}}\n", "0 0 0 / 0 0");
	/* As a reader of the journal has it: the latest, and what is cut does not count. */
	calibrated(&k, 0, 99);
	kit_append(&k, "journal.jsonl", "{\"cal\":\"c01", 11);
	taken(&k, plain, "99 0 456 0 / 2 1");
	kit_end(&k);
}
END_TEST

#define ARMS(list) HEAD NOOP "vary: {first: [1, 2]}, variants: [" list "]}\n"

START_TEST(by_arm)
{
	struct kit k;

	begin(&k, ARMS("{label: a, duration: 1ms}, {label: b, duration: 2ms}"));
	calibrated(&k, 0, 100);
	calibrated(&k, 1, 100);
	taken(&k, k.text, "100 100 0 0 / 2 2");
	/* c takes what its cell's other arms have. */
	taken(&k, ARMS("{label: a, duration: 1ms}, {label: c, duration: 9ms}"), "100 100 0 0 / 2 2");
	taken(&k, ARMS("{label: c, duration: 9ms}, {label: b, duration: 1ms}"), "100 100 0 0 / 2 2");
	taken(&k, ARMS("{label: c, duration: 1ms}, {label: d, duration: 9ms}"), "0 0 0 0 / 0 4");
	/* Counts of arms that differ, whoever wrote them: one for all. */
	calibrated(&k, 3, 70);
	calibrated(&k, 2, 90);
	taken(&k, ARMS("{label: a, duration: 1ms}, {label: b, duration: 2ms}"), "100 100 70 70 / 4 0");
	kit_end(&k);
}
END_TEST

/* `compare RUN@VARIANT NEW` is about one cell. */
START_TEST(with_and_without_arms)
{
	static const char none[] = HEAD NOOP "vary: {first: [1, 2]}}\n";
	struct kit k;

	begin(&k, ARMS("{label: a}, {label: b}"));
	calibrated(&k, 0, 100);
	calibrated(&k, 1, 100);
	taken(&k, none, "100 0 / 1 1");
	kit_end(&k);
	begin(&k, none);
	calibrated(&k, 1, 60);
	taken(&k, ARMS("{label: a}, {label: b}"), "0 0 60 60 / 2 2");
	kit_end(&k);
}
END_TEST

static void refused(const char *dir, const char *want)
{
	struct pg_loops *l = NULL;
	struct pg_err err;

	ck_assert_int_eq(pg_loops_read(dir, &l, &err), -1);
	ck_assert_ptr_null(l);
	ck_assert_int_eq(err.code, PG_EUSAGE);
	ck_assert_msg(strstr(err.msg, want), "'%s' lacks '%s'", err.msg, want);
}

START_TEST(no_run)
{
	static const char broken[] = "nonsense\n{\"state\":\"complete\"}\n";
	char path[160];
	struct kit k;

	begin(&k, plain);
	calibrated(&k, 0, 123);
	snprintf(path, sizeof(path), "%s/none", k.top);
	refused(path, "none': No such file or directory; give a directory that `perfgrid run` has made");
	refused(k.top, "is no run directory");
	kit_append(&k, "journal.jsonl", broken, sizeof(broken) - 1);
	snprintf(path, sizeof(path), "run directory '%s': line 4 of 'journal.jsonl' is damaged", k.run);
	refused(k.run, path);
	snprintf(path, sizeof(path), "%s/journal.jsonl", k.run);
	ck_assert_int_eq(unlink(path), 0);
	refused(k.run, "journal.jsonl': No such file or directory; give another run");
	ck_assert_int_eq(mkfifo(path, 0666), 0);
	refused(k.run, "journal.jsonl' is no regular file; give another run");
	kit_end(&k);
}
END_TEST

PG_TEST_MAIN("store_loops", ((const struct pg_test[]){
				    {by_cell, 0},
				    {by_arm, 0},
				    {with_and_without_arms, 0},
				    {no_run, 0},
				    {NULL, 0},
			    }))
