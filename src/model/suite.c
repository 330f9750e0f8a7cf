/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recording of raw numbers.
 */
#include "model/suite.h"

#include <assert.h>

static int64_t add_clamped(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

void pg_record(struct pg_run *run, unsigned metric, int64_t raw)
{
	enum pg_reduce reduce;
	int64_t *acc;
	bool first;

	assert(metric < PG_RUN_SAMPLES);
	reduce = run->metrics[metric].reduce;
	assert(reduce != PG_RATIO);
	if (run->log && run->log->n < run->log->cap)
		run->log->v[run->log->n++] = (struct pg_record_entry){.metric = metric, .raw = raw};
	acc = &run->acc[metric].raw;
	first = run->acc[metric].n++ == 0;
	switch (reduce) {
	case PG_SUM:
	case PG_MEAN: /* the reader divides by n */
		*acc = first ? raw : add_clamped(*acc, raw);
		break;
	case PG_MIN:
		*acc = first || raw < *acc ? raw : *acc;
		break;
	case PG_MAX:
		*acc = first || raw > *acc ? raw : *acc;
		break;
	case PG_RATIO: /* has no raw number */
		break;
	}
}
