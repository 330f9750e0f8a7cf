/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What others do to this machine, watched for a moment: the same figures and limits as around a rep. */
#include "runner/doctor.h"

#include <stdio.h>

#include "base/clock.h"
#include "engine/guards.h"
#include "model/result.h"
#include "runner/world.h"

#define TICK_NS 1e7
#define US_NS	1e3

static bool difference(int64_t before, int64_t after, double *out)
{
	if (before == PG_FACT_ABSENT || after == PG_FACT_ABSENT)
		return false;
	*out = after > before ? (double)(after - before) : 0;
	return true;
}

/* A share of time, in which there are so many units, against its limit. */
static void share(struct pg_finding *f, int64_t before, int64_t after, double units, double most, const char *why,
		  const char *command)
{
	double n, part;

	if (units <= 0 || !difference(before, after, &n))
		return;
	part = n / units;
	snprintf(f->here, sizeof(f->here), "%.1f %% of the time", 100 * part);
	if (part > most)
		pg_doctor_noisy(f, why, "%s", command);
	else
		pg_doctor_fine(f);
}

/* Something that should not happen at all. */
static void events(struct pg_finding *f, int64_t before, int64_t after, const char *what, const char *why,
		   const char *command)
{
	double n;

	if (!difference(before, after, &n))
		return;
	snprintf(f->here, sizeof(f->here), "%.0f %s", n, what);
	if (n > 0)
		pg_doctor_noisy(f, why, "%s", command);
	else
		pg_doctor_fine(f);
}

static void interrupts(struct pg_doctor *d, const struct pg_reading *a, const struct pg_reading *b, double ns)
{
	struct pg_finding *f =
		pg_doctor_add(d, "interrupts", "no /proc/interrupts, or one that is too large to be read");
	double n;

	if (ns <= 0 || !difference(a->interrupts, b->interrupts, &n))
		return;
	snprintf(f->here, sizeof(f->here), "%.0f a second", n / (ns * 1e-9));
	pg_doctor_note(
		f, "what is many only a run can tell: reps with three times its median carry the flag `interrupts`");
}

/* Time that others took. */
static void shares(struct pg_doctor *d, const struct pg_reading *a, const struct pg_reading *b, double ns)
{
	static const char no_stat[] = "no /proc/stat";
	static const char no_psi[] = "no /proc/pressure: a kernel without it, or started without psi=1";
	double ticks = ns * (double)pg_cpuset_count(&d->topo->allowed) / TICK_NS, us = ns / US_NS;

	share(pg_doctor_add(d, "steal", no_stat), a->steal, b->steal, ticks, PG_GUARD_STEAL_MAX,
	      "the hypervisor gives this CPU to others while reps run",
	      "# ask for dedicated CPUs; until then compare live, with `variants`");
	share(pg_doctor_add(d, "load", no_stat), a->busy, b->busy, ticks, PG_GUARD_LOAD_MAX,
	      "others run on the CPUs that are measured", pg_doctor_who);
	share(pg_doctor_add(d, "pressure-cpu", no_psi), a->psi_cpu, b->psi_cpu, us, PG_GUARD_PSI_CPU_MAX,
	      "tasks wait for a CPU", pg_doctor_who);
	share(pg_doctor_add(d, "pressure-memory", no_psi), a->psi_mem, b->psi_mem, us, PG_GUARD_PSI_MEM_MAX,
	      "tasks wait for memory", "ps -eo rss,pid,user,comm --sort=-rss | head");
	share(pg_doctor_add(d, "pressure-io", no_psi), a->psi_io, b->psi_io, us, PG_GUARD_PSI_IO_MAX,
	      "tasks wait for input and output", "ps -eo stat,pid,user,comm | grep ^D");
}

static void judge(struct pg_doctor *d, const struct pg_reading *a, const struct pg_reading *b, double ns)
{
	struct pg_finding *swap;

	shares(d, a, b, ns);
	events(pg_doctor_add(d, "throttled", "the control group does not count it"), a->throttled, b->throttled, "us",
	       "the CPU quota of the control group is used up", "# see cpu-quota");
	swap = pg_doctor_add(d, "swap", "no /proc/vmstat");
	events(swap, a->swapped, b->swapped, "pages", "memory goes to the disk and back", "sudo swapoff -a");
	if (swap->state == PG_NOISE_FOUND)
		pg_doctor_undo(swap, "sudo swapon -a");
	events(pg_doctor_add(d, "thermal", "the CPU's count cannot be seen, as in most guests"), a->thermal, b->thermal,
	       "times", "the CPU is slowed down because it is hot", "# let it cool down, and give reps a `pause`");
	interrupts(d, a, b, ns);
}

void pg_doctor_watch(struct pg_doctor *d, const struct pg_world *w, int64_t ns)
{
	const struct pg_clock *clock = w->clock;
	struct pg_reading before, after;
	struct pg_guards g;
	int64_t start;

	pg_guards_open(&g, d->root, d->topo);
	pg_guards_read(&g, NULL, NULL, &before);
	start = clock->mono(clock->ctx);
	clock->sleep(clock->ctx, ns);
	pg_guards_read(&g, NULL, NULL, &after);
	judge(d, &before, &after, (double)pg_since(clock->mono(clock->ctx), start));
	pg_guards_close(&g);
}
