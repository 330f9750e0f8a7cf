/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ids of cells: FNV-1a over "SWEEP\nBENCH\n" and, in order of name, "name=value\n" of each param that is set; a bundle
 * stands with its label for its params; then pg_mix64(). FNV-1a goes byte by byte, each step waiting for the one
 * before; a plan is mostly read in order, so the ids of the next four cells are made side by side, in the time of one.
 */
#include <string.h>

#include "plan/inside.h"

#define FNV_PRIME UINT64_C(0x100000001b3)

static struct pg_seg segment_of(const struct pg_sweep_in *sw, size_t i, const uint32_t *pos, const struct pg_lane *lane)
{
	const struct pg_segment *g = &sw->segs[i];

	if (g->kind == PG_SEG_AXIS)
		return sw->in[g->at].segs[pos[g->at]];
	if (g->kind == PG_SEG_COMPUTED)
		return (struct pg_seg){.s = pg_str_text(&lane->text) + lane->at[g->at],
				       .n = lane->at[g->at + 1] - lane->at[g->at]};
	return g->text;
}

/* What of the cell at hand the hash cannot look up later: positions, computed values and their segments. */
static void keep(struct pg_cell_buf *b, struct pg_lane *lane)
{
	const struct pg_sweep_in *sw = b->sw;

	memcpy(lane->pos, b->pos, sw->pub.n_axes * sizeof(*lane->pos));
	pg_str_reset(&lane->text);
	lane->at[0] = 0;
	for (size_t i = 0; i < sw->n_computed; i++) {
		size_t param = sw->computed[i].param;

		lane->vals[i] = b->vals[param];
		pg_seg_add(&lane->text, sw->pub.params[param].name, &sw->pub.params[param], &b->vals[param], NULL);
		lane->at[i + 1] = lane->text.len;
	}
}

/* One lane's multiplication is under way while the others begin theirs: they stay in registers. */
static void side_by_side(uint64_t h[PG_LANES], const struct pg_seg t[PG_LANES], size_t n)
{
	const char *s0 = t[0].s, *s1 = t[1].s, *s2 = t[2].s, *s3 = t[3].s;
	uint64_t h0 = h[0], h1 = h[1], h2 = h[2], h3 = h[3];

	for (size_t c = 0; c < n; c++) {
		h0 = (h0 ^ (unsigned char)s0[c]) * FNV_PRIME;
		h1 = (h1 ^ (unsigned char)s1[c]) * FNV_PRIME;
		h2 = (h2 ^ (unsigned char)s2[c]) * FNV_PRIME;
		h3 = (h3 ^ (unsigned char)s3[c]) * FNV_PRIME;
	}
	h[0] = h0;
	h[1] = h1;
	h[2] = h2;
	h[3] = h3;
}

/* The segments from b->dirty on, for n of the lanes; the states kept are those of the last. */
static void hash_lanes(struct pg_cell_buf *b, size_t n)
{
	const struct pg_sweep_in *sw = b->sw;
	uint64_t h[PG_LANES];

	for (size_t k = 0; k < n; k++)
		h[k] = b->hash[b->dirty];
	for (size_t i = b->dirty; i < sw->n_segs; i++) {
		struct pg_seg t[PG_LANES];
		size_t common = SIZE_MAX;

		for (size_t k = 0; k < n; k++) {
			t[k] = segment_of(sw, i, b->lanes[k].pos, &b->lanes[k]);
			common = t[k].n < common ? t[k].n : common;
		}
		if (n == PG_LANES)
			side_by_side(h, t, common);
		else
			common = 0;
		for (size_t k = 0; k < n; k++)
			h[k] = pg_fnv1a(h[k], t[k].s + common, t[k].n - common);
		b->hash[i + 1] = h[n - 1];
	}
	for (size_t k = 0; k < n; k++)
		b->lanes[k].id = pg_mix64(h[k]);
	b->dirty = sw->n_segs;
}

static bool look_ahead(const struct pg_cell_buf *b, size_t local)
{
	return b->sw->look_ahead && b->local != SIZE_MAX && local == b->local + 1 &&
	       local + PG_LANES <= b->sw->pub.n_cells;
}

/* A cell whose id is known already: the states belong to the last lane, so there they are up to date again. */
static uint64_t take_lane(struct pg_cell_buf *b, size_t local)
{
	const struct pg_sweep_in *sw = b->sw;
	const struct pg_lane *lane = &b->lanes[local - b->lane_first];

	pg_cell_move(b, local);
	for (size_t i = 0; i < sw->n_computed; i++)
		b->vals[sw->computed[i].param] = lane->vals[i];
	if (local - b->lane_first == b->n_lanes - 1)
		b->dirty = sw->n_segs;
	return lane->id;
}

uint64_t pg_cell_make(struct pg_cell_buf *b, size_t local)
{
	size_t n = 1;

	if (b->n_lanes && local >= b->lane_first && local - b->lane_first < b->n_lanes)
		return take_lane(b, local);
	if (look_ahead(b, local))
		n = PG_LANES;
	for (size_t k = 0; k < n; k++) {
		pg_cell_move(b, local + k);
		pg_cell_compute(b, NULL);
		keep(b, &b->lanes[k]);
	}
	hash_lanes(b, n);
	b->lane_first = local;
	b->n_lanes = n;
	return n > 1 ? take_lane(b, local) : b->lanes[0].id;
}
