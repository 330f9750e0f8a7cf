/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a bench makes of its params: two bytes choose bench and row, the rest is the row's value as text, all else at
 * its default. The value is refused, or it is bound; then the bench's check and probe answer without touching the
 * machine: 0, or -1 with a reason.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/topo.h"
#include "model/param.h"
#include "model/suite.h"
#include "registry/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct pg_bench *bench_at(unsigned i)
{
	unsigned n = 0;

	for (size_t s = 0; pg_suites[s]; s++)
		for (const struct pg_bench *const *b = pg_suites[s]->benches; *b; b++)
			n++;
	i %= n;
	for (size_t s = 0; pg_suites[s]; s++)
		for (const struct pg_bench *const *b = pg_suites[s]->benches; *b; b++)
			if (i-- == 0)
				return *b;
	return NULL;
}

static void ask(const struct pg_bench *b, void *conf, const struct pg_topo *topo)
{
	struct pg_probe_env env = {.root = "", .topo = topo};
	struct pg_need need = {.descriptors = 0};
	struct pg_err err = {.code = PG_OK};

	if (b->check && b->check(conf, &err) < 0) {
		assert(err.msg[0]);
		return;
	}
	if (b->probe && b->probe(conf, &env, &need, &err) < 0)
		assert(err.msg[0]);
}

/* All rows at their defaults but one. Expressions stand for 2. -1: the text is no value of the row. */
static int values(const struct pg_param *rows, size_t chosen, const char *text, size_t n, struct pg_arena *a,
		  struct pg_value *vals)
{
	struct pg_err err;

	for (size_t i = 0; rows[i].name; i++) {
		const char *def = rows[i].def;

		if (i != chosen && def && pg_value_parse(&rows[i], def, strlen(def), a, &vals[i], &err) < 0 &&
		    pg_value_parse(&rows[i], "2", 1, a, &vals[i], &err) < 0)
			return -1;
	}
	return pg_value_parse(&rows[chosen], text, n, a, &vals[chosen], &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pg_topo topo;
	static int loaded;
	const struct pg_bench *b;
	struct pg_value *vals;
	struct pg_arena a;
	struct pg_err err;
	size_t n;

	if (size < 2)
		return 0;
	if (!loaded) {
		assert(pg_topo_load("", NULL, &topo, &err) == 0);
		loaded = 1;
	}
	b = bench_at(data[0]);
	n = pg_param_count(b->params);
	if (n == 0)
		return 0;
	pg_arena_init(&a, false);
	vals = pg_arena_array(&a, n + 1, sizeof(*vals));
	assert(vals);
	memset(vals, 0, (n + 1) * sizeof(*vals));
	if (values(b->params, data[1] % n, (const char *)data + 2, size - 2, &a, vals) == 0) {
		void *conf = pg_arena_alloc(&a, b->conf_size + 1);

		assert(conf);
		memset(conf, 0, b->conf_size + 1);
		pg_conf_bind(b->params, vals, 1, conf);
		ask(b, conf, &topo);
	}
	pg_arena_release(&a);
	return 0;
}
