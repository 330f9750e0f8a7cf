/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions on a run directory: states, refreshing between reps, what a killed one left, descriptors. */
#include <dirent.h>

#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))

static const char text[] =
	"perfgrid: 1\n"
	"name: kit\n"
	"sweeps:\n"
	"  - name: a\n"
	"    suite: noop\n"
	"    vary: {first: [1, cpus], text: ['x,y', '=z']}\n"
	"    skip: [{first: 1, text: '=z', why: '-no'}]\n"
	"    repeat: 2\n"
	"    tables: [{rows: first, columns: text}]\n"
	"  - {name: b, suite: sched/pipe, set: {loops: auto}, vary: {mode: [process, thread]}, repeat: 2}\n";

static size_t entries(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static bool there(const struct kit *k, const char *name)
{
	char *s = kit_file(k, name);

	free(s);
	return s != NULL;
}

START_TEST(sessions_and_states)
{
	struct kit k;
	struct pg_err err;

	kit_init(&k, text);
	kit_create(&k);
	kit_rep(&k, (struct kit_rep){.ns = 1});
	kit_ok(pg_store_finish(k.store, PG_RUN_INTERRUPTED, &err), &err);
	kit_has(&k, "run.json", "\"state\": \"interrupted\"");
	kit_has(&k, "a.cells.csv", ",error,");
	k.info.opts.repeat = 9; /* more reps on resuming: the plan is the same */
	kit_reopen(&k, true);
	kit_ok(pg_store_session(k.store, &err), &err);
	kit_has(&k, "run.json", "\"state\": \"running\"");
	kit_has(&k, "run.json", "\"repeat\": 9");
	kit_has(&k, "journal.jsonl", "{\"session\":2,\"boot\":");
	kit_ok(pg_store_finish(k.store, PG_RUN_COMPLETE, &err), &err);
	kit_has(&k, "run.json", "\"state\": \"complete\"");
	kit_has(&k, "run.json", "\"started\": 1764000000000000000");
	kit_end(&k);
}
END_TEST

START_TEST(refreshing)
{
	struct kit k;
	struct pg_err err;
	const struct pg_observer *obs;

	kit_init(&k, text);
	kit_create(&k);
	obs = pg_store_observer(k.store);
	kit_rep(&k, (struct kit_rep){.ns = 1000, .count = 1});
	kit_ok(obs->between(obs->ctx, &err), &err);
	ck_assert(!there(&k, "a.cells.csv")); /* not within the first second */
	k.now += 1500000000;
	kit_ok(obs->between(obs->ctx, &err), &err);
	ck_assert(there(&k, "a.cells.csv") && there(&k, "a.status.csv") && there(&k, "a.time_per_op_s.median.csv"));
	ck_assert(!there(&k, "b.cells.csv")); /* nothing has happened there */
	ck_assert(!there(&k, "a.samples.csv"));
	kit_has(&k, "a.status.csv", "1,ok,skipped\n");
	kit_rep(&k, (struct kit_rep){.cell = 3, .ns = 1000, .count = 1});
	kit_ok(obs->between(obs->ctx, &err), &err);
	kit_has(&k, "a.status.csv", "8,not-run,not-run\n");
	k.now += 1000000000;
	kit_ok(obs->between(obs->ctx, &err), &err);
	kit_has(&k, "a.status.csv", "8,not-run,ok\n");
	kit_end(&k);
}
END_TEST

/* A refresh that takes long is followed by a pause 49 times as long. */
static int64_t slow_mono(void *ctx)
{
	return ((struct kit *)ctx)->now += 200000000;
}

START_TEST(refreshing_seldom)
{
	struct kit k;
	struct pg_err err;
	const struct pg_observer *obs;
	int64_t start;
	char path[256];

	kit_init(&k, text);
	kit_create(&k);
	obs = pg_store_observer(k.store);
	k.clock.mono = slow_mono;
	kit_rep(&k, (struct kit_rep){.ns = 1000, .count = 1});
	k.now += 2000000000;
	kit_ok(obs->between(obs->ctx, &err), &err);
	snprintf(path, sizeof(path), "%s/a.cells.csv", k.run);
	ck_assert_int_eq(unlink(path), 0);
	start = k.now;
	while (!there(&k, "a.cells.csv")) {
		kit_rep(&k, (struct kit_rep){.ns = 1000, .count = 1});
		kit_ok(obs->between(obs->ctx, &err), &err);
	}
	/* One refresh took 200 ms by this clock. */
	ck_assert(k.now - start >= 49 * INT64_C(200000000) && k.now - start < 52 * INT64_C(200000000));
	kit_end(&k);
}
END_TEST

START_TEST(leftovers)
{
	static const char *const stale[] = {".a.cells.csv.999999999.tmp", ".x.999999998.tmp"};
	static const char *const kept[] = {".a.tmp", ".x.y.tmp", "a.5.tmp", ".1x.tmp", ".x..tmp"};
	struct kit k;

	kit_init(&k, text);
	kit_create(&k);
	for (int i = 0; i < LEN(stale); i++)
		kit_append(&k, stale[i], "x", 1);
	for (int i = 0; i < LEN(kept); i++)
		kit_append(&k, kept[i], "x", 1);
	kit_reopen(&k, false);
	ck_assert(there(&k, stale[0]));
	kit_reopen(&k, true);
	for (int i = 0; i < LEN(stale); i++)
		ck_assert(!there(&k, stale[i]));
	for (int i = 0; i < LEN(kept); i++)
		ck_assert_msg(there(&k, kept[i]), "%s", kept[i]);
	kit_end(&k);
}
END_TEST

START_TEST(descriptors)
{
	struct kit k;
	struct pg_err err;
	size_t before, during;

	kit_init(&k, text);
	before = entries("/proc/self/fd");
	kit_create(&k);
	during = entries("/proc/self/fd");
	ck_assert_uint_eq(during, before + 2); /* directory and journal, whatever the size of the plan */
	kit_rep(&k, (struct kit_rep){.ns = 1});
	kit_ok(pg_store_finish(k.store, PG_RUN_COMPLETE, &err), &err);
	ck_assert_uint_eq(entries("/proc/self/fd"), during);
	kit_reopen(&k, true);
	ck_assert_uint_eq(entries("/proc/self/fd"), during);
	pg_store_close(k.store);
	k.store = NULL;
	ck_assert_uint_eq(entries("/proc/self/fd"), before);
	kit_end(&k);
}
END_TEST

PG_TEST_MAIN("store_session", ((const struct pg_test[]){
				      {sessions_and_states, 0},
				      {refreshing, 0},
				      {refreshing_seldom, 0},
				      {leftovers, 0},
				      {descriptors, 0},
				      {NULL, 0},
			      }))
