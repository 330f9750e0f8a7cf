/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells: their id as text, a description, seeds.
 */
#include "model/cell.h"

#include <string.h>

#include "base/arena.h"
#include "base/str.h"

#define HEX_DIGITS 16

void pg_cell_id_format(char *buf, uint64_t id)
{
	static const char hex[] = "0123456789abcdef";

	buf[0] = 'c';
	for (int i = HEX_DIGITS; i > 0; i--, id >>= 4)
		buf[i] = hex[id & 15];
	buf[HEX_DIGITS + 1] = '\0';
}

int pg_cell_id_parse(const char *s, uint64_t *id)
{
	uint64_t v = 0;

	if (s[0] != 'c')
		return -1;
	for (int i = 1; i <= HEX_DIGITS; i++) {
		char c = s[i];

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			return -1;
	}
	if (s[HEX_DIGITS + 1])
		return -1;
	*id = v;
	return 0;
}

/* Stands at its default, as far as that can be known without a machine: an expression counts as another value. */
static bool at_default(const struct pg_param *row, const struct pg_value *v)
{
	const char *def = pg_param_default(row);
	struct pg_arena a;
	struct pg_value d;
	bool same;

	if (v->state == PG_V_UNSET || !def)
		return v->state == PG_V_UNSET;
	pg_arena_init(&a, false);
	same = pg_value_parse_any(row, def, strlen(def), &a, &d, NULL) == 0 && pg_value_equal(&d, v);
	pg_arena_release(&a);
	return same;
}

void pg_cell_describe(const struct pg_cell *c, struct pg_str *out)
{
	bool more = false;

	for (size_t i = 0; i < c->n_params; i++) {
		if (at_default(&c->params[i], &c->vals[i]))
			continue;
		if (more)
			pg_str_addc(out, ' ');
		more = true;
		pg_str_adds(out, c->params[i].name);
		pg_str_addc(out, '=');
		pg_value_format(&c->params[i], &c->vals[i], out);
	}
	if (c->variant_label)
		pg_str_addf(out, "%svariant=%s", more ? " " : "", c->variant_label);
}

bool pg_cell_forks(const struct pg_cell *c)
{
	return !c->program && c->rules->process == PG_PROC_FORK && c->keys->prefix.n == 0 && c->keys->n_env == 0;
}

bool pg_cell_auto(const struct pg_cell *c)
{
	for (size_t i = 0; i < c->n_params; i++) {
		if (c->params[i].role & PG_OPS)
			return c->vals[i].state == PG_V_WORD;
	}
	return false;
}

uint64_t pg_rep_seed(uint64_t run_seed, uint64_t cell_id, bool warmup, uint32_t rep)
{
	/* Each part goes through the mixer with the ones before it, so that no sum or xor of two parts meets another.
	 */
	static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t h = pg_mix64(run_seed + golden);

	h = pg_mix64((h ^ cell_id) + golden);
	return pg_mix64((h ^ ((uint64_t)rep << 1 | warmup)) + golden);
}
