/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a cell's id is made of: one segment "name=value\n" per param, or per bundle in the place of its params, in order
 * of name. All but computed ones are written down once. The arms of a cell have one id: what variants override, what is
 * computed from that and the variant itself have no segment.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "plan/sweep.h"

/* From here on, making four ids at once is faster than one after another. */
#define LONG_TAIL 64

static int by_name(const void *a, const void *b)
{
	const struct pg_segment *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int keep(struct pg_draft *dr, struct pg_str *text, struct pg_seg *out)
{
	const char *s = pg_arena_strndup(dr->b->a, pg_str_text(text), text->len);

	if (!s || text->failed)
		return pg_diag_error(&dr->b->d, NULL, "out of memory");
	*out = (struct pg_seg){.s = s, .n = text->len};
	return 0;
}

static int axis_segments(struct pg_draft *dr, size_t a, struct pg_str *text)
{
	const struct pg_sweep *s = &dr->sw->pub;
	const struct pg_axis *axis = &s->axes[a];
	struct pg_seg *segs = pg_build_array(dr->b, axis->n, sizeof(*segs));

	if (!segs)
		return -1;
	for (size_t i = 0; i < axis->n; i++) {
		pg_str_reset(text);
		if (axis->bundle)
			pg_seg_add(text, axis->name, NULL, NULL, axis->labels[i]);
		else
			pg_seg_add(text, axis->name, &s->params[axis->param], &axis->vals[i], NULL);
		if (keep(dr, text, &segs[i]))
			return -1;
	}
	dr->sw->in[a].segs = segs;
	return 0;
}

static int list_segments(struct pg_draft *dr, struct pg_str *text)
{
	struct pg_sweep_in *sw = dr->sw;
	const struct pg_sweep *s = &sw->pub;
	bool *reached;

	for (size_t i = 0; i < s->n_params; i++) {
		struct pg_segment *g = &sw->segs[sw->n_segs];

		if (dr->source[i] == PG_FROM_AXIS || dr->source[i] == PG_FROM_COMPUTED)
			continue;
		*g = (struct pg_segment){.name = s->params[i].name, .kind = PG_SEG_FIXED};
		pg_str_reset(text);
		pg_seg_add(text, g->name, &s->params[i], &sw->base[i], NULL);
		if (keep(dr, text, &g->text))
			return -1;
		sw->n_segs += text->len > 0;
	}
	for (size_t a = 0; a < s->n_axes - sw->variants; a++) {
		sw->segs[sw->n_segs++] = (struct pg_segment){.name = s->axes[a].name, .kind = PG_SEG_AXIS, .at = a};
		if (axis_segments(dr, a, text))
			return -1;
	}
	if (pg_variants_reach(dr, &reached))
		return -1;
	for (size_t i = 0; i < sw->n_computed; i++)
		if (!reached[i])
			sw->segs[sw->n_segs++] = (struct pg_segment){
				.name = s->params[sw->computed[i].param].name, .kind = PG_SEG_COMPUTED, .at = i};
	return 0;
}

/* Bytes from the first segment that the next cell changes to the end. */
static size_t tail(const struct pg_sweep_in *sw)
{
	size_t first = sw->n_segs, n = 0, axes = sw->pub.n_axes - sw->variants;

	if (axes)
		first = sw->in[axes - 1].seg;
	for (size_t i = 0; i < sw->n_computed; i++)
		if (sw->computed[i].seg < first)
			first = sw->computed[i].seg;
	for (size_t i = first; i < sw->n_segs; i++)
		n += sw->segs[i].kind == PG_SEG_FIXED ? sw->segs[i].text.n : LONG_TAIL / 4;
	return n;
}

int pg_sweep_segments(struct pg_draft *dr)
{
	struct pg_sweep_in *sw = dr->sw;
	struct pg_str text;
	int rc;

	sw->segs = pg_build_array(dr->b, sw->pub.n_params + sw->pub.n_axes, sizeof(*sw->segs));
	if (!sw->segs)
		return -1;
	pg_str_init(&text);
	rc = list_segments(dr, &text);
	if (!rc) {
		qsort(sw->segs, sw->n_segs, sizeof(*sw->segs), by_name);
		for (size_t a = 0; a < sw->pub.n_axes; a++)
			sw->in[a].seg = SIZE_MAX;
		for (size_t i = 0; i < sw->n_computed; i++)
			sw->computed[i].seg = SIZE_MAX;
		for (size_t i = 0; i < sw->n_segs; i++) {
			if (sw->segs[i].kind == PG_SEG_AXIS)
				sw->in[sw->segs[i].at].seg = i;
			else if (sw->segs[i].kind == PG_SEG_COMPUTED)
				sw->computed[sw->segs[i].at].seg = i;
		}
		pg_str_reset(&text);
		pg_str_addf(&text, "%s\n%s\n", sw->pub.name, sw->pub.bench->name);
		sw->look_ahead = tail(sw) > LONG_TAIL;
		sw->hash0 = pg_fnv1a(PG_FNV_INIT, pg_str_text(&text), text.len);
	}
	pg_str_release(&text);
	return rc;
}
