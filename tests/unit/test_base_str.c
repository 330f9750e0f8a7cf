/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text buffer, UTF-8 against a slow decoder, hashes against known values. */
#include "tests/support/pgtest.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

START_TEST(appending)
{
	struct pg_str b;
	char *s;

	pg_str_init(&b);
	ck_assert_str_eq(pg_str_text(&b), "");
	pg_str_add(&b, "", 0);
	ck_assert_str_eq(pg_str_text(&b), "");
	pg_str_adds(&b, "a");
	pg_str_addc(&b, 'b');
	pg_str_addu(&b, UINT64_MAX);
	pg_str_addc(&b, ' ');
	pg_str_addi(&b, INT64_MIN);
	pg_str_addf(&b, " %s=%d", "x", 3);
	ck_assert_str_eq(pg_str_text(&b), "ab18446744073709551615 -9223372036854775808 x=3");
	ck_assert_uint_eq(b.len, strlen(b.s));
	pg_str_reset(&b);
	ck_assert_str_eq(pg_str_text(&b), "");
	ck_assert_uint_gt(b.cap, 0);
	pg_str_add(&b, "n\0ul", 4);
	ck_assert_uint_eq(b.len, 4);
	ck_assert_mem_eq(b.s, "n\0ul", 5);
	s = pg_str_detach(&b);
	ck_assert_mem_eq(s, "n\0ul", 5);
	free(s);
	ck_assert_ptr_null(b.s);
	s = pg_str_detach(&b); /* an empty one is a text as well */
	ck_assert_str_eq(s, "");
	free(s);
	pg_str_release(&b);
}
END_TEST

START_TEST(growing)
{
	struct pg_str b;

	pg_str_init(&b);
	for (int i = 0; i < 100000; i++) {
		pg_str_addc(&b, (char)('a' + i % 26));
		ck_assert(b.len < b.cap);
	}
	for (int i = 0; i < 100000; i += 1009)
		ck_assert_int_eq(b.s[i], 'a' + i % 26);
	pg_str_addf(&b, "%0*d", 100000, 0);
	ck_assert_uint_eq(b.len, 200000);
	ck_assert_uint_eq(strlen(b.s), 200000);
	pg_str_release(&b);
}
END_TEST

START_TEST(failure_sticks)
{
	struct pg_str b;

	pg_str_init(&b);
	pg_str_adds(&b, "kept");
	pg_str_add(&b, "x", SIZE_MAX - 2);
	ck_assert(b.failed);
	pg_str_adds(&b, "ignored");
	pg_str_addf(&b, "%d", 1);
	ck_assert_str_eq(pg_str_text(&b), "kept");
	ck_assert_ptr_null(pg_str_detach(&b));
	ck_assert(!b.failed);
	ck_assert_str_eq(pg_str_text(&b), "");
}
END_TEST

START_TEST(prefixes)
{
	ck_assert(pg_startswith("abc", ""));
	ck_assert(pg_startswith("abc", "abc"));
	ck_assert(!pg_startswith("ab", "abc"));
	ck_assert(pg_streq("", ""));
	ck_assert(!pg_streq("a", "A"));
}
END_TEST

/* The definition, by decoding: shortest form, no surrogate, at most U+10FFFF. */
static size_t slow_utf8(const unsigned char *s, size_t n)
{
	static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = s[0] < 0x80	     ? 1
		     : (s[0] & 0xe0) == 0xc0 ? 2
		     : (s[0] & 0xf0) == 0xe0 ? 3
		     : (s[0] & 0xf8) == 0xf0 ? 4
					     : 0;
	unsigned long c;

	if (len == 0 || len > n)
		return 0;
	if (len == 1)
		return 1;
	c = s[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : len;
}

/* All first and second bytes, with tails from around the borders, at every length. */
START_TEST(utf8_len_exhaustive)
{
	static const unsigned char tails[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff};

	for (unsigned a = 0; a < 256; a++) {
		for (unsigned b = 0; b < 256; b++) {
			for (size_t t = 0; t < 36; t++) {
				unsigned char s[4] = {(unsigned char)a, (unsigned char)b, tails[t / 6], tails[t % 6]};

				for (size_t n = 1; n <= 4; n++) {
					if (pg_utf8_len((const char *)s, n) != slow_utf8(s, n))
						ck_abort_msg("%02x %02x %02x %02x, %zu bytes", s[0], s[1], s[2], s[3],
							     n);
				}
			}
		}
	}
	ck_assert_uint_eq(pg_utf8_len("", 0), 0);
}
END_TEST

START_TEST(utf8_clean_replaces_bytes)
{
	static const struct {
		const char *in;
		size_t n;
		const char *out;
	} t[] = {
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"\xc3\xa9", 2, "\xc3\xa9"},
		{"a\xff", 2, "a\xef\xbf\xbd"},
		{"\xe2\x82", 2, "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xc0\x80x\xf0\x9f\x98\x80", 7, "\xef\xbf\xbd\xef\xbf\xbdx\xf0\x9f\x98\x80"},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct pg_str b;

		pg_str_init(&b);
		pg_utf8_clean(&b, t[i].in, t[i].n);
		ck_assert_str_eq(pg_str_text(&b), t[i].out);
		pg_str_release(&b);
	}
}
END_TEST

START_TEST(utf8_cut_keeps_sequences)
{
	const char *s = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"; /* borders at 0 1 3 6 10 11 */
	static const size_t want[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};

	for (size_t n = 0; n <= 11; n++)
		ck_assert_uint_eq(pg_utf8_cut(s, n), want[n]);
	ck_assert_uint_eq(pg_utf8_cut("\x80\x80\x80\x80\x80", 5), 5); /* no sequence to cut */
}
END_TEST

START_TEST(hashes)
{
	ck_assert(pg_fnv1a(PG_FNV_INIT, "", 0) == PG_FNV_INIT);
	ck_assert(pg_fnv1a(PG_FNV_INIT, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	ck_assert(pg_fnv1a(PG_FNV_INIT, "foobar", 6) == UINT64_C(0x85944171f73967e8));
	ck_assert(pg_fnv1a(pg_fnv1a(PG_FNV_INIT, "foo", 3), "bar", 3) == UINT64_C(0x85944171f73967e8));
	/* First output of splitmix64 with seed 0 is the finaliser of the golden gamma. */
	ck_assert(pg_mix64(UINT64_C(0x9e3779b97f4a7c15)) == UINT64_C(0xe220a8397b1dcdaf));
	ck_assert(pg_mix64(0) == 0);
}
END_TEST

PG_TEST_MAIN("base_str", ((const struct pg_test[]){
				 {appending, 0},
				 {growing, 0},
				 {failure_sticks, 0},
				 {prefixes, 0},
				 {utf8_len_exhaustive, 0},
				 {utf8_clean_replaces_bytes, 0},
				 {utf8_cut_keeps_sequences, 0},
				 {hashes, 0},
				 {NULL, 0},
			 }))
