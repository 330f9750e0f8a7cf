/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts from the files of a made-up machine, and which of them speak against a rep. */
#include "tests/support/pgtest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/fake_root.h"

#include "base/cpulist.h"
#include "base/err.h"
#include "base/topo.h"
#include "engine/guards.h"
#include "model/cell.h"
#include "model/metric.h"
#include "model/result.h"

#define V2_MOUNT "40 30 0:37 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define CPU	 "sys/devices/system/cpu/"

static char root[FAKE_ROOT];
static struct pg_topo topo;
static struct pg_guards g;

/* Two sockets of two cores; the process may use CPUs 0, 2 and 3. */
static void begin(void)
{
	struct pg_cpuset allowed;
	struct pg_err err;
	size_t pos;

	fr_make(root);
	fr_put(root, CPU "online", "0-3\n");
	for (int c = 0; c < 4; c++) {
		char path[96], text[16];

		snprintf(path, sizeof(path), CPU "cpu%d/topology/core_cpus_list", c);
		snprintf(text, sizeof(text), "%d\n", c);
		fr_put(root, path, text);
		snprintf(path, sizeof(path), CPU "cpu%d/topology/physical_package_id", c);
		fr_put(root, path, c < 2 ? "0\n" : "1\n");
	}
	fr_put(root, "proc/self/mountinfo", V2_MOUNT);
	fr_put(root, "proc/self/cgroup", "0::/a\n");
	ck_assert_int_eq(pg_cpulist_parse("0,2,3", 5, &allowed, &pos, &err), 0);
	ck_assert_msg(pg_topo_load(root, &allowed, &topo, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(topo.domain[PG_DOMAIN_SOCKET].n, 2);
	pg_cpuset_release(&allowed);
}

static void end(void)
{
	pg_guards_close(&g);
	pg_topo_release(&topo);
	fr_remove(root);
}

static void read_into(struct pg_reading *out)
{
	memset(out, 0x5a, sizeof(*out));
	pg_guards_read(&g, NULL, NULL, out);
}

START_TEST(ticks_and_pressure)
{
	struct pg_reading before, after;
	int64_t facts[PG_FACTS];
	char own[PATH_MAX];

	begin();
	fr_put(root, "proc/stat",
	       "cpu  7 7 7 7 7 7 7 7 7 7\ncpu0 100 0 20 9000 7 3 2 40 5 0\ncpu1 900 9 9 9 9 9 9 9 9 9\n"
	       "cpu2 0 5 30 0 0 0 0 0 0 0\ncpu3 0 5 0 0 0 0 0 0 0 0\nintr 1 2 3\n");
	fr_put(root, "proc/pressure/cpu",
	       "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\nfull avg10=0.00 total=5\n");
	fr_put(root, "proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=77\n");
	fr_put(root, "sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_throttled 1\nthrottled_usec 500\n");
	pg_guards_open(&g, root, &topo);
	read_into(&before);
	fr_put(root, "proc/stat",
	       "cpu  7 7 7 7 7 7 7 7 7 7\ncpu0 140 0 40 9500 7 3 2 42 5 0\ncpu1 999 9 9 9 9 9 9 99 9 9\n"
	       "cpu2 15 5 30 0 0 0 0 1 0 0\ncpu3 5 5 0 0 0 0 0 0 0 0\nintr 1 2 3\n");
	fr_put(root, "proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1600\n");
	fr_put(root, "sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_throttled 1\nthrottled_usec 900\n");
	read_into(&after);
	pg_guards_facts(&before, &after, 304999999, facts);
	ck_assert_int_eq(facts[PG_F_STEAL], 3);
	ck_assert_int_eq(facts[PG_F_OTHER_BUSY], 50); /* 80 ticks, 30 of them our own */
	ck_assert_int_eq(facts[PG_F_PSI_CPU], 600);
	ck_assert_int_eq(facts[PG_F_PSI_MEM], PG_FACT_ABSENT); /* not there is not 0 */
	ck_assert_int_eq(facts[PG_F_PSI_IO], 0);
	ck_assert_int_eq(facts[PG_F_THROTTLED], 400);
	/* The group of the rep itself, as v1 has it: ns. */
	fr_put(root, "own/cpu.stat", "nr_throttled 2\nthrottled_time 7000000\n");
	snprintf(own, sizeof(own), "%s/own", root);
	pg_guards_read(&g, own, NULL, &after);
	ck_assert_int_eq(after.throttled, 7000);
	/* A clock that went back, and more own time than ticks were counted. */
	pg_guards_facts(&after, &before, 1000000000000, facts);
	ck_assert_int_eq(facts[PG_F_STEAL], 0);
	ck_assert_int_eq(facts[PG_F_OTHER_BUSY], 0);
	end();
}
END_TEST

/* Eight CPUs, the first of them busy and stolen from in turn by as many ticks as its number says. */
static void put_eight(int times, const char *last)
{
	char text[1024], *p = text;

	p += sprintf(p, "cpu  %d 0 0 0 0 0 0 %d 0 0\n", 28 * times, 28 * times);
	for (int c = 0; c < 8; c++)
		p += sprintf(p, "cpu%d %d 0 0 9 0 0 0 %d 0 0\n", c, c * times, c * times);
	strcpy(p, last);
	fr_put(root, "proc/stat", text);
}

/* What others do on CPUs that the rep may not use is neither its load nor its steal. */
START_TEST(ticks_of_its_cpus)
{
	static const struct {
		const char *cpus;
		int64_t ticks; /* in 10 rounds */
	} rows[] = {{"2,5", 70}, {"0", 0}, {"7", 70}, {"0-7", 280}};
	struct pg_reading before, after;
	struct pg_cpuset set;
	int64_t facts[PG_FACTS];
	struct pg_err err;
	size_t pos;

	begin();
	put_eight(3, "intr 5\n");
	pg_guards_open(&g, root, &topo);
	ck_assert_int_eq(pg_cpulist_parse(rows[_i].cpus, strlen(rows[_i].cpus), &set, &pos, &err), 0);
	pg_guards_read(&g, NULL, &set, &before);
	put_eight(13, "intr 5\n");
	pg_guards_read(&g, NULL, &set, &after);
	pg_guards_facts(&before, &after, 0, facts);
	ck_assert_int_eq(facts[PG_F_STEAL], rows[_i].ticks);
	ck_assert_int_eq(facts[PG_F_OTHER_BUSY], rows[_i].ticks);
	pg_cpuset_release(&set);
	end();
}
END_TEST

/* CPUs without a line, a line that is cut off, one that holds no numbers: nothing is known, which is not 0. */
START_TEST(ticks_unknown)
{
	static const char *const texts[] = {
		"",
		"cpu  1 2 3 4 5 6 7 8 9 0\n",
		"cpu  1 2 3 4 5 6 7 8 9 0\ncpu0 1 2 3 4 5 6 7 8 9 0\ncpu1 1 2 3 4 5 6 7 8 9 0\nintr 5\n",
		"cpu0 1 2 3 4 5 6 7 8 9 0\ncpu2 1 2 3 4 5 6 7 8 9 0\ncpu3 1 2 3 4 5 6 7 8",
		"cpu0 1 2 3 4 5 6 7 8\ncpu2 1 2 3 4\ncpu3 1 2 3 4 5 6 7 8\n",
		"intr 5\ncpu0 1 2 3 4 5 6 7 8\ncpu2 1 2 3 4 5 6 7 8\ncpu3 1 2 3 4 5 6 7 8\n",
	};
	struct pg_reading r;

	begin();
	fr_put(root, "proc/stat", texts[_i]);
	pg_guards_open(&g, root, &topo);
	read_into(&r);
	ck_assert_int_eq(r.steal, PG_FACT_ABSENT);
	ck_assert_int_eq(r.busy, PG_FACT_ABSENT);
	end();
}
END_TEST

START_TEST(cpus_of_a_rep)
{
	struct pg_runkeys keys = {.pin = NULL};

	ck_assert_uint_eq(pg_guards_cpus(&keys, 6), 6);
	keys.pin = "1-2,9";
	ck_assert_uint_eq(pg_guards_cpus(&keys, 6), 3);
	keys.pin = "no list";
	ck_assert_uint_eq(pg_guards_cpus(&keys, 6), 6);
}
END_TEST

/* Rows without a number for each CPU are of none; CPUs come by their name, not by their place. */
START_TEST(interrupts)
{
	static const char table[] = "            CPU0       CPU2       CPU3 \n"
				    "   0:        %d         20         30   IO-APIC   2-edge      timer\n"
				    " NMI:          1          2          3   Non-maskable interrupts\n"
				    " ERR:       1000\n"
				    " MIS:       1000\n";
	struct pg_reading before, after;
	struct pg_cpuset one;
	int64_t facts[PG_FACTS];
	struct pg_err err;
	char text[512];
	size_t pos;

	begin();
	snprintf(text, sizeof(text), table, 10);
	fr_put(root, "proc/interrupts", text);
	fr_put(root, "proc/softirqs",
	       "                    CPU0       CPU1       CPU2       CPU3       \n"
	       "          HI:          1         10        100       1000\n"
	       "       TIMER:          2         20        200       2000\n");
	pg_guards_open(&g, root, &topo);
	read_into(&before);
	ck_assert_int_eq(before.interrupts, 10 + 20 + 30 + 1 + 2 + 3);
	ck_assert_int_eq(before.softirqs, 3303); /* CPU 1 is not ours */
	ck_assert_int_eq(pg_cpulist_parse("2", 1, &one, &pos, &err), 0);
	pg_guards_read(&g, NULL, &one, &after);
	ck_assert_int_eq(after.interrupts, 22);
	ck_assert_int_eq(after.softirqs, 300);
	pg_cpuset_release(&one);
	snprintf(text, sizeof(text), table, 99);
	fr_put(root, "proc/interrupts", text);
	read_into(&after);
	pg_guards_facts(&before, &after, 0, facts);
	ck_assert_int_eq(facts[PG_F_INTERRUPTS], 89);
	ck_assert_int_eq(facts[PG_F_SOFTIRQS], 0);
	end();
}
END_TEST

static const char *const no_tables[] = {
	"", "\n", "CPU0\n", "CPU0 CPU1\n 0: 1\n", "nothing of the kind\n 1: 2\n", "CPU0\n LOC 5\n", "CPU0",
};
#define NO_TABLES ((int)(sizeof(no_tables) / sizeof(no_tables[0])))

START_TEST(no_table)
{
	struct pg_reading r;

	begin();
	fr_put(root, "proc/interrupts", no_tables[_i]);
	pg_guards_open(&g, root, &topo);
	read_into(&r);
	ck_assert_int_eq(r.interrupts, PG_FACT_ABSENT);
	ck_assert_int_eq(r.softirqs, PG_FACT_ABSENT);
	end();
}
END_TEST

START_TEST(large_table)
{
	struct pg_reading r;
	char *text = malloc((size_t)64 << 10), *p;
	FILE *f;
	char path[PATH_MAX];

	ck_assert_ptr_nonnull(text);
	begin();
	p = text + sprintf(text, "  CPU0\n");
	for (int i = 0; i < 5000; i++)
		p += sprintf(p, "%d: 1\n", i);
	fr_put(root, "proc/interrupts", text);
	pg_guards_open(&g, root, &topo);
	read_into(&r);
	ck_assert_int_eq(r.interrupts, 5000);
	snprintf(path, sizeof(path), "%s/proc/interrupts", root);
	f = fopen(path, "ae");
	ck_assert_ptr_nonnull(f);
	for (int i = 0; i < 1000; i++)
		fprintf(f, "%d: 1                                                            name\n", i);
	fclose(f);
	read_into(&r);
	ck_assert_int_eq(r.interrupts, PG_FACT_ABSENT);
	/* Not asked again: making it would take as long as before. */
	fr_put(root, "proc/interrupts", "  CPU0\n 1: 5\n");
	read_into(&r);
	ck_assert_int_eq(r.interrupts, PG_FACT_ABSENT);
	free(text);
	end();
}
END_TEST

START_TEST(heat_and_swap)
{
	struct pg_reading before, after;
	int64_t facts[PG_FACTS];

	begin();
	/* Of each socket one, of each core of ours one: CPU 1 is neither. */
	fr_put(root, CPU "cpu0/thermal_throttle/package_throttle_count", "100\n");
	fr_put(root, CPU "cpu2/thermal_throttle/package_throttle_count", "10\n");
	fr_put(root, CPU "cpu3/thermal_throttle/package_throttle_count", "7777\n");
	fr_put(root, CPU "cpu1/thermal_throttle/core_throttle_count", "7777\n");
	fr_put(root, CPU "cpu3/thermal_throttle/core_throttle_count", "1\n");
	fr_put(root, "proc/vmstat", "nr_free_pages 5\npswpin 3\npswpout 4\nother_pswpin 9\n");
	pg_guards_open(&g, root, &topo);
	ck_assert_uint_eq(g.n_thermal, 3);
	read_into(&before);
	ck_assert_int_eq(before.thermal, 111);
	ck_assert_int_eq(before.swapped, 7);
	fr_put(root, CPU "cpu3/thermal_throttle/core_throttle_count", "3\n");
	fr_put(root, "proc/vmstat", "nr_free_pages 5\npswpin 3\npswpout 10\n");
	read_into(&after);
	pg_guards_facts(&before, &after, 0, facts);
	ck_assert_int_eq(facts[PG_F_THERMAL], 2);
	ck_assert_int_eq(facts[PG_F_SWAPPED], 6);
	end();
}
END_TEST

START_TEST(nothing_there)
{
	struct pg_reading r;
	int64_t facts[PG_FACTS];

	begin();
	pg_guards_open(&g, root, &topo);
	read_into(&r);
	pg_guards_facts(&r, &r, 0, facts);
	for (int f = PG_F_STEAL; f <= PG_F_THROTTLED; f++)
		ck_assert_int_eq(facts[f], PG_FACT_ABSENT);
	ck_assert_int_eq(facts[PG_F_THERMAL], PG_FACT_ABSENT);
	ck_assert_int_eq(facts[PG_F_INTERRUPTS], PG_FACT_ABSENT);
	ck_assert_int_eq(facts[PG_F_SOFTIRQS], PG_FACT_ABSENT);
	ck_assert_int_eq(facts[PG_F_SWAPPED], PG_FACT_ABSENT);
	end();
}
END_TEST

#define MS INT64_C(1000000)

/* Rows: one of the bench, then the engine's. */
static struct pg_metric rows[PG_ENGINE_METRICS + 2];

static void make(struct pg_outcome *o, int64_t wall_ns)
{
	memset(o, 0, sizeof(*o));
	rows[0] = (struct pg_metric){.name = "time", .doc = "d", .unit = PG_U_S};
	memcpy(rows + 1, pg_engine_metrics, (PG_ENGINE_METRICS + 1) * sizeof(*rows));
	for (int f = 0; f < PG_FACTS; f++)
		o->facts[f] = PG_FACT_ABSENT;
	for (unsigned e = 0; e < PG_ENGINE_METRICS; e++)
		o->s[o->n++] = (struct pg_sample){.metric = 1 + e, .exp10 = -9};
	o->s[PG_E_WALL_TIME].raw = wall_ns;
}

/* Limits of docs/statistics.md 12: at them nothing fires, above them it does. 2 CPUs. */
static const struct {
	int64_t wall_ns;
	enum pg_fact fact;
	int64_t quiet, fires;
	unsigned bit;
} limits[] = {
	{1000 * MS, PG_F_STEAL, 2, 3, PG_GUARD_STEAL},
	{200 * MS, PG_F_STEAL, 0, 1, PG_GUARD_STEAL},
	{1000 * MS, PG_F_OTHER_BUSY, 10, 11, PG_GUARD_LOAD},
	{100 * MS, PG_F_PSI_CPU, 10000, 10001, PG_GUARD_PRESSURE_CPU},
	{100 * MS, PG_F_PSI_MEM, 1000, 1001, PG_GUARD_PRESSURE_MEMORY},
	{100 * MS, PG_F_PSI_IO, 1000, 1001, PG_GUARD_PRESSURE_IO},
	{1 * MS, PG_F_THROTTLED, 0, 1, PG_GUARD_THROTTLED},
	{1 * MS, PG_F_THERMAL, 0, 1, PG_GUARD_THERMAL},
	{1 * MS, PG_F_SWAPPED, 0, 1, PG_GUARD_SWAP},
};
#define LIMITS ((int)(sizeof(limits) / sizeof(limits[0])))

START_TEST(fired)
{
	struct pg_outcome o;

	make(&o, limits[_i].wall_ns);
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 2), 0);
	o.facts[limits[_i].fact] = limits[_i].quiet;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 2), 0);
	o.facts[limits[_i].fact] = limits[_i].fires;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 2), limits[_i].bit);
}
END_TEST

START_TEST(fired_not)
{
	struct pg_outcome o;

	/* In a rep of less than 200 ms a tick of 10 ms says nothing. */
	make(&o, 199 * MS);
	o.facts[PG_F_STEAL] = o.facts[PG_F_OTHER_BUSY] = 19;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 2), 0);
	/* Of many CPUs it is a smaller share. */
	make(&o, 1000 * MS);
	o.facts[PG_F_OTHER_BUSY] = 11;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 3), 0);
	/* Interrupts and switches are told by a cell. */
	o.facts[PG_F_OTHER_BUSY] = PG_FACT_ABSENT;
	o.facts[PG_F_INTERRUPTS] = o.facts[PG_F_SOFTIRQS] = INT64_MAX;
	o.s[PG_E_INVOLUNTARY_SWITCHES].raw = 1000000;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 1), 0);
	/* Without a wall time nothing can be a share of it. */
	make(&o, 0);
	o.facts[PG_F_PSI_IO] = 1000;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 1), 0);
	o.n = 0;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 1), 0);
}
END_TEST

START_TEST(fired_others)
{
	struct pg_outcome o;

	make(&o, MS);
	o.s[PG_E_MAJOR_FAULTS].raw = 1;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 2), PG_GUARD_MAJOR_FAULTS);
	o.s[PG_E_MAJOR_FAULTS].missing = true;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 2), 0);
	o.facts[PG_F_FREQUENCY_START] = 3000000;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 2), 0); /* the other one is not known */
	o.facts[PG_F_FREQUENCY_END] = 2850000;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 2), 0);
	o.facts[PG_F_FREQUENCY_END] = 2849999;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 2), PG_GUARD_FREQUENCY);
	o.facts[PG_F_SWAPPED] = 1;
	ck_assert_uint_eq(pg_guards_fired(rows, &o, 2), PG_GUARD_FREQUENCY | PG_GUARD_SWAP);
	ck_assert_uint_eq(PG_GUARDS_REDO & (PG_GUARD_SWAP | PG_GUARD_PRESSURE_CPU), PG_GUARD_SWAP);
}
END_TEST

START_TEST(names)
{
	ck_assert_str_eq(pg_guard_name(0), "steal");
	ck_assert_str_eq(pg_guard_name(PG_GUARDS - 1), "swap");
	ck_assert_str_eq(pg_guard_name(PG_GUARDS), "unknown");
	for (unsigned i = 0; i < PG_GUARDS; i++)
		for (unsigned k = 0; k < i; k++)
			ck_assert_str_ne(pg_guard_name(i), pg_guard_name(k));
	ck_assert_int_eq(PG_GUARD_SWAP, 1 << (PG_GUARDS - 1));
}
END_TEST

PG_TEST_MAIN("engine_guards", ((const struct pg_test[]){
				      {ticks_and_pressure, 0},
				      {ticks_of_its_cpus, 4},
				      {ticks_unknown, 6},
				      {cpus_of_a_rep, 0},
				      {interrupts, 0},
				      {no_table, NO_TABLES},
				      {large_table, 0},
				      {heat_and_swap, 0},
				      {nothing_there, 0},
				      {fired, LIMITS},
				      {fired_not, 0},
				      {fired_others, 0},
				      {names, 0},
				      {NULL, 0},
			      }))
