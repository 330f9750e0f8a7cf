/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Iterations of a step divided over parts, for benches whose ancestor prints an average with `+-`. The ancestor's is
 * the standard error over single iterations; here a part is a rep of a tenth of them, and it is the standard error of
 * the parts, each counted as often as it has iterations.
 */
#include "runner/compat_perf_call.h"

#define PARTS 10

static bool for_machines(const struct pg_pb *p)
{
	return p->format == PG_PB_JSON || p->format == PG_PB_CSV;
}

uint64_t pg_pb_iterations(const struct pg_pb *p)
{
	return pg_pb_count(p, "iterations", 100);
}

int pg_pb_split(struct pg_pb *p, uint64_t iterations, const char *option, struct pg_err *err)
{
	p->parts = iterations < PARTS ? iterations : PARTS;
	if (for_machines(p) || p->parts == 0)
		p->parts = 1;
	return pg_dropin_set_u64(&p->d, "loops", iterations, option, err);
}

int pg_pb_share(struct pg_pb *p, uint64_t iterations, struct pg_err *err)
{
	const uint64_t n = iterations / p->parts + (p->part < iterations % p->parts);

	p->weight = (double)n;
	return pg_dropin_set_u64(&p->d, "loops", n, "--iterations|-i", err);
}

int pg_pb_iterations_begin(struct pg_pb *p, struct pg_err *err)
{
	if (pg_pb_split(p, pg_pb_iterations(p), "--iterations|-i", err) == 0)
		return 0;
	p->status = PG_STATUS_USAGE;
	return -1;
}

int pg_pb_iterations_ready(struct pg_pb *p, struct pg_err *err)
{
	return pg_pb_share(p, pg_pb_iterations(p), err);
}

void pg_pb_add_part(const struct pg_pb *p, struct pg_pb_sum *s, double v)
{
	pg_pb_add_weighted(s, v, p->weight > 0 ? p->weight : 1);
}

void pg_pb_op_each(struct pg_pb *p)
{
	pg_pb_add_part(p, &p->sum[0], pg_pb_number(p, "time_per_op") * 1e6);
}

void pg_pb_average(struct pg_pb *p, const char *indent, const char *what, const char *unit, const struct pg_pb_sum *s)
{
	pg_str_addf(&p->out, "%s  Average %s: %.3f%s (+- %.3f%s)\n", indent, what, s->mean, unit, pg_pb_error(s), unit);
}
