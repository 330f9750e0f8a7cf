/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts texts, in order of first appearance. */
#ifndef PG_RUNNER_REASONS_H
#define PG_RUNNER_REASONS_H

#include <stddef.h>
#include <stdint.h>

#define PG_REASONS_MAX 256 /* distinct texts; all others are counted together as the last one */

struct pg_reasons {
	struct {
		char *text;
		size_t count;
	} v[PG_REASONS_MAX];
	size_t n;
	size_t last; /* found last: runs of cells often share a reason */
};

void pg_reasons_init(struct pg_reasons *r);
void pg_reasons_release(struct pg_reasons *r);
size_t pg_reasons_id(struct pg_reasons *r, const char *text); /* of text, not counted yet */
void pg_reasons_count(struct pg_reasons *r, size_t id);

#endif
