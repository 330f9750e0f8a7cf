/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every bench that can be divided into batches: its rows, and the same work whether divided or not. */
#include <string.h>

#include "registry/registry.h"
#include "tests/support/pgtest.h"
#include "tests/support/small_rep.h"

#define OPS	9
#define BATCHES 4
#define MOST	20 /* benches of that kind, at most */

static const struct pg_bench *batchable_at(int i)
{
	for (size_t s = 0; pg_suites[s]; s++)
		for (const struct pg_bench *const *b = pg_suites[s]->benches; *b; b++)
			if ((*b)->batchable && i-- == 0)
				return *b;
	return NULL;
}

static size_t flagged(const struct pg_metric *rows, unsigned flag)
{
	size_t n = 0;

	for (; rows->name; rows++)
		n += (rows->flags & flag) != 0;
	return n;
}

/* What the engine and the floor lens build on. */
START_TEST(rows)
{
	const struct pg_bench *b;

	ck_assert_ptr_nonnull(batchable_at(0));
	ck_assert_ptr_null(batchable_at(MOST));
	for (int i = 0; (b = batchable_at(i)); i++) {
		const struct pg_metric *m = b->metrics, *headline = &m[pg_metric_main(m, true)];
		bool rate = m[headline->den].flags & PG_M_BATCHED;
		const struct pg_metric *time = &m[rate ? headline->den : headline->num];
		const struct pg_metric *count = &m[rate ? headline->num : headline->den];
		size_t k = 0;

		ck_assert_msg(flagged(m, PG_M_FLOOR) == 1, "%s", b->name);
		while (!(m[k].flags & PG_M_FLOOR))
			k++;
		ck_assert_msg(m[k].flags & PG_M_HIDDEN && m[k].unit == PG_U_S && m[k].reduce == PG_SUM, "%s", b->name);
		ck_assert_msg(headline->reduce == PG_RATIO && headline->flags & PG_M_BATCHED, "%s", b->name);
		ck_assert_msg(time->flags & PG_M_BATCHED && time->reduce == PG_SUM && time->unit == PG_U_S, "%s",
			      b->name);
		ck_assert_msg(!(count->flags & PG_M_BATCHED) && count->reduce == PG_SUM, "%s", b->name);
		/* Batched is that time and what is made of it and of nothing else that takes time. */
		for (k = 0; m[k].name; k++) {
			bool of_time = &m[k] == time ||
				       (m[k].reduce == PG_RATIO && (&m[m[k].num] == time) != (&m[m[k].den] == time));

			ck_assert_msg(!(m[k].flags & PG_M_BATCHED) == !of_time, "%s: %s", b->name, m[k].name);
		}
		for (k = 0; b->params[k].name && !(b->params[k].role & PG_OPS); k++)
			;
		ck_assert_msg(b->params[k].name != NULL, "%s has no operation count", b->name);
	}
}
END_TEST

static const struct pg_sample *find(const struct pg_rep_page *page, size_t row)
{
	for (uint32_t i = 0; i < page->n; i++)
		if (page->s[i].metric == row)
			return &page->s[i];
	return NULL;
}

static void set_ops(struct sr_rep *r, uint64_t ops)
{
	const struct pg_param *row = r->bench->params;

	while (!(row->role & PG_OPS))
		row++;
	memcpy((char *)r->conf + row->offset, &ops, sizeof(ops));
}

static void rep(struct sr_rep *r, uint32_t batches, struct pg_rep_page *out)
{
	memset(out, 0, sizeof(*out));
	out->rep = out->attempt = 1;
	out->batches = batches;
	ck_assert_msg(pg_rep_run(r->bench, r->conf, 1, "", out) == 0, "%s: %s", r->bench->name, out->err.msg);
}

/* One test a bench; what is beyond the last one has nothing to do. */
START_TEST(divided)
{
	const struct pg_bench *b = batchable_at(_i);
	struct pg_rep_page whole, parts;
	const struct pg_metric *m;
	struct sr_rep r;

	if (!b)
		return;
	m = b->metrics;
	ck_assert_msg(sr_open(&r, b) == 0, "%s: %s", b->name, r.err.msg);
	set_ops(&r, OPS);
	rep(&r, 0, &whole);
	rep(&r, BATCHES, &parts);
	ck_assert_uint_eq(whole.n_batches, 1);
	ck_assert_uint_eq(parts.n_batches, BATCHES);
	ck_assert_int_gt(parts.batch_ns, 0);
	ck_assert_int_le(parts.batch_ns * BATCHES, parts.once_ns);
	ck_assert_uint_eq(parts.n, whole.n + 1);
	for (size_t k = 0; m[k].name; k++) {
		const struct pg_sample *x = find(&whole, k), *y = find(&parts, k);

		if (m[k].flags & PG_M_FLOOR) {
			ck_assert_ptr_null(x);
			ck_assert_msg(y && y->raw > 0, "%s", b->name);
			continue;
		}
		ck_assert_msg(!x == !y, "%s: %s", b->name, m[k].name);
		if (x && m[k].unit != PG_U_S)
			ck_assert_msg(x->raw == y->raw, "%s: %s is %lld, divided %lld", b->name, m[k].name,
				      (long long)x->raw, (long long)y->raw);
	}
	sr_close(&r);
}
END_TEST

/* The best quarter of four batches is the best one: it is never slower than all together. */
START_TEST(floor_is_below)
{
	const struct pg_bench *b = batchable_at(_i);
	const struct pg_metric *m, *headline;
	struct pg_rep_page page;
	struct sr_rep r;
	const struct pg_sample *time, *count, *floor;
	bool rate;
	size_t k = 0;

	if (!b)
		return;
	m = b->metrics;
	headline = &m[pg_metric_main(m, true)];
	rate = m[headline->den].flags & PG_M_BATCHED;
	ck_assert_msg(sr_open(&r, b) == 0, "%s: %s", b->name, r.err.msg);
	set_ops(&r, 1000);
	rep(&r, BATCHES, &page);
	while (!(m[k].flags & PG_M_FLOOR))
		k++;
	time = find(&page, rate ? headline->den : headline->num);
	count = find(&page, rate ? headline->num : headline->den);
	floor = find(&page, k);
	ck_assert_msg(time && count && floor, "%s", b->name);
	if (time && count && floor)
		ck_assert_msg((double)floor->raw <= (double)time->raw / (double)count->raw * 1e9 + 1, "%s", b->name);
	sr_close(&r);
}
END_TEST

PG_TEST_MAIN("registry_batches", ((const struct pg_test[]){
					 {rows, 0},
					 {divided, MOST},
					 {floor_is_below, MOST},
					 {NULL, 0},
				 }))
