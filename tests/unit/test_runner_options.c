/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option grammar of `perf bench`, on rows of its own. */
#include "runner/compat_options.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/pgtest.h"

static const struct pg_fopt rows[] = {
	{.name = "pipe", .letter = 'p', .param = "transport", .value = "pipe", .help = "pipes"},
	{.name = "threads", .letter = 't', .kind = PG_FOPT_UINT, .param = "threads", .zero = "", .help = "threads"},
	{.name = "loop", .letter = 'l', .kind = PG_FOPT_INT, .param = "loops", .help = "loops"},
	{.name = "size",
	 .letter = 's',
	 .kind = PG_FOPT_TEXT,
	 .arg = "1MB",
	 .param = "size",
	 .value = "MB",
	 .help = "size"},
	{.name = "shared", .letter = 'S', .help = "shared"},
	{.name = "verbose", .letter = 'v', .kind = PG_FOPT_COUNTER, .help = "more"},
	{.name = "noaffinity", .letter = 'n', .param = "placement", .value = "free", .help = "any CPU"},
	{.name = "runtime", .letter = 'r', .kind = PG_FOPT_UINT, .value = "s", .help = "seconds"},
	{.name = "a-name-that-is-long", .kind = PG_FOPT_UINT, .help = "text on a line of its own"},
	{.name = "nr_loops", .param = "loop"},
	{.name = NULL},
};
static const struct pg_fopts set = {.rows = rows, .synopsis = "perf bench x y <options>"};
static const struct pg_fopts stopping = {.rows = rows, .synopsis = "perf bench x y <options>", .stop = true};

#define USAGE                                                                                                          \
	"\n Usage: perf bench x y <options>\n\n"                                                                       \
	"    -l, --loop <n>        loops\n"                                                                            \
	"    -n, --noaffinity      any CPU\n"                                                                          \
	"    -p, --pipe            pipes\n"                                                                            \
	"    -r, --runtime <n>     seconds\n"                                                                          \
	"    -S, --shared          shared\n"                                                                           \
	"    -s, --size <1MB>      size\n"                                                                             \
	"    -t, --threads <n>     threads\n"                                                                          \
	"    -v, --verbose         more\n"                                                                             \
	"        --a-name-that-is-long <n>\n"                                                                          \
	"                          text on a line of its own\n"                                                        \
	"\n"

/* What the states say, as text: "pipe loop=5 no-shared | left over". */
static void show(const struct pg_fopt_state *st, const struct pg_fopt_rest *rest, struct pg_str *out)
{
	for (size_t i = 0; rows[i].name; i++) {
		if (!st[i].given)
			continue;
		pg_str_addf(out, "%s%s%s", out->len ? " " : "", st[i].no ? "no-" : "", rows[i].name);
		if (st[i].text)
			pg_str_addf(out, "=%s", st[i].text);
		else if (!st[i].no)
			pg_str_addf(out, "=%s%llu", st[i].negative ? "-" : "", (unsigned long long)st[i].n);
	}
	if (rest->n > 0)
		pg_str_addf(out, " | %d %s", rest->n, rest->words[0]);
}

/* Words of a line are parted by blanks; `_` stands for a blank, `''` for an empty word. */
static int split(char *line, char **argv)
{
	int n = 0;

	for (char *w = strtok(line, " "); w; w = strtok(NULL, " ")) {
		for (char *c = w; *c; c++)
			*c = *c == '_' && w[0] != '-' ? ' ' : *c;
		argv[n++] = strcmp(w, "''") == 0 ? w + 2 : w;
	}
	return n;
}

static enum pg_fopt_outcome parse(const struct pg_fopts *s, const char *line, struct pg_str *out)
{
	struct pg_fopt_state st[PG_FOPTS_MOST];
	struct pg_fopt_rest rest = {.n = 0};
	char buf[256], *argv[32];
	enum pg_fopt_outcome r;

	snprintf(buf, sizeof(buf), "%s", line);
	pg_str_init(out);
	r = pg_fopts_parse(s, split(buf, argv), argv, st, &rest, out);
	if (r == PG_FOPT_OK)
		show(st, &rest, out);
	return r;
}

static const struct {
	const char *line, *want;
} good[] = {
	{"", ""},
	{"-p", "pipe=1"},
	{"-pSl5", "pipe=1 loop=5 shared=1"},
	{"-l 5", "loop=5"},
	{"-l5 -l6", "loop=6"},
	{"-l -5", "loop=-5"},
	{"-l -0", "loop=0"},
	{"-l +5", "loop=5"},
	{"-l _5", "loop=5"},
	{"-l ''", "loop=0"},
	{"-l 010", "loop=10"},
	{"-l 3000000000", "loop=3000000000"},
	{"-l 9223372036854775807", "loop=9223372036854775807"},
	{"--loop 5", "loop=5"},
	{"--loop=5", "loop=5"},
	{"--lo=5", "loop=5"},
	{"--l 5", "loop=5"},
	{"--nr_loops 5", "loop=5"},
	{"--nr_l=5", "loop=5"},
	{"-s 4KB", "size=4KB"},
	{"--size=", "size="},
	{"--no-pipe", "no-pipe"},
	{"--no-pi", "no-pipe"},
	{"-p --no-pipe", "no-pipe"},
	{"--no-pipe -p", "pipe=1"},
	{"--no-loop", "no-loop"},
	{"--no-size", "no-size"},
	{"--no-noaffinity", "no-noaffinity"},
	{"--no-nr_loops", "no-loop"},
	{"--noaff", "noaffinity=1"},
	{"-vv -v", "verbose=3"},
	{"a -p b -l 5 c", "pipe=1 loop=5 | 3 a"},
	{"-p -- -l 5", "pipe=1 | 2 -l"},
	{"a -- b", " | 2 a"},
	{"-", " | 1 -"},
};

START_TEST(words_become_states)
{
	struct pg_str out;

	ck_assert_int_eq(parse(&set, good[_i].line, &out), PG_FOPT_OK);
	ck_assert_msg(strcmp(pg_str_text(&out), good[_i].want) == 0, "%s: %s", good[_i].line, pg_str_text(&out));
	pg_str_release(&out);
}
END_TEST

#define ONE(TEXT) " Error: " TEXT "\n Usage: perf bench x y <options>\n\n"

static const struct {
	const char *line, *want;
} bad[] = {
	{"-h", USAGE},
	{"-ph", USAGE},
	{"--help", USAGE},
	{"--help-all", USAGE},
	{"-Q", "  Error: unknown switch `Q'\n" USAGE},
	{"-pQ", "  Error: unknown switch `Q'\n" USAGE},
	{"-p=1", "  Error: unknown switch `='\n" USAGE},
	{"--bogus", "  Error: unknown option `bogus'\n" USAGE},
	{"--bogus=3", "  Error: unknown option `bogus=3'\n" USAGE},
	{"--no-bogus", "  Error: unknown option `no-bogus'\n" USAGE},
	{"--", NULL},
	{"-l", ONE("switch `l' requires a value") "    -l, --loop <n>        loops\n"},
	{"--loop", ONE("option `loop' requires a value") "    -l, --loop <n>        loops\n"},
	{"-l x", ONE("switch `l' expects a numerical value") "    -l, --loop <n>        loops\n"},
	{"-l 0x10", ONE("switch `l' expects a numerical value") "    -l, --loop <n>        loops\n"},
	{"-l 5k", ONE("switch `l' expects a numerical value") "    -l, --loop <n>        loops\n"},
	{"-l -", ONE("switch `l' expects a numerical value") "    -l, --loop <n>        loops\n"},
	{"--lo=x", ONE("option `loop' expects a numerical value") "    -l, --loop <n>        loops\n"},
	{"-t -1", ONE("switch `t' expects an unsigned numerical value") "    -t, --threads <n>     threads\n"},
	{"-t 9223372036854775808",
	 ONE("switch `t' expects a number of at most 9223372036854775807") "    -t, --threads <n>     threads\n"},
	{"-t 99999999999999999999999",
	 ONE("switch `t' expects a number of at most 9223372036854775807") "    -t, --threads <n>     threads\n"},
	{"--pipe=1", ONE("option `pipe' takes no value") "    -p, --pipe            pipes\n"},
	{"--no-loop=3", ONE("option `no-loop' takes no value") "    -l, --loop <n>        loops\n"},
	{"--s", " Error: Ambiguous option: s (could be --size or --shared)\n\n Usage: perf bench x y <options>\n\n"
		"    -s, --size <1MB>      size\n    -S, --shared          shared\n"},
	{"--no-s",
	 " Error: Ambiguous option: no-s (could be --no-size or --no-shared)\n\n Usage: perf bench x y <options>\n\n"
	 "    -s, --size <1MB>      size\n    -S, --shared          shared\n"},
};

START_TEST(mistakes_have_their_texts)
{
	struct pg_str out;
	const enum pg_fopt_outcome r = parse(&set, bad[_i].line, &out);

	ck_assert_int_eq(r, bad[_i].want ? PG_FOPT_USAGE : PG_FOPT_OK);
	if (bad[_i].want)
		ck_assert_msg(strcmp(pg_str_text(&out), bad[_i].want) == 0, "%s:\n%s", bad[_i].line, pg_str_text(&out));
	pg_str_release(&out);
}
END_TEST

START_TEST(options_are_listed)
{
	struct pg_str out;

	ck_assert_int_eq(parse(&set, "--list-opts", &out), PG_FOPT_LIST);
	ck_assert_str_eq(pg_str_text(&out), "--pipe --threads --loop --size --shared --verbose --noaffinity --runtime "
					    "--a-name-that-is-long \n");
	pg_str_release(&out);
}
END_TEST

START_TEST(the_first_word_can_end_them)
{
	struct pg_str out;

	ck_assert_int_eq(parse(&stopping, "-p sched -l 5", &out), PG_FOPT_OK);
	ck_assert_str_eq(pg_str_text(&out), "pipe=1 | 3 sched");
	pg_str_release(&out);
}
END_TEST

static const struct {
	const char *line, *want; /* NULL = the default */
} values[] = {
	{"-p", "pipe"},		{"--no-pipe", NULL}, {"-t 0", NULL},   {"-t 7", "7"},
	{"--no-threads", NULL}, {"-l -7", "-7"},     {"-l 007", "7"},  {"--no-loop", "0"},
	{"-s 3", "3MB"},	{"--no-size", NULL}, {"-r 12", "12s"}, {"-r 0", "0s"},
};

START_TEST(states_become_texts)
{
	struct pg_fopt_state st[PG_FOPTS_MOST];
	struct pg_fopt_rest rest;
	char buf[64], *argv[8];
	struct pg_str out;
	size_t row = 0;
	bool some;

	snprintf(buf, sizeof(buf), "%s", values[_i].line);
	pg_str_init(&out);
	ck_assert_int_eq(pg_fopts_parse(&set, split(buf, argv), argv, st, &rest, &out), PG_FOPT_OK);
	while (!st[row].given)
		row++;
	some = pg_fopt_value(&rows[row], &st[row], &out);
	ck_assert_msg(some == (values[_i].want != NULL), "%s: %s", values[_i].line, pg_str_text(&out));
	if (some)
		ck_assert_str_eq(pg_str_text(&out), values[_i].want);
	pg_str_release(&out);
}
END_TEST

#define N(a) (int)(sizeof(a) / sizeof((a)[0]))

PG_TEST_MAIN("runner_options", ((const struct pg_test[]){
				       {words_become_states, N(good)},
				       {mistakes_have_their_texts, N(bad)},
				       {options_are_listed, 0},
				       {the_first_word_can_end_them, 0},
				       {states_become_texts, N(values)},
				       {NULL, 0},
			       }))
