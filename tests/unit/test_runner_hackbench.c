/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hackbench drop-in: what each spelling sets, what is refused, the bytes of a run. */
#include "runner/compat_hackbench.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/str.h"
#include "runner/dropin.h"
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

struct want {
	int64_t groups, fds, loops, size;
	const char *mode, *transport, *policy;
};
#define DEFAULTS                                                                                                       \
	{                                                                                                              \
		10, 20, 100, 100, "process", "socket", "inherit"                                                       \
	}
#define FOREVER 1000000000000

static const struct {
	const char *words[12];
	struct want want;
	const char *err; /* part of standard error, "" = nothing */
} good[] = {
	{{NULL}, DEFAULTS, ""},
	{{"-g", "1", "-f", "2", "-l", "3", "-s", "4"}, {1, 2, 3, 4, "process", "socket", "inherit"}, ""},
	{{"-g1", "-f2", "-l3", "-s4"}, {1, 2, 3, 4, "process", "socket", "inherit"}, ""},
	{{"--groups", "1", "--fds", "2", "--loops", "3", "--datasize", "4"},
	 {1, 2, 3, 4, "process", "socket", "inherit"},
	 ""},
	{{"--groups=1", "--fds=2", "--loops=3", "--datasize=4"}, {1, 2, 3, 4, "process", "socket", "inherit"}, ""},
	{{"--group", "7"}, {7, 20, 100, 100, "process", "socket", "inherit"}, ""},
	{{"--gr=7"}, {7, 20, 100, 100, "process", "socket", "inherit"}, ""},
	{{"--loop=5", "-g", "2"}, {2, 20, 5, 100, "process", "socket", "inherit"}, ""},
	{{"--data", "5"}, {10, 20, 100, 5, "process", "socket", "inherit"}, ""},
	{{"--fd", "5"}, {10, 5, 100, 100, "process", "socket", "inherit"}, ""},
	{{"-pTl", "4000"}, {10, 20, 4000, 100, "thread", "pipe", "inherit"}, ""},
	{{"-l5000"}, {10, 20, 5000, 100, "process", "socket", "inherit"}, ""},
	{{"-T"}, {10, 20, 100, 100, "thread", "socket", "inherit"}, ""},
	{{"--thread"}, {10, 20, 100, 100, "thread", "socket", "inherit"}, ""},
	{{"--th"}, {10, 20, 100, 100, "thread", "socket", "inherit"}, ""},
	{{"-T", "-P"}, DEFAULTS, ""},
	{{"-P", "-T"}, {10, 20, 100, 100, "thread", "socket", "inherit"}, ""},
	{{"--process"}, DEFAULTS, ""},
	{{"--processes"}, DEFAULTS, ""},
	{{"--proc"}, DEFAULTS, ""},
	{{"--pip"}, {10, 20, 100, 100, "process", "pipe", "inherit"}, ""},
	{{"-i"}, {10, 20, 100, 100, "process", "inet", "inherit"}, ""},
	{{"--inet", "-T"}, {10, 20, 100, 100, "thread", "inet", "inherit"}, ""},
	{{"-F"}, {10, 20, 100, 100, "process", "socket", "fifo"}, ""},
	{{"--fifo"}, {10, 20, 100, 100, "process", "socket", "fifo"}, ""},
	{{"-g", "3", "-g", "4"}, {4, 20, 100, 100, "process", "socket", "inherit"}, ""},
	{{"-g", "+3"}, {3, 20, 100, 100, "process", "socket", "inherit"}, ""},
	{{"-g", " 3"}, {3, 20, 100, 100, "process", "socket", "inherit"}, ""},
	{{"-g", "1abc"}, {1, 20, 100, 100, "process", "socket", "inherit"}, "--groups|-g '1abc' is taken as 1"},
	{{"-g", "1.9"}, {1, 20, 100, 100, "process", "socket", "inherit"}, "--groups|-g '1.9' is taken as 1"},
	{{"-s 100 -l 100 -g 10 -f 20"}, DEFAULTS, "--datasize|-s ' 100 -l 100 -g 10 -f 20' is taken as 100"},
	{{"-l", "-1"}, {10, 20, FOREVER, 100, "process", "socket", "inherit"}, ""},
	{{"-l", "2147483648"}, {10, 20, 2147483648, 100, "process", "socket", "inherit"}, ""},
	{{"--loops", "10000000000"}, {10, 20, 10000000000, 100, "process", "socket", "inherit"}, ""},
	{{"-l", "1000000000001"},
	 {10, 20, FOREVER, 100, "process", "socket", "inherit"},
	 "--loops|-l 1000000000001 means until stopped"},
	{{"-s", "1073741824"}, {10, 20, 100, 1073741824, "process", "socket", "inherit"}, ""},
	{{"-g", "1", "4"}, {1, 20, 100, 100, "process", "socket", "inherit"}, "warning: '4' is ignored"},
	{{"4", "-g", "1", "x"}, {1, 20, 100, 100, "process", "socket", "inherit"}, "warning: '4 x' is ignored"},
	{{"4"}, DEFAULTS, "warning: '4' is ignored"},
	{{"--pipe", "100"}, {10, 20, 100, 100, "process", "pipe", "inherit"}, "warning: '100' is ignored"},
	{{"-T", "8"}, {10, 20, 100, 100, "thread", "socket", "inherit"}, "warning: '8' is ignored"},
	{{"--", "-g", "1"}, DEFAULTS, "warning: '-g 1' is ignored"},
	{{"4", "process", "7", "-p"}, {10, 20, 100, 100, "process", "pipe", "inherit"}, "'4 process 7' is ignored"},
	/* The dialect of before 2010. */
	{{"-pipe"}, {10, 20, 100, 100, "process", "pipe", "inherit"}, ""},
	{{"-pipe", "4"}, {4, 20, 100, 100, "process", "pipe", "inherit"}, ""},
	{{"-pipe", "4", "thread"}, {4, 20, 100, 100, "thread", "pipe", "inherit"}, ""},
	{{"-pipe", "4", "process", "7"}, {4, 20, 7, 100, "process", "pipe", "inherit"}, ""},
	{{"4", "process", "7"}, {4, 20, 7, 100, "process", "socket", "inherit"}, "as in the hackbench of before 2010"},
	{{"20", "thread", "1000"}, {20, 20, 1000, 100, "thread", "socket", "inherit"}, "before 2010"},
	{{"4", "thread"}, {4, 20, 100, 100, "thread", "socket", "inherit"}, "before 2010"},
	{{"4", "process", "-1"}, {4, 20, FOREVER, 100, "process", "socket", "inherit"}, "before 2010"},
	{{"4", "process", "7", "8"}, {4, 20, 7, 100, "process", "socket", "inherit"}, "warning: '8' is ignored"},
};

/* A parse of words; argv stays the caller's to free. */
static enum pg_hackbench_next parse(struct pg_hackbench *h, const char *const *words, char **argv)
{
	int argc = 0;

	argv[argc++] = strdup("./hackbench");
	for (; words[argc - 1]; argc++)
		argv[argc] = strdup(words[argc - 1]);
	argv[argc] = NULL;
	return pg_hackbench_parse(h, argc, argv);
}

static void free_words(char **argv)
{
	for (; *argv; argv++)
		free(*argv);
}

START_TEST(test_good)
{
	const struct want *want = &good[_i].want;
	struct fake_world f;
	struct pg_dropin d;
	struct pg_hackbench h = {.world = &f.world, .prog = "./hackbench", .to = &d};
	struct pg_err err;
	char *argv[16];

	fake_world_open(&f);
	ck_assert_int_eq(pg_dropin_open(&d, &f.world, "sched/messaging", &err), 0);
	ck_assert_int_eq(parse(&h, good[_i].words, argv), PG_HB_RUN);
	free_words(argv);
	/* Whatever it asks for need not fit this machine: values are there all the same. */
	pg_dropin_ready(&d, &err);
	ck_assert_int_eq(pg_dropin_value(&d, "groups"), want->groups);
	ck_assert_int_eq(pg_dropin_value(&d, "fds"), want->fds);
	ck_assert_int_eq(pg_dropin_value(&d, "loops"), want->loops);
	ck_assert_int_eq(pg_dropin_value(&d, "size"), want->size);
	ck_assert_str_eq(pg_dropin_text(&d, "mode"), want->mode);
	ck_assert_str_eq(pg_dropin_text(&d, "transport"), want->transport);
	ck_assert_str_eq(pg_dropin_text(&d, "main_policy"), want->policy);
	fake_world_sync(&f);
	expect("stderr", f.err, good[_i].err);
	expect("stdout", f.out, "");
	if (f.n_err)
		ck_assert_int_eq(strncmp(f.err, "./hackbench: ", 13), 0);
	pg_dropin_close(&d);
	fake_world_close(&f);
}
END_TEST

#define USAGE	  "hackbench V 2.40 (perfgrid " PG_VERSION ")\nUsage:\nhackbench <options>\n\n-f       --fds=NUM         "
#define OLD_USAGE "Usage: hackbench [-pipe] GROUPS [process|thread [LOOPS]]\n"

/* What getopt_long() itself says goes to the real stderr: not seen here, but in tests/cli. */
static const struct {
	const char *words[8];
	int status;
	const char *out, *err;
} lines[] = {
	{{"hackbench", "-h"}, 0, USAGE, ""},
	{{"hackbench", "--help"}, 0, USAGE, ""},
	{{"hackbench", "-h", "-g", "0"}, 0, USAGE, ""},
	{{"hackbench", "-g", "0", "-h"}, 1, USAGE, "hackbench: --groups|-g requires an integer > 0\n"},
	{{"hackbench", "-f", ""}, 1, USAGE, "hackbench: --fds|-f requires an integer > 0\n"},
	{{"hackbench", "-l", "abc"}, 1, USAGE, "hackbench: --loops|-l requires an integer > 0\n"},
	{{"hackbench", "-s", "0x2"}, 1, USAGE, "hackbench: --datasize|-s requires an integer > 0\n"},
	{{"hackbench", "-g", "-1"}, 1, USAGE, "hackbench: --groups|-g requires an integer > 0\n"},
	{{"hackbench", "-s", "-1"}, 1, USAGE, "hackbench: --datasize|-s requires an integer > 0\n"},
	{{"hackbench", "-g", "100001"}, 1, USAGE, "value 100001 is out of range; allowed: 1 to 100000\n"},
	{{"hackbench", "-g", "4294967297"}, 1, USAGE, "--groups|-g: value 4294967297 is out of range"},
	{{"hackbench", "-f", "99999999999999999999"},
	 1,
	 USAGE,
	 "hackbench: --fds|-f: value 99999999999999999999 is out of range; allowed: 1 to 10000\n"},
	{{"hackbench", "-g", " +0099999999999999999999z"},
	 1,
	 USAGE,
	 "warning: --groups|-g ' +0099999999999999999999z' is taken as 99999999999999999999\n"
	 "hackbench: --groups|-g: value 99999999999999999999 is out of range; allowed: 1 to 100000\n"},
	{{"hackbench", "-s", "1073741825"},
	 1,
	 USAGE,
	 "hackbench: --datasize|-s: value 1073741825 is out of range; allowed: 1B to 1GB\n"},
	{{"hackbench", "-s", "-99999999999999999999"}, 1, USAGE, "hackbench: --datasize|-s requires an integer > 0\n"},
	{{"hackbench", "-p", "-i"}, 1, USAGE, "hackbench: --pipe|-p and --inet|-i cannot be used together\n"},
	{{"hackbench", "-ipT"}, 1, USAGE, "cannot be used together\n"},
	{{"hackbench", "-V"}, 1, USAGE, ""},
	{{"hackbench", "--version"}, 1, USAGE, ""},
	{{"hackbench", "--f", "2"}, 1, USAGE, ""},
	{{"hackbench", "-g"}, 1, USAGE, ""},
	{{"hackbench", "--pipe=1"}, 1, USAGE, ""},
	{{"hackbench", "-pipe", "0"}, 1, OLD_USAGE, "hackbench: --groups|-g requires an integer > 0\n"},
	{{"hackbench", "-pipe", "x"}, 1, OLD_USAGE, "requires an integer > 0\n"},
	{{"hackbench", "-pipe", "4", "thing"},
	 1,
	 OLD_USAGE,
	 "'thing' is neither process nor thread; one of the two stands after GROUPS\n"},
	{{"hackbench", "4", "thread", "0"}, 1, OLD_USAGE, "--loops|-l requires an integer > 0\n"},
	{{"hackbench", "-g", "100000", "-f", "10000", "-l", "1"}, 1, "", "tasks, "},
	{{"hackbench", "-T", "-g", "100000", "-f", "10000"},
	 1,
	 "",
	 "hackbench: needs 2000000007 descriptors, the limit"},
};

START_TEST(test_lines)
{
	struct fake_world f;

	fake_world_open(&f);
	ck_assert_int_eq(fake_world_cli(&f, lines[_i].words), lines[_i].status);
	expect("stdout", f.out, lines[_i].out);
	expect("stderr", f.err, lines[_i].err);
	fake_world_close(&f);
}
END_TEST

/* Loops stand in the banner as they were typed, however many digits they have. */
static const struct {
	const char *word, *shown;
} typed[] = {
	{"5", "5"},
	{" +007", "7"},
	{"10000000000", "10000000000"},
	{"-1", "-1"},
	{"9223372036854775807", "9223372036854775807"},
	{"99999999999999999999", "99999999999999999999"},
	{"00099999999999999999999", "99999999999999999999"},
	{"-99999999999999999999", "-99999999999999999999"},
	{"12abc", "12"},
};

START_TEST(test_loops_as_typed)
{
	const char *const words[] = {"-l", typed[_i].word, NULL};
	struct fake_world f;
	struct pg_dropin d;
	struct pg_hackbench h = {.world = &f.world, .prog = "hackbench", .to = &d};
	struct pg_err err;
	char *argv[16];

	fake_world_open(&f);
	ck_assert_int_eq(pg_dropin_open(&d, &f.world, "sched/messaging", &err), 0);
	ck_assert_int_eq(parse(&h, words, argv), PG_HB_RUN);
	ck_assert_uint_eq(h.loops.n, strlen(typed[_i].shown));
	ck_assert_int_eq(strncmp(h.loops.s, typed[_i].shown, h.loops.n), 0);
	free_words(argv);
	pg_dropin_close(&d);
	fake_world_close(&f);
}
END_TEST

/* Ten lines of options in the order of the original, in three columns. */
START_TEST(test_usage)
{
	static const char *const shown[] = {"-f       --fds=NUM         ", "-F       --fifo            ",
					    "-g       --groups=NUM      ", "-h       --help            ",
					    "-l       --loops=LOOPS     ", "-p       --pipe            ",
					    "-i       --inet            ", "-s       --datasize=SIZE   ",
					    "-T       --threads         ", "-P       --process         "};
	struct fake_world f;
	const char *at;

	fake_world_open(&f);
	ck_assert_int_eq(CLI(&f, "hackbench", "-h"), 0);
	at = strstr(f.out, "\n\n");
	ck_assert_ptr_nonnull(at);
	at += 2;
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		ck_assert_msg(strncmp(at, shown[i], strlen(shown[i])) == 0, "line %zu: %s", i, at);
		at = strchr(at, '\n') + 1;
	}
	ck_assert_str_eq(at, "");
	fake_world_close(&f);
}
END_TEST

static const struct {
	const char *words[12];
	const char *out; /* all but the digits of the time */
} runs[] = {
	{{"hackbench", "-g1", "-f1", "-l1"},
	 "Running in process mode with 1 groups using 2 file descriptors each (== 2 tasks)\n"
	 "Each sender will pass 1 messages of 100 bytes\n"
	 "Time: "},
	{{"hackbench", "-T", "-p", "-g2", "-f2", "-l10", "-s7"},
	 "Running in threaded mode with 2 groups using 4 file descriptors each (== 8 tasks)\n"
	 "Each sender will pass 10 messages of 7 bytes\n"
	 "Time: "},
	{{"hackbench", "-i", "-g1", "-f3", "-l10"},
	 "Running in process mode with 1 groups using 6 file descriptors each (== 6 tasks)\n"
	 "Each sender will pass 10 messages of 100 bytes\n"
	 "Time: "},
	{{"hackbench", "-i", "-T", "-g1", "-f2", "-l10"},
	 "Running in threaded mode with 1 groups using 4 file descriptors each (== 4 tasks)\n"
	 "Each sender will pass 10 messages of 100 bytes\n"
	 "Time: "},
	{{"hackbench", "-T", "-g1", "-f1", "-l3", "-s", "200000"}, /* the stack of the original is smaller */
	 "Running in threaded mode with 1 groups using 2 file descriptors each (== 2 tasks)\n"
	 "Each sender will pass 3 messages of 200000 bytes\n"
	 "Time: "},
	{{"hackbench", "-pipe", "1", "process", "2"}, "Running with 1*40 (== 40) tasks.\nTime: "},
	{{"hackbench", "1", "thread", "2"}, "Running with 1*40 (== 40) tasks.\nTime: "},
};

START_TEST(test_runs)
{
	struct fake_world f;
	char name[17] = "";
	const char *time;
	unsigned whole, milli, n = 0;
	size_t len = strlen(runs[_i].out);

	fake_world_open(&f);
	ck_assert_int_eq(fake_world_cli(&f, runs[_i].words), 0);
	ck_assert_msg(strncmp(f.out, runs[_i].out, len) == 0, "%s", f.out);
	time = f.out + len;
	ck_assert_int_eq(sscanf(time, "%u.%3u\n%n", &whole, &milli, (int *)&n), 2);
	ck_assert_uint_eq(n, strlen(time));
	ck_assert_ptr_nonnull(strchr(time, '.'));
	ck_assert_uint_eq(strspn(strchr(time, '.') + 1, "0123456789"), 3);
	ck_assert_int_eq(prctl(PR_GET_NAME, name, 0, 0, 0), 0);
	ck_assert_str_eq(name, "hackbench");
	fake_world_close(&f);
}
END_TEST

/* A link: its name selects the command, and stands in front of messages as it was typed. */
START_TEST(test_link)
{
	static const char *const names[] = {"hackbench", "./hackbench", "/opt/x/hackbench"};

	for (size_t i = 0; i < 3; i++) {
		char *argv[] = {strdup(names[i]), strdup("-g"), strdup("0"), NULL};
		struct fake_world f;
		char want[64];

		fake_world_open(&f);
		ck_assert_int_eq(pg_cli(&f.world, 3, argv), 1);
		fake_world_sync(&f);
		snprintf(want, sizeof(want), "%s: --groups|-g requires", names[i]);
		ck_assert_int_eq(strncmp(f.err, want, strlen(want)), 0);
		fake_world_close(&f);
		free_words(argv);
	}
}
END_TEST

/* Descriptors are counted before the first worker exists, also those of small runs. */
START_TEST(test_few_descriptors)
{
	const struct rlimit few = {.rlim_cur = 30, .rlim_max = 30};
	struct fake_world f;

	fake_world_open(&f);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	ck_assert_int_eq(CLI(&f, "hackbench", "-T", "-g1", "-l1"), 1);
	expect("stdout", f.out, "");
	expect("stderr", f.err, "hackbench: needs 47 descriptors, the limit is 30; raise the hard limit (ulimit -Hn)");
	ck_assert_int_eq(CLI(&f, "hackbench", "-T", "-g1", "-f4", "-l1"), 0);
	fake_world_close(&f);
}
END_TEST

START_TEST(test_closed_output)
{
	struct fake_world f;

	fake_world_open(&f);
	f.world.out_errno = EBADF;
	ck_assert_int_eq(CLI(&f, "hackbench", "-g1", "-f1", "-l1"), 0);
	expect("stderr", f.err, "");
	fake_world_close(&f);
}
END_TEST

START_TEST(test_full_output)
{
	struct fake_world f;

	fake_world_open(&f);
	fclose(f.world.out);
	free(f.out);
	f.out = NULL;
	f.world.out = fopen("/dev/full", "w");
	ck_assert_ptr_nonnull(f.world.out);
	ck_assert_int_eq(CLI(&f, "hackbench", "-g1", "-f1", "-l1"), 1);
	expect("stderr", f.err,
	       "hackbench: cannot write standard output: No space left on device; send it to a file with room, or to "
	       "/dev/null\n");
	fake_world_close(&f);
}
END_TEST

PG_TEST_MAIN("runner_hackbench", ((const struct pg_test[]){
					 {test_good, sizeof(good) / sizeof(good[0])},
					 {test_lines, sizeof(lines) / sizeof(lines[0])},
					 {test_loops_as_typed, sizeof(typed) / sizeof(typed[0])},
					 {test_usage, 0},
					 {test_runs, sizeof(runs) / sizeof(runs[0])},
					 {test_link, 0},
					 {test_few_descriptors, 0},
					 {test_closed_output, 0},
					 {test_full_output, 0},
					 {NULL, 0},
				 }))
