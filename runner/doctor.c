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
#define QUOTA_TEXT 128

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

/* The first of two rounds shows what was since the machine started. */
const char pg_doctor_who[] = "top -b -n 2 -d 1 | awk '/^top/ { n++ } n == 2' | head -n 20";

struct pg_finding *pg_doctor_add(struct pg_doctor *d, const char *name, const char *unknown)
{
	struct pg_finding *f = &d->v[d->n < PG_FINDINGS ? d->n++ : PG_FINDINGS - 1];

	memset(f, 0, sizeof(*f));
	f->name = name;
	f->why = unknown;
	f->state = PG_NOISE_UNKNOWN;
	return f;
}

void pg_doctor_fine(struct pg_finding *f)
{
	f->state = PG_NOISE_NONE;
	f->why = "";
}

void pg_doctor_noisy(struct pg_finding *f, const char *why, const char *command, ...)
{
	va_list ap;

	f->state = PG_NOISE_FOUND;
	f->why = why;
	va_start(ap, command);
	vsnprintf(f->command, sizeof(f->command), command, ap);
	va_end(ap);
}

void pg_doctor_undo(struct pg_finding *f, const char *command, ...)
{
	va_list ap;

	va_start(ap, command);
	vsnprintf(f->undo, sizeof(f->undo), command, ap);
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
	struct pg_finding *f = pg_doctor_add(d, "clock-source", "no clock source in /sys");
	char all[256];

	if (!here(d, f, CLOCK_DIR "/current_clocksource"))
		return;
	if (strcmp(f->here, "tsc") == 0 || strcmp(f->here, "arch_sys_counter") == 0) {
		pg_doctor_fine(f);
		return;
	}
	if (!pg_doctor_read(d, CLOCK_DIR "/available_clocksource", all, sizeof(all)) || !has_word(all, "tsc")) {
		pg_doctor_note(f,
			       "not the CPU's own counter, which this kernel does not offer: nothing to change. Cells "
			       "carry the flag `clock`; what lasts as long as the first line says is timed well all "
			       "the same");
		return;
	}
	pg_doctor_noisy(f, "reads cost more than those of the CPU's own counter, and may step",
			"echo tsc | sudo tee " CLOCK_DIR "/current_clocksource");
	pg_doctor_undo(f, "echo %s | sudo tee " CLOCK_DIR "/current_clocksource", f->here);
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
	struct pg_finding *f = pg_doctor_add(
		d, "governor", "no cpufreq in /sys: the frequency is not this system's to set, as in most guests");

	if (!of_cpus(d, "cpufreq/scaling_governor", f->here, sizeof(f->here)))
		return;
	if (strcmp(f->here, "performance") == 0) {
		pg_doctor_fine(f);
		return;
	}
	pg_doctor_noisy(f, "the CPU's frequency follows the load, and the first reps pay for it",
			"echo performance | sudo tee " CPU_DIR "/cpu*/cpufreq/scaling_governor");
	/* One for all can be put back in one line. */
	if (!strchr(f->here, ' '))
		pg_doctor_undo(f, "echo %s | sudo tee " CPU_DIR "/cpu*/cpufreq/scaling_governor", f->here);
}

static void turbo(struct pg_doctor *d)
{
	static const char intel[] = CPU_DIR "/intel_pstate/no_turbo", other[] = CPU_DIR "/cpufreq/boost";
	static const char why[] = "the frequency depends on heat and on what the other cores do";
	struct pg_finding *f = pg_doctor_add(d, "turbo", "no switch for it in /sys, as in most guests");
	const char *path = other, *on = "1";
	char v[16];

	if (pg_doctor_read(d, intel, v, sizeof(v))) {
		path = intel;
		on = "0";
	} else if (!pg_doctor_read(d, other, v, sizeof(v))) {
		return;
	}
	snprintf(f->here, sizeof(f->here), "%s", v[0] == *on ? "on" : "off");
	if (v[0] != *on) {
		pg_doctor_fine(f);
		return;
	}
	pg_doctor_noisy(f, why, "echo %s | sudo tee %s", *on == '0' ? "1" : "0", path);
	pg_doctor_undo(f, "echo %s | sudo tee %s", on, path);
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
	struct pg_finding *f = pg_doctor_add(d, "smt", "no smt in /sys");
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
		pg_doctor_undo(f, "echo on | sudo tee " CPU_DIR "/smt/control");
	} else {
		snprintf(f->here, sizeof(f->here), "%s",
			 v[0] == '1' ? "on, one thread of each core is allowed" : "off");
		pg_doctor_fine(f);
	}
	pg_str_release(&firsts);
}

static void allowed_cpus(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "cpus", "");
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
	struct pg_finding *f = pg_doctor_add(d, name, "the kernel was built without it");

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
	const char *name, *path, *quiet, *why;
	const char *before, *after; /* what stands around the value in the line that sets it */
};

static void setting(struct pg_doctor *d, const struct setting *s)
{
	struct pg_finding *f = pg_doctor_add(d, s->name, "the kernel was built without it, or hides it here");

	if (!here(d, f, s->path))
		return;
	if (strcmp(f->here, s->quiet) == 0) {
		pg_doctor_fine(f);
		return;
	}
	pg_doctor_noisy(f, s->why, "%s%s%s", s->before, s->quiet, s->after);
	pg_doctor_undo(f, "%s%s%s", s->before, f->here, s->after);
}

static void settings(struct pg_doctor *d)
{
	static const struct setting rows[] = {
		{"aslr", "/proc/sys/kernel/randomize_va_space", "2",
		 "one address-space layout for all reps: its luck looks like a result",
		 "sudo sysctl kernel.randomize_va_space=", ""},
		{"nmi-watchdog", "/proc/sys/kernel/nmi_watchdog", "0",
		 "interrupts every CPU now and then, and holds a hardware counter",
		 "sudo sysctl kernel.nmi_watchdog=", ""},
		{"ksm", "/sys/kernel/mm/ksm/run", "0", "merges pages in the background, and the next write pays for it",
		 "echo ", " | sudo tee /sys/kernel/mm/ksm/run"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		setting(d, &rows[i]);
}

static void numa_balancing(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "numa-balancing", "the kernel was built without it");

	if (!here(d, f, "/proc/sys/kernel/numa_balancing"))
		return;
	if (f->here[0] == '0' || d->topo->domain[PG_DOMAIN_NODE].n < 2) {
		pg_doctor_fine(f);
		return;
	}
	pg_doctor_noisy(f, "moves pages and tasks between nodes while a rep runs",
			"sudo sysctl kernel.numa_balancing=0");
	pg_doctor_undo(f, "sudo sysctl kernel.numa_balancing=%s", f->here);
}

static void huge_pages(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "huge-pages", "the kernel was built without them");
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
	struct pg_finding *f = pg_doctor_add(d, "mitigations", "no /proc/cmdline");
	char line[4096];

	if (!pg_doctor_read(d, "/proc/cmdline", line, sizeof(line)))
		return;
	snprintf(f->here, sizeof(f->here), "%s", has_word(line, "mitigations=off") ? "off" : "as the kernel chose");
	pg_doctor_note(f, "system calls and switches cost what they decide: compare only machines that agree");
}

static void hypervisor(struct pg_doctor *d)
{
	struct pg_finding *f = pg_doctor_add(d, "virtual-machine", "no /proc/cpuinfo");
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
	struct pg_finding *f = pg_doctor_add(d, "load-average", "no /proc/loadavg");
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
		pg_doctor_noisy(f, "others were at work in the last minute", "%s", pg_doctor_who);
	else
		pg_doctor_fine(f);
}

/* ---- quota of the control group ---- */

/* CPUs that the quota of one group allows, 0 = no quota there; *text is what the file holds. */
static double quota_of(const char *dir, bool v1, char text[QUOTA_TEXT])
{
	char path[PG_CGROUP_PATH + 32], more[QUOTA_TEXT];
	long long quota, period;

	snprintf(path, sizeof(path), "%s/%s", dir, v1 ? "cpu.cfs_quota_us" : "cpu.max");
	if (pg_read_small(path, text, QUOTA_TEXT) != 0)
		return 0;
	text[strcspn(text, "\n")] = '\0';
	quota = strtoll(text, NULL, 10);
	if (v1) {
		snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", dir);
		if (pg_read_small(path, more, sizeof(more)) != 0)
			return 0;
		period = strtoll(more, NULL, 10);
	} else {
		const char *blank = strchr(text, ' ');

		period = blank ? strtoll(blank, NULL, 10) : 0;
	}
	return quota > 0 && period > 0 ? (double)quota / (double)period : 0;
}

struct quota {
	double cpus; /* 0 = none */
	char dir[PG_CGROUP_PATH], text[QUOTA_TEXT];
};

/* The least quota of a group and those above it, up to the mount point. */
static void least_quota(struct pg_cgroup_place *p, bool v1, struct quota *least)
{
	char text[QUOTA_TEXT];

	while (strlen(p->own) >= strlen(p->mount)) {
		double q = quota_of(p->own, v1, text);
		char *slash = strrchr(p->own, '/');

		if (q > 0 && (least->cpus <= 0 || q < least->cpus)) {
			least->cpus = q;
			snprintf(least->dir, sizeof(least->dir), "%s", p->own);
			snprintf(least->text, sizeof(least->text), "%s", text);
		}
		if (!slash)
			break;
		*slash = '\0';
	}
}

static void quota(struct pg_doctor *d)
{
	static const char *const controllers[] = {NULL, "cpu"};
	struct pg_finding *f = pg_doctor_add(d, "cpu-quota", "no control group of CPUs can be seen");
	struct pg_cgroup_place place;
	struct quota least = {0};
	bool known = false, v1 = false;
	const char *file;

	for (int i = 0; i < 2 && least.cpus <= 0; i++) {
		v1 = controllers[i];
		if (pg_cgroup_locate(d->root, controllers[i], &place) != 0)
			continue;
		known = true;
		least_quota(&place, v1, &least);
	}
	if (!known)
		return;
	if (least.cpus <= 0) {
		snprintf(f->here, sizeof(f->here), "none");
		pg_doctor_fine(f);
		return;
	}
	snprintf(f->here, sizeof(f->here), "%.3g CPUs", least.cpus);
	if (least.cpus >= (double)pg_cpuset_count(&d->topo->allowed)) {
		pg_doctor_note(f, "more tasks than that are stopped until the next period");
		return;
	}
	file = v1 ? "cpu.cfs_quota_us" : "cpu.max";
	pg_doctor_noisy(f, "tasks are stopped until the next period when its share is used up",
			"echo %s | sudo tee %.400s/%s", v1 ? "-1" : "max", least.dir, file);
	pg_doctor_undo(f, "echo %s | sudo tee %.300s/%s", least.text, least.dir, file);
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
