/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU sets beyond 1024 CPUs, list text of all sorts, affinity. */
#include "tests/support/pgtest.h"

#include <string.h>
#include <time.h>

#include "base/cpulist.h"
#include "base/err.h"
#include "base/str.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static void parse_ok(const char *s, size_t n, struct pg_cpuset *out)
{
	struct pg_err err;
	size_t pos;

	if (pg_cpulist_parse(s, n, out, &pos, &err) < 0)
		ck_abort_msg("'%.*s': %s at %zu", (int)n, s, err.msg, pos);
}

static void check_format(const struct pg_cpuset *set, const char *want)
{
	struct pg_str text;

	pg_str_init(&text);
	pg_cpulist_format(set, &text);
	ck_assert_str_eq(pg_str_text(&text), want);
	pg_str_release(&text);
}

START_TEST(mask_of_4096)
{
	size_t bits = sizeof(unsigned long) * 8;
	struct pg_cpuset s;

	pg_cpuset_init(&s);
	ck_assert(!pg_cpuset_has(&s, 4095));
	ck_assert_int_eq(pg_cpuset_next(&s, -1), -1);
	ck_assert_int_eq(pg_cpuset_nth(&s, 0), -1);
	ck_assert_int_eq(pg_cpuset_add(&s, 4095), 0);
	ck_assert_uint_eq(s.words, 4096 / bits);
	ck_assert(s.bits[4095 / bits] == 1UL << (bits - 1));
	ck_assert(pg_cpuset_has(&s, 4095));
	ck_assert(!pg_cpuset_has(&s, 4094));
	ck_assert(!pg_cpuset_has(&s, 4096));
	ck_assert_int_eq(pg_cpuset_add(&s, 0), 0);
	ck_assert_int_eq(pg_cpuset_add(&s, 64), 0);
	ck_assert_uint_eq(pg_cpuset_count(&s), 3);
	ck_assert_int_eq(pg_cpuset_next(&s, -1), 0);
	ck_assert_int_eq(pg_cpuset_next(&s, 0), 64);
	ck_assert_int_eq(pg_cpuset_next(&s, 63), 64);
	ck_assert_int_eq(pg_cpuset_next(&s, 64), 4095);
	ck_assert_int_eq(pg_cpuset_next(&s, 4095), -1);
	ck_assert_int_eq(pg_cpuset_next(&s, 100000), -1);
	ck_assert_int_eq(pg_cpuset_nth(&s, 0), 0);
	ck_assert_int_eq(pg_cpuset_nth(&s, 1), 64);
	ck_assert_int_eq(pg_cpuset_nth(&s, 2), 4095);
	ck_assert_int_eq(pg_cpuset_nth(&s, 3), -1);
	pg_cpuset_del(&s, 4095);
	pg_cpuset_del(&s, 1000000);
	ck_assert_int_eq(pg_cpuset_nth(&s, 2), -1);
	ck_assert_int_eq(pg_cpuset_add(&s, PG_CPU_MAX), -1);
	ck_assert_int_eq(pg_cpuset_add(&s, PG_CPU_MAX - 1), 0);
	ck_assert_int_eq(pg_cpuset_nth(&s, 2), PG_CPU_MAX - 1);
	pg_cpuset_release(&s);
	ck_assert_uint_eq(pg_cpuset_count(&s), 0);
}
END_TEST

START_TEST(nth_agrees_with_next)
{
	struct pg_cpuset s;
	size_t i = 0;

	pg_cpuset_init(&s);
	for (uint64_t x = 0; x < 300; x++)
		ck_assert_int_eq(pg_cpuset_add(&s, (unsigned)(pg_mix64(x) % 5000)), 0);
	for (int c = pg_cpuset_next(&s, -1); c >= 0; c = pg_cpuset_next(&s, c))
		ck_assert_int_eq(pg_cpuset_nth(&s, i++), c);
	ck_assert_uint_eq(i, pg_cpuset_count(&s));
	pg_cpuset_release(&s);
}
END_TEST

START_TEST(sets_of_different_width)
{
	struct pg_cpuset small, wide, c;

	pg_cpuset_init(&c);
	parse_ok("0-3", 3, &small);
	parse_ok("0-3,200", 7, &wide);
	ck_assert(!pg_cpuset_equal(&small, &wide));
	ck_assert(pg_cpuset_subset(&small, &wide));
	ck_assert(!pg_cpuset_subset(&wide, &small));
	ck_assert(pg_cpuset_subset(&c, &small));
	pg_cpuset_del(&wide, 200); /* as wide as before, but empty there */
	ck_assert(pg_cpuset_equal(&small, &wide));
	ck_assert(pg_cpuset_equal(&wide, &small));
	ck_assert(pg_cpuset_subset(&wide, &small));

	ck_assert_int_eq(pg_cpuset_add(&wide, 300), 0);
	ck_assert_int_eq(pg_cpuset_copy(&c, &wide), 0);
	ck_assert(pg_cpuset_equal(&c, &wide));
	ck_assert_int_eq(pg_cpuset_copy(&c, &small), 0); /* into a wider one: nothing of it stays */
	check_format(&c, "0-3");
	ck_assert_int_eq(pg_cpuset_copy(&c, &c), 0);
	pg_cpuset_del(&c, 1);
	ck_assert_int_eq(pg_cpuset_and(&wide, &c), 0);
	check_format(&wide, "0,2-3");
	pg_cpuset_release(&c);
	ck_assert_int_eq(pg_cpuset_and(&wide, &c), 0);
	check_format(&wide, "");
	pg_cpuset_release(&small);
	pg_cpuset_release(&wide);
}
END_TEST

START_TEST(lists)
{
	static const struct {
		const char *s;
		size_t n;
		const char *canonical;
	} t[] = {
		{"", 0, ""},
		{"\n", 1, ""},
		{"\0", 1, ""},
		{"0", 1, "0"},
		{"0\n", 2, "0"},
		{"0-9,10,127\0", 11, "0-10,127"}, /* a NUL at the end, two digits */
		{"0-3\n\0\0", 6, "0-3"},
		{"0-3,8", 5, "0-3,8"},
		{"8,0-3", 5, "0-3,8"},
		{"1,1,0-2", 7, "0-2"},
		{"5-5", 3, "5"},
		{"0,1", 3, "0-1"},
		{"10-14:2", 7, "10,12,14"},
		{"0-31:16,100-107", 15, "0,16,100-107"},
		{"0-4095", 6, "0-4095"},
		{"1048575", 7, "1048575"},
		{"62-65", 5, "62-65"},
		{"0-1048575:1048575", 17, "0,1048575"},
		{"3-4:99", 6, "3"},
	};

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		struct pg_cpuset set, back;
		struct pg_str text;

		parse_ok(t[i].s, t[i].n, &set);
		check_format(&set, t[i].canonical);
		pg_str_init(&text);
		pg_cpulist_format(&set, &text);
		parse_ok(pg_str_text(&text), text.len, &back);
		ck_assert(pg_cpuset_equal(&set, &back));
		pg_str_release(&text);
		pg_cpuset_release(&set);
		pg_cpuset_release(&back);
	}
}
END_TEST

START_TEST(odd_lists)
{
	static const struct {
		const char *s;
		size_t n, pos;
		const char *part; /* of the message */
	} t[] = {
		{",", 1, 0, "not ','"},
		{"0,", 2, 2, "ends"},
		{"0,,1", 4, 2, "not ','"},
		{"0-", 2, 2, "ends"},
		{"-1", 2, 0, "not '-'"},
		{"3-1", 3, 2, "backwards"},
		{"0-1-2", 5, 3, "unexpected '-'"},
		{"a", 1, 0, "not 'a'"},
		{"0 1", 3, 1, "unexpected ' '"},
		{"0, 1", 4, 2, "not ' '"},
		{" 0", 2, 0, "not ' '"},
		{"0x1", 3, 1, "unexpected 'x'"},
		{"01", 2, 0, "leading zeros"},
		{"0-07", 4, 2, "leading zeros"},
		{"0-7:", 4, 4, "ends"},
		{"0-7:0", 5, 4, "stride 0"},
		{"4:2", 3, 1, "unexpected ':'"},
		{"1048576", 7, 0, "too large"},
		{"0,99999999999999999999", 22, 2, "too large"},
		{"0\0001", 3, 1, "unexpected"},
		{"0\n1", 3, 1, "unexpected"},
		{"0\xe2\x82\xac", 4, 1, "unexpected '\xe2\x82\xac'"},
		{"\xff", 1, 0, "not '?'"},
		{"1.5", 3, 1, "unexpected '.'"},
	};

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		struct pg_cpuset set;
		struct pg_err err;
		size_t pos = 99;

		ck_assert_msg(pg_cpulist_parse(t[i].s, t[i].n, &set, &pos, &err) == -1, "%s", t[i].s);
		ck_assert_msg(pos == t[i].pos, "'%s': %zu", t[i].s, pos);
		ck_assert_msg(strstr(err.msg, t[i].part), "'%s': %s", t[i].s, err.msg);
		ck_assert_int_eq(err.code, PG_EINPUT);
		ck_assert_ptr_null(set.bits);
	}
	ck_assert_int_eq(pg_cpulist_parse("x", 1, &(struct pg_cpuset){0}, NULL, NULL), -1);
}
END_TEST

/* A text that names a million CPUs over and over is refused before it costs anything. */
START_TEST(repetition_is_bounded)
{
	struct pg_cpuset set;
	struct pg_str text;
	struct pg_err err;

	pg_str_init(&text);
	for (int i = 0; i < 50000; i++)
		pg_str_adds(&text, i ? ",0-1048575" : "0-1048575");
	ck_assert_int_eq(pg_cpulist_parse(pg_str_text(&text), text.len, &set, NULL, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "too often"));
	pg_str_release(&text);
}
END_TEST

START_TEST(random_lists)
{
	static const char alphabet[] = "0123456789,,--:\n";

	for (uint64_t i = 0; i < 100000; i++) {
		char s[20];
		struct pg_cpuset set, back;
		struct pg_str text;
		uint64_t x = pg_mix64(i);
		size_t n = i % 20, pos = 0;
		bool same;

		for (size_t k = 0; k < n; k++) {
			x = pg_mix64(x + 1);
			s[k] = alphabet[x % (sizeof(alphabet) - 1)];
		}
		if (pg_cpulist_parse(s, n, &set, &pos, NULL) < 0) {
			if (pos > n)
				ck_abort_msg("position %zu of %zu", pos, n);
			continue;
		}
		pg_str_init(&text);
		pg_cpulist_format(&set, &text);
		same = pg_cpulist_parse(pg_str_text(&text), text.len, &back, NULL, NULL) == 0 &&
		       pg_cpuset_equal(&set, &back);
		if (!same)
			ck_abort_msg("%s", pg_str_text(&text));
		pg_str_release(&text);
		pg_cpuset_release(&set);
		pg_cpuset_release(&back);
	}
}
END_TEST

START_TEST(affinity)
{
	struct pg_cpuset before, one, now;
	struct pg_err err;
	int first;

	ck_assert_int_eq(pg_affinity_get(0, &before, &err), 0);
	first = pg_cpuset_next(&before, -1);
	ck_assert_int_ge(first, 0);

	/* A mask far wider than the machine: CPUs that do not exist are no obstacle. */
	pg_cpuset_init(&one);
	ck_assert_int_eq(pg_cpuset_add(&one, (unsigned)first), 0);
	ck_assert_int_eq(pg_cpuset_add(&one, 100000), 0);
	ck_assert_int_eq(pg_affinity_set(0, &one, &err), 0);
	ck_assert_int_eq(pg_affinity_get(0, &now, &err), 0);
	pg_cpuset_del(&one, 100000);
	ck_assert(pg_cpuset_equal(&now, &one));
	pg_cpuset_release(&now);
	ck_assert_int_eq(pg_affinity_set(0, &before, &err), 0);

	pg_cpuset_del(&one, (unsigned)first);
	ck_assert_int_eq(pg_affinity_set(0, &one, &err), -1);
	ck_assert_str_eq(err.msg, "no CPU to run on; name at least one");
	ck_assert_int_eq(pg_cpuset_add(&one, 100000), 0);
	ck_assert_int_eq(pg_affinity_set(0, &one, &err), -1);
	ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.msg, "100000"));
	ck_assert_int_eq(pg_affinity_get(-1, &now, &err), -1);
	ck_assert_int_eq(err.code, PG_ESYS);
	pg_cpuset_release(&one);
	pg_cpuset_release(&before);
}
END_TEST

PG_TEST_MAIN("base_cpulist", ((const struct pg_test[]){
				     {mask_of_4096, 0},
				     {nth_agrees_with_next, 0},
				     {sets_of_different_width, 0},
				     {lists, 0},
				     {odd_lists, 0},
				     {repetition_is_bounded, 0},
				     {random_lists, 0},
				     {affinity, 0},
				     {NULL, 0},
			     }))
