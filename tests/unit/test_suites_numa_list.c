/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numa/mem: task_cpus and task_nodes, which entry is whose, and what is refused where. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "suites/numa.h"
#include "tests/support/pgtest.h"

/* Entries as "first" or "first/length", the way the ancestor prints them. */
static const struct {
	const char *list, *entries;
} lists[] = {
	{"0", "0"},
	{"7,3", "7 3"},
	{"0-3", "0 1 2 3"},
	{"0-7#2", "0 2 4 6"},
	{"0-6#4", "0 4"},
	{"5-5", "5"},
	{"0x3", "0 0 0"},
	{"1-2x2", "1 1 2 2"},
	{"0-4#2x2", "0 0 2 2 4 4"},
	{"0_4", "0/4"},
	{"0-2_2", "0/2 1/2 2/2"},
	{"8_2x2,1", "8/2 8/2 1"},
	{"8x2_2,1", "8/2 8/2 1"},
	{"0-8#4_4x2", "0/4 0/4 4/4 4/4 8/4 8/4"},
	{"0,8", "0 8"},
	{"1,0", "1 0"},
	{"0x10", "0 0 0 0 0 0 0 0 0 0"},
	{"1048575", "1048575"},
};

START_TEST(entries)
{
	struct pg_err err = {.msg = ""};
	char text[256];
	size_t len = 0;
	uint32_t first, length;
	uint64_t i;

	ck_assert_msg(pg_numa_list_check("task_cpus", lists[_i].list, true, &err) == 0, "%s: %s", lists[_i].list,
		      err.msg);
	for (i = 0; pg_numa_list_entry(lists[_i].list, i, &first, &length); i++) {
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u", i ? " " : "", first);
		if (length != 1)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "/%u", length);
	}
	ck_assert_str_eq(text, lists[_i].entries);
	ck_assert(!pg_numa_list_entry(lists[_i].list, i + 1, &first, &length));
	ck_assert(!pg_numa_list_entry(lists[_i].list, UINT64_MAX, &first, &length));
}
END_TEST

static const struct {
	const char *list;
	size_t at; /* 1-based */
	const char *why;
} bad[] = {
	{"", 1, "no number"},
	{",0", 1, "no number"},
	{"0,", 3, "no number"},
	{"0,,1", 3, "no number"},
	{"a", 1, "no number"},
	{"-1", 1, "no number"},
	{"0-", 3, "no number"},
	{"0-1#", 5, "no number"},
	{"0x", 3, "no number"},
	{"0_", 3, "no number"},
	{"3-1", 3, "runs backwards"},
	{"0-4#0", 5, "at least 1"},
	{"0x0", 3, "at least 1"},
	{"0_0", 3, "at least 1"},
	{"01", 2, "leading zero"},
	{"0#2", 2, "unexpected character"},
	{"0 1", 2, "unexpected character"},
	{"0, 1", 3, "no number"},
	{"0x2x2", 4, "unexpected character"},
	{"0_2_2", 4, "unexpected character"},
	{"0x2-3", 4, "unexpected character"},
	{"0:2", 2, "unexpected character"},
	{"1048576", 7, "above 1048575"},
	{"99999999999999999999999999", 7, "above 1048575"},
	{"1,2,3;", 6, "unexpected character"},
};

START_TEST(refusals)
{
	struct pg_err err = {.msg = ""};
	char place[64];

	snprintf(place, sizeof(place), "task_cpus, character %zu: ", bad[_i].at);
	ck_assert_int_eq(pg_numa_list_check("task_cpus", bad[_i].list, true, &err), -1);
	ck_assert_int_eq(err.code, PG_EINPUT);
	ck_assert_msg(strncmp(err.msg, place, strlen(place)) == 0 && strstr(err.msg, bad[_i].why) &&
			      strstr(err.msg, "; allowed: N, N-M"),
		      "'%s': %s", bad[_i].list, err.msg);
}
END_TEST

/* Nodes have no lengths. */
START_TEST(nodes)
{
	struct pg_err err;

	ck_assert_int_eq(pg_numa_list_check("task_nodes", "0-3#2x2,1", false, &err), 0);
	ck_assert_int_eq(pg_numa_list_check("task_nodes", "0_2", false, &err), -1);
	ck_assert_msg(strstr(err.msg, "task_nodes, character 2: an unexpected character") && !strstr(err.msg, "_LEN"),
		      "%s", err.msg);
}
END_TEST

/* Never unfolded: 2^40 entries are as good as one. */
START_TEST(large_lists)
{
	static const char list[] = "0-1048575x1048575,7";
	const uint64_t all = UINT64_C(1048576) * 1048575;
	uint32_t first, length;

	ck_assert_int_eq(pg_numa_list_check("task_cpus", list, true, NULL), 0);
	ck_assert(pg_numa_list_entry(list, all - 1, &first, &length));
	ck_assert_uint_eq(first, 1048575);
	ck_assert(pg_numa_list_entry(list, UINT64_C(1048575) * 1000, &first, &length));
	ck_assert_uint_eq(first, 1000);
	ck_assert(pg_numa_list_entry(list, all, &first, &length));
	ck_assert_uint_eq(first, 7);
	ck_assert(!pg_numa_list_entry(list, all + 1, &first, &length));
	ck_assert(!pg_numa_list_entry(NULL, 0, &first, &length));
}
END_TEST

PG_TEST_MAIN("suites_numa_list", ((const struct pg_test[]){
					 {entries, sizeof(lists) / sizeof(lists[0])},
					 {refusals, sizeof(bad) / sizeof(bad[0])},
					 {nodes, 0},
					 {large_lists, 0},
					 {NULL, 0},
				 }))
