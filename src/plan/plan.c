/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A made plan: what is asked of it, marks and reasons of cells, the index by id, its end. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "plan/inside.h"

const char *const pg_statistic_names[PG_STATISTICS] = {"median", "mean",   "min",  "max",     "best", "sd",
						       "sd_pct", "mad",	   "q25",  "q75",     "n",    "ci_lo",
						       "ci_hi",	 "ci_pct", "mode", "mode_pct"};

const char *pg_plan_name(const struct pg_plan *p)
{
	return p->name;
}

const char *pg_plan_description(const struct pg_plan *p)
{
	return p->description ? p->description : "";
}

const struct pg_plan_file *pg_plan_files(const struct pg_plan *p, size_t *n)
{
	*n = p->n_files;
	return p->files;
}

size_t pg_plan_sweeps(const struct pg_plan *p)
{
	return p->n_sweeps;
}

const struct pg_sweep *pg_plan_sweep(const struct pg_plan *p, size_t i)
{
	assert(i < p->n_sweeps);
	return &p->sweeps[i]->pub;
}

size_t pg_plan_cells(const struct pg_plan *p)
{
	return p->n_cells;
}

uint32_t pg_plan_sessions(const struct pg_plan *p)
{
	return p->sessions;
}

uint64_t pg_plan_digest(const struct pg_plan *p)
{
	return p->digest;
}

/* Reasons are interned: a million cells usually share a few. */
static int rehash(struct pg_plan *p)
{
	size_t n = p->n_reason_table ? p->n_reason_table * 2 : 64;
	uint32_t *table = calloc(n, sizeof(*table));

	if (!table)
		return -1;
	for (size_t i = 0; i < p->n_reasons; i++) {
		size_t at = (size_t)pg_fnv1a(PG_FNV_INIT, p->reasons[i], strlen(p->reasons[i])) & (n - 1);

		while (table[at])
			at = (at + 1) & (n - 1);
		table[at] = (uint32_t)i + 1;
	}
	free(p->reason_table);
	p->reason_table = table;
	p->n_reason_table = n;
	return 0;
}

static int add_reason(struct pg_plan *p, const char *why)
{
	if (p->n_reasons == p->room_reasons) {
		size_t room = p->room_reasons ? p->room_reasons * 2 : 16;
		const char **more = realloc(p->reasons, room * sizeof(*more));

		if (!more)
			return -1;
		p->reasons = more;
		p->room_reasons = room;
	}
	p->reasons[p->n_reasons] = pg_arena_strdup(&p->arena, why);
	if (!p->reasons[p->n_reasons])
		return -1;
	p->n_reasons++;
	return 0;
}

int pg_plan_reason(struct pg_plan *p, const char *why, uint32_t *out)
{
	size_t at;

	if (2 * (p->n_reasons + 1) > p->n_reason_table && rehash(p))
		return -1;
	at = (size_t)pg_fnv1a(PG_FNV_INIT, why, strlen(why)) & (p->n_reason_table - 1);
	for (; p->reason_table[at]; at = (at + 1) & (p->n_reason_table - 1)) {
		*out = p->reason_table[at] - 1;
		if (strcmp(p->reasons[*out], why) == 0)
			return 0;
	}
	if (p->n_reasons >= PG_MARK_REASON || add_reason(p, why))
		return -1;
	*out = (uint32_t)p->n_reasons - 1;
	p->reason_table[at] = (uint32_t)p->n_reasons;
	return 0;
}

int pg_plan_grow(struct pg_plan *p, size_t cells)
{
	size_t room = p->marks_room ? p->marks_room : 1024;
	uint32_t *more;

	if (p->n_cells + cells <= p->marks_room)
		return 0;
	while (room < p->n_cells + cells)
		room *= 2;
	if (cells > room / 4)
		room = p->n_cells + cells; /* one large sweep: no more than it needs */
	more = pg_big_grow(p->marks, p->marks_room * sizeof(*more), room * sizeof(*more));
	if (!more)
		return -1;
	p->marks = more;
	p->marks_room = room;
	return 0;
}

int pg_plan_mark(struct pg_plan *p, size_t index, enum pg_skip skip, const char *why)
{
	uint32_t reason = 0;

	assert(index < p->n_cells);
	if (skip != PG_NOT_SKIPPED && pg_plan_reason(p, why ? why : "", &reason))
		return -1;
	p->marks[index] = (uint32_t)skip << PG_MARK_SHIFT | reason;
	return 0;
}

enum pg_skip pg_plan_skip(const struct pg_plan *p, size_t index, const char **why)
{
	enum pg_skip skip;

	assert(index < p->n_cells);
	skip = (enum pg_skip)(p->marks[index] >> PG_MARK_SHIFT);
	if (why)
		*why = skip == PG_NOT_SKIPPED ? NULL : p->reasons[p->marks[index] & PG_MARK_REASON];
	return skip;
}

/* Slots to cells 4 to 3, of 8 bytes. */
static int build_index(struct pg_plan *p)
{
	struct pg_find_index *f = &p->find;
	size_t n = p->n_cells + p->n_cells / 3 + 1;
	struct pg_find_slot *slots = pg_big_alloc(n * sizeof(*slots));

	f->buf = pg_cell_buf_new(p);
	if (!slots || !f->buf) {
		pg_big_free(slots, n * sizeof(*slots));
		pg_cell_buf_free(f->buf);
		f->buf = NULL;
		return -1;
	}
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct pg_cell *c = pg_plan_cell(p, i, f->buf);
		uint64_t id = c->id;
		size_t at = (size_t)(id % n);

		if (c->variant) /* has the id of its baseline */
			continue;
		while (slots[at].cell)
			at = at + 1 < n ? at + 1 : 0;
		slots[at] = (struct pg_find_slot){.cell = (uint32_t)i + 1, .tag = (uint32_t)(id >> 32)};
	}
	f->slots = slots;
	f->n = n;
	return 0;
}

size_t pg_plan_find(struct pg_plan *p, uint64_t id)
{
	struct pg_find_index *f = &p->find;
	size_t at;

	if (!p->n_cells || (!f->slots && build_index(p)))
		return SIZE_MAX;
	for (at = (size_t)(id % f->n); f->slots[at].cell; at = at + 1 < f->n ? at + 1 : 0) {
		size_t cell = f->slots[at].cell - 1;

		if (f->slots[at].tag == (uint32_t)(id >> 32) && pg_plan_cell(p, cell, f->buf)->id == id)
			return cell;
	}
	return SIZE_MAX;
}

size_t pg_plan_find_arm(struct pg_plan *p, uint64_t id, const char *variant)
{
	size_t cell = pg_plan_find(p, id);
	const struct pg_sweep_in *sw = cell == SIZE_MAX ? NULL : p->find.buf->sw;

	if (!sw || !sw->variants)
		return variant ? SIZE_MAX : cell;
	for (size_t v = 0; variant && v < sw->pub.n_variants; v++)
		if (strcmp(sw->pub.axes[sw->pub.n_axes - 1].labels[v], variant) == 0)
			return cell + v;
	return SIZE_MAX;
}

void pg_plan_free(struct pg_plan *p)
{
	if (!p)
		return;
	pg_cell_buf_free(p->find.buf);
	if (p->find.slots)
		pg_big_free(p->find.slots, p->find.n * sizeof(*p->find.slots));
	if (p->marks)
		pg_big_free(p->marks, p->marks_room * sizeof(*p->marks));
	free(p->reasons);
	free(p->reason_table);
	pg_arena_release(&p->arena);
	free(p);
}
