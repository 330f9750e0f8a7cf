/* SPDX-License-Identifier: GPL-2.0-or-later */
/* YAML text to a located tree, and everything that is refused on the way. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "base/arena.h"
#include "plan/quote.h"
#include "tests/support/yamlkit.h"

#define BYTES(s) s, sizeof(s) - 1

static const struct sample good[] = {
	{"a: [1, 2, 'x']   # comment\n", 0, "{a@1:1: [1@1:5, 2@1:8, 'x'@1:11]@1:4}@1:1", ""},
	{"b: {c: d, e: [f]}\n", 0, "{b@1:1: {c@1:5: d@1:8, e@1:11: [f@1:15]@1:14}@1:4}@1:1", ""},
	{"a:\n  - x\n  - y: 1\n    z: 2\n", 0, "{a@1:1: [x@2:5, {y@3:5: 1@3:8, z@4:5: 2@4:8}@3:5]@2:3}@1:1", ""},
	{"\xc3\xa9\xe2\x82\xac: \"\xc3\xbc\" # two characters, five bytes\n", 0,
	 "{\xc3\xa9\xe2\x82\xac@1:1: '\xc3\xbc'@1:5}@1:1", ""},
	{"a: no\nb: 010\nc: 22:22\nd: 1e3\ne: ~\n", 0,
	 "{a@1:1: no@1:4, b@2:1: 010@2:4, c@3:1: 22:22@3:4, d@4:1: 1e3@4:4, e@5:1: ~@5:4}@1:1", ""},
	{"a:\nb: ''\n", 0, "{a@1:1: @1:3, b@2:1: ''@2:4}@1:1", ""},
	{"a: one\n  two\n", 0, "{a@1:1: one two@1:4}@1:1", ""},
	{"a: |\n  x\n  y\n", 0, "{a@1:1: 'x\ny\n'@1:4}@1:1", ""},
	{"a: &n {k: v}\nb: *n\nc: [*n, *n]\n", 0,
	 "{a@1:1: {k@1:8: v@1:11}@1:4, b@2:1: {k@1:8: v@1:11}@2:4, c@3:1: [{k@1:8: v@1:11}@3:5, {k@1:8: "
	 "v@1:11}@3:9]@3:4}@1:1",
	 ""},
	{"a: &n x\nb: &n y\nc: *n\n", 0, "{a@1:1: x@1:7, b@2:1: y@2:7, c@3:1: y@3:4}@1:1", ""},
	{"a: &n 'x y'\n*n : z\n", 0, "{a@1:1: 'x y'@1:4, 'x y'@2:1: z@2:6}@1:1", ""},
	{"%YAML 1.2\n---\na: 1\n...\n", 0, "{a@3:1: 1@3:4}@3:1", ""},
	{"\xef\xbb\xbf"
	 "a: 1\n",
	 0, "{a@1:1: 1@1:4}@1:1", ""},
	{"a: 1\xc2\x85"
	 "b: 2\xe2\x80\xa8"
	 "c: 3\n",
	 0, "{a@1:1: 1@1:4, b@2:1: 2@2:4, c@3:1: 3@3:4}@1:1", ""},
	{"a: 1\r\nb: 2\r\n", 0, "{a@1:1: 1@1:4, b@2:1: 2@2:4}@1:1", ""},
	{"'<<': 1\n", 0, "{'<<'@1:1: 1@1:7}@1:1", ""},
	{"- a\n- b\n", 0, "[a@1:3, b@2:3]@1:1", ""},
	{"x-y: {a: 1, a-b: {c}}\n", 0, "{x-y@1:1: {a@1:7: 1@1:10, a-b@1:13: {c@1:19: @1:20}@1:18}@1:6}@1:1", ""},
	{"a: \"tab\\t, line\\n, cr\\r, \\u00e9\"\n", 0, "{a@1:1: 'tab\t, line\n, cr\r, \xc3\xa9'@1:4}@1:1", ""},
};

static const struct sample bad[] = {
	{"", 0, NULL, "1:1: no scenario in file; `perfgrid init` prints one to start from"},
	{"# only a comment\n", 0, NULL, "1:1: no scenario in file; `perfgrid init` prints one to start from"},
	{"---\n", 0, NULL, "1:1: no scenario in file; `perfgrid init` prints one to start from"},
	{"a: [1, 2\n", 0, NULL, "2:1: did not find expected ',' or ']'; the list opened at line 1, column 4"},
	{"a: {b: 1\n", 0, NULL, "2:1: did not find expected ',' or '}'; the map opened at line 1, column 4"},
	{"a: \"x\n", 0, NULL, "2:1: found unexpected end of stream; the quoted text opened at line 1, column 4"},
	{"a: 'x\n", 0, NULL, "2:1: found unexpected end of stream; the quoted text opened at line 1, column 4"},
	{"a: 1\nb\nc: 2\n", 0, NULL,
	 "3:1: could not find expected ':'; the key (one line, at most 1024 characters) begun at line 2, column 1"},
	{"a:\n  - b\n c: d\n", 0, NULL, "3:2: did not find expected key; the map begun at line 1, column 1"},
	{": 1\n", 0, NULL, "1:1: did not find expected key; write `name: value`, the keys of a map indented alike"},
	{"a:\n\tb: 1\n", 0, NULL, "2:1: found character that cannot start any token; a tab stands here: use spaces"},
	{"- a\n\t- b\n", 0, NULL,
	 "2:1: found a tab character that violates indentation; a tab stands here: use spaces"},
	{"a: |\n\t x\n", 0, NULL,
	 "2:1: found a tab character where an indentation space is expected; a tab stands here: use spaces"},
	{"a: b: c\n", 0, NULL,
	 "1:5: mapping values are not allowed in this context; put text that holds `: ` in quotes, and indent the keys "
	 "of a map alike"},
	{"a: - b\n", 0, NULL,
	 "1:4: block sequence entries are not allowed in this context; begin a list with `- ` on a line of its own"},
	{"a: @x\n", 0, NULL,
	 "1:4: found character that cannot start any token; put text that begins with this character in quotes"},
	{"a: [make, -j{jobs}]\n", 0, NULL, "1:13: did not find expected ',' or ']'; put text that holds { } in quotes"},
	{"a: {{x}}\n", 0, NULL, "1:4: {{ without quotes begins two maps to YAML; put the text in quotes: \"{name}\""},
	{"a: [1, , 2]\n", 0, NULL,
	 "1:8: did not find expected node content; a value is missing here, or text needs quotes"},
	{"a: \"\\q\"\n", 0, NULL,
	 "1:5: found unknown escape character; in double quotes write \\\\ for a backslash, or use single quotes"},
	{"%YAML 2.0\n---\na: 1\n", 0, NULL,
	 "1:1: found incompatible YAML document; leave the %YAML line away, or write %YAML 1.2"},
	{"a: 1\nb: 2\na: 3\n", 0, NULL,
	 "3:1: key a stands here a second time; the first is at line 1, column 1: keep one"},
	{"a: {x: 1, y: 2, \"x\": 3}\n", 0, NULL,
	 "1:17: key x stands here a second time; the first is at line 1, column 5: keep one"},
	{"a: !!str x\n", 0, NULL,
	 "1:4: tag !!str is not taken, types come from the params; put text that begins with `!` in quotes"},
	{"a: [1, !x 2]\n", 0, NULL,
	 "1:8: tag !x is not taken, types come from the params; put text that begins with `!` in quotes"},
	{"a: !x!y 2\n", 0, NULL,
	 "1:4: found undefined tag handle; tags are not taken: put text that begins with `!` in quotes"},
	{"a: &m {k: 1}\nb:\n  <<: *m\n", 0, NULL,
	 "3:3: `<<` is not merged here; write the keys out, or use an alias as a whole value (key: *name)"},
	{"a: &x [1, *x]\n", 0, NULL,
	 "1:11: alias *x stands inside what it names (line 1, column 4); write the value out"},
	{"a: *none\n", 0, NULL,
	 "1:4: nothing is named &none above; an alias follows its anchor, text with `*` stands in quotes"},
	{"a: 1\n---\nb: 2\n", 0, NULL, "2:1: a second document begins here; a file holds one scenario"},
	{"[a]: 1\n", 0, NULL, "1:1: a key is one word, not a list; write `name: value`"},
	{"? {a: b}\n: 1\n", 0, NULL, "1:3: a key is one word, not a map; write `name: value`"},
	{"a: &m [1]\n? *m\n: 1\n", 0, NULL, "2:3: a key is one word, not a list; write `name: value`"},
	{"'': 1\n", 0, NULL, "1:1: a key is missing before the colon; write `name: value`"},
	{"a: \"\\0\"\n", 0, NULL, "1:4: control character U+0000 in text; take the escape out"},
	{"a: \"x\\e[31m\"\n", 0, NULL, "1:4: control character U+001B in text; take the escape out"},
	{"a: \"\\x9b\"\n", 0, NULL, "1:4: control character U+009B in text; take the escape out"},
	{"a: \"\\x7f\"\n", 0, NULL, "1:4: control character U+007F in text; take the escape out"},
	{BYTES("a: 1\nb: \xff\n"), NULL,
	 "2:4: invalid leading UTF-8 octet 0xFF; save the file as UTF-8, as with iconv -f latin1 -t utf-8"},
	{BYTES("a: 1\n\n\xc3\xa9: \x07\n"), NULL,
	 "3:4: control character U+0007; take it out, and save the file as UTF-8"},
	{BYTES("a: 1\r\nb\0: 2\n"), NULL, "2:2: control character U+0000; take it out, and save the file as UTF-8"},
	{BYTES("\xef\xbb\xbf\xc3\xa9: \xc3\n"), NULL,
	 "1:4: invalid trailing UTF-8 octet 0x0A; save the file as UTF-8, as with iconv -f latin1 -t utf-8"},
	{BYTES("a: 1\xc2\x85# b\xe2\x80\xa9"
	       "c: \x01\n"),
	 NULL, "3:4: control character U+0001; take it out, and save the file as UTF-8"},
	{BYTES("b: \xe2\x82z\n"), NULL,
	 "1:4: invalid trailing UTF-8 octet 0x7A; save the file as UTF-8, as with iconv -f latin1 -t utf-8"},
	/* Another encoding, with a mark and without one. */
	{BYTES("\xff\xfe"
	       "a\0:\0 \0\xe9\0\n\0"),
	 NULL, "1:1: this file is no UTF-8; convert it: iconv -f utf-16 -t utf-8 FILE >NEW"},
	{BYTES("\xfe\xff"
	       "\0a\0:\0 \0\xe9\0\n"),
	 NULL, "1:1: this file is no UTF-8; convert it: iconv -f utf-16 -t utf-8 FILE >NEW"},
	{BYTES("\xff\xfe"), NULL, "1:1: this file is no UTF-8; convert it: iconv -f utf-16 -t utf-8 FILE >NEW"},
	{BYTES("a\0:\0 \0b\0\n\0"), NULL,
	 "1:1: this file is no UTF-8; convert it: iconv -f utf-16le -t utf-8 FILE >NEW"},
	{BYTES("\0a\0:\0 \0b\0\n"), NULL,
	 "1:1: this file is no UTF-8; convert it: iconv -f utf-16be -t utf-8 FILE >NEW"},
	{BYTES("\xff\xfe\0\0a\0\0\0"), NULL,
	 "1:1: this file is no UTF-8; convert it: iconv -f utf-32 -t utf-8 FILE >NEW"},
	{BYTES("\0\0\xfe\xff\0\0\0a"), NULL,
	 "1:1: this file is no UTF-8; convert it: iconv -f utf-32 -t utf-8 FILE >NEW"},
	{BYTES("a\0\0\0:\0\0\0"), NULL, "1:1: this file is no UTF-8; convert it: iconv -f utf-32le -t utf-8 FILE >NEW"},
	{BYTES("\0\0\0a\0\0\0:"), NULL, "1:1: this file is no UTF-8; convert it: iconv -f utf-32be -t utf-8 FILE >NEW"},
	/* Everything that can be told at once is. */
	{"a: *q\nb: !x 1\nc: 2\nc: 3\n<<: 4\n", 0, NULL,
	 "1:4: nothing is named &q above; an alias follows its anchor, text with `*` stands in quotes\n"
	 "2:4: tag !x is not taken, types come from the params; put text that begins with `!` in quotes\n"
	 "5:1: `<<` is not merged here; write the keys out, or use an alias as a whole value (key: *name)\n"
	 "4:1: key c stands here a second time; the first is at line 3, column 1: keep one"},
};

START_TEST(good_files)
{
	check(&good[_i]);
}
END_TEST

START_TEST(bad_files)
{
	check(&bad[_i]);
}
END_TEST

/* Where text stands in the file as it is, places inside it can be told. */
START_TEST(text_places)
{
	static const struct {
		const char *yaml;
		bool exact;
		unsigned line, col;
	} cases[] = {
		{"a: x + y", true, 1, 4},      {"a: 'x + y'", true, 1, 5},	{"a: \"x + y\"", true, 1, 5},
		{"a: &n x + y", true, 1, 7},   {"a: x\n  + y", false, 1, 4},	{"a: 'x''y'", false, 1, 4},
		{"a: \"x\\ty\"", false, 1, 4}, {"a: |\n  x\n", false, 1, 4},	{"a: >\n  x\n", false, 1, 4},
		{"a: &n 'x'", false, 1, 4},    {"a: {b: x, c: y}", true, 1, 8},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_arena a;
		struct pg_diag d = {NULL, NULL, 0, 0};
		struct pg_node *n;
		struct pg_loc l;

		pg_arena_init(&a, false);
		n = pg_yaml_parse("f", cases[i].yaml, strlen(cases[i].yaml), &a, &d);
		ck_assert_ptr_nonnull(n);
		n = pg_node_get(n, "a");
		if (n->kind == PG_NODE_MAP)
			n = n->child;
		l = pg_node_text_loc(n);
		ck_assert_msg(n->exact == cases[i].exact, "%s", cases[i].yaml);
		ck_assert_msg(l.line == cases[i].line && l.col == cases[i].col, "%s: %u:%u", cases[i].yaml, l.line,
			      l.col);
		pg_arena_release(&a);
	}
}
END_TEST

START_TEST(slips)
{
	static const struct {
		const char *yaml;    /* the node at hand is the value of `a` */
		const char *message; /* NULL = no slip */
	} cases[] = {
		{"a: {jobs}", "1:4: {jobs} without quotes is a map to YAML; write \"{jobs}\""},
		{"a: {jobs: }", "1:4: {jobs} without quotes is a map to YAML; write \"{jobs}\""},
		{"a: {jobs: 1}", NULL},
		{"a: {x, y}", NULL},
		{"a:\n  jobs:\n", NULL},
		{"a: {fds: max(2, 20 / groups)}",
		 "1:10: the comma inside { } ends this text; give the key a line of its own: fds: max(2, 20 / groups)"},
		{"a: {x: 1, fds: max(1, min(2, 3), 4), y: 2}", "1:16: the comma inside { } ends this text; give the "
							       "key a line of its own: fds: max(1, min(2, 3), 4)"},
		{"a: {fds: 'max(2', b}", NULL},
		{"a: {fds: max(2, b: 1}", NULL},
		{"a: [max(1, cpus - 1), 4]",
		 "1:5: the comma inside [ ] ends this text; write the list with `- ` lines: - max(1, cpus - 1)"},
		{"a: [(1), 2]", NULL},
		{"a: ['max(1', 2]", NULL},
		{"a: max(2", NULL},
		{"a: [1, 2]", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_told told;
		struct pg_arena a;
		struct pg_node *n;
		bool slip;

		pg_arena_init(&a, false);
		pg_told_init(&told);
		n = pg_yaml_parse("f", cases[i].yaml, strlen(cases[i].yaml), &a, &told.d);
		ck_assert_ptr_nonnull(n);
		slip = pg_node_slip(pg_node_get(n, "a"), &told.d);
		if (slip && strchr(cases[i].yaml, '(') &&
		    cases[i].yaml[3] == '[') { /* the cut scalar itself tells the same */
			pg_str_reset(&told.text);
			ck_assert(pg_node_slip(pg_node_get(n, "a")->child, &told.d));
		}
		ck_assert_msg(slip == (cases[i].message != NULL), "%s", cases[i].yaml);
		ck_assert_str_eq(pg_told_text(&told), cases[i].message ? cases[i].message : "");
		pg_told_release(&told);
		pg_arena_release(&a);
	}
}
END_TEST

START_TEST(node_access)
{
	struct pg_arena a;
	struct pg_diag d = {NULL, NULL, 0, 0};
	struct pg_node *n;
	const char *yaml = "a: [1]\nb: {c: 2}\nd:\n";

	pg_arena_init(&a, false);
	n = pg_yaml_parse("f", yaml, strlen(yaml), &a, &d);
	ck_assert_uint_eq(n->n, 3);
	ck_assert_str_eq(pg_node_what(pg_node_get(n, "a")), "a list");
	ck_assert_str_eq(pg_node_what(pg_node_get(n, "b")), "a map");
	ck_assert_str_eq(pg_node_what(pg_node_get(n, "d")), "text");
	ck_assert(pg_node_is_null(pg_node_get(n, "d")));
	ck_assert(!pg_node_is_null(pg_node_get(n, "a")));
	ck_assert_ptr_null(pg_node_get(n, "e"));
	ck_assert_ptr_null(pg_node_get(pg_node_get(n, "a"), "e"));
	ck_assert_ptr_null(pg_node_get(NULL, "e"));
	pg_arena_release(&a);
}
END_TEST

START_TEST(quoting)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{"plain", "plain"},
		{"a\tb\x1b[0m", "a b [0m"},
		{"\xc2\x9bx", " x"},
		{"\xff\xfe", "??"},
		{"123456789012345678901234567890123456789012345678901234567890",
		 "123456789012345678901234567890123456789012345678901234567890"},
		{"1234567890123456789012345678901234567890123456789012345678901",
		 "123456789012345678901234567890123456789012345678901234567890..."},
		{"12345678901234567890123456789012345678901234567890123456789\xc3\xa9",
		 "12345678901234567890123456789012345678901234567890123456789..."},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_quote q;

		ck_assert_str_eq(pg_quote(&q, cases[i].text, strlen(cases[i].text)), cases[i].shown);
	}
}
END_TEST

PG_TEST_MAIN("plan_yaml", ((const struct pg_test[]){
				  {good_files, sizeof(good) / sizeof(good[0])},
				  {bad_files, sizeof(bad) / sizeof(bad[0])},
				  {text_places, 0},
				  {slips, 0},
				  {node_access, 0},
				  {quoting, 0},
				  {NULL, 0},
			  }))
