/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON written and read back. */
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "store/json.h"
#include "tests/support/pgtest.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))

static const struct {
	const char *in, *out;
} quotes[] = {
	{"", "\"\""},
	{"abc", "\"abc\""},
	{"a\"b\\c", "\"a\\\"b\\\\c\""},
	{"a\nb\tc\x01\x7f", "\"a\\u000ab\\u0009c\\u0001\\u007f\""},
	{"\xc3\xa9", "\"\xc3\xa9\""},
	{"\xff"
	 "a\xc3",
	 "\"\xef\xbf\xbd"
	 "a\xef\xbf\xbd\""},
};

START_TEST(quoting)
{
	struct pg_str s;

	pg_str_init(&s);
	pg_json_quote(&s, quotes[_i].in, strlen(quotes[_i].in));
	ck_assert_str_eq(s.s, quotes[_i].out);
	pg_str_release(&s);
}
END_TEST

START_TEST(document)
{
	struct pg_str s;
	struct pg_json_out w = {.out = &s};
	struct pg_err err;
	struct json_t *j;
	uint64_t big = 0;
	int64_t v = 0;
	bool b = false;

	pg_str_init(&s);
	pg_json_open(&w, NULL, '{');
	pg_json_put_text(&w, "t", "a\"b");
	pg_json_put_text(&w, "none", NULL);
	pg_json_open(&w, "list", '[');
	pg_json_put_int(&w, NULL, -5);
	pg_json_put_text(&w, NULL, "x");
	pg_json_close(&w, ']');
	pg_json_open(&w, "empty", '{');
	pg_json_close(&w, '}');
	pg_json_put_bool(&w, "yes", true);
	pg_json_put_u64_text(&w, "dec", 10, UINT64_MAX);
	pg_json_put_u64_text(&w, "hex", 16, 255);
	pg_json_close(&w, '}');
	ck_assert_str_eq(
		s.s, "{\n  \"t\": \"a\\\"b\",\n  \"none\": null,\n  \"list\": [\n    -5,\n    \"x\"\n  ],\n  "
		     "\"empty\": {},\n"
		     "  \"yes\": true,\n  \"dec\": \"18446744073709551615\",\n  \"hex\": \"00000000000000ff\"\n}\n");
	j = pg_json_parse(s.s, s.len, &err);
	ck_assert_ptr_nonnull(j);
	ck_assert_str_eq(pg_json_text(j, "t"), "a\"b");
	ck_assert_ptr_null(pg_json_text(j, "none"));
	ck_assert(pg_json_is_null(pg_json_get(j, "none")));
	ck_assert_uint_eq(pg_json_len(pg_json_get(j, "list")), 2);
	ck_assert(pg_json_as_int(pg_json_at(pg_json_get(j, "list"), 0), &v) && v == -5);
	ck_assert_str_eq(pg_json_as_text(pg_json_at(pg_json_get(j, "list"), 1)), "x");
	ck_assert(pg_json_is_object(pg_json_get(j, "empty")) && !pg_json_is_array(pg_json_get(j, "empty")));
	ck_assert(pg_json_bool(j, "yes", &b) && b);
	ck_assert(pg_json_u64_text(j, "dec", 10, &big) && big == UINT64_MAX);
	ck_assert(pg_json_u64_text(j, "hex", 16, &big) && big == 255);
	ck_assert(!pg_json_u64_text(j, "t", 10, &big));
	ck_assert(!pg_json_int(j, "t", &v) && !pg_json_bool(j, "t", &b));
	ck_assert(!pg_json_int(NULL, "t", &v) && !pg_json_get(NULL, "t") && pg_json_len(NULL) == 0);
	pg_json_free(j);
	pg_str_release(&s);
}
END_TEST

static const struct {
	const char *in, *part;
} refused[] = {
	{"", "not JSON at line 1"},	    {"{", "not JSON at line 1"},  {"{\"a\":1}\n}", "not JSON at line 2"},
	{"{\"a\":1,\"a\":2}", "duplicate"}, {"{\"a\":\"\xff\"}", "0xff"}, {"{\"a\":99999999999999999999}", "too big"},
};

START_TEST(refusing)
{
	struct pg_err err = {.code = PG_OK};

	ck_assert_ptr_null(pg_json_parse(refused[_i].in, strlen(refused[_i].in), &err));
	ck_assert_int_eq(err.code, PG_EINPUT);
	ck_assert_msg(strstr(err.msg, refused[_i].part), "%s", err.msg);
}
END_TEST

PG_TEST_MAIN("store_json", ((const struct pg_test[]){
				   {quoting, LEN(quotes)},
				   {document, 0},
				   {refusing, LEN(refused)},
				   {NULL, 0},
			   }))
