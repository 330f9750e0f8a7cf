/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of the futex benches: their confs with numbers where defaults are expressions, and a kernel that answers
 * single calls otherwise (a seccomp filter, for a child of the test).
 */
#ifndef PG_TESTS_FUTEXKIT_H
#define PG_TESTS_FUTEXKIT_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>

#include "registry/registry.h"
#include "suites/futex.h"
#include "tests/support/pgsuite.h"

struct fx_bench {
	struct ps_bench b;
	struct pg_bench bench; /* as registered, but for these rows */
	struct pg_param rows[16];
};

static inline void fx_bind(struct fx_bench *f, const char *name, const char *params)
{
	const struct pg_bench *bench = pg_bench_find(name);

	ck_assert_msg(bench != NULL, "%s", name);
	f->bench = *bench;
	for (size_t i = 0; i <= pg_param_count(bench->params); i++) {
		f->rows[i] = bench->params[i];
		if (f->rows[i].name && (!strcmp(f->rows[i].name, "threads") || !strcmp(f->rows[i].name, "wakers")))
			f->rows[i].def = "2";
	}
	f->bench.params = f->rows;
	ps_bind(&f->b, &f->bench, params);
}

struct fx_around {
	struct ps_around process;
	cpu_set_t cpus;
};

static inline struct fx_around fx_look(void)
{
	struct fx_around a;

	memset(&a, 0, sizeof(a));
	a.process = ps_look();
	sched_getaffinity(0, sizeof(a.cpus), &a.cpus);
	return a;
}

static inline void fx_same(const struct fx_around *was)
{
	cpu_set_t cpus;

	ps_same(&was->process);
	memset(&cpus, 0, sizeof(cpus));
	sched_getaffinity(0, sizeof(cpus), &cpus);
	ck_assert(CPU_EQUAL(&cpus, &was->cpus));
}

/* A rep that must succeed, with everything around it as before. */
static inline void fx_good_rep(struct fx_bench *f, const char *name, const char *params)
{
	const struct fx_around was = fx_look();

	fx_bind(f, name, params);
	ck_assert_msg(ps_rep(&f->b) == 0, "%s %s: %s", name, params, f->b.err.msg);
	fx_same(&was);
	ck_assert_ptr_null(f->b.run.state);
}

/* What ps_in_child() runs: one rep, by its params, under a changed kernel or changed limits. */
struct fx_try {
	const char *name, *params;
	/* A call `nr` whose argument `arg` is `value` returns -1 with errno `answer`; 0: it returns 0 and does nothing.
	 */
	long nr;
	unsigned arg;
	uint32_t value;
	int answer;
	/* Shared with the child. */
	int r, probed;
	enum pg_code code;
	int64_t buckets; /* -1 = not recorded */
	char why[PG_ERR_MSG], probe_why[PG_ERR_MSG];
	bool left; /* a thread */
};

static inline int fx_filter(const struct fx_try *t)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)t->nr, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 (uint32_t)(offsetof(struct seccomp_data, args) + t->arg * sizeof(uint64_t))),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, t->value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((uint32_t)t->answer & SECCOMP_RET_DATA)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog prog = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog);
}

/* Body of a child: 0, or 1 when the changed kernel could not be had. */
static inline int fx_try(void *arg)
{
	struct fx_try *t = arg;
	struct fx_bench f;
	struct pg_need need;
	size_t at;
	const int threads = live_tasks();

	fx_bind(&f, t->name, t->params);
	if (t->nr && fx_filter(t))
		return 1;
	t->probed = ps_probe(&f.b, &need);
	memcpy(t->probe_why, f.b.err.msg, sizeof(t->probe_why));
	t->code = f.b.err.code;
	t->r = ps_rep(&f.b);
	memcpy(t->why, f.b.err.msg, sizeof(t->why));
	t->buckets = -1;
	if (pg_metric_find(f.bench.metrics, "buckets_used", &at) && f.b.run.acc[at].n > 0)
		t->buckets = f.b.run.acc[at].raw;
	t->left = live_tasks() > threads + PS_FOREIGN_THREADS;
	ps_done(&f.b);
	return 0;
}

#endif
