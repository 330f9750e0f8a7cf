/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `doctor` on made-up machines: what it finds, what it says against it, what it cannot read; and the closing lines of a
 * run, which point to it.
 */
#include <string.h>

#include "base/str.h"
#include "runner/doctor.h"
#include "tests/support/fake_root.h"
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

#define CPU   "sys/devices/system/cpu"
#define CLOCK "sys/devices/system/clocksource/clocksource0"

struct machine {
	char root[FAKE_ROOT];
	struct pg_topo topo;
	struct pg_doctor d;
};

/* Two cores of two threads, all allowed. */
static void make(struct machine *m)
{
	struct pg_cpuset allowed;
	struct pg_err err;

	memset(m, 0, sizeof(*m));
	fr_make(m->root);
	fr_put(m->root, CPU "/online", "0-3\n");
	for (int c = 0; c < 4; c++) {
		char path[128], text[16];

		snprintf(path, sizeof(path), CPU "/cpu%d/topology/core_id", c);
		snprintf(text, sizeof(text), "%d\n", c / 2);
		fr_put(m->root, path, text);
		snprintf(path, sizeof(path), CPU "/cpu%d/topology/physical_package_id", c);
		fr_put(m->root, path, "0\n");
		snprintf(path, sizeof(path), CPU "/cpu%d/topology/thread_siblings_list", c);
		fr_put(m->root, path, c < 2 ? "0-1\n" : "2-3\n");
	}
	pg_cpuset_init(&allowed);
	ck_assert_int_eq(pg_cpulist_parse("0-3", 3, &allowed, NULL, &err), 0);
	ck_assert_int_eq(pg_topo_load(m->root, &allowed, &m->topo, &err), 0);
	pg_cpuset_release(&allowed);
	m->d.root = m->root;
	m->d.topo = &m->topo;
}

static void drop(struct machine *m)
{
	pg_topo_release(&m->topo);
	fr_remove(m->root);
}

static const struct pg_finding *find(const struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->d.n; i++)
		if (strcmp(m->d.v[i].name, name) == 0)
			return &m->d.v[i];
	ck_abort_msg("nothing is said of %s", name);
	return NULL;
}

static void is(const struct machine *m, const char *name, enum pg_noise state, const char *here, const char *command)
{
	const struct pg_finding *f = find(m, name);

	ck_assert_msg(f->state == state, "%s is %s: %s", name, pg_noise_name(f->state), f->here);
	if (here)
		ck_assert_str_eq(f->here, here);
	if (command)
		ck_assert_msg(strstr(f->command, command) != NULL, "%s: %s", name, f->command);
	ck_assert_int_eq(state == PG_NOISE_FOUND, f->command[0] != '\0');
	ck_assert_int_eq(state != PG_NOISE_NONE, f->why[0] != '\0');
	ck_assert(state == PG_NOISE_FOUND || f->undo[0] == '\0');
	ck_assert(state != PG_NOISE_UNKNOWN || f->here[0] == '\0');
}

static void undone(const struct machine *m, const char *name, const char *undo)
{
	ck_assert_str_eq(find(m, name)->undo, undo);
}

/* Of a machine without any file nothing is claimed. */
START_TEST(nothing_known)
{
	struct machine m;

	make(&m);
	pg_doctor_settings(&m.d);
	for (size_t i = 0; i < m.d.n; i++)
		if (strcmp(m.d.v[i].name, "cpus") != 0)
			is(&m, m.d.v[i].name, PG_NOISE_UNKNOWN, "", "");
	is(&m, "cpus", PG_NOISE_NONE, "0-3 of 4", "");
	drop(&m);
}
END_TEST

START_TEST(quiet)
{
	struct machine m;

	make(&m);
	fr_put(m.root, CLOCK "/current_clocksource", "tsc\n");
	for (int c = 0; c < 4; c++) {
		char path[128];

		snprintf(path, sizeof(path), CPU "/cpu%d/cpufreq/scaling_governor", c);
		fr_put(m.root, path, "performance\n");
	}
	fr_put(m.root, CPU "/intel_pstate/no_turbo", "1\n");
	fr_put(m.root, CPU "/smt/active", "0\n");
	fr_put(m.root, CPU "/isolated", "\n");
	fr_put(m.root, "proc/sys/kernel/randomize_va_space", "2\n");
	fr_put(m.root, "proc/sys/kernel/nmi_watchdog", "0\n");
	fr_put(m.root, "proc/sys/kernel/numa_balancing", "1\n"); /* one node: nothing to balance */
	fr_put(m.root, "sys/kernel/mm/ksm/run", "0\n");
	fr_put(m.root, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	fr_put(m.root, "proc/loadavg", "1.99 3.00 4.00 1/100 4242\n");
	fr_put(m.root, "proc/cpuinfo", "flags\t\t: fpu vme tsc\n");
	pg_doctor_settings(&m.d);
	is(&m, "clock-source", PG_NOISE_NONE, "tsc", "");
	is(&m, "governor", PG_NOISE_NONE, "performance", "");
	is(&m, "turbo", PG_NOISE_NONE, "off", "");
	is(&m, "smt", PG_NOISE_NONE, "off", "");
	is(&m, "isolated-cpus", PG_NOISE_NONE, "none", "");
	is(&m, "tickless-cpus", PG_NOISE_UNKNOWN, "", "");
	is(&m, "aslr", PG_NOISE_NONE, "2", "");
	is(&m, "nmi-watchdog", PG_NOISE_NONE, "0", "");
	is(&m, "numa-balancing", PG_NOISE_NONE, "1", "");
	is(&m, "ksm", PG_NOISE_NONE, "0", "");
	is(&m, "huge-pages", PG_NOISE_NONE, "madvise", "");
	is(&m, "load-average", PG_NOISE_NONE, "1.99 on 4 CPUs", "");
	is(&m, "virtual-machine", PG_NOISE_NONE, "no", "");
	drop(&m);
}
END_TEST

START_TEST(noisy)
{
	struct machine m;

	make(&m);
	fr_put(m.root, CLOCK "/current_clocksource", "hpet\n");
	fr_put(m.root, CLOCK "/available_clocksource", "tsc hpet acpi_pm \n");
	fr_put(m.root, CPU "/cpu0/cpufreq/scaling_governor", "performance\n");
	fr_put(m.root, CPU "/cpu1/cpufreq/scaling_governor", "powersave\n");
	fr_put(m.root, CPU "/cpu2/cpufreq/scaling_governor", "powersave\n");
	fr_put(m.root, CPU "/cpufreq/boost", "1\n");
	fr_put(m.root, CPU "/smt/active", "1\n");
	fr_put(m.root, CPU "/isolated", "2-3\n");
	fr_put(m.root, "proc/sys/kernel/randomize_va_space", "0\n");
	fr_put(m.root, "proc/sys/kernel/nmi_watchdog", "1\n");
	fr_put(m.root, "sys/kernel/mm/ksm/run", "1\n");
	fr_put(m.root, "sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
	fr_put(m.root, "proc/loadavg", "2.01 3.00 4.00 1/100 4242\n");
	fr_put(m.root, "proc/cpuinfo", "flags\t\t: fpu vme hypervisor tsc\n");
	fr_put(m.root, "proc/cmdline", "ro quiet mitigations=off\n");
	pg_doctor_settings(&m.d);
	is(&m, "clock-source", PG_NOISE_FOUND, "hpet", "echo tsc | sudo tee /" CLOCK "/current_clocksource");
	is(&m, "governor", PG_NOISE_FOUND, "performance powersave", "echo performance | sudo tee");
	is(&m, "turbo", PG_NOISE_FOUND, "on", "echo 0 | sudo tee /" CPU "/cpufreq/boost");
	is(&m, "smt", PG_NOISE_FOUND, NULL, "pin: \"0,2\"");
	is(&m, "isolated-cpus", PG_NOISE_NOTE, "2-3", "");
	is(&m, "aslr", PG_NOISE_FOUND, "0", "sudo sysctl kernel.randomize_va_space=2");
	is(&m, "nmi-watchdog", PG_NOISE_FOUND, "1", "sudo sysctl kernel.nmi_watchdog=0");
	is(&m, "ksm", PG_NOISE_FOUND, "1", "echo 0 | sudo tee /sys/kernel/mm/ksm/run");
	is(&m, "huge-pages", PG_NOISE_NOTE, "always", "");
	is(&m, "load-average", PG_NOISE_FOUND, "2.01 on 4 CPUs", "top -b -n 2");
	is(&m, "virtual-machine", PG_NOISE_NOTE, "yes", "");
	is(&m, "mitigations", PG_NOISE_NOTE, "off", "");
	undone(&m, "clock-source", "echo hpet | sudo tee /" CLOCK "/current_clocksource");
	undone(&m, "governor", ""); /* two of them */
	undone(&m, "turbo", "echo 1 | sudo tee /" CPU "/cpufreq/boost");
	undone(&m, "smt", "echo on | sudo tee /" CPU "/smt/control");
	undone(&m, "aslr", "sudo sysctl kernel.randomize_va_space=0");
	undone(&m, "nmi-watchdog", "sudo sysctl kernel.nmi_watchdog=1");
	undone(&m, "ksm", "echo 1 | sudo tee /sys/kernel/mm/ksm/run");
	undone(&m, "load-average", "");
	drop(&m);
}
END_TEST

/* A clock source that is slow, and no other is offered: nothing to type. */
START_TEST(clock_of_a_guest)
{
	struct machine m;

	make(&m);
	fr_put(m.root, CLOCK "/current_clocksource", "kvm-clock\n");
	fr_put(m.root, CLOCK "/available_clocksource", "kvm-clock \n");
	pg_doctor_settings(&m.d);
	is(&m, "clock-source", PG_NOISE_NOTE, "kvm-clock", "");
	drop(&m);
}
END_TEST

/* Two threads a core, one of each allowed. */
START_TEST(one_thread_of_each_core)
{
	struct machine m;
	struct pg_cpuset allowed;
	struct pg_err err;

	make(&m);
	pg_topo_release(&m.topo);
	pg_cpuset_init(&allowed);
	ck_assert_int_eq(pg_cpulist_parse("1,2", 3, &allowed, NULL, &err), 0);
	ck_assert_int_eq(pg_topo_load(m.root, &allowed, &m.topo, &err), 0);
	pg_cpuset_release(&allowed);
	fr_put(m.root, CPU "/smt/active", "1\n");
	pg_doctor_settings(&m.d);
	is(&m, "smt", PG_NOISE_NONE, NULL, "");
	is(&m, "cpus", PG_NOISE_NONE, "1-2 of 4", "");
	drop(&m);
}
END_TEST

/* The least quota on the way up counts. */
START_TEST(quotas)
{
	static const struct {
		const char *own, *above, *here;
		enum pg_noise state;
		const char *command, *undo, *at;
	} rows[] = {
		{"max 100000\n", "max 100000\n", "none", PG_NOISE_NONE, "", "", ""},
		{"max 100000\n", "150000 100000\n", "1.5 CPUs", PG_NOISE_FOUND, "echo max | sudo tee ",
		 "echo 150000 100000 | sudo tee ", "/sys/fs/cgroup/a/cpu.max"},
		{"50000 100000\n", "150000 100000\n", "0.5 CPUs", PG_NOISE_FOUND, "echo max | sudo tee ",
		 "echo 50000 100000 | sudo tee ", "/sys/fs/cgroup/a/b/cpu.max"},
		{"800000 100000\n", "max 100000\n", "8 CPUs", PG_NOISE_NOTE, "", "", ""},
	};
	struct machine m;

	make(&m);
	fr_put(m.root, "proc/self/cgroup", "0::/a/b\n");
	fr_put(m.root, "proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n");
	fr_put(m.root, "sys/fs/cgroup/a/cpu.max", rows[_i].above);
	fr_put(m.root, "sys/fs/cgroup/a/b/cpu.max", rows[_i].own);
	pg_doctor_settings(&m.d);
	is(&m, "cpu-quota", rows[_i].state, rows[_i].here, rows[_i].command);
	is(&m, "cpu-quota", rows[_i].state, rows[_i].here, rows[_i].at);
	ck_assert_ptr_nonnull(strstr(find(&m, "cpu-quota")->undo, rows[_i].undo));
	ck_assert_ptr_nonnull(strstr(find(&m, "cpu-quota")->undo, rows[_i].at));
	drop(&m);
}
END_TEST

/* ---- a second of watching ---- */

static struct machine *asleep; /* whose files change while the doctor sleeps */

static void put_counters(const struct machine *m, long busy, long steal, long cpu_us, long swaps, long hot)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 %ld 0 0 1000 0 0 0 70 0 0\ncpu1 0 0 0 1000 0 0 0 %ld 0 0\n"
		 "cpu2 5 0 0 0 0 0 0 0 0 0\ncpu3 5 0 0 0 0 0 0 0 0 0\ncpu4 %ld 0 0 0 0 0 0 %ld 0 0\n",
		 5000 + busy, 70 + steal, 9 * busy, 9 * busy);
	fr_put(m->root, "proc/stat", text);
	snprintf(text, sizeof(text), "     CPU0   CPU1   CPU2   CPU3\n 24:  %ld 0 7 0  IO-APIC  ACPI:Ged\n",
		 1000 + busy);
	fr_put(m->root, "proc/interrupts", text);
	snprintf(text, sizeof(text), "some avg10=0.00 avg60=0.00 avg300=0.00 total=%ld\n", 123 + cpu_us);
	fr_put(m->root, "proc/pressure/cpu", text);
	snprintf(text, sizeof(text), "nr_free_pages 1\npswpin %ld\npswpout 2\n", swaps);
	fr_put(m->root, "proc/vmstat", text);
	snprintf(text, sizeof(text), "%ld\n", hot);
	fr_put(m->root, CPU "/cpu2/thermal_throttle/core_throttle_count", text);
}

static void sleep_noisily(void *ctx, int64_t ns)
{
	put_counters(asleep, 40, 9, 300000, 4, 7);
	fake_sleep(ctx, ns);
}

static void sleep_quietly(void *ctx, int64_t ns)
{
	put_counters(asleep, 2, 0, 100, 0, 3);
	fake_sleep(ctx, ns);
}

START_TEST(watching)
{
	struct fake_world f;
	struct machine m;

	make(&m);
	fake_world_open(&f);
	asleep = &m;
	put_counters(&m, 0, 0, 0, 0, 3);
	f.clock.sleep = _i ? sleep_noisily : sleep_quietly;
	pg_doctor_watch(&m.d, &f.world, 1000000000);
	if (_i) {
		is(&m, "steal", PG_NOISE_FOUND, "2.2 % of the time", "# ");
		is(&m, "load", PG_NOISE_FOUND, "10.0 % of the time", "top -b");
		is(&m, "pressure-cpu", PG_NOISE_FOUND, "30.0 % of the time", "top -b");
		is(&m, "swap", PG_NOISE_FOUND, "4 pages", "swapoff");
		is(&m, "thermal", PG_NOISE_FOUND, "4 times", "# ");
		is(&m, "interrupts", PG_NOISE_NOTE, "40 a second", "");
		undone(&m, "swap", "sudo swapon -a");
	} else {
		is(&m, "steal", PG_NOISE_NONE, "0.0 % of the time", "");
		is(&m, "load", PG_NOISE_NONE, "0.5 % of the time", "");
		is(&m, "pressure-cpu", PG_NOISE_NONE, "0.0 % of the time", "");
		is(&m, "swap", PG_NOISE_NONE, "0 pages", "");
		is(&m, "thermal", PG_NOISE_NONE, "0 times", "");
	}
	is(&m, "pressure-io", PG_NOISE_UNKNOWN, "", "");
	is(&m, "throttled", PG_NOISE_UNKNOWN, "", "");
	fake_world_close(&f);
	drop(&m);
}
END_TEST

/* ---- the command ---- */

START_TEST(command)
{
	struct fake_world f;
	struct machine m;

	make(&m);
	fake_world_open(&f);
	f.world.root = m.root;
	fr_put(m.root, "proc/sys/kernel/nmi_watchdog", "1\n");
	fr_put(m.root, CLOCK "/current_clocksource", "tsc\n");
	if (_i) {
		ck_assert_int_eq(CLI(&f, "doctor", "--json"), 0);
		expect("out", f.out,
		       "\"name\": \"nmi-watchdog\",\n      \"state\": \"noisy\",\n      \"here\": \"1\",");
		expect("out", f.out,
		       "\"command\": \"sudo sysctl kernel.nmi_watchdog=0\",\n      \"undo\": \"sudo sysctl "
		       "kernel.nmi_watchdog=1\"");
		expect("out", f.out, "\"noisy\": 1,");
		expect("out", f.out, "\"clock\": {\n    \"source\": ");
	} else {
		ck_assert_int_eq(CLI(&f, "doctor"), 0);
		expect("out", f.out, "ok     clock-source");
		expect("out", f.out, "noisy  nmi-watchdog");
		expect("out", f.out, "n/a    governor         no cpufreq in /sys: ");
		expect("out", f.out, "noisy, and what to type (settings last until the next boot):\n  nmi-watchdog: ");
		expect("out", f.out,
		       "\n      sudo sysctl kernel.nmi_watchdog=0\n      undo: sudo sysctl kernel.nmi_watchdog=1\n");
		expect("out", f.out, "\n1 noisy, ");
		expect("out", f.out, " n/a\nnext: perfgrid doctor --self-check ");
		expect("out", f.out, "clock: ");
	}
	expect("err", f.err, "");
	fake_world_close(&f);
	drop(&m);
}
END_TEST

/* What one line helps against stands together, and the line once. */
START_TEST(advice_once)
{
	struct fake_world f;
	struct machine m;
	const char *first;

	make(&m);
	fake_world_open(&f);
	f.world.root = m.root;
	asleep = &m;
	put_counters(&m, 0, 0, 0, 0, 3);
	fr_put(m.root, "proc/loadavg", "9999.00 3.00 4.00 1/100 4242\n");
	f.clock.sleep = sleep_noisily;
	ck_assert_int_eq(CLI(&f, "doctor"), 0);
	first = strstr(f.out, "top -b");
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_null(strstr(first + 1, "top -b"));
	expect("out", f.out, "\n  pressure-cpu: tasks wait for a CPU\n      top -b");
	expect("out", f.out, "\n  load-average: others were at work in the last minute\n  load: ");
	fake_world_close(&f);
	drop(&m);
}
END_TEST

/* ---- the end of a run ---- */

/* Slower and slower; the second cell now and then twenty times as slow. */
static int restless(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	(void)err;
	for (size_t i = 0; i < out->n; i++)
		if (job->cell->metrics[out->s[i].metric].unit == PG_U_S)
			out->s[i].raw += f->reps * 7919 % 997 + (job->cell->index == 0 ? f->reps * 10000 : 0);
	if (job->cell->index == 1 && job->rep % 3 == 0)
		for (size_t i = 0; i < out->n; i++)
			if (job->cell->metrics[out->s[i].metric].unit == PG_U_S)
				out->s[i].raw *= 20;
	return 0;
}

START_TEST(closing)
{
	struct fake_world f;

	enter(&f);
	f.world.root = f.dir; /* a machine of which nothing is known */
	f.answer = restless;
	if (_i) {
		ck_assert_int_eq(CLI(&f, "run", "-q", "--repeat", "20", "a.yaml"), 0);
		expect("err", f.err, "");
	} else {
		ck_assert_int_eq(CLI(&f, "run", "--repeat", "20", "a.yaml"), 0);
		expect("err", f.err, "  drift: 1 cell, s first=1, +");
		expect("err", f.err, " % over its reps: the machine had not settled; wait, or raise `warmup`\n");
		expect("err", f.err, "  bimodal: 1 cell, s first=2, 14 at 1");
		expect("err", f.err, " ns, 6 at 20");
		expect("err", f.err, " ns: two modes: ");
		expect("err", f.err, "  one-layout: 2 cells, such as s first=1: all reps have one memory layout");
		ck_assert_ptr_null(strstr(f.err, "clock: "));
		ck_assert_ptr_null(strstr(f.err, "n1: "));
	}
	leave(&f);
}
END_TEST

PG_TEST_MAIN("runner_doctor", ((const struct pg_test[]){
				      {nothing_known, 0},
				      {quiet, 0},
				      {noisy, 0},
				      {clock_of_a_guest, 0},
				      {one_thread_of_each_core, 0},
				      {quotas, 4},
				      {watching, 2},
				      {command, 2},
				      {advice_once, 0},
				      {closing, 2},
				      {NULL, 0},
			      }))
