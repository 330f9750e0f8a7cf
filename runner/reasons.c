/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counted texts for the closing summary. */
#include "runner/reasons.h"

#include <stdlib.h>
#include <string.h>

void pg_reasons_init(struct pg_reasons *r)
{
	memset(r, 0, sizeof(*r));
}

void pg_reasons_release(struct pg_reasons *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->v[i].text);
	pg_reasons_init(r);
}

size_t pg_reasons_id(struct pg_reasons *r, const char *text)
{
	if (r->n > 0 && strcmp(r->v[r->last].text, text) == 0)
		return r->last;
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->v[i].text, text) == 0)
			return r->last = i;
	if (r->n == PG_REASONS_MAX)
		return PG_REASONS_MAX - 1;
	if (r->n == PG_REASONS_MAX - 1)
		text = "other reasons";
	r->v[r->n].text = strdup(text);
	if (!r->v[r->n].text)
		return r->n > 0 ? r->n - 1 : 0;
	return r->last = r->n++;
}

void pg_reasons_count(struct pg_reasons *r, size_t id)
{
	if (id < r->n)
		r->v[id].count++;
}
