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

static const char who[] = "ps -eo pcpu,pid,user,comm --sort=-pcpu | head";

static bool difference(int64_t before, int64_t after, double *out)
{
	if (before == PG_FACT_ABSENT || after == PG_FACT_ABSENT)
		return false;
	*out = after > before ? (double)(after - before) : 0;
	return true;
}

/* A share of time against its limit. */
static void share(struct pg_doctor *d, const char *name, int64_t before, int64_t after, double unit_ns, double all_ns,
		  double most, const char *why, const char *type)
{
	struct pg_finding *f = pg_doctor_add(d, name);
	double n, part;

	if (all_ns <= 0 || !difference(before, after, &n))
		return;
	part = n * unit_ns / all_ns;
	snprintf(f->here, sizeof(f->here), "%.1f %% of the time", 100 * part);
	if (part > most)
		pg_doctor_noisy(f, why, "%s", type);
	else
		pg_doctor_fine(f);
}

/* Something that should not happen at all. */
static void events(struct pg_doctor *d, const char *name, int64_t before, int64_t after, const char *what,
		   const char *why, const char *type)
{
	struct pg_finding *f = pg_doctor_add(d, name);
	double n;

	if (!difference(before, after, &n))
		return;
	snprintf(f->here, sizeof(f->here), "%.0f %s", n, what);
	if (n > 0)
		pg_doctor_noisy(f, why, "%s", type);
	else
		pg_doctor_fine(f);
}

static void interrupts(struct pg_doctor *d, const struct pg_reading *a, const struct pg_reading *b, double ns)
{
	struct pg_finding *f = pg_doctor_add(d, "interrupts");
	double n;

	if (ns <= 0 || !difference(a->interrupts, b->interrupts, &n))
		return;
	snprintf(f->here, sizeof(f->here), "%.0f a second", n / (ns * 1e-9));
	pg_doctor_fine(f); /* what is many is known only from a run: reps with three times its median are flagged */
}

static void judge(struct pg_doctor *d, const struct pg_reading *a, const struct pg_reading *b, double ns)
{
	double all = ns * (double)pg_cpuset_count(&d->topo->allowed);

	share(d, "steal", a->steal, b->steal, TICK_NS, all, PG_GUARD_STEAL_MAX,
	      "the hypervisor gives this CPU to others while reps run",
	      "# ask for dedicated CPUs; until then compare live, with `variants`");
	share(d, "load", a->busy, b->busy, TICK_NS, all, PG_GUARD_LOAD_MAX, "others run on the CPUs that are measured",
	      who);
	share(d, "pressure-cpu", a->psi_cpu, b->psi_cpu, US_NS, ns, PG_GUARD_PSI_CPU_MAX, "tasks wait for a CPU", who);
	share(d, "pressure-memory", a->psi_mem, b->psi_mem, US_NS, ns, PG_GUARD_PSI_MEM_MAX, "tasks wait for memory",
	      "ps -eo rss,pid,user,comm --sort=-rss | head");
	share(d, "pressure-io", a->psi_io, b->psi_io, US_NS, ns, PG_GUARD_PSI_IO_MAX, "tasks wait for input and output",
	      "ps -eo stat,pid,user,comm | grep ^D");
	events(d, "throttled", a->throttled, b->throttled, "us", "the CPU quota of the control group is used up",
	       "# see cpu-quota");
	events(d, "swap", a->swapped, b->swapped, "pages", "memory goes to the disk and back", "sudo swapoff -a");
	events(d, "thermal", a->thermal, b->thermal, "times", "the CPU is slowed down because it is hot",
	       "# let it cool down, and give reps a `pause`");
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
