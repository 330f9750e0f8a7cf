/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arms of a cell share its id: the journal tells them apart by their label, plan.csv by its column. */
#include "base/err.h"
#include "store/journal.h"
#include "store/store_inside.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

static const char text[] = "perfgrid: 1\n"
			   "name: kit\n"
			   "sweeps:\n"
			   "  - name: s\n"
			   "    suite: noop\n"
			   "    vary: {first: [1, 2]}\n"
			   "    variants: [{label: old}, {label: new, nice: 1}]\n"
			   "    repeat: 3\n"
			   "  - {name: p, suite: noop}\n";

enum { OLD_1, NEW_1, OLD_2, NEW_2, PLAIN };

static const struct pg_cell_acc *acc(const struct kit *k, size_t cell)
{
	return pg_samples_acc(k->store->samples, cell);
}

static void calibrated(struct kit *k, size_t cell, uint64_t ops)
{
	const struct pg_observer *obs = pg_store_observer(k->store);
	struct pg_cell_buf *buf = pg_cell_buf_new(k->plan);
	struct pg_err err;

	kit_ok(obs->calibrated(obs->ctx, pg_plan_cell(k->plan, cell, buf), ops, &err), &err);
	pg_cell_buf_free(buf);
}

static void journal_has(struct kit *k, const char *before, size_t cell, const char *after)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(k->plan);
	char id[PG_CELL_ID_BUF], want[256];

	pg_cell_id_format(id, pg_plan_cell(k->plan, cell, buf)->id);
	pg_cell_buf_free(buf);
	snprintf(want, sizeof(want), "%s\"%s\"%s", before, id, after);
	kit_has(k, "journal.jsonl", want);
}

static void reps(struct kit *k)
{
	calibrated(k, OLD_1, 70);
	calibrated(k, NEW_1, 71);
	for (uint32_t round = 1; round <= 3; round++) {
		kit_rep(k, (struct kit_rep){.cell = NEW_1, .round = round, .ns = 100 + round, .count = 1});
		if (round < 3)
			kit_rep(k, (struct kit_rep){.cell = OLD_1, .round = round, .ns = 200 + round, .count = 1});
	}
	kit_rep(k, (struct kit_rep){.cell = OLD_2, .round = 1, .status = PG_ST_FAILED, .why = "no"});
	kit_rep(k, (struct kit_rep){.cell = PLAIN, .round = 1, .ns = 5, .count = 1});
	kit_done(k, NEW_1, PG_STOP_LOOK);
	kit_done(k, OLD_2, PG_STOP_ERROR);
}

START_TEST(text_of_records)
{
	struct pg_err err;
	struct kit k;

	kit_init(&k, text);
	kit_create(&k);
	reps(&k);
	kit_ok(pg_store_retry_failed(k.store, &err), &err);
	journal_has(&k, "{\"cal\":", NEW_1, ",\"v\":\"new\",\"loops\":71}\n");
	journal_has(&k, "{\"n\":1,\"c\":", NEW_1, ",\"v\":\"new\",\"p\":\"m\",\"k\":1,");
	journal_has(&k, "{\"n\":2,\"c\":", NEW_1, ",\"v\":\"old\",\"p\":\"m\",\"k\":1,"); /* one id */
	journal_has(&k, "{\"n\":7,\"c\":", PLAIN, ",\"p\":\"m\",\"k\":1,");
	journal_has(&k, "{\"end\":", NEW_1, ",\"v\":\"new\",\"stop\":\"look\"}\n");
	journal_has(&k, "{\"retry\":", OLD_2, ",\"v\":\"old\"}\n");
	kit_end(&k);
}
END_TEST

START_TEST(read_back)
{
	struct kit k;

	kit_init(&k, text);
	kit_create(&k);
	reps(&k);
	kit_reopen(&k, true);
	ck_assert_uint_eq(acc(&k, OLD_1)->n, 2);
	ck_assert_uint_eq(acc(&k, NEW_1)->n, 3);
	ck_assert_uint_eq(acc(&k, OLD_2)->n_failed, 1);
	ck_assert_uint_eq(acc(&k, NEW_2)->n, 0);
	ck_assert_uint_eq(acc(&k, PLAIN)->n, 1);
	ck_assert_uint_eq(acc(&k, OLD_1)->ops, 70);
	ck_assert_uint_eq(acc(&k, NEW_1)->ops, 71);
	ck_assert_int_eq(acc(&k, NEW_1)->stop, PG_STOP_LOOK);
	ck_assert_int_eq(acc(&k, OLD_1)->stop, PG_STOP_NONE);
	ck_assert_int_eq(acc(&k, OLD_2)->stop, PG_STOP_ERROR);
	kit_end(&k);
}
END_TEST

static void append(const struct kit *k, const char *line)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/journal.jsonl", k->run);
	f = fopen(path, "ab");
	ck_assert_ptr_nonnull(f);
	fputs(line, f);
	ck_assert_int_eq(fclose(f), 0);
}

/* A label that the plan does not have, none where there are variants, one where there are none: damage. */
START_TEST(wrong_label)
{
	static const char *const labels[] = {",\"v\":\"newer\"", "", ",\"v\":\"new\""};
	struct pg_cell_buf *buf;
	struct pg_err err = {.code = PG_OK};
	char id[PG_CELL_ID_BUF], line[256];
	struct kit k;

	kit_init(&k, text);
	kit_create(&k);
	buf = pg_cell_buf_new(k.plan);
	pg_cell_id_format(id, pg_plan_cell(k.plan, _i == 2 ? PLAIN : NEW_1, buf)->id);
	pg_cell_buf_free(buf);
	snprintf(line, sizeof(line), "{\"cal\":\"%s\"%s,\"loops\":5}\n{\"state\":\"interrupted\"}\n", id, labels[_i]);
	append(&k, line);
	kit_ok(kit_open(&k, true, &err), &err);
	ck_assert_int_eq(pg_store_replay(k.store, NULL, &err), -1);
	ck_assert_int_eq(err.code, PG_EDAMAGED);
	snprintf(line, sizeof(line), "the plan has no cell %s%s", id,
		 _i == 0   ? " of variant newer)"
		 : _i == 1 ? ")"
			   : " of variant new)");
	ck_assert_msg(strstr(err.msg, line), "%s", err.msg);
	kit_end(&k);
}
END_TEST

/* What one arm cannot run, the others can. */
START_TEST(preflight_of_an_arm)
{
	const char *why;
	struct kit k;

	kit_init(&k, text);
	ck_assert_int_eq(pg_plan_mark(k.plan, NEW_1, PG_SKIP_PREFLIGHT, "no room"), 0);
	ck_assert_int_eq(pg_plan_mark(k.plan, OLD_2, PG_SKIP_PREFLIGHT, "no place"), 0);
	kit_create(&k);
	kit_reopen(&k, false);
	for (size_t i = 0; i < pg_plan_cells(k.plan); i++)
		ck_assert_int_eq(pg_plan_skip(k.plan, i, NULL),
				 i == NEW_1 || i == OLD_2 ? PG_SKIP_PREFLIGHT : PG_NOT_SKIPPED);
	pg_plan_skip(k.plan, NEW_1, &why);
	ck_assert_str_eq(why, "no room");
	kit_end(&k);
}
END_TEST

/* A rep that was disturbed and one that made up for it say so, and come back so. */
START_TEST(marks_of_reps)
{
	const struct pg_observer *obs;
	struct pg_cell_buf *buf;
	const struct pg_cell *c;
	struct pg_outcome o;
	struct pg_err err;
	struct kit k;

	kit_init(&k, text);
	kit_create(&k);
	obs = pg_store_observer(k.store);
	buf = pg_cell_buf_new(k.plan);
	c = pg_plan_cell(k.plan, OLD_1, buf);
	kit_outcome(c, &(struct kit_rep){.ns = 1, .count = 1}, &o);
	for (int i = 1; i < 4; i++) {
		struct pg_rep_record rec = {.cell_id = c->id, .round = 1, .attempt = 1, .rep = 1, .out = &o};

		rec.disturbed = i & 1;
		rec.redo = i & 2;
		kit_ok(obs->rep_done(obs->ctx, c, &rec, &err), &err);
	}
	pg_cell_buf_free(buf);
	journal_has(&k, "{\"n\":1,\"c\":", OLD_1, ",\"v\":\"old\",\"p\":\"m\",\"k\":1,\"o\":0,\"a\":1,\"d\":1,\"s\":");
	journal_has(&k, "{\"n\":2,\"c\":", OLD_1, ",\"v\":\"old\",\"p\":\"m\",\"k\":1,\"o\":0,\"a\":1,\"r\":1,\"s\":");
	journal_has(&k, "{\"n\":3,\"c\":", OLD_1,
		    ",\"v\":\"old\",\"p\":\"m\",\"k\":1,\"o\":0,\"a\":1,\"d\":1,\"r\":1,\"s\":");
	kit_reopen(&k, false);
	kit_end(&k);
}
END_TEST

PG_TEST_MAIN("store_journal_variants", ((const struct pg_test[]){
					       {text_of_records, 0},
					       {read_back, 0},
					       {wrong_label, 3},
					       {preflight_of_an_arm, 0},
					       {marks_of_reps, 0},
					       {NULL, 0},
				       }))
