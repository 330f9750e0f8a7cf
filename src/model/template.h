/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placeholders in commands: {param} {rep} {cell} {seed} {variant}; {{ and }} give braces; a single } outside stands for
 * itself.
 */
#ifndef PG_MODEL_TEMPLATE_H
#define PG_MODEL_TEMPLATE_H

#include <stddef.h>
#include <stdint.h>

#include "model/cell.h"

struct pg_str;

struct pg_template_ctx {
	const struct pg_cell *cell;
	uint32_t rep; /* 1-based */
	uint64_t seed;
	const char *variant; /* "" = none */
};

/*
 * Checks names against rows (NULL-terminated by name). -1: err says which placeholder is unknown, with the nearest;
 * *pos (may be NULL) is its offset.
 */
int pg_template_check(const char *text, const struct pg_param *rows, size_t *pos, struct pg_err *err);
void pg_template_expand(const char *text, const struct pg_template_ctx *ctx, struct pg_str *out);
/* PERFGRID_<PARAM>=text for each set param, and PERFGRID_REP, _CELL, _SEED, _VARIANT, each ended by NUL, appended. */
void pg_template_env(const struct pg_template_ctx *ctx, struct pg_str *out);

#endif
