/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of guards and flags: a run of six cells on a made-up machine, and reps of it with given facts. */
#ifndef PG_TESTS_GUARDKIT_H
#define PG_TESTS_GUARDKIT_H

#include "store/guard_share.h"
#include "store/store_inside.h"
#include "tests/support/fake_root.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))
#define MS     INT64_C(1000000)

static const char sweeps[] = "perfgrid: 1\n"
			     "name: kit\n"
			     "sweeps:\n"
			     "  - {name: a, suite: mem/memcpy, vary: {size: [4KB, 8KB]}, repeat: 20}\n"
			     "  - {name: b, suite: mem/memcpy, order: grouped, process: fork, repeat: 20}\n"
			     "  - {name: c, suite: mem/memcpy, variants: [{label: x}, {label: y}], repeat: 20}\n"
			     "  - {name: d, suite: mem/memcpy, pin: '2,5', repeat: 20}\n";

/* What a rep brings beside zeros and absent facts. */
struct with {
	size_t cell;
	uint32_t round;
	int64_t ns, wall_ns, switches, major;
	bool warmup, disturbed, redo;
	struct {
		enum pg_fact fact;
		int64_t v;
	} fact[8]; /* those of value 0 are not set; NOTHING sets 0 */
};
#define NOTHING (-1)

static inline void outcome(const struct pg_cell *c, const struct with *w, struct pg_outcome *o)
{
	struct kit_rep r = {.ns = w->ns, .count = 64};

	kit_outcome(c, &r, o);
	o->facts[PG_F_STEAL] = PG_FACT_ABSENT;
	for (int i = 0; i < LEN(w->fact); i++)
		if (w->fact[i].v)
			o->facts[w->fact[i].fact] = w->fact[i].v == NOTHING ? 0 : w->fact[i].v;
	for (size_t k = 0; k < o->n; k++) {
		size_t engine = o->s[k].metric - c->n_bench_metrics;

		if (o->s[k].metric < c->n_bench_metrics)
			continue;
		if (engine == PG_E_WALL_TIME)
			o->s[k].raw = w->wall_ns ? w->wall_ns : w->ns;
		if (engine == PG_E_INVOLUNTARY_SWITCHES)
			o->s[k].raw = w->switches;
		if (engine == PG_E_MAJOR_FAULTS)
			o->s[k].raw = w->major;
	}
}

static inline void rep(struct kit *k, struct with w)
{
	const struct pg_observer *obs = pg_store_observer(k->store);
	struct pg_cell_buf *buf = pg_cell_buf_new(k->plan);
	const struct pg_cell *c = pg_plan_cell(k->plan, w.cell, buf);
	struct pg_outcome o;
	struct pg_rep_record rec = {
		.cell = w.cell - pg_plan_sweep(k->plan, c->sweep)->first_cell,
		.cell_id = c->id,
		.warmup = w.warmup,
		.round = w.warmup ? 0 : w.round,
		.attempt = 1,
		.rep = w.round,
		.disturbed = w.disturbed,
		.redo = w.redo,
		.out = &o,
	};
	struct pg_err err;

	outcome(c, &w, &o);
	kit_ok(obs->rep_done(obs->ctx, c, &rec, &err), &err);
	pg_cell_buf_free(buf);
}

/* A machine with that clock. */
static inline void machine(struct kit *k, char *root, const char *clocksource)
{
	fr_make(root);
	if (clocksource)
		fr_put(root, "sys/devices/system/clocksource/clocksource0/current_clocksource", clocksource);
	k->opts.root = root;
}

static inline void open_run(struct kit *k, char *root, const char *clocksource)
{
	kit_init(k, sweeps);
	machine(k, root, clocksource);
	kit_create(k);
}

static inline void close_run(struct kit *k, const char *root)
{
	kit_end(k);
	fr_remove(root);
}

static inline void write_all(struct kit *k)
{
	struct pg_err err;

	kit_ok(pg_store_write_all(k->store, NULL, PG_CSV_PLAIN, NULL, NULL, &err), &err);
}

#endif
