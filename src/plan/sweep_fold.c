/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computing params: those that no axis reaches once for the whole sweep, the others in every cell, with what went wrong
 * told once. */
#include <string.h>

#include "base/str.h"
#include "plan/sweep.h"

void pg_cell_axes_text(const struct pg_cell_buf *buf, struct pg_str *out)
{
	const struct pg_sweep *s = &buf->sw->pub;

	for (size_t a = 0; a < s->n_axes; a++)
		pg_str_addf(out, "%s%s=%s", a ? ", " : "", s->axes[a].name, s->axes[a].labels[buf->pos[a]]);
}

int pg_compute_log_init(struct pg_draft *dr, struct pg_compute_log *log)
{
	size_t n = dr->sw->n_computed;

	log->watch.cut = pg_build_array(dr->b, n, sizeof(*log->watch.cut));
	log->cut_cell = pg_build_array(dr->b, n, sizeof(*log->cut_cell));
	log->failed = pg_build_array(dr->b, n, sizeof(*log->failed));
	return log->watch.cut && log->cut_cell && log->failed ? 0 : -1;
}

static int report(struct pg_draft *dr, struct pg_cell_buf *buf, struct pg_compute_log *log)
{
	const struct pg_computed *c = &dr->sw->computed[log->watch.bad];
	struct pg_err *err = &log->watch.err;
	const char *name = dr->sw->pub.params[c->param].name, *msg = err->msg;
	struct pg_str where;

	if (log->failed[log->watch.bad])
		return -1;
	log->failed[log->watch.bad] = true;
	pg_str_init(&where);
	if (buf->local != SIZE_MAX && dr->sw->pub.n_axes) {
		pg_str_adds(&where, " at ");
		pg_cell_axes_text(buf, &where);
	}
	if (pg_startswith(msg, name) && pg_startswith(msg + strlen(name), ": ")) /* said once is enough */
		msg += strlen(name) + 2;
	pg_diag_error(&dr->b->d, err->loc.file ? &err->loc : &c->loc, "%s%s: %s", name, pg_str_text(&where), msg);
	pg_str_release(&where);
	return -1;
}

int pg_compute_logged(struct pg_draft *dr, struct pg_cell_buf *buf, struct pg_compute_log *log)
{
	size_t n = dr->sw->n_computed;
	double before[16];
	size_t watched = n < 16 ? n : 16;

	memcpy(before, log->watch.cut, watched * sizeof(before[0]));
	if (pg_cell_compute(buf, &log->watch))
		return report(dr, buf, log);
	for (size_t i = 0; i < watched; i++)
		if (log->watch.cut[i] > before[i])
			log->cut_cell[i] = buf->local;
	return 0;
}

static bool is_constant(const struct pg_draft *dr, const struct pg_computed *c)
{
	const size_t *slots;
	size_t n = pg_expr_slots(c->e, &slots);

	for (size_t i = 0; i < n; i++) {
		if (slots[i] < PG_MACHINE_WORDS)
			continue;
		if (slots[i] >= PG_SLOT_PARAM(dr->sw->pub.n_params))
			return false;
		if (dr->source[slots[i] - PG_MACHINE_WORDS] == PG_FROM_AXIS ||
		    dr->source[slots[i] - PG_MACHINE_WORDS] == PG_FROM_COMPUTED)
			return false;
	}
	return true;
}

static void note_cut(struct pg_draft *dr, const struct pg_computed *c, double cut)
{
	if (cut > 0.01)
		pg_diag_note(&dr->b->d, &c->loc, "%s: `/` cuts to a whole number and loses %.0f %%; multiply first",
			     dr->sw->pub.params[c->param].name, cut * 100);
}

static int fold(struct pg_draft *dr, struct pg_cell_buf *buf, const struct pg_computed *c)
{
	const struct pg_param *row = &dr->sw->pub.params[c->param];
	struct pg_sweep_in whole = *dr->sw, *sw = dr->sw;
	struct pg_compute_log log;
	struct pg_computed only = *c;
	struct pg_str text;

	/* The sweep with this one alone: the buffer then computes just it. */
	sw->computed = &only;
	sw->n_computed = 1;
	if (pg_compute_log_init(dr, &log))
		return -1;
	pg_cell_enter(buf, sw);
	if (pg_compute_logged(dr, buf, &log))
		return -1;
	note_cut(dr, c, log.watch.cut[0]);
	sw->computed = whole.computed;
	sw->n_computed = whole.n_computed;
	sw->base[c->param] = buf->vals[c->param];
	dr->source[c->param] = PG_FROM_SET;
	pg_str_init(&text);
	pg_value_format(row, &sw->base[c->param], &text);
	sw->base_labels[c->param] = pg_build_printf(dr->b, "%s", pg_str_text(&text));
	pg_str_release(&text);
	return sw->base_labels[c->param] ? 0 : -1;
}

int pg_sweep_fold(struct pg_draft *dr)
{
	struct pg_sweep_in *sw = dr->sw;
	struct pg_cell_buf *buf = pg_cell_buf_for(dr->b->plan, (const struct pg_sweep_in *const *)&dr->sw, 1);
	size_t kept = 0, n = sw->n_computed;
	int rc = 0;

	if (!buf)
		return pg_diag_error(&dr->b->d, NULL, "out of memory");
	for (size_t i = 0; i < n && !rc; i++) {
		const struct pg_computed c = sw->computed[i];

		if (is_constant(dr, &c))
			rc = fold(dr, buf, &c);
		else
			sw->computed[kept++] = c;
	}
	if (!rc)
		sw->n_computed = kept;
	pg_cell_buf_free(buf);
	return rc;
}
