/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweeps, parts, budget. Where a run stands follows from its rounds, so that a resumed one goes on there. */
#include "runner/schedule.h"

#include "base/clock.h"
#include "engine/rounds.h"
#include "engine/stop.h"
#include "stats/stats.h"

#define SLICE_NS INT64_C(200000000) /* of a rest, between two looks at *stop */

uint32_t pg_schedule_minimum(const struct pg_rules *rules)
{
	uint32_t least = rules->repeat.fixed ? pg_min_n(rules->repeat.conf) : pg_stop_min(&rules->repeat);
	uint32_t most = pg_rounds_at_most(rules);

	return least < most ? least : most;
}

/* The last round of a part of sweep i. The last part has no end: failed cells that are tried again need more rounds. */
static uint32_t part_end(const struct pg_schedule *s, size_t i, uint32_t number)
{
	return pg_part_end(pg_rounds_at_most(s->rules[i]), number, s->parts);
}

static bool has_work(const struct pg_schedule *s, uint32_t number)
{
	for (size_t i = 0; i < s->n; i++) {
		uint32_t next, last;

		pg_rounds_reach(s->rounds[i], &next, &last);
		if (next > 0 && (number == s->parts || next <= part_end(s, i, number)))
			return true;
	}
	return false;
}

/* Was a rep of the part measured already? */
static bool has_begun(const struct pg_schedule *s, uint32_t number)
{
	for (size_t i = 0; i < s->n; i++) {
		uint32_t next, last;

		pg_rounds_reach(s->rounds[i], &next, &last);
		if (last > part_end(s, i, number - 1))
			return true;
	}
	return false;
}

uint32_t pg_schedule_part(const struct pg_schedule *s)
{
	uint32_t number = 1;

	while (number < s->parts && !has_work(s, number))
		number++;
	return number;
}

/* What is measured is on the disk before it begins, as far as the observer has it so. */
static int rest(const struct pg_schedule *s, uint32_t number, struct pg_err *err)
{
	const struct pg_clock *c = s->clock;
	int64_t start = c->mono(c->ctx), left = PG_REST_NS;

	if (s->rest)
		s->rest(s->ctx, number);
	while (left > 0 && !*s->stop) {
		c->sleep(c->ctx, left < SLICE_NS ? left : SLICE_NS);
		if (s->observer->between && s->observer->between(s->observer->ctx, err) != 0)
			return -1;
		left = PG_REST_NS - pg_since(c->mono(c->ctx), start);
	}
	return 0;
}

int pg_schedule_rest(const struct pg_schedule *s, struct pg_err *err)
{
	uint32_t number = pg_schedule_part(s);

	if (!has_work(s, number) || (s->was ? s->was == number : number == 1 || has_begun(s, number)))
		return 0;
	return rest(s, number, err);
}

static int run_part(const struct pg_schedule *s, uint32_t number, struct pg_err *err)
{
	for (size_t i = 0; i < s->n && !*s->stop; i++) {
		struct pg_until until = {.round = number < s->parts ? part_end(s, i, number) : 0};

		if (pg_rounds_run_until(s->rounds[i], &until, s->executor, s->observer, s->clock, s->stop, err) != 0)
			return -1;
	}
	return 0;
}

static int run_parts(const struct pg_schedule *s, struct pg_err *err)
{
	uint32_t number = pg_schedule_part(s);

	if (run_part(s, number, err) != 0)
		return -1;
	while (++number <= s->parts && !*s->stop) {
		if (!has_work(s, number))
			continue;
		if (rest(s, number, err) != 0)
			return -1;
		if (*s->stop)
			break;
		if ((s->begin && s->begin(s->ctx, number, err) != 0) || run_part(s, number, err) != 0)
			return -1;
	}
	return 0;
}

static int run_budget(const struct pg_schedule *s, struct pg_err *err)
{
	struct pg_until until = {.time_ns = s->until_ns};

	for (size_t i = 0; i < s->n && !*s->stop; i++) {
		until.round = pg_schedule_minimum(s->rules[i]);
		if (pg_rounds_run_until(s->rounds[i], &until, s->executor, s->observer, s->clock, s->stop, err) != 0)
			return -1;
	}
	until.round = 0;
	if (pg_rounds_run_widest(s->rounds, s->n, &until, s->executor, s->observer, s->clock, s->stop, err) != 0)
		return -1;
	for (size_t i = 0; i < s->n && !*s->stop; i++)
		if (pg_rounds_end_by_time(s->rounds[i], s->observer, err) != 0)
			return -1;
	return 0;
}

int pg_schedule_run(const struct pg_schedule *s, struct pg_err *err)
{
	return s->until_ns > 0 ? run_budget(s, err) : run_parts(s, err);
}
