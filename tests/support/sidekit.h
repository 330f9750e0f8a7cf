/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of comparisons: two sides of stored runs, each made up, and what came out. */
#ifndef PG_TESTS_SIDEKIT_H
#define PG_TESTS_SIDEKIT_H

#include <math.h>

#include "store/side.h"
#include "tests/support/storekit.h"

#define SIDE_HEAD  "perfgrid: 1\nname: kit\nsweeps:\n"
#define SIDE_PLAIN SIDE_HEAD "  - {name: s, suite: noop, process: exec, repeat: 10}\n"
#define SIDE_SPREAD                                                                                                    \
	"perfgrid: 1\nname: kit\nsessions: 5\nsweeps:\n  - {name: s, suite: noop, process: exec, repeat: 10}\n"

#define SIDE_KITS 12

/* Two sides of runs, and what came out. */
struct sides {
	struct kit *kit[SIDE_KITS];
	struct pg_side_run run[SIDE_KITS];
	size_t n; /* kits */
	struct pg_side base, new;
	struct pg_arena arena;
	struct pg_stored_opts opts;
	struct pg_compare c;
};

static inline struct sides *side_start(void)
{
	struct sides *s = calloc(1, sizeof(*s));

	ck_assert_ptr_nonnull(s);
	pg_arena_init(&s->arena, true);
	pg_compare_init(&s->c);
	return s;
}

static inline struct kit *side_add(struct sides *s, const char *text)
{
	struct kit *k = calloc(1, sizeof(*k));

	ck_assert_ptr_nonnull(k);
	s->kit[s->n++] = k;
	kit_init(k, text);
	kit_create(k);
	return k;
}

/* The first n_base kits against the others. */
static inline int side_compare(struct sides *s, size_t n_base, struct pg_err *err)
{
	for (size_t i = 0; i < s->n; i++) {
		struct pg_fingerprint kept = s->run[i].machine;

		s->run[i].dir = s->kit[i]->run;
		s->run[i].plan = s->kit[i]->plan;
		s->run[i].store = s->kit[i]->store;
		kit_ok(pg_fingerprint_of(s->kit[i]->store, &s->arena, &s->run[i].machine, err), err);
		for (int t = 0; t < PG_TRAITS; t++)
			if (kept.trait[t])
				s->run[i].machine.trait[t] = kept.trait[t];
	}
	s->base = (struct pg_side){"OLD", s->run, n_base};
	s->new = (struct pg_side){"NEW", s->run + n_base, s->n - n_base};
	return pg_compare_stored(&s->base, &s->new, &s->opts, &s->c, err);
}

static inline void side_compared(struct sides *s, size_t n_base)
{
	struct pg_err err;

	pg_compare_release(&s->c);
	kit_ok(side_compare(s, n_base, &err), &err);
}

static inline void side_drop_kits(struct sides *s)
{
	while (s->n > 0) {
		kit_end(s->kit[--s->n]);
		free(s->kit[s->n]);
	}
}

static inline void side_end(struct sides *s)
{
	pg_compare_release(&s->c);
	side_drop_kits(s);
	pg_arena_release(&s->arena);
	free(s);
}

/* Rounds [from, to] of a cell, each a little longer than the one before. */
static inline void side_rounds(struct kit *k, size_t cell, uint32_t from, uint32_t to, int64_t ns)
{
	for (uint32_t r = from; r <= to; r++)
		kit_rep(k, (struct kit_rep){.cell = cell, .round = r, .ns = ns + (int64_t)r, .count = 1000});
}

static inline struct pg_compare_row *side_judged(struct sides *s)
{
	for (size_t i = 0; i < s->c.n; i++)
		if (s->c.row[i].metric == s->c.row[i].sweep->stop_metric)
			return &s->c.row[i];
	ck_abort_msg("no row");
	return NULL;
}

static inline void side_is(struct sides *s, enum pg_verdict verdict, enum pg_unclear why)
{
	const struct pg_compare_row *r = side_judged(s);

	ck_assert_msg(r->c.verdict == verdict && r->c.why == why, "%s (%s), not %s (%s)", pg_verdict_name(r->c.verdict),
		      pg_unclear_name(r->c.why), pg_verdict_name(verdict), pg_unclear_name(why));
}

static inline void side_near(double x, double want, double by)
{
	ck_assert_msg(fabs(x - want) <= by, "%.12g, not %.12g", x, want);
}

/* `sessions: 5`: the sessions of one run. */
static inline void side_spread(struct sides *s, int64_t ns)
{
	struct kit *k = side_add(s, SIDE_SPREAD);
	struct pg_err err;

	for (uint32_t i = 0; i < 5; i++) {
		if (i > 0)
			kit_ok(pg_store_session(k->store, &err), &err);
		side_rounds(k, 0, 2 * i + 1, 2 * i + 2, ns + 1000 * i);
	}
	kit_done(k, 0, PG_STOP_FIXED);
}

#endif
