/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the makers of rows of a comparison. */
#ifndef PG_STORE_COMPARE_ROWS_H
#define PG_STORE_COMPARE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "store/compare.h"

struct pg_cell_acc;

void pg_compare_row_init(struct pg_compare_row *row); /* all of it "not known" */
/* A row more, of c and initialised; it stays where it is until the next one is added. NULL: PG_ENOMEM in *err. */
struct pg_compare_row *pg_compare_add(struct pg_compare *c, struct pg_err *err);
void pg_compare_rules(const struct pg_sweep *sw, size_t metric, const struct pg_compare_opts *opts,
		      struct pg_compare_rules *out); /* of one metric */
unsigned pg_compare_lenses(enum pg_lens lens);	     /* tests of one row: 2 for both, else 1 */
/* What a cell brings into a comparison by itself: grouped, one-layout, two-boots (enum pg_compare_flag). */
unsigned pg_compare_cell_flags(const struct pg_cell *c, const struct pg_cell_acc *a);
bool pg_compare_shows(const struct pg_sweep *sw, size_t metric); /* has a direction and is no mere input */
/* Do the costs of a side fall into two groups, as section 7 has it? Never for what the engine counts. scratch: n. */
bool pg_compare_two_modes(const struct pg_metric *m, const double *costs, size_t n, double *scratch);
/*
 * Judges all rows: the family, of at least so many hypotheses (0 = those with a p), and each other metric of each sweep
 * by itself. -1: no memory.
 */
int pg_compare_judge(struct pg_compare *c, double hypotheses, struct pg_err *err);

#endif
