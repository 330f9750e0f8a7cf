/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of the last rep, and lines that several benches print alike. */
#include <math.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/topo.h"
#include "runner/compat_perf_call.h"
#include "runner/world.h"

double pg_pb_number(const struct pg_pb *p, const char *metric)
{
	return pg_dropin_number(&p->d, metric);
}

bool pg_pb_single(const struct pg_pb *p, const char *metric, uint32_t *at, int64_t *raw)
{
	const struct pg_record_log *log = p->d.log;
	size_t row;

	if (!log || !pg_metric_find(p->d.bench->metrics, metric, &row))
		return false;
	while (*at < log->n) {
		const struct pg_record_entry *e = &log->v[(*at)++];

		if (e->metric != row)
			continue;
		*raw = e->raw;
		return true;
	}
	return false;
}

void pg_pb_add_weighted(struct pg_pb_sum *s, double v, double weight)
{
	const double d = v - s->mean;

	s->n += 1;
	s->weight += weight;
	s->mean += d * weight / s->weight;
	s->m2 += weight * d * (v - s->mean);
}

void pg_pb_add(struct pg_pb_sum *s, double v)
{
	pg_pb_add_weighted(s, v, 1);
}

/* The mean of k observations varies by 1/k of what one does: m2 / (n - 1) estimates the variance of one observation. */
double pg_pb_error(const struct pg_pb_sum *s)
{
	return s->n > 1 ? sqrt(s->m2 / (s->n - 1) / s->weight) : 0;
}

double pg_pb_error_percent(const struct pg_pb_sum *s)
{
	return s->mean > 0 ? 100 * pg_pb_error(s) / s->mean : 0;
}

void pg_pb_seconds(struct pg_str *out, double seconds)
{
	/* A double has the ns of some weeks exactly; half of one keeps 0.046 from being cut to 0.045. */
	const uint64_t ms = (uint64_t)((seconds + 0.5e-9) * 1e3);

	pg_str_addf(out, "%llu.%03llu", (unsigned long long)(ms / 1000), (unsigned long long)(ms % 1000));
}

void pg_pb_total(struct pg_pb *p)
{
	pg_str_addf(&p->out, " %14s: ", "Total time");
	pg_pb_seconds(&p->out, pg_pb_number(p, "time"));
	pg_str_adds(&p->out, " [sec]\n");
}

void pg_pb_op_lines(struct pg_pb *p)
{
	pg_str_addf(&p->out, " %14lf usecs/op\n", pg_pb_number(p, "time_per_op") * 1e6);
	pg_str_addf(&p->out, " %14llu ops/sec\n", (unsigned long long)pg_pb_number(p, "rate"));
}

uint64_t pg_pb_cpus(void)
{
	struct pg_cpuset set;
	struct pg_err err;
	uint64_t n = 1;

	pg_cpuset_init(&set);
	if (pg_affinity_get(0, &set, &err) == 0)
		n = pg_cpuset_count(&set);
	pg_cpuset_release(&set);
	return n;
}

uint64_t pg_pb_listed(const char *list)
{
	struct pg_cpuset set;
	struct pg_err err;
	uint64_t n = 1;
	size_t pos;

	pg_cpuset_init(&set);
	if (pg_cpulist_parse(list, strlen(list), &set, &pos, &err) == 0)
		n = pg_cpuset_count(&set);
	pg_cpuset_release(&set);
	return n ? n : 1;
}

uint64_t pg_pb_nodes(const struct pg_pb *p)
{
	struct pg_memnodes nodes;
	struct pg_err err;
	uint64_t n;

	if (pg_memnodes_load(p->world->root, &nodes, &err))
		return 1;
	n = nodes.n;
	pg_memnodes_release(&nodes);
	return n;
}
