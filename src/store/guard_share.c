/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts per cell. Interrupts are judged against the median of the whole run: their rates are kept, 8 bytes a rep that
 * has one.
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
#define INTERRUPTS_LEAST 10  /* reps that make a median */
#define SWITCHES_TIMES	 1.5 /* the median */
#define SWITCHES_MORE	 5.0
#define FIRST_CAP	 256

enum { STEAL, LOAD, PSI_CPU, PSI_MEM, PSI_IO, SWITCHES, MAJOR_FAULTS, THROTTLED, THERMAL, FREQUENCY, INTERRUPTS, SWAP };

_Static_assert(1 << SWAP == PG_GUARD_SWAP && SWAP + 1 == PG_GUARDS, "guards by number");

struct rate {
	uint32_t cell;
	float per_s;
};

struct pg_guard_shares {
	struct pg_guard_cell *cell;
	size_t n_cells;
	unsigned cpus;
	struct rate *rates;
	size_t n_rates, cap, settled; /* settled: rates that limit was made from */
	double limit;		      /* interrupts a second above which the guard fires */
};

int pg_guard_shares_new(size_t n_cells, struct pg_guard_shares **out, struct pg_err *err)
{
	struct pg_guard_shares *g = calloc(1, sizeof(*g));

	if (!g)
		return pg_fail_nomem(err);
	g->n_cells = n_cells;
	g->cpus = 1;
	g->limit = HUGE_VAL;
	g->cell = pg_big_alloc((n_cells + 1) * sizeof(*g->cell));
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
	pg_big_free(g->cell, (g->n_cells + 1) * sizeof(*g->cell));
	pg_big_free(g->rates, g->cap * sizeof(*g->rates));
	free(g);
}

/* Raw number of a row that the engine measures; PG_FACT_ABSENT = not there. */
static int64_t engine_raw(const struct pg_sweep *sw, const struct pg_outcome *o, enum pg_engine_metric which)
{
	size_t row = sw->n_bench_metrics + (size_t)which;

	for (size_t i = 0; i < o->n && o->s[i].metric <= row; i++)
		if (o->s[i].metric == row)
			return o->s[i].missing ? PG_FACT_ABSENT : o->s[i].raw;
	return PG_FACT_ABSENT;
}

/* Interrupts and softirqs a second; NaN = not known. */
static double interrupts(const struct pg_outcome *o, int64_t wall_ns)
{
	int64_t hard = o->facts[PG_F_INTERRUPTS], soft = o->facts[PG_F_SOFTIRQS], sum = 0;

	if (wall_ns <= 0 || (hard == PG_FACT_ABSENT && soft == PG_FACT_ABSENT))
		return PG_NAN;
	sum += hard == PG_FACT_ABSENT ? 0 : hard;
	sum += soft == PG_FACT_ABSENT ? 0 : soft;
	return (double)sum / ((double)wall_ns * 1e-9);
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
	if (engine_raw(sw, o, PG_E_MAJOR_FAULTS) != PG_FACT_ABSENT)
		bits |= PG_GUARD_MAJOR_FAULTS;
	if (wall_ns < PG_GUARD_TICKS_MIN_NS)
		bits &= ~(unsigned)(PG_GUARD_STEAL | PG_GUARD_LOAD);
	if (wall_ns <= 0)
		bits &= ~(unsigned)(PG_GUARD_PRESSURE_CPU | PG_GUARD_PRESSURE_MEMORY | PG_GUARD_PRESSURE_IO);
	return bits;
}

static int keep_rate(struct pg_guard_shares *g, size_t index, double per_s, struct pg_err *err)
{
	size_t cap = g->cap ? 2 * g->cap : FIRST_CAP;

	if (g->n_rates == g->cap) {
		struct rate *more = pg_big_grow(g->rates, g->cap * sizeof(*more), cap * sizeof(*more));

		if (!more)
			return pg_fail_nomem(err);
		g->rates = more;
		g->cap = cap;
	}
	g->rates[g->n_rates++] = (struct rate){(uint32_t)index, (float)per_s};
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
	unsigned told, fired;
	int64_t wall_ns;
	double rate;

	if (r->warmup || r->disturbed || o->status != PG_ST_OK)
		return 0;
	wall_ns = engine_raw(sw, o, PG_E_WALL_TIME);
	told = known(sw, o, wall_ns);
	fired = pg_guards_fired(sw->metrics, o, g->cpus);
	for (unsigned bit = 0; bit < PG_GUARDS; bit++) {
		c->known[bit] += told >> bit & 1;
		c->fired[bit] += (told & fired) >> bit & 1;
	}
	add_ticks(o->facts[PG_F_STEAL], wall_ns, &c->steal_ticks, &c->steal_ns);
	add_ticks(o->facts[PG_F_OTHER_BUSY], wall_ns, &c->load_ticks, &c->load_ns);
	take_extremes(c, o->facts[PG_F_LOOPS], o->facts[PG_F_BATCH_TIME]);
	rate = interrupts(o, wall_ns);
	return isnan(rate) ? 0 : keep_rate(g, index, rate, err);
}

int pg_guard_shares_settle(struct pg_guard_shares *g, struct pg_err *err)
{
	double *sorted;

	if (g->settled == g->n_rates || g->n_rates < INTERRUPTS_LEAST)
		return 0;
	sorted = malloc(g->n_rates * sizeof(*sorted));
	if (!sorted)
		return pg_fail_nomem(err);
	for (size_t i = 0; i < g->n_rates; i++) {
		struct pg_guard_cell *c = &g->cell[g->rates[i].cell];

		sorted[i] = (double)g->rates[i].per_s;
		c->known[INTERRUPTS] = c->fired[INTERRUPTS] = 0;
	}
	pg_sort(sorted, g->n_rates);
	g->limit = INTERRUPTS_TIMES * pg_median(sorted, g->n_rates);
	g->settled = g->n_rates;
	free(sorted);
	for (size_t i = 0; i < g->n_rates; i++) {
		struct pg_guard_cell *c = &g->cell[g->rates[i].cell];

		c->known[INTERRUPTS]++;
		c->fired[INTERRUPTS] += (double)g->rates[i].per_s > g->limit;
	}
	return 0;
}

const struct pg_guard_cell *pg_guard_shares_cell(const struct pg_guard_shares *g, size_t index)
{
	return &g->cell[index];
}

unsigned pg_guard_shares_fired(const struct pg_guard_shares *g, const struct pg_sweep *sw, const struct pg_outcome *o)
{
	double rate = interrupts(o, engine_raw(sw, o, PG_E_WALL_TIME));

	return pg_guards_fired(sw->metrics, o, g->cpus) | (rate > g->limit ? PG_GUARD_INTERRUPTS : 0);
}

/* Share of the CPU time that ticks say was lost, where reps were short and long enough together. */
static bool by_ticks(const struct pg_guard_shares *g, uint32_t ticks, int64_t span_ns, double most, double *share)
{
	if (span_ns < PG_GUARD_TICKS_MIN_NS)
		return false;
	*share = fmin(1, ticks * TICK_NS / ((double)span_ns * g->cpus));
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
		return by_ticks(g, c->steal_ticks, c->steal_ns, PG_GUARD_STEAL_MAX, share);
	if (bit == LOAD)
		return by_ticks(g, c->load_ticks, c->load_ns, PG_GUARD_LOAD_MAX, share);
	return false;
}

double pg_guard_switches_limit(double median)
{
	return SWITCHES_TIMES * median + SWITCHES_MORE;
}
