/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The `perf bench` drop-in: what is refused and with which words, lists behind `all`, averages of unequal parts. */
#include "runner/compat_perf_call.h"

#include <errno.h>
#include <math.h>

#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

#define N(a) (int)(sizeof(a) / sizeof((a)[0]))

/* Words behind `bench`; `out` follows the heading of the bench, which stands there always. */
static const struct {
	const char *words[10];
	int status;
	const char *out, *err;
} refused[] = {
	{{"internals", "synthesize", "-t", "-m", "5", "-M", "2"},
	 129,
	 "",
	 "perfgrid: internals/synthesize: --min-threads|-m 5 is more than --max-threads|-M 2; at most as many\n"},
	{{"internals", "synthesize", "-st", "-m", "99999"},
	 129,
	 "",
	 "--min-threads|-m 99999 is more than --max-threads|-M "},
	{{"internals", "synthesize", "-t", "-m", "99999"},
	 129,
	 "",
	 ", the CPUs that this process may use; at most as many\n"},
	{{"internals", "synthesize", "-t", "-M", "0"},
	 129,
	 "",
	 "--max-threads|-M: value 0 is out of range; allowed: 1 to 100000\n"},
	{{"internals", "synthesize", "-t", "-m", "0"},
	 129,
	 "",
	 "--min-threads|-m: value 0 is out of range; allowed: 1 to "},
	{{"internals", "synthesize", "-t", "-M", "100001"}, 129, "", "--max-threads|-M: value 100001 is out of range"},
	{{"internals", "synthesize", "-s", "-i", "0"},
	 129,
	 "",
	 "--single-iterations|-i: value 0 is out of range; allowed: 1 to 1000000000000\n"},
	{{"internals", "synthesize", "-t", "-I", "0"},
	 129,
	 "",
	 "--multi-iterations|-I: value 0 is out of range; allowed: 1 to 1000000000000\n"},
	/* Words of a row (`auto`, `unlimited`, `broadcast`) are offered where they are a spelling, which is nowhere
	   here. */
	{{"sched", "pipe", "-l", "0"}, 129, "", "value 0 is out of range; allowed: 1 to 1000000000000\n"},
	{{"sched", "pipe", "-l", "-7"}, 129, "", "value -7 is out of range; allowed: 1 to 1000000000000\n"},
	{{"-r", "9000000000000", "breakpoint", "enable"}, 129, "", "out of range; allowed: 1 to 1000000000000\n"},
	{{"numa", "mem", "-l", "0"}, 129, "", "value 0 is out of range; allowed: 1 to 1000000000000\n"},
	{{"numa", "mem", "-G", "x"}, 129, "", "switch `G': 'xMB' is no size"},
	{{"futex", "requeue", "-q", "0"}, 129, "", "--nrequeue|-q: value 0 is out of range; allowed: 1 to threads\n"},
	{{"futex", "hash", "-b", "1"}, 129, "", "switch `b': value 1 is out of range; allowed: 2 to 16777216\n"},
	/* Memory: the ancestor's line, and which of its two endings. */
	{{"mem", "memcpy", "-s", "100TB"},
	 1,
	 "# Memory allocation failed - maybe size (100TB) is too large?\n",
	 "perfgrid: mem/memcpy: --size|-s: value 100TB is out of range"},
	{{"mem", "memset", "-s", "15TB", "-f", "default"},
	 1,
	 "# Memory allocation failed - maybe size (15TB) is too large?\n",
	 "perfgrid: mem/memset default: needs 15728640 MiB of memory, the limit is "},
	{{"mem", "memcpy", "-p", "16GB", "-s", "16GB", "-f", "default"},
	 1,
	 "# Memory allocation failed - maybe size (16GB) has insufficient hugepages?\n",
	 "perfgrid: mem/memcpy default: "},
	{{"mem", "mmap", "-p", "16GB", "-s", "16GB"},
	 1,
	 "# Memory allocation failed - maybe size (16GB) has insufficient hugepages?\n",
	 "perfgrid: mem/mmap demand: "},
	{{"mem", "memcpy", "-s", "0"}, 1, "", "Invalid size:0\n"},
	{{"mem", "memcpy", "-k", "2MB"}, 1, "", "Invalid chunk_size:2MB\nperfgrid: mem/memcpy default: chunk "},
	{{"mem", "mmap", "-s", "3KB"}, 1, "", "perfgrid: mem/mmap demand: size 3KB is no multiple of page_size 4KB"},
};

START_TEST(test_refused)
{
	const char *words[12] = {"bench"};
	struct fake_world f;
	const char *heading;

	memcpy(words + 1, refused[_i].words, sizeof(refused[_i].words));
	fake_world_open(&f);
	ck_assert_int_eq(fake_world_cli(&f, words), refused[_i].status);
	heading = strchr(f.out, '\n');
	ck_assert_msg(strncmp(f.out, "# Running '", 11) == 0 && heading, "%s", f.out);
	ck_assert_str_eq(heading + 1, refused[_i].out);
	expect("stderr", f.err, refused[_i].err);
	ck_assert_msg(strstr(f.err, "auto") == NULL && strstr(f.err, "` or ") == NULL, "%s", f.err);
	fake_world_close(&f);
}
END_TEST

/* What a machine reads stays whole, whatever is refused. */
static const char *const machine[][10] = {
	{"mem", "memcpy", "-s", "100TB"},	  {"mem", "memcpy", "-p", "16GB", "-s", "16GB"},
	{"mem", "memset", "-f", "nosuch"},	  {"mem", "memset", "-f", "help"},
	{"mem", "memset", "-k", "2MB"},		  {"internals", "synthesize", "-t", "-m", "5", "-M", "2"},
	{"numa", "mem", "-p", "1", "-C", "4095"},
};

START_TEST(test_machine_formats)
{
	const char *words[14] = {"bench", "-f", _i % 2 ? "csv" : "json"};
	struct fake_world f;

	memcpy(words + 3, machine[_i / 2], sizeof(machine[0]));
	fake_world_open(&f);
	ck_assert_int_ne(fake_world_cli(&f, words), 0);
	ck_assert_str_eq(f.out, _i % 2 ? "bench,run,params,metric,unit,value\n" : "[]\n");
	ck_assert_msg(strstr(f.err, "perfgrid: ") != NULL, "%s", f.err);
	fake_world_close(&f);
}
END_TEST

/* No text decides: bars, codes and values do. */
static const struct {
	const char *line;
	enum pg_dropin_bar bar;
	int sys;
	const char *out;
} barred[] = {
	{"", PG_BAR_NONE, 0, ""},
	{"", PG_BAR_LIMIT, 0, ""},
	{"", PG_BAR_BENCH, 0, ""},
	{"", PG_BAR_MEMORY, 0, "is too large?\n"},
	{"", PG_BAR_NONE, ENOMEM, "is too large?\n"},
	{"", PG_BAR_NONE, EAGAIN, ""},
	{"-p 2MB", PG_BAR_BENCH, 0, "has insufficient hugepages?\n"},
	{"-p 2MB", PG_BAR_NONE, ENOMEM, "has insufficient hugepages?\n"},
	{"-p 2MB", PG_BAR_LIMIT, 0, ""},
	{"-p 4KB", PG_BAR_BENCH, 0, ""},
};

START_TEST(test_barred)
{
	struct fake_world f;
	struct pg_pb p = {.world = &f.world, .bench = pg_pb_find("mem", "memset")};
	struct pg_err err = {.sys = barred[_i].sys, .msg = "reserved pages of memory, --size|-s"};
	char buf[64], *argv[8];
	int argc = 0;

	snprintf(buf, sizeof(buf), "-s 4MB %s", barred[_i].line);
	for (char *word = strtok(buf, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	fake_world_open(&f);
	pg_pb_open(&p);
	ck_assert_int_eq(pg_pb_options(&p, argc, argv), 0);
	ck_assert_int_eq(p.bench->begin(&p, &err), 0);
	ck_assert_int_eq(p.bench->step(&p, 0, &err), 1);
	(void)pg_dropin_ready(&p.d, &(struct pg_err){.code = PG_OK}); /* values, whether or not there are such pages */
	p.d.bar = barred[_i].bar;
	p.bench->refused(&p, &err);
	if (*barred[_i].out)
		expect("stdout", pg_str_text(&p.out), "# Memory allocation failed - maybe size (4MB) ");
	expect("stdout", pg_str_text(&p.out), barred[_i].out);
	pg_pb_close(&p);
	fake_world_close(&f);
}
END_TEST

static const struct {
	const char *words[8];
	const char *out;
} helps[] = {
	{{"bench", "all", "--help"}, "Usage: \n\tperf bench "},
	{{"bench", "all", "-h"}, "# List of all available benchmark collections:\n"},
	{{"bench", "-f", "json", "all", "word", "--help"}, "Usage: \n\tperf bench "},
	{{"bench", "sched", "all", "-h"}, "# List of available benchmarks for collection 'sched':\n"},
	{{"bench", "-f", "csv", "sched", "all", "--help"}, "\n        # List of available benchmarks for"},
};

START_TEST(test_help_behind_all)
{
	struct fake_world f;

	fake_world_open(&f);
	ck_assert_int_eq(fake_world_cli(&f, helps[_i].words), 0);
	expect("stdout", f.out, helps[_i].out);
	ck_assert_msg(strstr(f.out, "# Running") == NULL && f.out[0] != '[' && f.out[0] != 'b', "%s", f.out);
	expect("stderr", f.err, "");
	fake_world_close(&f);
}
END_TEST

/* Two iterations of 3 and one of 9: the mean of the three is 5, and 24 the variance of one. */
START_TEST(test_weights)
{
	struct pg_pb_sum s = {.n = 0}, alike = {.n = 0}, plain = {.n = 0};

	pg_pb_add_weighted(&s, 3, 2);
	ck_assert(pg_pb_error(&s) == 0);
	pg_pb_add_weighted(&s, 9, 1);
	ck_assert_double_eq_tol(s.mean, 5, 1e-12);
	ck_assert_double_eq_tol(pg_pb_error(&s), sqrt(24.0 / 3), 1e-12);
	/* One weight for all changes nothing. */
	for (int i = 1; i <= 10; i++) {
		pg_pb_add_weighted(&alike, i * i, 7);
		pg_pb_add(&plain, i * i);
	}
	ck_assert_double_eq_tol(alike.mean, plain.mean, 1e-12);
	ck_assert_double_eq_tol(pg_pb_error(&alike), pg_pb_error(&plain), 1e-12);
	ck_assert_double_eq_tol(plain.mean, 38.5, 1e-12);
}
END_TEST

/* Parts have all iterations between them, and each counts as often as it has some. */
static const struct {
	uint64_t iterations, parts;
	enum pg_pb_format format;
} splits[] = {
	{1, 1, PG_PB_DEFAULT},	  {3, 3, PG_PB_DEFAULT}, {10, 10, PG_PB_SIMPLE}, {23, 10, PG_PB_DEFAULT},
	{100, 10, PG_PB_DEFAULT}, {23, 1, PG_PB_JSON},	 {23, 1, PG_PB_CSV},
};

START_TEST(test_parts)
{
	struct fake_world f;
	struct pg_pb p = {
		.world = &f.world, .bench = pg_pb_find("internals", "kallsyms-parse"), .format = splits[_i].format};
	struct pg_pb_sum sum = {.n = 0};
	struct pg_err err = {.msg = ""};
	char word[24], option[] = "-i", *argv[] = {option, word};
	uint64_t all = 0;
	double total = 0;

	snprintf(word, sizeof(word), "%llu", (unsigned long long)splits[_i].iterations);
	fake_world_open(&f);
	pg_pb_open(&p);
	ck_assert_int_eq(pg_pb_options(&p, 2, argv), 0);
	ck_assert_int_eq(p.bench->begin(&p, &err), 0);
	ck_assert_uint_eq(p.parts, splits[_i].parts);
	for (p.part = 0; p.part < p.parts; p.part++) {
		uint64_t n;

		ck_assert_int_eq(p.bench->ready(&p, &err), 0);
		ck_assert(pg_dropin_ready(&p.d, &err) == 0 || err.code == PG_EUNSUPPORTED);
		n = (uint64_t)pg_dropin_value(&p.d, "loops");
		ck_assert_double_eq(p.weight, (double)n);
		/* Iterations that take 1, 2, 3 ...: a part's number is the mean of its own. */
		pg_pb_add_part(&p, &sum, (double)all + ((double)n + 1) / 2);
		for (uint64_t i = 0; i < n; i++)
			total += (double)++all;
	}
	ck_assert_uint_eq(all, splits[_i].iterations);
	ck_assert_double_eq_tol(sum.mean, total / (double)all, 1e-9);
	pg_pb_close(&p);
	fake_world_close(&f);
}
END_TEST

/* Parts that do not differ count alike. */
START_TEST(test_parts_alike)
{
	struct pg_pb p = {.parts = 2};
	struct pg_pb_sum sum = {.n = 0};

	pg_pb_add_part(&p, &sum, 1);
	pg_pb_add_part(&p, &sum, 2);
	ck_assert_double_eq(sum.mean, 1.5);
	ck_assert_double_eq(sum.weight, 2);
}
END_TEST

PG_TEST_MAIN("runner_compat", ((const struct pg_test[]){
				      {test_refused, N(refused)},
				      {test_machine_formats, 2 * N(machine)},
				      {test_barred, N(barred)},
				      {test_help_behind_all, N(helps)},
				      {test_weights, 0},
				      {test_parts, N(splits)},
				      {test_parts_alike, 0},
				      {NULL, 0},
			      }))
