/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that stand in many benches, as initialisers of struct pg_param and struct pg_metric. Texts are string literals.
 * The row `placement` is in engine/place.h.
 */
#ifndef PG_MODEL_ROWS_H
#define PG_MODEL_ROWS_H

#include "model/metric.h"
#include "model/param.h"

extern const struct pg_choice pg_auto_word[]; /* of the row `loops` */

/* clang-format off */

/*
 * The operation count, field f (uint64_t) of conf struct s. count: the ancestor's number; scenario: the default of a
 * scenario where it is another one ("auto"), else NULL; letter: short option or 0.
 */
#define PG_ROW_LOOPS(s, f, text, count, scenario, letter) \
	{.name = "loops", .doc = (text), .def = (count), .sdef = (scenario), .min = "1", .max = "1000000000000", \
	 .choices = pg_auto_word, .role = PG_OPS, .opt = (letter), PG_AT_COUNT(s, f)}

/* Metric `n` / metric `d` of the same table. */
#define PG_ROW_RATIO(metric, text, u, direction, n, d, bits) \
	{.name = (metric), .doc = (text), .unit = (u), .better = (direction), .reduce = PG_RATIO, .num = (n), .den = (d), \
	 .flags = (bits)}
#define PG_ROW_RAW(metric, text, u, direction, how, bits) \
	{.name = (metric), .doc = (text), .unit = (u), .better = (direction), .reduce = (how), .flags = (bits)}
/* What ratios are made of. */
#define PG_ROW_HIDDEN(metric, text, u, how, bits) \
	{.name = (metric), .doc = (text), .unit = (u), .better = (u) == PG_U_S ? PG_LOWER : PG_NEITHER, .reduce = (how), \
	 .flags = PG_M_HIDDEN | (bits)}

/* clang-format on */

#endif
