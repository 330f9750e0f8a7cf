/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numa/mem: the order of visits, at any size, without the memory; what a visit does; fills; where pages lie. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "suites/numa.h"
#include "tests/support/pgtest.h"

#define MB     (UINT64_C(1) << 20)
#define GB     (UINT64_C(1) << 30)
#define PAGE   ((uint64_t)sysconf(_SC_PAGESIZE))
#define NUMBER 0x1234

static struct pg_numa_conf conf_of(int pattern, int access)
{
	return (struct pg_numa_conf){.pattern = pattern, .access = access};
}

static const struct {
	uint64_t words;
	struct pg_numa_turn turn;
} walks[] = {
	{1, {0, 1, 0}},
	{7, {2, 3, 1}},
	{1023, {0, 1, 1}},
	{1024, {1, 2, 5}},
	{1025, {4, 5, 3}},
	{131073, {1, 3, 0}},
	{MB / 8, {0, 1, 0}},
	{3 * MB + 5, {6, 7, UINT64_MAX - 2}},
	{3, {4095, 4096, 0}},	    /* more workers than words */
	{26 * GB / 8, {11, 12, 3}}, /* where 32-bit indices turn negative */
	{16384 * GB / 8, {0, 1, 1}},
};
#define WALKS (sizeof(walks) / sizeof(walks[0]))

/* Once round: every word in one visit and one only, in the one direction, from where the turn begins. */
static void check_round(struct pg_numa_walk *k, uint64_t words, bool back)
{
	uint64_t random = 1, sum = 0, begin = back ? (k->at ? k->at : words) : k->at, at = begin;
	struct pg_numa_span s = {0};
	bool good = true;

	/* One assertion a span would be half a million messages to the parent. */
	while (good && pg_numa_walk_next(k, &random, &s)) {
		good = s.words > 0 && s.nominal == s.words && s.first + s.words <= words &&
		       (back ? s.first + s.words : s.first) == at;
		at = back ? s.first : s.first + s.words;
		sum += s.words;
		if (back && at == 0)
			at = words;
		if (!back && at == words)
			at = 0;
	}
	ck_assert_msg(good, "span of %llu words at %llu of %llu", (unsigned long long)s.words,
		      (unsigned long long)s.first, (unsigned long long)words);
	ck_assert_uint_eq(sum, words);
	ck_assert_uint_eq(at, back || begin != words ? begin : 0);
	ck_assert_uint_eq(random, 1);
}

START_TEST(rounds)
{
	const struct pg_numa_turn *t = &walks[_i].turn;
	const uint64_t words = walks[_i].words;
	struct pg_numa_conf conf = conf_of(PG_NUMA_SEQUENTIAL, PG_NUMA_READ);
	struct pg_numa_walk k;

	if (words > 4 * GB) /* steps of a mebibyte over 16 TiB are too many for one test */
		conf.access = PG_NUMA_ZERO;
	pg_numa_walk_begin(&k, &conf, words, t);
	ck_assert(!k.back && !k.random && k.at < words);
	check_round(&k, words, false);
	conf.pattern = PG_NUMA_ALTERNATING;
	pg_numa_walk_begin(&k, &conf, words, t);
	ck_assert_int_eq(k.back, conf.access != PG_NUMA_ZERO && (t->worker + t->pass) % 2 == 0);
	check_round(&k, words, k.back);
}
END_TEST

/* The direction changes each pass, and workers of one pass begin apart. */
START_TEST(turns)
{
	const struct pg_numa_conf conf = conf_of(PG_NUMA_ALTERNATING, PG_NUMA_READ);
	struct pg_numa_walk a, b;

	for (uint64_t pass = 0; pass < 6; pass++) {
		pg_numa_walk_begin(&a, &conf, 4096, &(struct pg_numa_turn){1, 4, pass});
		pg_numa_walk_begin(&b, &conf, 4096, &(struct pg_numa_turn){1, 4, pass + 1});
		ck_assert(a.back != b.back);
		ck_assert_uint_ne(a.at, b.at);
		pg_numa_walk_begin(&b, &conf, 4096, &(struct pg_numa_turn){2, 4, pass});
		ck_assert_uint_ne(a.at, b.at);
	}
}
END_TEST

/* Random visits count in full and are cut at the end of the area: both numbers are told. */
START_TEST(random_rounds)
{
	const struct pg_numa_conf conf = conf_of(PG_NUMA_RANDOM, _i % 2 ? PG_NUMA_ZERO : PG_NUMA_READ);
	uint64_t random = pg_numa_seed(1, (uint64_t)_i), nominal = 0, visited = 0, cut = 0, n = 0;
	const uint64_t words = walks[_i].words > 4 * MB ? 4 * MB + walks[_i].words % 1024 : walks[_i].words;
	struct pg_numa_walk k;
	struct pg_numa_span s;

	pg_numa_walk_begin(&k, &conf, words, &walks[_i].turn);
	for (; pg_numa_walk_next(&k, &random, &s); n++) {
		ck_assert_uint_gt(s.words, 0);
		ck_assert_uint_le(s.words, s.nominal);
		ck_assert_uint_le(s.nominal, PG_NUMA_CHUNK);
		ck_assert_uint_le(s.first + s.words, words);
		ck_assert(s.words == s.nominal || s.first + s.words == words);
		cut += s.words < s.nominal;
		nominal += s.nominal;
		visited += s.words;
	}
	ck_assert_uint_eq(nominal, words);
	ck_assert_uint_eq(n, (words + PG_NUMA_CHUNK - 1) / PG_NUMA_CHUNK);
	ck_assert(cut > 0 ? visited < nominal : visited == nominal);
}
END_TEST

/* At 26 GB the starts reach every quarter of the area. */
START_TEST(random_reach)
{
	const struct pg_numa_conf conf = conf_of(PG_NUMA_RANDOM, PG_NUMA_READ);
	const uint64_t words = 26 * GB / 8;
	uint64_t random = pg_numa_seed(7, 0), hits[4] = {0};
	struct pg_numa_walk k;
	struct pg_numa_span s;

	pg_numa_walk_begin(&k, &conf, words, &(struct pg_numa_turn){0, 1, 0});
	for (int i = 0; i < 4000 && pg_numa_walk_next(&k, &random, &s); i++)
		hits[s.first / (words / 4)]++;
	for (int i = 0; i < 4; i++)
		ck_assert_uint_gt(hits[i], 800);
}
END_TEST

/* No state is 0, and neighbours do not begin alike. */
START_TEST(seeds)
{
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t a = pg_numa_seed(0, i), b = pg_numa_seed(0, i + 1);

		ck_assert_uint_ne(a, 0);
		ck_assert_int_gt(__builtin_popcountll(a ^ b), 8);
		ck_assert_int_gt(__builtin_popcountll(pg_numa_random(&a) ^ pg_numa_random(&b)), 8);
		ck_assert_uint_ne(a, 0);
	}
}
END_TEST

#define N 100

/* By hand: value += word, word = value + 1, in the order of the direction. */
START_TEST(visits)
{
	const int access = _i / 2;
	const bool back = _i % 2;
	_Atomic uint64_t word[N + 1];
	uint64_t expect[N + 1], value = NUMBER;

	for (size_t i = 0; i <= N; i++)
		word[i] = expect[i] = i * i + 3;
	for (size_t i = 0; i < N; i++) {
		uint64_t *w = &expect[back ? N - 1 - i : i];

		if (access == PG_NUMA_READ_WRITE || access == PG_NUMA_READ)
			value += *w;
		if (access == PG_NUMA_READ_WRITE || access == PG_NUMA_WRITE)
			*w = value + 1;
		if (access == PG_NUMA_ZERO)
			*w = 0;
	}
	ck_assert_uint_eq(pg_numa_visit(word, N, back, access, NUMBER), value);
	for (size_t i = 0; i <= N; i++)
		ck_assert_uint_eq(word[i], expect[i]);
	ck_assert_uint_eq(pg_numa_visit(word, 0, back, access, NUMBER), NUMBER);
}
END_TEST

START_TEST(fills)
{
	const bool shared = _i / 3;
	const int fill = _i % 3;
	struct pg_numa_area a;
	struct pg_err err;
	uint64_t random = 5;

	if (shared)
		ck_assert_int_eq(pg_numa_area_map_shared(&a, 3 * PAGE + 12, &err), 0);
	else
		ck_assert_int_eq(pg_numa_area_map(&a, 3 * PAGE + 12, PG_MEM_THP_SYSTEM, "", &err), 0);
	ck_assert_uint_eq(a.words, (3 * PAGE + 12) / 8);
	pg_numa_area_fill(&a, fill, &random);
	for (uint64_t i = 0; i < a.words; i++)
		ck_assert_uint_eq(a.word[i], fill == PG_NUMA_FILL_RANDOM ? a.word[0] + i : 0);
	ck_assert(fill != PG_NUMA_FILL_RANDOM || a.word[0] != 0);
	pg_numa_area_unmap(&a);
	ck_assert_ptr_null(a.word);
	pg_numa_area_unmap(&a);
}
END_TEST

/* Pages in memory count once each; those never touched count nowhere; large areas are looked at evenly. */
START_TEST(pages_by_node)
{
	const uint64_t pages = 2 * PG_NUMA_LOOKS;
	uint64_t on[1024] = {0}, sum = 0;
	struct pg_numa_area a;
	struct pg_err err;

	if (pg_numa_policy_probe(&err))
		return;
	ck_assert_int_eq(pg_numa_area_map(&a, pages * PAGE, PG_MEM_THP_NEVER, "", &err), 0);
	pg_numa_area_locate(&a, on, 1024);
	for (size_t i = 0; i < 1024; i++)
		ck_assert_uint_eq(on[i], 0);
	/* Every second page is looked at. */
	a.word[0] = a.word[2 * PAGE / 8] = a.word[(pages - 2) * PAGE / 8] = 1;
	a.word[PAGE / 8] = a.word[(pages - 1) * PAGE / 8] = 1;
	pg_numa_area_locate(&a, on, 1024);
	for (size_t i = 0; i < 1024; i++)
		sum += on[i];
	ck_assert_uint_eq(sum, 3);
	pg_numa_area_unmap(&a);
	ck_assert_int_eq(pg_numa_area_map(&a, 3 * PAGE + 1, PG_MEM_THP_NEVER, "", &err), 0);
	memset(a.map.start, 1, 3 * PAGE + 1);
	pg_numa_area_locate(&a, on, 1024);
	for (size_t i = 0; i < 1024; i++)
		sum -= on[i];
	ck_assert_uint_eq(sum, UINT64_MAX - 3); /* 3 - (3 + 4) */
	pg_numa_area_unmap(&a);
}
END_TEST

START_TEST(no_area)
{
	struct pg_numa_area a;
	uint64_t on[1] = {0};
	struct pg_err err;

	ck_assert_int_eq(pg_numa_area_map(&a, 0, PG_MEM_THP_NEVER, "", &err), 0);
	ck_assert_ptr_null(a.word);
	pg_numa_area_locate(&a, on, 1);
	ck_assert_uint_eq(on[0], 0);
	pg_numa_area_unmap(&a);
	ck_assert_int_eq(pg_numa_area_map_shared(&a, 0, &err), 0);
	ck_assert_ptr_null(a.word);
	pg_numa_area_unmap(&a);
}
END_TEST

PG_TEST_MAIN("suites_numa_walk", ((const struct pg_test[]){
					 {rounds, WALKS},
					 {turns, 0},
					 {random_rounds, WALKS},
					 {random_reach, 0},
					 {seeds, 0},
					 {visits, 8},
					 {fills, 6},
					 {pages_by_node, 0},
					 {no_area, 0},
					 {NULL, 0},
				 }))
