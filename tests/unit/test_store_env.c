/* SPDX-License-Identifier: GPL-2.0-or-later */
/* env.json: from a made-up machine, from one without any file, and never the environment's variables. */
#include <fcntl.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/err.h"
#include "store/json.h"
#include "store/store_inside.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

static const char text[] = "perfgrid: 1\nname: kit\nsweeps:\n  - {name: s, suite: noop}\n";

static void put(const struct kit *k, const char *path, const char *content)
{
	char full[256], *p;
	FILE *f;

	snprintf(full, sizeof(full), "%s/root%s", k->top, path);
	for (p = full + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0777);
		*p = '/';
	}
	f = fopen(full, "w");
	ck_assert_ptr_nonnull(f);
	fputs(content, f);
	fclose(f);
}

static struct json_t *load(const struct kit *k)
{
	char *s = kit_file(k, "env.json");
	struct pg_err err;
	struct json_t *j;

	ck_assert_ptr_nonnull(s);
	j = pg_json_parse(s, strlen(s), &err);
	ck_assert_msg(j != NULL, "%s", err.msg);
	free(s);
	return j;
}

static const char *in(const struct json_t *j, const char *section, const char *key)
{
	const char *s = pg_json_text(pg_json_get(j, section), key);

	return s ? s : "(null)";
}

START_TEST(made_up)
{
	struct kit k;
	struct json_t *j;
	const struct json_t *memory, *m;
	char root[96];
	int64_t v;

	kit_init(&k, text);
	snprintf(root, sizeof(root), "%.60s/root", k.top);
	k.opts.root = root;
	put(&k, "/proc/sys/kernel/hostname", "lab7\n");
	put(&k, "/proc/sys/kernel/osrelease", "6.1.0-test\n");
	put(&k, "/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
	put(&k, "/proc/cpuinfo",
	    "processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\nmicrocode\t: 0x12\nflags\t\t: fpu sse\nprocessor\t: 1\n"
	    "model name\t: Other\n");
	put(&k, "/proc/loadavg", "0.52 1.58 20.59 3/1033 12345\n");
	put(&k, "/sys/devices/system/cpu/smt/active", "1\n");
	put(&k, "/proc/meminfo", "MemTotal:       2048 kB\nMemAvailable:   1024 kB\nSwapTotal:   0 kB\n");
	put(&k, "/sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
	put(&k, "/sys/devices/system/cpu/vulnerabilities/l1tf", "Not affected\n");
	put(&k, "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n");
	put(&k, "/sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave\n");
	put(&k, "/sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "performance\n");
	put(&k, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	put(&k, "/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet \n");
	put(&k, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	put(&k, "/proc/self/cgroup", "1:cpu:/old\n0::/user.slice/run\n");
	put(&k, "/sys/fs/cgroup/user.slice/run/cpu.max", "50000 100000\n");
	kit_create(&k);
	j = load(&k);
	ck_assert_str_eq(pg_json_text(j, "host"), "lab7");
	ck_assert_str_eq(pg_json_text(j, "boot"), "11111111-2222-3333-4444-555555555555");
	ck_assert_str_eq(in(j, "kernel", "release"), "6.1.0-test");
	ck_assert_str_eq(in(j, "kernel", "version"), "(null)");
	ck_assert_str_eq(pg_json_text(j, "load_average"), "0.52 1.58 20.59");
	ck_assert_str_eq(pg_json_text(j, "hypervisor"), "none");
	ck_assert_str_eq(in(j, "cpu", "smt_active"), "1");
	ck_assert_str_eq(in(j, "cpu", "model"), "Fast CPU @ 3 GHz");
	ck_assert_str_eq(in(j, "cpu", "microcode"), "0x12");
	ck_assert_str_eq(in(j, "cpu", "governor"), "performance powersave");
	ck_assert_str_eq(in(j, "cpu", "boost"), "(null)");
	m = pg_json_get(pg_json_get(j, "cpu"), "mitigations");
	ck_assert_str_eq(pg_json_text(m, "meltdown"), "Mitigation: PTI");
	ck_assert_str_eq(pg_json_text(m, "l1tf"), "Not affected");
	memory = pg_json_get(j, "memory");
	ck_assert(pg_json_int(memory, "total_bytes", &v) && v == 2048 * 1024);
	ck_assert(pg_json_int(memory, "swap_bytes", &v) && v == 0);
	ck_assert_str_eq(in(j, "memory", "transparent_huge_pages"), "madvise");
	ck_assert_str_eq(in(j, "clock", "source"), "CLOCK_MONOTONIC_RAW");
	ck_assert_str_eq(in(j, "clock", "clocksource"), "tsc");
	ck_assert_str_eq(in(j, "clock", "available"), "tsc hpet");
	ck_assert_str_eq(in(j, "cgroup", "path"), "/user.slice/run");
	ck_assert_str_eq(in(j, "cgroup", "cpu.max"), "50000 100000");
	ck_assert(pg_json_is_null(pg_json_get(pg_json_get(j, "cgroup"), "memory.max")));
	ck_assert(pg_json_int(pg_json_get(j, "limits"), "descriptors", &v) && v > 0);
	pg_json_free(j);
	kit_has(&k, "run.json", "\"host\": \"lab7\"");
	kit_has(&k, "run.json", "\"boot\": \"11111111-2222-3333-4444-555555555555\"");
	kit_has(&k, "journal.jsonl", "{\"session\":1,\"boot\":\"11111111-2222-3333-4444-555555555555\"");
	kit_end(&k);
}
END_TEST

/* Virtual CPUs, the groups of before version 2. */
START_TEST(guest)
{
	struct kit k;
	struct json_t *j;
	char root[96];

	kit_init(&k, text);
	snprintf(root, sizeof(root), "%.60s/root", k.top);
	k.opts.root = root;
	put(&k, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor sse\n");
	put(&k, "/sys/class/dmi/id/sys_vendor", "QEMU\n");
	put(&k, "/proc/loadavg", "0.5\n");
	put(&k, "/proc/self/cgroup", "2:cpu,cpuacct:/box\n");
	put(&k, "/proc/self/mountinfo", "31 30 0:28 / /cg/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n");
	put(&k, "/cg/cpu/box/cpu.cfs_quota_us", "50000\n");
	put(&k, "/cg/cpu/box/cpu.cfs_period_us", "100000\n");
	kit_create(&k);
	j = load(&k);
	ck_assert_str_eq(pg_json_text(j, "hypervisor"), "QEMU");
	ck_assert_str_eq(pg_json_text(j, "load_average"), "0.5");
	ck_assert_str_eq(in(j, "cgroup", "cpu.max"), "50000 100000");
	ck_assert(pg_json_is_null(pg_json_get(pg_json_get(j, "cgroup"), "path")));
	pg_json_free(j);
	kit_end(&k);
}
END_TEST

START_TEST(layout)
{
	static const struct {
		const char *drawn;
		bool own, one;
	} rows[] = {{NULL, false, false},
		    {"2\n", false, false},
		    {"1\n", false, true},
		    {"0\n", false, true},
		    {"2\n", true, true}};
	const unsigned long now = (unsigned long)personality(0xffffffffUL);
	char root[96];
	struct kit k;
	int dirfd;

	kit_init(&k, text);
	snprintf(root, sizeof(root), "%.60s/root", k.top);
	k.opts.root = root;
	if (rows[_i].drawn)
		put(&k, "/proc/sys/kernel/randomize_va_space", rows[_i].drawn);
	/* As `setarch -R` and its opposite would: of this process, which may itself run under either. */
	if (personality(rows[_i].own ? now | ADDR_NO_RANDOMIZE : now & ~(unsigned long)ADDR_NO_RANDOMIZE) < 0) {
		kit_end(&k); /* not allowed here, as in some containers */
		return;
	}
	kit_create(&k);
	ck_assert_int_ge(personality(now), 0);
	dirfd = open(k.run, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(dirfd, 0);
	ck_assert(pg_env_one_layout(dirfd) == rows[_i].one);
	ck_assert_int_eq(unlinkat(dirfd, "env.json", 0), 0);
	ck_assert(!pg_env_one_layout(dirfd));
	close(dirfd);
	kit_end(&k);
}
END_TEST

/* What all numbers of a run are under: the machine words are 8 CPUs, 4 cores. */
START_TEST(settings)
{
	static const struct {
		const char *path, *content, *want;
	} rows[] = {
		{"/proc/loadavg", "4.00 9.0 9.0 1/1 1\n", ""},
		{"/proc/loadavg", "4.50 0.1 0.1 1/1 1\n", "load average 4.5 on 8 CPUs"},
		{"/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n", ""},
		{"/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n", "governor powersave"},
		{"/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n", "turbo on"},
		{"/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n", ""},
		{"/sys/devices/system/cpu/cpufreq/boost", "1\n", "turbo on"},
		{"/sys/devices/system/cpu/cpufreq/boost", "0\n", ""},
		{"/sys/devices/system/cpu/smt/active", "1\n", "several threads of a core"},
		{"/sys/devices/system/cpu/smt/active", "0\n", ""},
		{"/sys/fs/cgroup/box/cpu.max", "750000 100000\n", "CPU quota 7.5 of 8"},
		{"/sys/fs/cgroup/box/cpu.max", "800000 100000\n", ""},
		{"/sys/fs/cgroup/box/cpu.max", "max 100000\n", ""},
		{NULL, NULL,
		 "governor ondemand, turbo on, several threads of a core, CPU quota 0.5 of 8, load average 9 on 8 "
		 "CPUs"},
	};
	struct pg_str out;
	char root[96];
	struct kit k;

	kit_init(&k, text);
	snprintf(root, sizeof(root), "%.60s/root", k.top);
	k.opts.root = root;
	put(&k, "/proc/self/cgroup", "0::/box\n");
	if (rows[_i].path) {
		put(&k, rows[_i].path, rows[_i].content);
	} else {
		put(&k, "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "ondemand\n");
		put(&k, "/sys/devices/system/cpu/cpufreq/boost", "1\n");
		put(&k, "/sys/devices/system/cpu/smt/active", "1\n");
		put(&k, "/sys/fs/cgroup/box/cpu.max", "50000 100000\n");
		put(&k, "/proc/loadavg", "9 1 1 1/1 1\n");
	}
	kit_create(&k);
	pg_str_init(&out);
	pg_env_settings(k.store, &out);
	ck_assert_str_eq(pg_str_text(&out), rows[_i].want);
	pg_str_reset(&out);
	ck_assert_int_eq(unlinkat(k.store->dirfd, "env.json", 0), 0);
	pg_env_settings(k.store, &out);
	ck_assert_str_eq(pg_str_text(&out), "");
	pg_str_release(&out);
	kit_end(&k);
}
END_TEST

/* What was written about the clock comes back; an older run directory has nothing. */
START_TEST(clock_figures)
{
	struct pg_env_clock c;
	struct json_t *j;
	int64_t batch, ppm;
	struct kit k;
	FILE *f;
	int dirfd;

	kit_init(&k, text);
	pg_clock_plain = _i == 1;
	kit_create(&k);
	pg_clock_plain = false;
	j = load(&k);
	ck_assert_str_eq(in(j, "clock", "source"), _i ? "CLOCK_MONOTONIC" : "CLOCK_MONOTONIC_RAW");
	ck_assert(pg_json_int(pg_json_get(j, "clock"), "batch_ns", &batch) && batch >= 1000000);
	ck_assert(pg_json_int(pg_json_get(j, "clock"), "overhead_ppm", &ppm) && ppm >= 0 && ppm <= 1000);
	pg_json_free(j);
	dirfd = open(k.run, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(dirfd, 0);
	memset(&c, 0, sizeof(c));
	ck_assert(pg_env_clock(dirfd, &c));
	ck_assert_int_gt(c.figures.step_ns, 0);
	ck_assert_int_ge(c.figures.res_ns, c.figures.step_ns);
	ck_assert_int_eq(unlinkat(dirfd, "env.json", 0), 0);
	ck_assert(!pg_env_clock(dirfd, &c));
	f = fdopen(openat(dirfd, "env.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0644), "w");
	ck_assert_ptr_nonnull(f);
	fputs("{\"clock\": {\"source\": \"tsc\"}}\n", f);
	fclose(f);
	ck_assert(!pg_env_clock(dirfd, &c));
	close(dirfd);
	kit_end(&k);
}
END_TEST

START_TEST(nothing_there)
{
	struct kit k;
	struct json_t *j;

	kit_init(&k, text);
	k.opts.root = "/nowhere";
	kit_create(&k);
	j = load(&k);
	ck_assert(pg_json_is_null(pg_json_get(j, "host")));
	ck_assert(pg_json_is_null(pg_json_get(pg_json_get(j, "cpu"), "mitigations")));
	ck_assert(pg_json_is_null(pg_json_get(pg_json_get(j, "memory"), "total_bytes")));
	ck_assert(pg_json_is_null(pg_json_get(pg_json_get(j, "cgroup"), "path")));
	pg_json_free(j);
	kit_end(&k);
}
END_TEST

/* Bytes that are no text, and a variable that nobody should read in a run directory. */
START_TEST(allow_list)
{
	struct kit k;
	struct json_t *j;
	char *s, root[96];

	setenv("PG_TEST_SECRET", "hunter2", 1);
	kit_init(&k, text);
	snprintf(root, sizeof(root), "%.60s/root", k.top);
	k.opts.root = root;
	put(&k, "/proc/sys/kernel/hostname", "a\xff\x01\"b\n");
	put(&k, "/proc/cmdline", "password=hunter2\n");
	put(&k, "/proc/self/environ", "PG_TEST_SECRET=hunter2\n");
	kit_create(&k);
	j = load(&k);
	ck_assert_str_eq(pg_json_text(j, "host"), "a\xef\xbf\xbd\x01\"b");
	pg_json_free(j);
	s = kit_file(&k, "env.json");
	ck_assert_ptr_null(strstr(s, "hunter2"));
	free(s);
	kit_end(&k);
}
END_TEST

PG_TEST_MAIN("store_env", ((const struct pg_test[]){
				  {made_up, 0},
				  {guest, 0},
				  {clock_figures, 2},
				  {layout, 5},
				  {settings, 14},
				  {nothing_there, 0},
				  {allow_list, 0},
				  {NULL, 0},
			  }))
