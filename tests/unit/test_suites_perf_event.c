/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What benches of perf_event_open(2) share: terms of PMUs, event names. Machines are fake roots. */
#include <inttypes.h>
#include <stdio.h>

#include "suites/perf_event.h"
#include "tests/support/fake_root.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

START_TEST(formats_are_read)
{
	static const struct {
		const char *text;
		unsigned word, n, first, last; /* of the last range; n 0 = refused */
	} c[] = {
		{"config:0-7", 0, 1, 0, 7},
		{"config:63", 0, 1, 63, 63},
		{"config1:0-7,32-35", 1, 2, 32, 35},
		{"config2:5,7,9", 2, 3, 9, 9},
		{"config3:1", 3, 1, 1, 1},
		{"config0:1", 0, 1, 1, 1},
		{"config:0-63", 0, 1, 0, 63},
		{"config:0-7,", 0, 0, 0, 0},
		{"config:7-0", 0, 0, 0, 0},
		{"config:0-64", 0, 0, 0, 0},
		{"config4:0", 0, 0, 0, 0},
		{"config", 0, 0, 0, 0},
		{"config:", 0, 0, 0, 0},
		{"period:0-7", 0, 0, 0, 0},
		{"", 0, 0, 0, 0},
		{"config:0-7 ", 0, 0, 0, 0},
		{"config:-7", 0, 0, 0, 0},
		{"config:0--7", 0, 0, 0, 0},
		{"config:0,1,2,3,4,5,6,7", 0, 8, 7, 7},
		{"config:0,1,2,3,4,5,6,7,8", 0, 0, 0, 0},
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct pg_pmu_format f;
		const int r = pg_pmu_format_parse(c[i].text, &f);

		ck_assert_msg(r == (c[i].n ? 0 : -1), "%s", c[i].text);
		if (r)
			continue;
		ck_assert_msg(f.word == c[i].word && f.n == c[i].n, "%s", c[i].text);
		ck_assert_msg(f.bits[f.n - 1].first == c[i].first && f.bits[f.n - 1].last == c[i].last, "%s",
			      c[i].text);
	}
}
END_TEST

START_TEST(values_are_spread)
{
	static const struct {
		const char *format;
		uint64_t value, before, after;
		bool fits;
	} c[] = {
		{"config:0-7", 0x3c, 0, 0x3c, true},
		{"config:8-15", 0x41, 0x3c, 0x413c, true},
		{"config:0-7", 0x1ff, 0, 0, false},
		{"config:0-7,32-35", 0xabc, 0, UINT64_C(0xa000000bc), true},
		{"config:0-7,32-35", 0x1000, 0, 0, false},
		{"config:0-63", UINT64_MAX, 0, UINT64_MAX, true},
		{"config:63", 1, 1, UINT64_C(0x8000000000000001), true},
		{"config:0-7", 0x02, 0xff, 0x02, true}, /* an earlier value of the term goes */
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		uint64_t words[4] = {c[i].before, 0, 0, 0};
		struct pg_pmu_format f;
		int r;

		ck_assert_int_eq(pg_pmu_format_parse(c[i].format, &f), 0);
		r = pg_pmu_format_put(&f, c[i].value, words);
		ck_assert_msg(r == (c[i].fits ? 0 : -1), "case %zu", i);
		ck_assert_msg(r || words[0] == c[i].after, "case %zu: %" PRIx64, i, words[0]);
	}
}
END_TEST

static void make_machine(char *root)
{
	fr_make(root);
#define PMU "sys/bus/event_source/devices/"
	fr_put(root, PMU "cpu/type", "4\n");
	fr_put(root, PMU "cpu/format/event", "config:0-7\n");
	fr_put(root, PMU "cpu/format/umask", "config:8-15\n");
	fr_put(root, PMU "cpu/format/edge", "config:18\n");
	fr_put(root, PMU "cpu/format/ldlat", "config1:0-15\n");
	fr_put(root, PMU "cpu/format/odd", "period\n");
	fr_put(root, PMU "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	fr_put(root, PMU "cpu/events/broken", "event=?\n");
	fr_put(root, PMU "power/type", "9\n");
	fr_put(root, PMU "power/cpumask", "0,2\n");
	fr_put(root, PMU "power/format/event", "config:0-7\n");
	fr_put(root, PMU "power/events/energy-pkg", "event=0x02\n");
	fr_put(root, PMU "bad/type", "x\n");
	fr_put(root, PMU "worse/type", "11\n");
	fr_put(root, PMU "worse/cpumask", "0-\n");
	fr_put(root, "sys/kernel/tracing/events/sched/sched_switch/id", "310\n");
	fr_put(root, "sys/kernel/tracing/events/sched/u/id", "311\n");
	fr_put(root, "proc/sys/kernel/perf_event_paranoid", "-1\n");
}

static const struct name_case {
	const char *list, *wrong; /* NULL = good */
	uint32_t type;		  /* of the last event */
	size_t n;
	uint64_t config, config1;
} name_cases[] = {
	{"dummy", NULL, PERF_TYPE_SOFTWARE, 1, PERF_COUNT_SW_DUMMY, 0},
	{"cpu-clock", NULL, PERF_TYPE_SOFTWARE, 1, PERF_COUNT_SW_CPU_CLOCK, 0},
	{"cs,migrations,faults", NULL, PERF_TYPE_SOFTWARE, 3, PERF_COUNT_SW_PAGE_FAULTS, 0},
	{"cgroup-switches", NULL, PERF_TYPE_SOFTWARE, 1, 11, 0},
	{"cycles", NULL, PERF_TYPE_HARDWARE, 1, PERF_COUNT_HW_CPU_CYCLES, 0},
	{"branches", NULL, PERF_TYPE_HARDWARE, 1, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0},
	{"L1-dcache-loads", NULL, PERF_TYPE_HW_CACHE, 1, 0, 0},
	{"LLC-store-misses", NULL, PERF_TYPE_HW_CACHE, 1, 2 | 1 << 8 | 1 << 16, 0},
	{"node-prefetches", NULL, PERF_TYPE_HW_CACHE, 1, 6 | 2 << 8, 0},
	{"r1a2B", NULL, PERF_TYPE_RAW, 1, 0x1a2b, 0},
	{"sched:sched_switch", NULL, PERF_TYPE_TRACEPOINT, 1, 310, 0},
	{"sched:sched_switch:u", NULL, PERF_TYPE_TRACEPOINT, 1, 310, 0},
	{"cpu/event=0x3c/", NULL, 4, 1, 0x3c, 0},
	{"cpu/event=60,umask=0x41,edge/", NULL, 4, 1, 0x4413c, 0},
	{"cpu/mem-loads/", NULL, 4, 1, 0x1cd, 3},
	{"cpu/mem-loads,ldlat=30/u,dummy,cpu/config=7/", NULL, 4, 3, 7, 0},
	{"cpu/mem-loads,ldlat=30/:pp", NULL, 4, 1, 0x1cd, 30},
	{"power/energy-pkg/", NULL, 9, 1, 2, 0},
	/* refused by form, at check time */
	{"", "character 1: a name is missing", 0, 0, 0, 0},
	{"dummy,", "character 7: a name is missing", 0, 0, 0, 0},
	{"dummy,,cs", "character 7: a name is missing", 0, 0, 0, 0},
	{"dumy", "character 1: unknown event", 0, 0, 0, 0},
	{"dummy,cycle", "character 7: unknown event", 0, 0, 0, 0},
	{"dummy:x", NULL, 0, 0, 0, 0}, /* may be a tracepoint: looked up below */
	{"dummy:pppp", NULL, 0, 0, 0, 0},
	{"a:b:c", "character 5: unknown modifier", 0, 0, 0, 0},
	{"a:b:u:u", "character 6: a colon too many", 0, 0, 0, 0},
	{":u", "character 1: a colon too many", 0, 0, 0, 0},
	{"a:", "character 3: a name is missing", 0, 0, 0, 0},
	{"cpu/event=1", "character 12: pmu/terms/ has no closing slash", 0, 0, 0, 0},
	{"/event=1/", "pmu/terms/ has no closing slash", 0, 0, 0, 0},
	{"cpu/event=1/z", "character 13: unknown modifier", 0, 0, 0, 0},
	{"a:cpu/event=1/", "a PMU's name has no colon", 0, 0, 0, 0},
	{"{cs,faults}", "character 1: a name is missing", 0, 0, 0, 0},
	{"cs faults", "character 3: neither a name nor a comma", 0, 0, 0, 0},
	{"r12345678901234567", "unknown event", 0, 0, 0, 0},
};

/* Refusals by the machine: the form is good. */
static const struct {
	const char *list, *wrong;
} machine_cases[] = {
	{"dummy:x", "this kernel has no such tracepoint; see the folder events"},
	{"sched:nosuch", "no such tracepoint"},
	{"gpu/event=1/", "this machine has no PMU `gpu`"},
	{"bad/event=1/", "this machine has no PMU `bad`"},
	{"../event=1/", "this machine has no PMU `..`"},
	{"worse/config=1/", "cpumask of PMU worse"},
	{"cpu/nosuch/", "neither a term nor an event `nosuch`"},
	{"cpu/nosuch=1/", "neither a term nor an event `nosuch`"},
	{"cpu/event=0x100/", "event=0x100 does not fit into config:0-7"},
	{"cpu/event=x/", "event=x is no number"},
	{"cpu/event=/", "event= is no number"},
	{"cpu/odd=1/", "unknown format `period`"},
	{"cpu/broken/", "no number"},
	{"cpu/config3=1/", "config3 is not supported"},
	{"cpu/event=1,,umask=1/", "empty or overlong term"},
	{"cpu/../", "neither a term nor an event"},
};

START_TEST(names_are_looked_up)
{
	const struct name_case *c = &name_cases[_i];
	struct pg_perf_event *e;
	struct pg_err err;
	char root[FAKE_ROOT];
	size_t n;
	int r;

	r = pg_perf_events_check(c->list, &err);
	ck_assert_msg(r == (c->wrong ? -1 : 0), "%s", c->list);
	if (r) {
		ck_assert_int_eq(err.code, PG_EINPUT);
		ck_assert_msg(strstr(err.msg, c->wrong) && strstr(err.msg, "; names are"), "%s: %s", c->list, err.msg);
	}
	if (c->n == 0)
		return;
	make_machine(root);
	ck_assert_msg(pg_perf_events_parse(c->list, root, &e, &n, &err) == 0, "%s", err.msg);
	fr_remove(root);
	ck_assert_uint_eq(n, c->n);
	ck_assert_uint_eq(e[n - 1].attr.type, c->type);
	ck_assert_uint_eq(e[n - 1].attr.config, c->config);
	ck_assert_uint_eq(e[n - 1].attr.config1, c->config1);
	ck_assert(e[n - 1].attr.exclude_guest);
	pg_perf_events_free(e, n);
}
END_TEST

START_TEST(machine_says_no)
{
	struct pg_perf_event *e;
	struct pg_err err;
	char root[FAKE_ROOT];
	size_t n;

	make_machine(root);
	ck_assert_msg(pg_perf_events_check(machine_cases[_i].list, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(pg_perf_events_parse(machine_cases[_i].list, root, &e, &n, &err), -1);
	ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, machine_cases[_i].wrong) && strchr(err.msg, ';'), "%s: %s",
		      machine_cases[_i].list, err.msg);
	fr_remove(root);
}
END_TEST

START_TEST(modifiers_choose_what_is_counted)
{
	static const struct {
		const char *list;
		unsigned user, kernel, hv, guest, host, precise; /* excluded */
	} c[] = {
		{"cs", 0, 0, 0, 1, 0, 0},	{"cs:u", 0, 1, 1, 1, 0, 0},	 {"cs:k", 1, 0, 1, 1, 0, 0},
		{"cs:uk", 0, 0, 1, 1, 0, 0},	{"cs:h", 1, 1, 0, 1, 0, 0},	 {"cycles:ppp", 0, 0, 0, 1, 0, 3},
		{"cycles:G", 0, 0, 0, 0, 1, 0}, {"cycles:GH", 0, 0, 0, 0, 0, 0}, {"cycles:H", 0, 0, 0, 1, 0, 0},
		{"r3c:u", 0, 1, 1, 1, 0, 0},
	};
	struct pg_perf_event *e;
	struct pg_err err;
	size_t n;

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		ck_assert_msg(pg_perf_events_parse(c[i].list, "/nowhere", &e, &n, &err) == 0, "%s", err.msg);
		ck_assert_msg(e->attr.exclude_user == c[i].user && e->attr.exclude_kernel == c[i].kernel &&
				      e->attr.exclude_hv == c[i].hv && e->attr.exclude_guest == c[i].guest &&
				      e->attr.exclude_host == c[i].host && e->attr.precise_ip == c[i].precise,
			      "%s", c[i].list);
		ck_assert_msg(!strchr(e->name, ':'), "%s", e->name);
		pg_perf_events_free(e, n);
	}
}
END_TEST

START_TEST(cpus_and_settings_come_from_the_root)
{
	struct pg_cpuset cpus = {.bits = NULL};
	struct pg_err err;
	char root[FAKE_ROOT], text[16];
	uint32_t type = 0;

	make_machine(root);
	ck_assert_int_eq(pg_pmu_cpus(root, "power", &cpus, &err), 0);
	ck_assert_uint_eq(pg_cpuset_count(&cpus), 2);
	ck_assert(pg_cpuset_has(&cpus, 0) && pg_cpuset_has(&cpus, 2));
	pg_cpuset_release(&cpus);
	ck_assert_int_eq(pg_pmu_cpus(root, "cpu", &cpus, &err), 0);
	ck_assert_uint_eq(pg_cpuset_count(&cpus), 0);
	ck_assert_int_eq(pg_pmu_type(root, "power", &type), 0);
	ck_assert_uint_eq(type, 9);
	ck_assert_int_eq(pg_pmu_type(root, "bad", &type), -1);
	ck_assert_int_eq(pg_pmu_type(root, "", &type), -1);
	ck_assert_int_eq(pg_perf_sysctl(root, "perf_event_paranoid", 2), -1);
	ck_assert_int_eq(pg_perf_sysctl(root, "nosuch", 7), 7);
	ck_assert_int_eq(pg_perf_read(root, "/sys/bus/event_source/devices", "cpu/type", text, sizeof(text)), 1);
	ck_assert_str_eq(text, "4");
	fr_remove(root);
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

PG_TEST_MAIN("suites_perf_event", ((const struct pg_test[]){
					  {formats_are_read, 0},
					  {values_are_spread, 0},
					  {names_are_looked_up, COUNT(name_cases)},
					  {machine_says_no, COUNT(machine_cases)},
					  {modifiers_choose_what_is_counted, 0},
					  {cpus_and_settings_come_from_the_root, 0},
					  {NULL, 0},
				  }))
