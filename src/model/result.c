/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of statuses and facts, and the value of a metric from raw samples.
 */
#include "model/result.h"

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "model/metric.h"

static const char *const status_names[] = {
	[PG_ST_OK] = "ok",	     [PG_ST_FAILED] = "failed",	  [PG_ST_TIMEOUT] = "timeout",
	[PG_ST_INVALID] = "invalid", [PG_ST_SKIPPED] = "skipped", [PG_ST_UNSTABLE] = "unstable",
	[PG_ST_NOT_RUN] = "not-run", [PG_ST_ABSENT] = "absent",
};

#define STATUSES (sizeof(status_names) / sizeof(status_names[0]))

const char *pg_status_name(enum pg_status s)
{
	return (size_t)s < STATUSES ? status_names[s] : "unknown";
}

int pg_status_find(const char *name)
{
	for (size_t i = 0; i < STATUSES; i++) {
		if (pg_streq(status_names[i], name))
			return (int)i;
	}
	return -1;
}

const char *pg_fact_name(enum pg_fact f)
{
	static const char *const names[PG_FACTS] = {
		[PG_F_LOOPS] = "loops",
		[PG_F_T_MONO] = "t_mono",
		[PG_F_T_WALL] = "t_wall",
		[PG_F_STEAL] = "steal",
		[PG_F_OTHER_BUSY] = "other_busy",
		[PG_F_PSI_CPU] = "psi_cpu",
		[PG_F_PSI_MEM] = "psi_mem",
		[PG_F_PSI_IO] = "psi_io",
		[PG_F_THROTTLED] = "throttled",
		[PG_F_EXIT] = "exit",
		[PG_F_BATCHES] = "batches",
		[PG_F_BATCH_TIME] = "batch_time",
		[PG_F_THERMAL] = "thermal",
		[PG_F_FREQUENCY_START] = "frequency_start",
		[PG_F_FREQUENCY_END] = "frequency_end",
		[PG_F_INTERRUPTS] = "interrupts",
		[PG_F_SOFTIRQS] = "softirqs",
		[PG_F_SWAPPED] = "swapped",
	};

	return (size_t)f < PG_FACTS ? names[f] : "unknown";
}

/* The sample of a row, NULL = missing. */
static const struct pg_sample *find(const struct pg_sample *s, size_t n, size_t row)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s[mid].metric < row)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && s[lo].metric == row && !s[lo].missing ? &s[lo] : NULL;
}

static double scaled(int64_t raw, int exp10)
{
	struct pg_dec d = {raw, exp10};

	return pg_dec_to_double(d);
}

bool pg_metric_value(const struct pg_metric *rows, size_t row, const struct pg_sample *s, size_t n, double *out)
{
	const struct pg_sample *num, *den;
	int e;

	if (rows[row].reduce != PG_RATIO) {
		num = find(s, n, row);
		if (num)
			*out = scaled(num->raw, num->exp10);
		return num;
	}
	num = find(s, n, rows[row].num);
	den = find(s, n, rows[row].den);
	if (!num || !den || den->raw <= 0)
		return false;
	/* Both sides stay whole numbers where they fit a double, so that the division is the only rounding. */
	e = num->exp10 - den->exp10;
	*out = scaled(num->raw, e > 0 ? e : 0) / scaled(den->raw, e < 0 ? -e : 0);
	return true;
}

static bool is_time_or_rate(const struct pg_metric *row)
{
	return row->unit == PG_U_S || row->unit == PG_U_PER_S || row->unit == PG_U_B_PER_S;
}

int pg_samples_check(const struct pg_metric *rows, size_t n_rows, const struct pg_sample *s, size_t n,
		     struct pg_err *err)
{
	for (size_t i = 0; i < n_rows; i++) {
		const struct pg_metric *row = &rows[i];
		const bool ratio = row->reduce == PG_RATIO, zero_ok = row->flags & PG_M_ZERO_OK;
		const struct pg_sample *num = find(s, n, ratio ? row->num : i);
		const struct pg_sample *den = ratio ? find(s, n, row->den) : num;

		if (!num || !den)
			continue;
		if (ratio && den->raw <= 0)
			return pg_fail(err, PG_EFAILED, "%s cannot be computed: its divisor %s is %lld", row->name,
				       rows[row->den].name, (long long)den->raw);
		if (is_time_or_rate(row) && num->raw <= 0 && (num->raw < 0 || !zero_ok))
			return pg_fail(err, PG_EFAILED, "%s is %lld; a time or rate is %s 0", row->name,
				       (long long)num->raw, zero_ok ? "not below" : "above");
	}
	return 0;
}
