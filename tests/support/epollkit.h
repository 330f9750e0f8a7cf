/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of the epoll benches: their confs with a number where the default of `threads` is an expression. */
#ifndef PG_TESTS_EPOLLKIT_H
#define PG_TESTS_EPOLLKIT_H

#include <sched.h>
#include <sys/resource.h>

#include "registry/registry.h"
#include "tests/support/pgsuite.h"

struct ek_bench {
	struct ps_bench b;
	struct pg_bench bench;	  /* as registered, */
	struct pg_param rows[16]; /* with a number where the default is an expression */
};

static inline void ek_bind(struct ek_bench *eb, const char *name, const char *params)
{
	const struct pg_bench *bench = pg_bench_find(name);

	ck_assert_ptr_nonnull(bench);
	eb->bench = *bench;
	for (size_t i = 0; i <= pg_param_count(bench->params); i++) {
		eb->rows[i] = bench->params[i];
		if (eb->rows[i].name && strcmp(eb->rows[i].name, "threads") == 0)
			eb->rows[i].def = "2";
	}
	eb->bench.params = eb->rows;
	ps_bind(&eb->b, &eb->bench, params);
}

struct ek_settings {
	struct rlimit files;
	cpu_set_t cpus;
};

static inline struct ek_settings ek_settings(void)
{
	struct ek_settings s;

	memset(&s, 0, sizeof(s));
	getrlimit(RLIMIT_NOFILE, &s.files);
	sched_getaffinity(0, sizeof(s.cpus), &s.cpus);
	return s;
}

/* A rep that must succeed, with everything around it as before. */
static inline void ek_good_rep(struct ek_bench *eb, const char *name, const char *params)
{
	const struct ps_around before = ps_look();
	const struct ek_settings was = ek_settings();
	struct ek_settings is;

	ek_bind(eb, name, params);
	ck_assert_msg(ps_rep(&eb->b) == 0, "%s: %s", params, eb->b.err.msg);
	ps_same(&before);
	is = ek_settings();
	ck_assert_int_eq(memcmp(&was, &is, sizeof(is)), 0);
	ck_assert_ptr_null(eb->b.run.state);
}

#endif
