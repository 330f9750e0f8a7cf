/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts per cell. Interrupts are judged against the median of the whole run: they are kept, 12 bytes a rep that
 * has them.
 */
#include "store/guard_share.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "engine/rounds.h"
#include "plan/plan.h"
#include "stats/stats.h"

#define TICK_NS		 1e7
#define INTERRUPTS_TIMES 3.0 /* the median */
#define INTERRUPTS_MORE	 5.0 /* and so many: where the median is 0, or a rep short, a single one says nothing */
#define INTERRUPTS_LEAST 10  /* reps that make a median */
#define SWITCHES_TIMES	 1.5 /* the median */
#define SWITCHES_MORE	 5.0
#define FIRST_CAP	 256

enum { STEAL, LOAD, PSI_CPU, PSI_MEM, PSI_IO, SWITCHES, MAJOR_FAULTS, THROTTLED, THERMAL, FREQUENCY, INTERRUPTS, SWAP };

_Static_assert(1 << SWAP == PG_GUARD_SWAP && SWAP + 1 == PG_GUARDS, "guards by number");

struct count {
	uint32_t cell;
	float n, s; /* of interrupts; of wall time */
};

struct pg_guard_shares {
	const struct pg_plan *plan;
	struct pg_cell_buf *buf; /* NULL = not yet needed */
	struct pg_guard_cell *cell;
	size_t n_cells;
	unsigned cpus;
	struct count *counts;
	size_t n_counts, cap, settled; /* settled: counts that `usual` was made from */
	double usual;		       /* interrupts a second: the median; HUGE_VAL = not known */
};

int pg_guard_shares_new(const struct pg_plan *p, struct pg_guard_shares **out, struct pg_err *err)
{
	struct pg_guard_shares *g = calloc(1, sizeof(*g));

	if (!g)
		return pg_fail_nomem(err);
	g->plan = p;
	g->n_cells = pg_plan_cells(p);
	g->cpus = 1;
	g->usual = HUGE_VAL;
	g->cell = pg_big_alloc((g->n_cells + 1) * sizeof(*g->cell));
	if (!g->cell) {
		free(g);
		return pg_fail_nomem(err);
	}
	*out = g;
	return 0;
}

void pg_guard_shares_cpus(struct pg_guard_shares *g, uint64_t cpus)
{
	g->cpus = cpus > 0 && cpus <= UINT32_MAX ? (unsigned)cpus : 1;
}

void pg_guard_shares_free(struct pg_guard_shares *g)
{
	if (!g)
		return;
	pg_cell_buf_free(g->buf);
	pg_big_free(g->cell, (g->n_cells + 1) * sizeof(*g->cell));
	pg_big_free(g->counts, g->cap * sizeof(*g->counts));
	free(g);
}

/* How many CPUs the ticks of a cell are of: the plan is asked once, and only where there are ticks. */
static int learn_cpus(struct pg_guard_shares *g, size_t index, const struct pg_outcome *o, struct pg_err *err)
{
	struct pg_guard_cell *c = &g->cell[index];

	if (c->cpus > 0 || (o->facts[PG_F_STEAL] == PG_FACT_ABSENT && o->facts[PG_F_OTHER_BUSY] == PG_FACT_ABSENT))
		return 0;
	if (!g->buf)
		g->buf = pg_cell_buf_new(g->plan);
	if (!g->buf)
		return pg_fail_nomem(err);
	c->cpus = pg_guards_cpus(pg_plan_cell(g->plan, index, g->buf)->keys, g->cpus);
	return 0;
}

/* Interrupts and softirqs of a rep; false = not known. */
static bool interrupts(const struct pg_outcome *o, int64_t wall_ns, struct count *out)
{
	int64_t hard = o->facts[PG_F_INTERRUPTS], soft = o->facts[PG_F_SOFTIRQS], sum = 0;

	if (wall_ns <= 0 || (hard == PG_FACT_ABSENT && soft == PG_FACT_ABSENT))
		return false;
	sum += hard == PG_FACT_ABSENT ? 0 : hard;
	sum += soft == PG_FACT_ABSENT ? 0 : soft;
	out->n = (float)sum;
	out->s = (float)((double)wall_ns * 1e-9);
	return true;
}

/* Of what is usual in the run, in the same time. */
static bool many_interrupts(const struct pg_guard_shares *g, const struct count *c)
{
	return (double)c->n > INTERRUPTS_TIMES * g->usual * (double)c->s + INTERRUPTS_MORE;
}

/* Bits of the guards that can be told of a rep. */
static unsigned known(const struct pg_sweep *sw, const struct pg_outcome *o, int64_t wall_ns)
{
	static const struct {
		unsigned bits;
		enum pg_fact fact;
	} rows[] = {
		{PG_GUARD_STEAL, PG_F_STEAL},	       {PG_GUARD_LOAD, PG_F_OTHER_BUSY},
		{PG_GUARD_PRESSURE_CPU, PG_F_PSI_CPU}, {PG_GUARD_PRESSURE_MEMORY, PG_F_PSI_MEM},
		{PG_GUARD_PRESSURE_IO, PG_F_PSI_IO},   {PG_GUARD_THROTTLED, PG_F_THROTTLED},
		{PG_GUARD_THERMAL, PG_F_THERMAL},      {PG_GUARD_FREQUENCY, PG_F_FREQUENCY_END},
		{PG_GUARD_SWAP, PG_F_SWAPPED},
	};
	unsigned bits = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (o->facts[rows[i].fact] != PG_FACT_ABSENT)
			bits |= rows[i].bits;
	if (pg_engine_raw(sw->metrics, o, PG_E_MAJOR_FAULTS) != PG_FACT_ABSENT)
		bits |= PG_GUARD_MAJOR_FAULTS;
	if (wall_ns < PG_GUARD_TICKS_MIN_NS)
		bits &= ~(unsigned)(PG_GUARD_STEAL | PG_GUARD_LOAD);
	if (wall_ns <= 0)
		bits &= ~(unsigned)(PG_GUARD_PRESSURE_CPU | PG_GUARD_PRESSURE_MEMORY | PG_GUARD_PRESSURE_IO);
	return bits;
}

static int keep_count(struct pg_guard_shares *g, const struct count *c, struct pg_err *err)
{
	size_t cap = g->cap ? 2 * g->cap : FIRST_CAP;

	if (g->n_counts == g->cap) {
		if (!pg_big_column(&g->counts, g->cap, cap, sizeof(*g->counts)))
			return pg_fail_nomem(err);
		g->cap = cap;
	}
	g->counts[g->n_counts++] = *c;
	return 0;
}

static void add_ticks(int64_t fact, int64_t wall_ns, uint32_t *ticks, int64_t *span_ns)
{
	if (fact == PG_FACT_ABSENT || wall_ns <= 0 || wall_ns >= PG_GUARD_TICKS_MIN_NS)
		return;
	*ticks += fact > 0 ? (uint32_t)fact : 0;
	*span_ns += wall_ns;
}

static void take_extremes(struct pg_guard_cell *c, int64_t loops, int64_t batch_ns)
{
	if (loops > 0) {
		if (c->loops_max == 0 || loops < c->loops_min)
			c->loops_min = loops;
		if (loops > c->loops_max)
			c->loops_max = loops;
	}
	if (batch_ns > 0 && (c->batch_ns == 0 || batch_ns < c->batch_ns))
		c->batch_ns = batch_ns;
}

int pg_guard_shares_rep(struct pg_guard_shares *g, size_t index, const struct pg_sweep *sw,
			const struct pg_rep_record *r, struct pg_err *err)
{
	struct pg_guard_cell *c = &g->cell[index];
	const struct pg_outcome *o = r->out;
	struct count count = {.cell = (uint32_t)index};
	unsigned told, fired;
	int64_t wall_ns;

	if (learn_cpus(g, index, o, err) < 0)
		return -1;
	if (r->warmup || r->disturbed || o->status != PG_ST_OK)
		return 0;
	wall_ns = pg_engine_raw(sw->metrics, o, PG_E_WALL_TIME);
	told = known(sw, o, wall_ns);
	fired = pg_guards_fired(sw->metrics, o, c->cpus);
	for (unsigned bit = 0; bit < PG_GUARDS; bit++) {
		c->known[bit] += told >> bit & 1;
		c->fired[bit] += (told & fired) >> bit & 1;
	}
	add_ticks(o->facts[PG_F_STEAL], wall_ns, &c->steal_ticks, &c->steal_ns);
	add_ticks(o->facts[PG_F_OTHER_BUSY], wall_ns, &c->load_ticks, &c->load_ns);
	take_extremes(c, o->facts[PG_F_LOOPS], o->facts[PG_F_BATCH_TIME]);
	return interrupts(o, wall_ns, &count) ? keep_count(g, &count, err) : 0;
}

int pg_guard_shares_settle(struct pg_guard_shares *g, struct pg_err *err)
{
	double *sorted;

	if (g->settled == g->n_counts || g->n_counts < INTERRUPTS_LEAST)
		return 0;
	sorted = malloc(g->n_counts * sizeof(*sorted));
	if (!sorted)
		return pg_fail_nomem(err);
	for (size_t i = 0; i < g->n_counts; i++) {
		struct pg_guard_cell *c = &g->cell[g->counts[i].cell];

		sorted[i] = (double)g->counts[i].n / (double)g->counts[i].s;
		c->known[INTERRUPTS] = c->fired[INTERRUPTS] = 0;
	}
	pg_sort(sorted, g->n_counts);
	g->usual = pg_median(sorted, g->n_counts);
	g->settled = g->n_counts;
	free(sorted);
	for (size_t i = 0; i < g->n_counts; i++) {
		struct pg_guard_cell *c = &g->cell[g->counts[i].cell];

		c->known[INTERRUPTS]++;
		c->fired[INTERRUPTS] += many_interrupts(g, &g->counts[i]);
	}
	return 0;
}

const struct pg_guard_cell *pg_guard_shares_cell(const struct pg_guard_shares *g, size_t index)
{
	return &g->cell[index];
}

unsigned pg_guard_shares_fired(const struct pg_guard_shares *g, size_t index, const struct pg_sweep *sw,
			       const struct pg_outcome *o)
{
	unsigned fired = pg_guards_fired(sw->metrics, o, g->cell[index].cpus);
	struct count c;

	if (interrupts(o, pg_engine_raw(sw->metrics, o, PG_E_WALL_TIME), &c) && many_interrupts(g, &c))
		fired |= PG_GUARD_INTERRUPTS;
	return fired;
}

/* Share of the CPU time that ticks say was lost, where reps were short and long enough together. */
static bool by_ticks(const struct pg_guard_cell *c, uint32_t ticks, int64_t span_ns, double most, double *share)
{
	if (span_ns < PG_GUARD_TICKS_MIN_NS)
		return false;
	*share = fmin(1, ticks * TICK_NS / ((double)span_ns * c->cpus));
	return *share > most;
}

bool pg_guard_shares_of(const struct pg_guard_shares *g, size_t index, unsigned bit, double *share)
{
	const struct pg_guard_cell *c = &g->cell[index];

	if (c->fired[bit] > 0) {
		*share = (double)c->fired[bit] / c->known[bit];
		return true;
	}
	if (bit == STEAL)
		return by_ticks(c, c->steal_ticks, c->steal_ns, PG_GUARD_STEAL_MAX, share);
	if (bit == LOAD)
		return by_ticks(c, c->load_ticks, c->load_ns, PG_GUARD_LOAD_MAX, share);
	return false;
}

double pg_guard_switches_limit(double median)
{
	return SWITCHES_TIMES * median + SWITCHES_MORE;
}
