/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a journal: records or damage, never harm. What the fast scanner takes, jansson reads as the same record;
 * every rep goes into samples and is folded.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "plan/plan.h"
#include "registry/registry.h"
#include "store/fold.h"
#include "store/journal.h"
#include "store/samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char scenario[] = "perfgrid: 1\nname: fuzz\nsweeps:\n  - {name: s, suite: noop, vary: {first: [1, 2]}}\n";

struct reading {
	struct pg_plan *plan;
	struct pg_samples *samples;
	struct pg_columns columns[1];
	struct pg_outcome out;
};

static int read_text(void *ctx, const char *path, struct pg_str *out, struct pg_err *err)
{
	(void)ctx;
	(void)path;
	(void)err;
	pg_str_adds(out, scenario);
	return 0;
}

static struct pg_plan *plan_of_fuzz(void)
{
	static struct pg_plan *plan; /* once: every input starts from the same one */
	static const struct pg_machine machine = {.word = {1, 1, 1, 1, 1}};
	struct pg_diag d = {NULL, NULL, 0, 0};
	struct pg_plan_input in = {.file = "fuzz.yaml", .read = read_text, .suites = pg_suites, .machine = &machine};

	if (!plan && pg_plan_load(&in, &plan, &d) != 0)
		abort();
	return plan;
}

static void same(const struct pg_record *a, const struct pg_record *b)
{
	assert(a->kind == b->kind && a->n == b->n && a->cell == b->cell && a->warmup == b->warmup &&
	       a->round == b->round);
	assert(a->position == b->position && a->attempt == b->attempt && a->status == b->status);
	assert(a->n_m == b->n_m && a->n_f == b->n_f && strcmp(a->why, b->why) == 0);
	for (size_t i = 0; i < a->n_m; i++)
		assert(a->m[i].raw == b->m[i].raw && a->m[i].exp10 == b->m[i].exp10 &&
		       a->m[i].missing == b->m[i].missing);
	for (size_t i = 0; i < a->n_f; i++)
		assert(a->f[i] == b->f[i]);
}

static void both_ways(const char *s, size_t n)
{
	struct pg_record *r = malloc(2 * sizeof(*r));
	struct pg_err err;

	assert(r);
	if (pg_record_fast(s, n, &r[0])) {
		assert(pg_record_slow(s, n, &r[1], &err) == 0);
		same(&r[0], &r[1]);
	}
	free(r);
}

static int take(void *ctx, struct pg_record *r, const struct pg_line_at *at, struct pg_err *err)
{
	struct reading *k = ctx;
	struct pg_rep_record rec = {.out = &k->out};
	size_t index;

	assert(at->offset < at->end && at->line > 0);
	if (r->kind == PG_REC_HEADER)
		return pg_columns_read(r->header, k->plan, k->columns, err);
	if (r->kind != PG_REC_REP)
		return 0;
	rec.round = r->round;
	rec.attempt = r->attempt;
	rec.warmup = r->warmup;
	index = pg_record_cell(k->plan, r);
	if (index == SIZE_MAX)
		index = r->cell % 2; /* ids are hard to guess */
	if (pg_record_outcome(r, k->columns, pg_plan_sweep(k->plan, 0)->metrics, &k->out, err) != 0)
		return -1;
	return pg_samples_rep(k->samples, index, &rec, 1, err);
}

static void fold(const struct reading *k)
{
	const struct pg_sweep *sw = pg_plan_sweep(k->plan, 0);
	struct pg_fold f;
	struct pg_summary s;

	if (pg_fold_init(&f, k->samples, NULL) != 0)
		abort();
	for (size_t i = 0; i < sw->n_cells; i++) {
		pg_fold_enter(&f, sw, i);
		for (size_t m = 0; m < sw->n_metrics; m++) {
			pg_fold_metric(&f, m, &s);
			assert(s.n <= pg_samples_acc(k->samples, i)->n);
		}
	}
	pg_fold_release(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reading *k = calloc(1, sizeof(*k));
	int fd = memfd_create("journal", MFD_CLOEXEC);
	struct pg_err err = {.code = PG_OK};
	off_t torn;
	int rc;

	if (!k || fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	k->plan = plan_of_fuzz();
	if (pg_samples_new(k->plan, &k->samples, &err) != 0)
		abort();
	for (size_t at = 0, n; at < size; at += n + 1) {
		const char *s = (const char *)data + at, *nl = memchr(s, '\n', size - at);

		n = nl ? (size_t)(nl - s) : size - at;
		both_ways(s, n);
	}
	rc = pg_journal_scan(fd, take, k, &torn, &err);
	assert(rc == 0 || (err.code != PG_OK && err.msg[0]));
	assert(torn < (off_t)size);
	fold(k);
	pg_samples_free(k->samples);
	close(fd);
	free(k);
	return 0;
}
