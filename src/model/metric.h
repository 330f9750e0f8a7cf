/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A metric row: name, unit, direction, and how raw numbers become the metric. Raw numbers are integers in the unit's
 * raw unit (times: ns). A rate is no raw number: it is a row with reduce RATIO over two other rows, divided once, when
 * it is shown.
 */
#ifndef PG_MODEL_METRIC_H
#define PG_MODEL_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pg_err;
struct pg_str;

enum pg_unit {
	PG_U_S,	      /* raw: ns */
	PG_U_B,	      /* raw: bytes */
	PG_U_B_PER_S, /* RATIO of B and S */
	PG_U_PER_S,   /* RATIO of COUNT and S */
	PG_U_COUNT,   /* raw: plain number; fractions are RATIO or decimals */
};

enum pg_better { PG_LOWER, PG_HIGHER, PG_NEITHER };

/* Over the workers and batches of ONE rep. */
enum pg_reduce { PG_SUM, PG_MIN, PG_MAX, PG_MEAN, PG_RATIO };

enum pg_metric_flag {
	PG_M_MAIN = 1 << 0,	 /* headline: the main metric of a sweep without `tables` */
	PG_M_GROWS = 1 << 1,	 /* grows with loops: no table value under `loops: auto` */
	PG_M_HIDDEN = 1 << 2,	 /* input of a RATIO only (operations, bytes): journal yes, CSV no */
	PG_M_ENGINE = 1 << 3,	 /* measured by the engine around every rep */
	PG_M_AUTO_MAIN = 1 << 4, /* headline instead of the PG_M_MAIN row when loops is `auto` and that row grows
				    (messaging: rate) */
	PG_M_ZERO_OK = 1 << 5,	 /* 0 is a valid sample (counts, sizes); for units COUNT and B always */
	PG_M_TYPICAL = 1 << 6,	 /* interference can help it (hit rates, what threads differ by, differences of two
				    times): compared by the typical lens alone */
	PG_M_FLOOR = 1 << 7,	 /* hidden: time of what the PG_M_MAIN row counts (one operation, one byte) in the best
				    quarter of the rep's batches; a cost */
	PG_M_BATCHED = 1 << 8,	 /* time of the batches, or a ratio of it: PG_M_FLOOR is its floor */
};

struct pg_metric {
	const char *name, *doc; /* table ends with .name == NULL */
	enum pg_unit unit;
	enum pg_better better;
	enum pg_reduce reduce;
	unsigned num, den; /* RATIO: rows of the same table whose raw values are divided, each in its own raw unit */
	unsigned flags;
};

/* The row that a batchable bench has besides its own; the engine records it. */
#define PG_FLOOR_ROW                                                                                                   \
	{                                                                                                              \
		.name = "floor_time", .doc = "time of what the headline counts, in the best quarter of the batches",   \
		.unit = PG_U_S, .better = PG_LOWER, .reduce = PG_SUM, .flags = PG_M_HIDDEN | PG_M_FLOOR,               \
	}

size_t pg_metric_count(const struct pg_metric *rows);
const struct pg_metric *pg_metric_find(const struct pg_metric *rows, const char *name, size_t *index);
/* The headline of a table of rows; ops_auto: loops is `auto`. Every table has one. */
size_t pg_metric_main(const struct pg_metric *rows, bool ops_auto);

/* Rows that the engine measures for every bench (spec: wall_time cpu_time user_time ...), ended by .name == NULL; all
 * are raw. */
extern const struct pg_metric pg_engine_metrics[];
enum pg_engine_metric {
	PG_E_WALL_TIME,
	PG_E_CPU_TIME,
	PG_E_USER_TIME,
	PG_E_SYSTEM_TIME,
	PG_E_PEAK_MEMORY,
	PG_E_VOLUNTARY_SWITCHES,
	PG_E_INVOLUNTARY_SWITCHES,
	PG_E_MINOR_FAULTS,
	PG_E_MAJOR_FAULTS,
};
#define PG_ENGINE_METRICS 9

/* Raw numbers are m * 10^unit_exp in the unit: -9 for seconds, 0 else. */
int pg_unit_exp(enum pg_unit u);
const char *pg_unit_name(enum pg_unit u);     /* "s", "B", "B/s", "1/s", "count" */
const char *pg_better_name(enum pg_better b); /* "lower", "higher", "neither" */
const char *pg_unit_suffix(enum pg_unit u);   /* of a CSV column: "s", "B", "B_per_s", "per_s", "count" */

/* How a table shows a metric: value / divisor, header suffix. */
struct pg_display {
	double divisor;
	char suffix[16]; /* "GiB_per_s", "ms", "KiB" */
};
/*
 * `unit:` of a table: "ms", "us", "min", "KB", "GiB/s", "1/s", "K/s" ...; powers of 1024 for bytes (GB/s is taken and
 * headed GiB). Text NULL = the base unit. -1: not a unit of that kind; err lists what is allowed.
 */
int pg_display_parse(const char *text, enum pg_unit base, struct pg_display *out, struct pg_err *err);
/*
 * `unit` of a declared exec metric: s B B/s 1/s count or with prefix (ms, KB, MB/s): base unit and factor (value
 * printed times factor = base unit).
 */
int pg_unit_parse(const char *text, enum pg_unit *unit, double *factor, struct pg_err *err);

#endif
