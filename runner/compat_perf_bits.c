/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `perf bench mem find_bit`: bitmaps of 1, 2, 4 ... 2048 bits with 1, 2, 4 ... of them set. Two steps a combination,
 * one a function; a part is an outer iteration.
 */
#include <stdio.h>

#include "runner/compat_perf_call.h"
#include "runner/compat_perf_tables.h"

#define MOST_BITS 2048

static const struct pg_fopt options[] = {
	{.name = "outer-iterations", .letter = 'i', .kind = PG_FOPT_UINT, .help = "samples of each loop (default: 5)"},
	{.name = "inner-iterations",
	 .letter = 'j',
	 .kind = PG_FOPT_UINT,
	 .param = "loops",
	 .help = "passes of a sample (default: 100000)"},
	{.name = NULL},
};

static int begin(struct pg_pb *p, struct pg_err *err)
{
	p->parts = pg_pb_count(p, "outer-iterations", 5);
	if (p->parts > 0 && p->parts <= 1000000)
		return 0;
	p->status = PG_STATUS_USAGE;
	return pg_fail(err, PG_EUSAGE, "--outer-iterations|-i %llu is out of range; allowed: 1 to 1000000",
		       (unsigned long long)p->parts);
}

static int step(struct pg_pb *p, unsigned i, struct pg_err *err)
{
	unsigned bits = 1, set = 1;

	for (unsigned k = i / 2; k > 0; k--) {
		set = set < bits ? set * 2 : 1;
		bits = set == 1 ? bits * 2 : bits;
		if (bits > MOST_BITS)
			return 0;
	}
	snprintf(p->label, sizeof(p->label), "%s, %u of %u bits", i % 2 ? "test_bit" : "for_each_set_bit", set, bits);
	if (pg_dropin_set_u64(&p->d, "bits", bits, "bits", err) ||
	    pg_dropin_set_u64(&p->d, "set_bits", set, "set_bits", err) ||
	    pg_dropin_set(&p->d, "function", i % 2 ? "test_bit" : "find_next_bit", "function", err))
		return -1;
	return 1;
}

static void before(struct pg_pb *p)
{
	if (p->format == PG_PB_DEFAULT && p->step % 2 == 0)
		pg_str_addf(&p->out, "%lld operations %lld bits set of %lld bits\n",
			    (long long)pg_dropin_value(&p->d, "loops"), (long long)pg_dropin_value(&p->d, "set_bits"),
			    (long long)pg_dropin_value(&p->d, "bits"));
}

static void each(struct pg_pb *p)
{
	pg_pb_add(&p->sum[0], pg_pb_number(p, "time") * 1e6);
}

static void after(struct pg_pb *p)
{
	const struct pg_pb_sum *s = &p->sum[0];

	p->kept[0].mean += s->mean;
	if (p->format == PG_PB_DEFAULT)
		pg_str_addf(&p->out, "  Average %s took: %s%.3f usec (+- %.3f usec)\n",
			    p->step % 2 ? "test_bit loop" : "for_each_set_bit", p->step % 2 ? "   " : "", s->mean,
			    pg_pb_error(s));
}

/* One number for all of it: the time of an outer iteration. */
static void foot(struct pg_pb *p)
{
	if (p->format == PG_PB_SIMPLE)
		pg_str_addf(&p->out, "%.*f\n", p->bench->decimals, p->kept[0].mean);
}

const struct pg_pb_bench pg_pb_find_bit = {
	.collection = "mem",
	.name = "find_bit",
	.synopsis = "perf bench mem find_bit <options>",
	.options = options,
	.simple = PG_PB_HOOKS,
	.metric = "time",
	.unit = "usec",
	.scale = 1e6,
	.decimals = 3,
	.begin = begin,
	.step = step,
	.before = before,
	.each = each,
	.after = after,
	.foot = foot,
};
