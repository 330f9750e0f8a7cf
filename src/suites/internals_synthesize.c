/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * internals/synthesize: records about tasks that are already there, made from /proc as a profiler makes them when it
 * starts (perf bench internals synthesize): FORK and COMM of each task, MMAP2 of each mapping with code, given to a
 * function that counts them.
 * Timed: whole syntheses: reading and parsing /proc, making the records; with several threads also their creation and
 * reaping, as in the ancestor. Not timed: buffers, one synthesis beforehand. Differs from the ancestor: one synthesis
 * is of this program, which has fewer mappings than perf, so compare time_per_event; the number of records is a metric
 * of its own; threads take the next process from the common list instead of a fixed share; tasks that end meanwhile are
 * passed over.
 */
#include "suites/synth.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct pg_bench pg_internals_synthesize;

enum target { T_SELF, T_SYSTEM };

struct synthesize_conf {
	uint64_t loops;
	int target; /* enum target */
	uint64_t threads;
	bool data_maps;
};

/* What a worker has made. */
struct maker {
	struct pg_synth synth;
	uint64_t records, bytes;
};

struct synthesis {
	const struct synthesize_conf *conf;
	const char *root;
	struct maker *makers; /* one a thread */
	size_t n_makers;      /* with buffers */
	pid_t *pids;
	size_t room, n_pids;
	_Alignas(64) atomic_size_t next; /* process that nobody has taken yet */
};

static const struct pg_choice targets[] = {
	[T_SELF] = {"self", "this process"},
	[T_SYSTEM] = {"system", "every process and thread that can be seen"},
	{NULL, NULL},
};

static const struct pg_param params[] = {
	PG_ROW_LOOPS(struct synthesize_conf, loops, "syntheses", "10000", "auto", 'i'),
	{
		.name = "target",
		.doc = "whose records are made",
		.def = "self",
		.choices = targets,
		PG_AT_ENUM(struct synthesize_conf, target),
	},
	{
		.name = "threads",
		.doc = "workers that share the process list (target system)",
		.def = "1",
		.min = "1",
		.max = "100000",
		PG_AT_COUNT(struct synthesize_conf, threads),
	},
	{
		.name = "data_maps",
		.doc = "records for mappings without code as well",
		.def = "false",
		PG_AT_BOOL(struct synthesize_conf, data_maps),
	},
	{.name = NULL},
};

enum { M_TIME_PER_OP, M_EVENT_COUNT, M_TIME_PER_EVENT, M_RATE, M_TIME, M_OPERATIONS, M_RECORDS, M_BYTES };

static const struct pg_metric metrics[] = {
	[M_TIME_PER_OP] =
		PG_ROW_RATIO("time_per_op", "one synthesis, mean", PG_U_S, PG_LOWER, M_TIME, M_OPERATIONS, PG_M_MAIN),
	[M_EVENT_COUNT] = PG_ROW_RATIO("event_count", "records of one synthesis, mean", PG_U_COUNT, PG_NEITHER,
				       M_RECORDS, M_OPERATIONS, 0),
	[M_TIME_PER_EVENT] =
		PG_ROW_RATIO("time_per_event", "time_per_op / records", PG_U_S, PG_LOWER, M_TIME, M_RECORDS, 0),
	[M_RATE] = PG_ROW_RATIO("rate", "records / time", PG_U_PER_S, PG_HIGHER, M_RECORDS, M_TIME, 0),
	[M_TIME] = PG_ROW_HIDDEN("synthesis_time_total", "all syntheses", PG_U_S, PG_SUM, PG_M_GROWS),
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "syntheses made", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_RECORDS] = PG_ROW_HIDDEN("records", "made by all syntheses", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_BYTES] = PG_ROW_HIDDEN("record_bytes", "of all records", PG_U_B, PG_SUM, PG_M_GROWS),
	{.name = NULL},
};

static int check(const void *vconf, struct pg_err *err)
{
	const struct synthesize_conf *conf = vconf;

	if (conf->target == T_SELF && conf->threads > 1)
		return pg_fail(err, PG_EINPUT,
			       "threads %llu share a process list, which target self has not; use "
			       "target system or threads 1",
			       (unsigned long long)conf->threads);
	return 0;
}

static int probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct synthesize_conf *conf = vconf;
	char path[4200];

	snprintf(path, sizeof(path), "%s/proc/self/status", env->root);
	if (access(path, R_OK))
		return pg_fail(err, PG_EUNSUPPORTED, "cannot read /proc/self/status: %s; mount /proc", strerror(errno));
	need->tasks = conf->threads > 1 ? conf->threads : 0;
	/* A worker's folder and file. */
	need->descriptors = 2 * conf->threads;
	need->bytes = conf->threads * (sizeof(struct maker) + sizeof(struct pg_synth_mmap2) + PG_SYNTH_TEXT) +
		      need->tasks * pg_crew_task_bytes(true, 0);
	return 0;
}

static void count(void *ctx, const struct perf_event_header *record)
{
	struct maker *m = ctx;

	m->records++;
	m->bytes += record->size;
}

static int take_next(struct synthesis *s, struct maker *m, struct pg_err *err)
{
	const size_t i = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);

	if (i >= s->n_pids)
		return 1;
	return pg_synth_process(&m->synth, s->pids[i], err);
}

static int share(struct pg_worker *w, void *arg)
{
	struct synthesis *s = arg;
	struct pg_err err;
	int r;

	do {
		r = pg_worker_told_to_stop(w) ? -1 : take_next(s, &s->makers[w->index], &err);
		if (r < 0 && !pg_worker_told_to_stop(w))
			pg_worker_fail(w, "%s", err.msg);
	} while (r == 0);
	return r < 0 ? -1 : 0;
}

static int all_by_crew(struct synthesis *s, struct pg_err *err)
{
	/* Paths and a reason on the stack. */
	const struct pg_crew_opts opts = {.n = s->n_makers, .threads = true, .root = s->root, .stack_bytes = 32768};
	struct pg_crew *crew = NULL;
	int r = pg_crew_open(&crew, &opts, err);

	for (size_t i = 0; r == 0 && i < s->n_makers; i++)
		r = pg_crew_start(crew, share, s, err);
	if (r == 0)
		r = pg_crew_reap(crew, err);
	pg_crew_close(crew);
	return r;
}

static int synthesize(struct synthesis *s, struct pg_err *err)
{
	int r;

	if (s->conf->target == T_SELF)
		return pg_synth_self(&s->makers[0].synth, err);
	if (pg_synth_list(s->root, &s->pids, &s->room, &s->n_pids, err))
		return -1;
	atomic_store(&s->next, 0);
	if (s->n_makers > 1)
		return all_by_crew(s, err);
	do
		r = take_next(s, &s->makers[0], err);
	while (r == 0);
	return r < 0 ? -1 : 0;
}

static int setup(struct pg_run *run, struct pg_err *err)
{
	const struct synthesize_conf *conf = run->conf;
	struct synthesis *s = aligned_alloc(_Alignof(struct synthesis), sizeof(*s));

	run->state = s;
	if (!s)
		return pg_fail_nomem(err);
	*s = (struct synthesis){.conf = conf, .root = run->root};
	s->makers = aligned_alloc(_Alignof(struct maker), conf->threads * sizeof(*s->makers));
	if (!s->makers)
		return pg_fail_nomem(err);
	while (s->n_makers < conf->threads) {
		struct maker *m = &s->makers[s->n_makers++];

		*m = (struct maker){
			.synth = {.deliver = count, .ctx = m, .root = run->root, .data_maps = conf->data_maps}};
		if (pg_synth_init(&m->synth, err))
			return -1;
	}
	return synthesize(s, err);
}

static int once(struct pg_run *run, struct pg_err *err)
{
	struct synthesis *s = run->state;
	uint64_t records = 0, bytes = 0;
	int64_t start;

	for (size_t i = 0; i < s->n_makers; i++)
		s->makers[i].records = s->makers[i].bytes = 0;
	start = pg_now_ns();
	for (uint64_t i = 0; i < s->conf->loops; i++)
		if (synthesize(s, err))
			return -1;
	run->timed_ns = pg_since(pg_now_ns(), start);
	for (size_t i = 0; i < s->n_makers; i++) {
		records += s->makers[i].records;
		bytes += s->makers[i].bytes;
	}
	pg_record(run, M_TIME, run->timed_ns);
	pg_record(run, M_OPERATIONS, (int64_t)s->conf->loops);
	pg_record(run, M_RECORDS, (int64_t)records);
	pg_record(run, M_BYTES, (int64_t)bytes);
	return 0;
}

static void teardown(struct pg_run *run)
{
	struct synthesis *s = run->state;

	if (!s)
		return;
	for (size_t i = 0; i < s->n_makers; i++)
		pg_synth_release(&s->makers[i].synth);
	free(s->makers);
	free(s->pids);
	free(s);
	run->state = NULL;
}

const struct pg_bench pg_internals_synthesize = {
	.name = "internals/synthesize",
	.summary = "records about running tasks, made from /proc",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct synthesize_conf),
	.probe = probe,
	.check = check,
	.setup = setup,
	.once = once,
	.teardown = teardown,
};
