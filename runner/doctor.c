/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of this machine that move numbers. */
#include "runner/doctor.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "engine/cgroup.h"
#include "store/fileio.h"

#define CPU_DIR	   "/sys/devices/system/cpu"
#define CLOCK_DIR  "/sys/devices/system/clocksource/clocksource0"
#define LOAD_LIMIT 0.5 /* running tasks a CPU */

const char *pg_noise_name(enum pg_noise n)
{
	static const char *const names[] = {
		[PG_NOISE_NONE] = "ok",
		[PG_NOISE_FOUND] = "noisy",
		[PG_NOISE_NOTE] = "note",
		[PG_NOISE_UNKNOWN] = "n/a",
	};

	return names[n];
}

struct pg_finding *pg_doctor_add(struct pg_doctor *d, const char *name)
{
	struct pg_finding *f = &d->v[d->n < PG_FINDINGS ? d->n++ : PG_FINDINGS - 1];

	memset(f, 0, sizeof(*f));
	f->name = name;
	f->why = "";
	f->state = PG_NOISE_UNKNOWN;
	return f;
}

void pg_doctor_fine(struct pg_finding *f)
{
	f->state = PG_NOISE_NONE;
}

void pg_doctor_noisy(struct pg_finding *f, const char *why, const char *type, ...)
{
	va_list ap;

	f->state = PG_NOISE_FOUND;
	f->why = why;
	va_start(ap, type);
	vsnprintf(f->type, sizeof(f->type), type, ap);
	va_end(ap);
}

void pg_doctor_note(struct pg_finding *f, const char *why)
{
	f->state = PG_NOISE_NOTE;
	f->why = why;
}

bool pg_doctor_read(const struct pg_doctor *d, const char *path, char *buf, size_t n)
{
	struct pg_str text;
	bool there;

	pg_str_init(&text);
	there = pg_sys_get(d->root, path, &text);
	if (there) {
		size_t len = strcspn(pg_str_text(&text), "\n");

		while (len && (text.s[len - 1] == ' ' || text.s[len - 1] == '\t'))
			len--;
		snprintf(buf, n, "%.*s", (int)(len < n ? len : n - 1), pg_str_text(&text));
	}
	pg_str_release(&text);
	return there;
}

static bool here(const struct pg_doctor *d, struct pg_finding *f, const char *path)
{
	return pg_doctor_read(d, path, f->here, sizeof(f->here));
}

/* Is `word` one of the blank-separated words of text? */
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p += n)
		if ((p == text || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
			return true;
	return false;
}

/* ---- time ---- */

static void clock_source(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "clock-source");
	char all[256];

	if (!here(d, f, CLOCK_DIR "/current_clocksource"))
		return;
	if (strcmp(f->here, "tsc") == 0 || strcmp(f->here, "arch_sys_counter") == 0) {
		pg_doctor_fine(f);
		return;
	}
	if (pg_doctor_read(d, CLOCK_DIR "/available_clocksource", all, sizeof(all)) && has_word(all, "tsc"))
		pg_doctor_noisy(f, "reads cost more than those of the CPU's own counter, and may step",
				"echo tsc | sudo tee " CLOCK_DIR "/current_clocksource");
	else
		pg_doctor_note(f, "not the CPU's own counter, which is not offered here: cells carry the flag `clock`");
}

/* ---- frequency and threads of a core ---- */

/* The distinct contents of cpuN/FILE over the allowed CPUs, blank-separated. */
static bool of_cpus(const struct pg_doctor *d, const char *file, char *out, size_t n)
{
	out[0] = '\0';
	for (int c = -1; (c = pg_cpuset_next(&d->topo->allowed, c)) >= 0;) {
		char path[128], one[64];
		size_t len = strlen(out);

		snprintf(path, sizeof(path), CPU_DIR "/cpu%d/%s", c, file);
		if (pg_doctor_read(d, path, one, sizeof(one)) && one[0] && !has_word(out, one))
			snprintf(out + len, n - len, "%s%s", len ? " " : "", one);
	}
	return out[0];
}

static void governor(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "governor");

	if (!of_cpus(d, "cpufreq/scaling_governor", f->here, sizeof(f->here)))
		return;
	if (strcmp(f->here, "performance") == 0)
		pg_doctor_fine(f);
	else
		pg_doctor_noisy(f, "the CPU's frequency follows the load, and the first reps pay for it",
				"echo performance | sudo tee " CPU_DIR "/cpu*/cpufreq/scaling_governor");
}

static void turbo(struct pg_doctor *d)
{
	static const char intel[] = CPU_DIR "/intel_pstate/no_turbo", other[] = CPU_DIR "/cpufreq/boost";
	static const char why[] = "the frequency depends on heat and on what the other cores do";
	struct pg_finding *f = pg_doctor_add(d, "turbo");
	char v[16];

	if (pg_doctor_read(d, intel, v, sizeof(v))) {
		snprintf(f->here, sizeof(f->here), "%s", v[0] == '0' ? "on" : "off");
		if (v[0] == '0')
			pg_doctor_noisy(f, why, "echo 1 | sudo tee %s", intel);
		else
			pg_doctor_fine(f);
	} else if (pg_doctor_read(d, other, v, sizeof(v))) {
		snprintf(f->here, sizeof(f->here), "%s", v[0] == '1' ? "on" : "off");
		if (v[0] == '1')
			pg_doctor_noisy(f, why, "echo 0 | sudo tee %s", other);
		else
			pg_doctor_fine(f);
	}
}

/* Two allowed CPUs on one core, and the first of each core as a list. */
static bool shared_cores(const struct pg_doctor *d, struct pg_str *firsts)
{
	size_t cores = d->topo->domain[PG_DOMAIN_CORE].n;
	struct pg_cpuset first;
	bool shared = false;

	pg_cpuset_init(&first);
	for (size_t i = 0; i < cores; i++) {
		const struct pg_cpuset *core = &d->topo->domain[PG_DOMAIN_CORE].sets[i];

		shared = shared || pg_cpuset_count(core) > 1;
		pg_cpuset_add(&first, (unsigned)pg_cpuset_next(core, -1));
	}
	pg_cpulist_format(&first, firsts);
	pg_cpuset_release(&first);
	return shared;
}

static void smt(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "smt");
	struct pg_str firsts;
	char v[16];

	if (!pg_doctor_read(d, CPU_DIR "/smt/active", v, sizeof(v)))
		return;
	pg_str_init(&firsts);
	if (v[0] == '1' && shared_cores(d, &firsts)) {
		snprintf(f->here, sizeof(f->here), "on, and both threads of a core are allowed");
		pg_doctor_noisy(f, "two threads of a core share its units: who runs beside a rep decides its speed",
				"echo off | sudo tee " CPU_DIR "/smt/control   # or in the scenario: pin: \"%s\"",
				pg_str_text(&firsts));
	} else {
		snprintf(f->here, sizeof(f->here), "%s",
			 v[0] == '1' ? "on, one thread of each core is allowed" : "off");
		pg_doctor_fine(f);
	}
	pg_str_release(&firsts);
}

static void allowed_cpus(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "cpus");
	struct pg_str list;

	pg_str_init(&list);
	pg_cpulist_format(&d->topo->allowed, &list);
	snprintf(f->here, sizeof(f->here), "%s of %zu", pg_str_text(&list), pg_cpuset_count(&d->topo->online));
	pg_str_release(&list);
	if (pg_cpuset_count(&d->topo->allowed) < 2)
		pg_doctor_note(f, "the runner and what it measures share one CPU");
	else
		pg_doctor_fine(f);
}

static void isolation(struct pg_doctor *d, const char *name, const char *path)
{
	struct pg_finding *f = pg_doctor_add(d, name);

	if (!here(d, f, path))
		return;
	if (f->here[0]) {
		pg_doctor_note(f, "these CPUs are measured only where a scenario pins to them");
	} else {
		snprintf(f->here, sizeof(f->here), "none");
		pg_doctor_fine(f);
	}
}

/* ---- kernel ---- */

/* A file that holds `quiet` on a quiet machine. */
struct setting {
	const char *name, *path, *quiet, *why, *type;
};

static void setting(struct pg_doctor *d, const struct setting *s)
{
	struct pg_finding *f = pg_doctor_add(d, s->name);

	if (!here(d, f, s->path))
		return;
	if (strcmp(f->here, s->quiet) == 0)
		pg_doctor_fine(f);
	else
		pg_doctor_noisy(f, s->why, "%s", s->type);
}

static void settings(struct pg_doctor *d)
{
	static const struct setting rows[] = {
		{"aslr", "/proc/sys/kernel/randomize_va_space", "2",
		 "one address-space layout for all reps: its luck looks like a result",
		 "sudo sysctl kernel.randomize_va_space=2"},
		{"nmi-watchdog", "/proc/sys/kernel/nmi_watchdog", "0",
		 "interrupts every CPU now and then, and holds a hardware counter",
		 "sudo sysctl kernel.nmi_watchdog=0"},
		{"ksm", "/sys/kernel/mm/ksm/run", "0", "merges pages in the background, and the next write pays for it",
		 "echo 0 | sudo tee /sys/kernel/mm/ksm/run"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		setting(d, &rows[i]);
}

static void numa_balancing(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "numa-balancing");

	if (!here(d, f, "/proc/sys/kernel/numa_balancing"))
		return;
	if (f->here[0] != '0' && d->topo->domain[PG_DOMAIN_NODE].n > 1)
		pg_doctor_noisy(f, "moves pages and tasks between nodes while a rep runs",
				"sudo sysctl kernel.numa_balancing=0");
	else
		pg_doctor_fine(f);
}

static void huge_pages(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "huge-pages");
	char all[128], *open, *close;

	if (!pg_doctor_read(d, "/sys/kernel/mm/transparent_hugepage/enabled", all, sizeof(all)))
		return;
	open = strchr(all, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return;
	snprintf(f->here, sizeof(f->here), "%.*s", (int)(close - open - 1), open + 1);
	if (strcmp(f->here, "always") == 0)
		pg_doctor_note(f, "buffers get huge pages as long as there are free ones: numbers of large buffers "
				  "depend on how the memory was used before");
	else
		pg_doctor_fine(f);
}

static void mitigations(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "mitigations");
	char line[4096];

	if (!pg_doctor_read(d, "/proc/cmdline", line, sizeof(line)))
		return;
	snprintf(f->here, sizeof(f->here), "%s", has_word(line, "mitigations=off") ? "off" : "as the kernel chose");
	pg_doctor_note(f, "system calls and switches cost what they decide: compare only machines that agree");
}

static void hypervisor(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "virtual-machine");
	struct pg_str text;

	pg_str_init(&text);
	if (pg_sys_get(d->root, "/proc/cpuinfo", &text)) {
		bool guest = strstr(pg_str_text(&text), " hypervisor") != NULL;

		snprintf(f->here, sizeof(f->here), "%s", guest ? "yes" : "no");
		if (guest)
			pg_doctor_note(
				f, "what its neighbours do is hidden but for `steal`: compare live, with `variants`");
		else
			pg_doctor_fine(f);
	}
	pg_str_release(&text);
}

static void load_average(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "load-average");
	size_t cpus = pg_cpuset_count(&d->topo->allowed);
	char line[128], *end;
	double load;

	if (!pg_doctor_read(d, "/proc/loadavg", line, sizeof(line)))
		return;
	load = strtod(line, &end);
	if (end == line)
		return;
	snprintf(f->here, sizeof(f->here), "%.2f on %zu CPU%s", load, cpus, cpus == 1 ? "" : "s");
	if (load > LOAD_LIMIT * (double)cpus)
		pg_doctor_noisy(f, "others were at work in the last minute",
				"ps -eo pcpu,pid,user,comm --sort=-pcpu | head");
	else
		pg_doctor_fine(f);
}

/* ---- quota of the control group ---- */

/* CPUs that the quota of one group allows, 0 = no quota there. */
static double quota_of(const char *dir, bool v1)
{
	char path[PG_CGROUP_PATH + 32], text[128];
	long long quota, period;

	snprintf(path, sizeof(path), "%s/%s", dir, v1 ? "cpu.cfs_quota_us" : "cpu.max");
	if (pg_read_small(path, text, sizeof(text)) != 0)
		return 0;
	quota = strtoll(text, NULL, 10);
	if (v1) {
		snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", dir);
		if (pg_read_small(path, text, sizeof(text)) != 0)
			return 0;
		period = strtoll(text, NULL, 10);
	} else {
		const char *blank = strchr(text, ' ');

		period = blank ? strtoll(blank, NULL, 10) : 0;
	}
	return quota > 0 && period > 0 ? (double)quota / (double)period : 0;
}

/* The least quota of a group and those above it, up to the mount point; *dir ends with the group that has it. */
static double least_quota(struct pg_cgroup_place *p, bool v1, char *dir, size_t n)
{
	double least = 0;

	while (strlen(p->own) >= strlen(p->mount)) {
		double q = quota_of(p->own, v1);
		char *slash = strrchr(p->own, '/');

		if (q > 0 && (least <= 0 || q < least)) {
			least = q;
			snprintf(dir, n, "%s", p->own);
		}
		if (!slash)
			break;
		*slash = '\0';
	}
	return least;
}

static void quota(struct pg_doctor *d)
{
	static const char *const controllers[] = {NULL, "cpu"};
	struct pg_finding *f = pg_doctor_add(d, "cpu-quota");
	struct pg_cgroup_place place;
	char dir[PG_CGROUP_PATH] = "";
	double least = 0;
	bool known = false, v1 = false;

	for (int i = 0; i < 2 && least <= 0; i++) {
		v1 = controllers[i];
		if (pg_cgroup_locate(d->root, controllers[i], &place) != 0)
			continue;
		known = true;
		least = least_quota(&place, v1, dir, sizeof(dir));
	}
	if (!known)
		return;
	if (least <= 0) {
		snprintf(f->here, sizeof(f->here), "none");
		pg_doctor_fine(f);
		return;
	}
	snprintf(f->here, sizeof(f->here), "%.3g CPUs", least);
	if (least >= (double)pg_cpuset_count(&d->topo->allowed))
		pg_doctor_note(f, "more tasks than that are stopped until the next period");
	else
		pg_doctor_noisy(f, "tasks are stopped until the next period when its share is used up",
				"echo %s | sudo tee %.440s/%s", v1 ? "-1" : "max", dir,
				v1 ? "cpu.cfs_quota_us" : "cpu.max");
}

void pg_doctor_settings(struct pg_doctor *d)
{
	clock_source(d);
	allowed_cpus(d);
	governor(d);
	turbo(d);
	smt(d);
	isolation(d, "isolated-cpus", CPU_DIR "/isolated");
	isolation(d, "tickless-cpus", CPU_DIR "/nohz_full");
	quota(d);
	hypervisor(d);
	settings(d);
	numa_balancing(d);
	huge_pages(d);
	mitigations(d);
	load_average(d);
}
