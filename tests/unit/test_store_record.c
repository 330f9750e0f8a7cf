/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of the journal as a record: the fast way and jansson agree, and what is no record is told. */
#include <string.h>

#include "base/err.h"
#include "store/journal.h"
#include "tests/support/pgtest.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))

static void parsed(int result, const struct pg_err *err)
{
	ck_assert_msg(result == 0, "%s", err->msg);
}

static const char *const good[] = {
	"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"m\",\"k\":1,\"o\":0,\"a\":1,\"s\":\"ok\",\"m\":[1,null,[-5,-3]],"
	"\"f\":[null,7]}",
	"{\"n\":9223372036854775807,\"c\":\"c0123456789abcdef\",\"p\":\"w\",\"k\":0,\"o\":4294967295,\"a\":1,\"s\":"
	"\"timeout\","
	"\"m\":[9223372036854775807,-9223372036854775807,0],\"f\":[1764000000000000000],\"why\":\"too long\"}",
	"{\"n\":3,\"c\":\"c0123456789abcdef\",\"p\":\"m\",\"k\":1,\"o\":0,\"a\":1,\"s\":\"invalid\",\"m\":[],\"f\":[],"
	"\"why\":\"\xc3\xa9\"}",
	"{\"n\":4,\"c\":\"c0123456789abcdef\",\"p\":\"m\",\"k\":1,\"o\":0,\"a\":1,\"seed\":\"18446744073709551615\","
	"\"s\":\"ok\","
	"\"m\":[1],\"f\":[2]}",
	"{\"n\":5,\"c\":\"c0123456789abcdef\",\"v\":\"new-1\",\"p\":\"m\",\"k\":1,\"o\":0,\"a\":1,\"d\":1,\"seed\":"
	"\"9\","
	"\"s\":\"ok\",\"m\":[1],\"f\":[2]}",
	"{\"n\":6,\"c\":\"c0123456789abcdef\",\"v\":\"new-1\",\"p\":\"m\",\"k\":1,\"o\":0,\"a\":1,\"d\":1,\"r\":1,"
	"\"seed\":\"9\","
	"\"s\":\"ok\",\"m\":[1],\"f\":[2]}",
	"{\"n\":7,\"c\":\"c0123456789abcdef\",\"p\":\"m\",\"k\":1,\"o\":0,\"a\":1,\"r\":1,\"s\":\"ok\",\"m\":[1],\"f\":"
	"[2]}",
};

static void same_record(const struct pg_record *a, const struct pg_record *b)
{
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert(a->n == b->n && a->cell == b->cell && a->warmup == b->warmup && a->round == b->round);
	ck_assert(a->position == b->position && a->attempt == b->attempt && a->status == b->status);
	ck_assert(a->seeded == b->seeded && a->seed == b->seed);
	ck_assert(a->disturbed == b->disturbed && a->redo == b->redo);
	ck_assert_str_eq(a->variant, b->variant);
	ck_assert_uint_eq(a->n_m, b->n_m);
	ck_assert_uint_eq(a->n_f, b->n_f);
	for (size_t i = 0; i < a->n_m; i++)
		ck_assert(a->m[i].raw == b->m[i].raw && a->m[i].exp10 == b->m[i].exp10 &&
			  a->m[i].plain == b->m[i].plain && a->m[i].missing == b->m[i].missing);
	for (size_t i = 0; i < a->n_f; i++)
		ck_assert(a->f[i] == b->f[i]);
	ck_assert_str_eq(a->why, b->why);
}

START_TEST(both_ways_agree)
{
	struct pg_record fast, slow;
	struct pg_err err;

	ck_assert(pg_record_fast(good[_i], strlen(good[_i]), &fast));
	parsed(pg_record_slow(good[_i], strlen(good[_i]), &slow, &err), &err);
	same_record(&fast, &slow);
	ck_assert_int_eq(fast.disturbed, strstr(good[_i], "\"d\":1") != NULL);
	ck_assert_int_eq(fast.redo, strstr(good[_i], "\"r\":1") != NULL);
	ck_assert_str_eq(fast.variant, strstr(good[_i], "\"v\"") ? "new-1" : "");
}
END_TEST

START_TEST(cut_anywhere)
{
	size_t n = strlen(good[_i]);
	struct pg_record r;
	struct pg_err err;

	for (size_t k = 0; k < n; k++) {
		ck_assert(!pg_record_fast(good[_i], k, &r));
		ck_assert_int_eq(pg_record_parse(good[_i], k, &r, &err), -1);
	}
}
END_TEST

/* Another order, blanks, escapes and unknown members are JSON too. */
START_TEST(other_shapes)
{
	static const char text[] = "{ \"why\":\"a\\u0041\\n\", \"v\":\"base\", \"f\":[7], \"m\":[1,[2,-3]], "
				   "\"s\":\"failed\", \"a\":2, \"o\":3, "
				   "\"k\":4, \"p\":\"m\", \"c\":\"c0123456789abcdef\", \"n\":5 }";
	struct pg_record r;
	struct pg_err err;

	ck_assert(!pg_record_fast(text, strlen(text), &r));
	parsed(pg_record_parse(text, strlen(text), &r, &err), &err);
	ck_assert(r.kind == PG_REC_REP && r.n == 5 && r.cell == UINT64_C(0x0123456789abcdef) && !r.warmup);
	ck_assert(r.round == 4 && r.position == 3 && r.attempt == 2 && r.status == PG_ST_FAILED);
	ck_assert(r.n_m == 2 && r.m[0].plain && r.m[0].raw == 1 && r.m[1].raw == 2 && r.m[1].exp10 == -3 &&
		  r.n_f == 1 && r.f[0] == 7);
	ck_assert_str_eq(r.why, "aA\n");
	ck_assert_str_eq(r.variant, "base");
}
END_TEST

/* Two times; a later version may know more of them, and more beside them. */
START_TEST(canaries)
{
	static const char *const text[] = {"{\"canary\":[531234,60021]}",
					   "{\"canary\":[531234,60021,7,\"x\"],\"at\":{\"t\":5}}",
					   " { \"cpu\" : 3, \"canary\" : [ 531234 , 60021 ] } "};
	struct pg_record r;
	struct pg_err err;

	for (int i = 0; i < LEN(text); i++) {
		memset(&r, 0, sizeof(r));
		parsed(pg_record_parse(text[i], strlen(text[i]), &r, &err), &err);
		ck_assert_int_eq(r.kind, PG_REC_CANARY);
		ck_assert_int_eq(r.canary[PG_CANARY_ALU], 531234);
		ck_assert_int_eq(r.canary[PG_CANARY_COPY], 60021);
		pg_record_drop(&r);
	}
}
END_TEST

static const struct {
	const char *in, *part;
} bad[] = {
	{"", "not JSON"},
	{"[]", "no record of a journal"},
	{"{}", "no record of a journal"},
	{"{\"n\":0,\"c\":\"c0123456789abcdef\"}", "'n'"},
	{"{\"n\":1,\"c\":\"x0123456789abcdef\"}", "'c'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"x\"}", "'p'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"w\",\"k\":-1}", "'k'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"w\",\"k\":0,\"o\":0,\"a\":4294967296}", "'a'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"w\",\"k\":0,\"o\":0,\"a\":1,\"seed\":7,\"s\":\"ok\",\"m\":[],"
	 "\"f\":[]}",
	 "'seed'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"w\",\"k\":0,\"o\":0,\"a\":1,\"seed\":\"18446744073709551616\","
	 "\"s\":\"ok\",\"m\":[],\"f\":[]}",
	 "'seed'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"w\",\"k\":0,\"o\":0,\"a\":1,\"s\":\"skipped\"}", "'s'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"w\",\"k\":0,\"o\":0,\"a\":1,\"s\":\"ok\",\"m\":[1.5],\"f\":[]}",
	 "'m'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"w\",\"k\":0,\"o\":0,\"a\":1,\"s\":\"ok\",\"m\":[[1,128]],\"f\":["
	 "]}",
	 "'m'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"w\",\"k\":0,\"o\":0,\"a\":1,\"s\":\"ok\",\"m\":[],\"f\":[[1,2]]"
	 "}",
	 "'f'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"w\",\"k\":0,\"o\":0,\"a\":1,\"s\":\"ok\",\"m\":{},\"f\":[]}",
	 "'m'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"v\":7,\"p\":\"w\"}", "'v'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"w\",\"k\":0,\"o\":0,\"a\":1,\"d\":2,\"s\":\"ok\",\"m\":[],\"f\":"
	 "[]}",
	 "'d' or 'r'"},
	{"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"w\",\"k\":0,\"o\":0,\"a\":1,\"r\":\"1\",\"s\":\"ok\",\"m\":[],"
	 "\"f\":"
	 "[]}",
	 "'d' or 'r'"},
	{"{\"cal\":\"c0123456789abcdef\",\"v\":"
	 "\"a0123456789012345678901234567890123456789012345678901234567890123456789\","
	 "\"loops\":1}",
	 "'cal'"},
	{"{\"cal\":\"c0123456789abcdef\",\"loops\":0}", "'cal'"},
	{"{\"end\":\"c0123456789abcdef\",\"stop\":\"none\"}", "'end'"},
	{"{\"end\":\"c0123456789abcdef\"}", "'end'"},
	{"{\"retry\":\"c012\"}", "'retry'"},
	{"{\"canary\":7}", "'canary'"},
	{"{\"canary\":[]}", "'canary'"},
	{"{\"canary\":[1]}", "'canary'"},
	{"{\"canary\":[1,-1]}", "'canary'"},
	{"{\"canary\":[1.5,2]}", "'canary'"},
	{"{\"canary\":[1,null]}", "'canary'"},
	{"{\"session\":1}", "'boot'"},
	{"{\"state\":\"done\"}", "'state'"},
	{"{\"perfgrid\":2}", "another version"},
};

START_TEST(no_records)
{
	struct pg_record r;
	struct pg_err err = {.code = PG_OK};

	ck_assert_int_eq(pg_record_parse(bad[_i].in, strlen(bad[_i].in), &r, &err), -1);
	ck_assert_int_eq(err.code, PG_EINPUT);
	ck_assert_msg(strstr(err.msg, bad[_i].part), "%s", err.msg);
}
END_TEST

PG_TEST_MAIN("store_record", ((const struct pg_test[]){
				     {both_ways_agree, LEN(good)},
				     {cut_anywhere, LEN(good)},
				     {other_shapes, 0},
				     {canaries, 0},
				     {no_records, LEN(bad)},
				     {NULL, 0},
			     }))
