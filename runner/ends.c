/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runner/ends.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "engine/rounds.h"
#include "store/reached.h"

struct spent {
	bool end;    /* the end itself was reached and looked at */
	uint32_t at; /* rounds after which it was left early, where that is beyond looks that the new end has not; 0 =
			none */
};

/*
 * An end that no cell has come to was no look. Looks before it are those of the new end as well, unless that comes
 * before them: then what was done till now is the end.
 */
static void add_sweep(struct spent *s, const struct pg_sweep *sw, uint32_t done, uint32_t repeat)
{
	const struct pg_compare_rules *c = &sw->rules.compare;
	uint32_t end = pg_rounds_at_most(&sw->rules);

	if (sw->n_variants < 2)
		return;
	if (done >= end) {
		/* Behind a later one that was reached it was none. */
		s->end = s->end || c->looks[c->n_looks - 1] <= end;
		return;
	}
	for (uint32_t i = 0; i < c->n_looks; i++)
		if (c->looks[i] > repeat && c->looks[i] <= done && done > s->at)
			s->at = done;
}

static int add_end(struct pg_plan_opts *to, uint32_t *room, uint32_t end, const char *dir, struct pg_err *err)
{
	for (size_t i = 0; i < to->n_earlier; i++)
		if (to->earlier[i] == end)
			return 0;
	if (to->n_earlier >= PG_ENDS)
		return pg_fail(err, PG_EUSAGE,
			       "the run in '%s' has been given another --repeat %d times, as often as one can; start a "
			       "new run",
			       dir, PG_ENDS);
	room[to->n_earlier++] = end;
	return 0;
}

int pg_ends_settle(const char *dir, struct pg_plan *was, uint32_t was_repeat, struct pg_arena *a,
		   struct pg_plan_opts *to, struct pg_err *err)
{
	size_t n = pg_plan_sweeps(was);
	uint32_t *done = calloc(n + 1, sizeof(*done)), *room = pg_arena_array(a, to->n_earlier + 2, sizeof(*room));
	struct spent s = {.end = false};
	int result = done && room ? pg_run_reached(dir, was, done, err) : pg_fail_nomem(err);

	for (size_t i = 0; result == 0 && i < n; i++)
		add_sweep(&s, pg_plan_sweep(was, i), done[i], to->repeat);
	free(done);
	if (result != 0)
		return -1;
	if (to->n_earlier > 0)
		memcpy(room, to->earlier, to->n_earlier * sizeof(*room));
	to->earlier = room;
	if (s.end && add_end(to, room, was_repeat, dir, err) != 0)
		return -1;
	return s.at ? add_end(to, room, s.at, dir, err) : 0;
}
