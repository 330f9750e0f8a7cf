/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What machines have in common, and what else they differ in. */
#include "store/fingerprint.h"
#include "store/side.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define PLAIN "perfgrid: 1\nname: kit\nsweeps:\n  - {name: s, suite: noop}\n"

/* NULL: a damaged one. */
static void put_env(struct kit *k, const char *env)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/env.json", k->run);
	ck_assert_int_eq(unlink(path), 0);
	kit_append(k, "env.json", env ? env : "{", env ? strlen(env) : 1);
}

static void of_env(struct kit *k, const char *env, struct pg_arena *a, struct pg_fingerprint *out)
{
	struct pg_err err;

	put_env(k, env);
	kit_ok(pg_fingerprint_of(k->store, a, out, &err), &err);
}

START_TEST(traits)
{
	static const char *const damaged[] = {NULL, "{}", "[]", "{\"kernel\": 3, \"cpu\": null}"};
	const unsigned of_machine = ((1u << PG_TRAITS) - 1) & ~(1u << PG_T_CPUS | 1u << PG_T_VERSION);
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
	ck_assert(!f.unknown);
	ck_assert_uint_eq(pg_fingerprint_differ(&f, &f), 0);
	of_env(&k, "{\"cpu\": {\"model\": \"M\", \"boost\": \"0\"}, \"kernel\": 3}", &a, &g);
	ck_assert_str_eq(g.trait[PG_T_TURBO], "off");
	ck_assert_uint_eq(pg_fingerprint_differ(&f, &g), 1u << PG_T_KERNEL | 1u << PG_T_MICROCODE | 1u << PG_T_SMT |
								 1u << PG_T_TURBO | 1u << PG_T_HYPERVISOR);
	/* Damaged: nothing is known of the machine, so nothing is the same but what the run itself says. */
	for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
		of_env(&k, damaged[i], &a, &g);
		ck_assert(g.unknown);
		ck_assert_str_eq(g.trait[PG_T_CPU], "unknown");
		ck_assert_str_eq(g.trait[PG_T_CPUS], "8");
		ck_assert_uint_eq(pg_fingerprint_differ(&g, &g), of_machine);
		ck_assert_uint_eq(pg_fingerprint_differ(&f, &g), of_machine);
	}
	for (int t = 0; t < PG_TRAIT_NAMES; t++)
		ck_assert_int_eq(pg_trait_find(pg_trait_names[t]), t);
	ck_assert_int_eq(pg_trait_find("weather"), -1);
	kit_end(&k);
	pg_arena_release(&a);
}
END_TEST

#define ENV(libc, clock, pages, bytes, mitigations)                                                                    \
	"{\"libc\": " libc ", \"clock\": {\"clocksource\": \"" clock "\"}, \"memory\": {\"total_bytes\": " bytes       \
	", \"transparent_huge_pages\": \"" pages "\"}, \"cpu\": {\"mitigations\": " mitigations "}}"

START_TEST(also)
{
	static const char first[] = ENV("\"glibc 2.36\"", "tsc", "always", "8589934592",
					"{\"mds\": \"Vulnerable\", \"srso\": \"ok\", \"l1tf\": \"ok\"}");
	static const struct {
		const char *env, *build, *want;
	} rows[] = {
		{first, "abc", ""},
		{ENV("\"glibc 2.41\"", "tsc", "always", "8589934592",
		     "{\"mds\": \"Vulnerable\", \"srso\": \"ok\", \"l1tf\": \"ok\"}"),
		 "abc", "libc glibc 2.36 / glibc 2.41"},
		/* Another kernel keeps some memory for itself. */
		{ENV("null", "hpet", "never", "8500000000", "{\"mds\": \"ok\", \"srso\": \"ok\", \"gds\": \"ok\"}"),
		 "def",
		 "libc glibc 2.36 / n/a, build of perfgrid abc / def, clock source tsc / hpet, huge pages always / "
		 "never, "
		 "mitigations mds l1tf gds"},
		{ENV("\"glibc 2.36\"", "tsc", "always", "17179869184", "null"), "abc",
		 "memory 8.0 / 16.0 GiB, mitigations mds srso l1tf"},
		{NULL, "abc",
		 "libc glibc 2.36 / n/a, clock source tsc / n/a, huge pages always / n/a, mitigations mds srso l1tf"},
	};
	struct kit a, b, c;
	struct pg_side_run base = {.arm = NULL}, new[2] = {{.arm = NULL}, {.arm = NULL}};
	const struct pg_side old_side = {"OLD", &base, 1}, new_side = {"NEW", new, 2};
	struct pg_str out;
	struct pg_err err;

	kit_init(&a, PLAIN);
	kit_init(&b, PLAIN);
	kit_init(&c, PLAIN);
	c.info.build = rows[_i].build;
	kit_create(&a);
	kit_create(&b);
	kit_create(&c);
	put_env(&a, first);
	put_env(&b, first);
	put_env(&c, rows[_i].env);
	base.store = a.store;
	new[0].store = b.store;
	new[1].store = c.store;
	pg_str_init(&out);
	kit_ok(pg_fingerprint_also(&old_side, &new_side, &out, &err), &err);
	ck_assert_str_eq(pg_str_text(&out), rows[_i].want);
	pg_str_release(&out);
	kit_end(&c);
	kit_end(&b);
	kit_end(&a);
}
END_TEST

PG_TEST_MAIN("store_fingerprint", ((const struct pg_test[]){
					  {traits, 0},
					  {also, 5},
					  {NULL, 0},
				  }))
