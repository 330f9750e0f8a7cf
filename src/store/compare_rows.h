/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the makers of rows of a comparison. */
#ifndef PG_STORE_COMPARE_ROWS_H
#define PG_STORE_COMPARE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "store/compare.h"

void pg_compare_row_init(struct pg_compare_row *row);
struct pg_compare_row *pg_compare_add(struct pg_compare *c, struct pg_err *err);
void pg_compare_rules(const struct pg_sweep *sw, size_t metric, const struct pg_compare_opts *opts,
		      struct pg_compare_rules *out); /* of one metric */
unsigned pg_compare_lenses(enum pg_lens lens);
bool pg_compare_shows(const struct pg_sweep *sw, size_t metric); /* has a direction and is no mere input */
/* Do the costs of a side fall into two groups, as section 7 has it? Never for what the engine counts. scratch: n. */
bool pg_compare_two_modes(const struct pg_metric *m, const double *costs, size_t n, double *scratch);
/* Judges all rows: the family, and each other metric of each sweep by itself. */
int pg_compare_judge(struct pg_compare *c, double hypotheses, struct pg_err *err);

#endif
