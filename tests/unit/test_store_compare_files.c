/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The history file, and what machines have in common. */
#include <math.h>

#include "store/fingerprint.h"
#include "store/history.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define PLAIN "perfgrid: 1\nname: kit\nsweeps:\n  - {name: s, suite: noop}\n"

START_TEST(paths)
{
	static const struct {
		const char *xdg, *home, *want;
	} rows[] = {
		{"/x/state", "/home/a", "/x/state/perfgrid/history.jsonl"},
		{"", "/home/a", "/home/a/.local/state/perfgrid/history.jsonl"},
		{"relative", "/home/a", "/home/a/.local/state/perfgrid/history.jsonl"},
		{NULL, "/home/a", "/home/a/.local/state/perfgrid/history.jsonl"},
		{NULL, NULL, ""},
		{NULL, "", ""},
	};
	struct pg_str path;

	pg_str_init(&path);
	pg_history_path(rows[_i].xdg, rows[_i].home, &path);
	ck_assert_str_eq(pg_str_text(&path), rows[_i].want);
	pg_str_release(&path);
}
END_TEST

static const struct pg_fingerprint here = {.trait = {[PG_T_CPU] = "A \"fast\" one", [PG_T_KERNEL] = "6.1"}};
static const struct pg_fingerprint there = {.trait = {[PG_T_CPU] = "A \"fast\" one", [PG_T_KERNEL] = "6.9"}};

START_TEST(written_and_read)
{
	const struct pg_history_cell cells[] = {
		{.cell = 0x10, .metric = "time", .n = 20, .median = 1.25e-7, .best = 1e-7},
		{.cell = 0x20, .metric = "time", .n = 20, .median = 3, .best = 2},
	};
	double median[8], best[8];
	struct pg_history h;
	struct pg_err err;
	char path[128];
	struct kit k;

	kit_init(&k, PLAIN);
	snprintf(path, sizeof(path), "%s/a/b/history.jsonl", k.top);
	kit_ok(pg_history_read(path, &h, &err), &err);
	ck_assert_uint_eq(h.n, 0);
	pg_history_release(&h);
	kit_ok(pg_history_append(path, 5, &here, cells, 2, &err), &err);
	kit_ok(pg_history_append(path, 6, &there, cells, 1, &err), &err);
	/* What a crash or another program left. */
	snprintf(k.run, sizeof(k.run), "%s/a/b", k.top);
	kit_append(&k, "history.jsonl", "not json\n\n{\"perfgrid\":2}\n[]\n", 28);
	kit_ok(pg_history_append(path, 7, &here, cells, 2, &err), &err);
	kit_append(&k, "history.jsonl", "{\"perfgrid\":1,\"cells\":[{\"cell\":\"c00", 35);
	kit_ok(pg_history_read(path, &h, &err), &err);
	ck_assert_uint_eq(h.n, 3);
	ck_assert_int_eq((int)h.session[2].wall_ns, 7);
	ck_assert_uint_eq(pg_history_find(&h, &here, 0, 0x10, "time", median, best), 2);
	ck_assert(fabs(median[1] - log(1.25e-7)) < 1e-12 && fabs(best[0] - log(1e-7)) < 1e-12);
	ck_assert_uint_eq(pg_history_find(&h, &here, 1u << PG_T_KERNEL, 0x10, "time", median, best), 3);
	ck_assert_uint_eq(pg_history_find(&h, &there, 0, 0x20, "time", median, best), 0);
	ck_assert_uint_eq(pg_history_find(&h, &here, 0, 0x10, "rate", median, best), 0);
	pg_history_release(&h);
	kit_end(&k);
}
END_TEST

START_TEST(no_place_for_it)
{
	struct pg_history h;
	struct pg_err err;
	char path[128];
	struct kit k;

	kit_init(&k, PLAIN);
	snprintf(k.run, sizeof(k.run), "%s", k.top);
	kit_append(&k, "file", "x", 1);
	snprintf(path, sizeof(path), "%s/file/history.jsonl", k.top);
	ck_assert_int_eq(pg_history_append(path, 5, &here, NULL, 0, &err), -1);
	ck_assert_int_eq(pg_history_read(k.top, &h, &err), -1);
	kit_end(&k);
}
END_TEST

static void of_env(struct kit *k, const char *env, struct pg_arena *a, struct pg_fingerprint *out)
{
	char path[256];
	struct pg_err err;

	snprintf(path, sizeof(path), "%s/env.json", k->run);
	ck_assert_int_eq(unlink(path), 0);
	if (env)
		kit_append(k, "env.json", env, strlen(env));
	else
		kit_append(k, "env.json", "{", 1);
	kit_ok(pg_fingerprint_of(k->store, a, out, &err), &err);
}

START_TEST(traits)
{
	struct pg_fingerprint f, g;
	struct pg_arena a;
	struct kit k;

	pg_arena_init(&a, true);
	kit_init(&k, PLAIN);
	kit_create(&k);
	of_env(&k,
	       "{\"hypervisor\": true, \"kernel\": {\"release\": \"6.1.0\"}, \"cpu\": {\"model\": \"M\", "
	       "\"microcode\": "
	       "\"0x1\", \"smt\": \"off\", \"governor\": null, \"no_turbo\": \"0\"}}",
	       &a, &f);
	ck_assert_str_eq(f.trait[PG_T_CPU], "M");
	ck_assert_str_eq(f.trait[PG_T_CPUS], "8");
	ck_assert_str_eq(f.trait[PG_T_KERNEL], "6.1.0");
	ck_assert_str_eq(f.trait[PG_T_MICROCODE], "0x1");
	ck_assert_str_eq(f.trait[PG_T_SMT], "off");
	ck_assert_str_eq(f.trait[PG_T_TURBO], "on");
	ck_assert_str_eq(f.trait[PG_T_HYPERVISOR], "true");
	ck_assert_str_eq(f.trait[PG_T_VERSION], "1.2.3");
	ck_assert_ptr_null(f.trait[PG_T_GOVERNOR]);
	ck_assert_uint_eq(pg_fingerprint_differ(&f, &f), 0);
	of_env(&k, "{\"cpu\": {\"model\": \"M\", \"boost\": \"0\"}, \"kernel\": 3}", &a, &g);
	ck_assert_str_eq(g.trait[PG_T_TURBO], "off");
	ck_assert_uint_eq(pg_fingerprint_differ(&f, &g), 1u << PG_T_KERNEL | 1u << PG_T_MICROCODE | 1u << PG_T_SMT |
								 1u << PG_T_TURBO | 1u << PG_T_HYPERVISOR);
	/* Damaged: nothing is known of the machine, so nothing is the same but what the run itself says. */
	of_env(&k, NULL, &a, &g);
	ck_assert_ptr_null(g.trait[PG_T_CPU]);
	ck_assert_str_eq(g.trait[PG_T_CPUS], "8");
	for (int t = 0; t < PG_TRAIT_NAMES; t++)
		ck_assert_int_eq(pg_trait_find(pg_trait_names[t]), t);
	ck_assert_int_eq(pg_trait_find("weather"), -1);
	kit_end(&k);
	pg_arena_release(&a);
}
END_TEST

PG_TEST_MAIN("store_compare_files", ((const struct pg_test[]){
					    {paths, 6},
					    {written_and_read, 0},
					    {no_place_for_it, 0},
					    {traits, 0},
					    {NULL, 0},
				    }))
