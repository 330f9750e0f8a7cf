/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of keys: one scalar each, read by the key's row. Each reports what is wrong at the node and returns -1. */
#ifndef PG_PLAN_SCALAR_H
#define PG_PLAN_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/num.h"
#include "plan/keys.h"
#include "plan/node.h"

/* The node is of another kind than the key wants. */
int pg_scalar_wrong(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node);
int pg_scalar_text(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, const char **out);
int pg_scalar_name(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, const char **out);
int pg_scalar_count(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, uint32_t *out);
/* ns; -1 = the word `none`, where the row has it. */
int pg_scalar_time(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, int64_t *out);
int pg_scalar_percent(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, double *fraction);
int pg_scalar_number(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, struct pg_dec *out);
int pg_scalar_bool(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, bool *out);
/* Index of the word in row->words. */
int pg_scalar_choice(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, int *out);
/* Is it a map, a list, and not empty? */
int pg_node_want_map(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node);
int pg_node_want_list(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node);
/* The same, and no longer than row->max: every item is compared with others, or with every cell. */
int pg_node_want_items(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node);
/* A list of texts, none of them empty space in the file. */
int pg_node_want_words(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node);

#endif
