/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <time.h>

#include "engine/period.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define MS 1000000

struct steps {
	struct pg_period p;
	int64_t nap_ns; /* between gate and first work */
	size_t victim;	/* fails, SIZE_MAX = nobody */
	_Atomic unsigned helped;
	unsigned readied, woken; /* the main task's */
};

static void nap(int64_t ns)
{
	const struct timespec t = {.tv_nsec = ns};

	nanosleep(&t, NULL);
}

/* Worker i counts 10 * (i + 1), the third in half the time of the others. */
static int work(struct pg_worker *w, void *arg)
{
	struct steps *s = arg;

	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	nap(s->nap_ns);
	if (s->readied != 1)
		return pg_worker_fail(w, "the gate opened too early");
	pg_period_begin(w, &s->p);
	if (w->index == s->victim)
		return pg_worker_fail(w, "has had enough");
	while (!pg_period_stopped(&s->p) && !pg_worker_told_to_stop(w))
		nap(MS);
	w->slot->count = 10 * (w->index + 1);
	w->slot->start_ns = 1000;
	w->slot->end_ns = 1000 + (w->index == 2 ? MS / 2 : MS);
	return 0;
}

/* Its count and its stamps are nobody's figures. */
static int help(struct pg_worker *w, void *arg)
{
	struct steps *s = arg;

	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	while (!pg_period_stopped(&s->p) && !pg_worker_told_to_stop(w))
		nap(MS);
	atomic_fetch_add(&s->helped, 1);
	w->slot->count = 1000000;
	w->slot->end_ns = INT64_MAX;
	return 0;
}

static void readied(void *arg)
{
	((struct steps *)arg)->readied++;
}

static int woken(void *arg, struct pg_err *err)
{
	struct steps *s = arg;

	if (!pg_period_stopped(&s->p))
		return pg_fail(err, PG_EFAILED, "woken before the stop");
	s->woken++;
	return 0;
}

static struct pg_period_plan plan_of(struct steps *s, size_t workers, size_t helpers, int64_t runtime_ns)
{
	return (struct pg_period_plan){
		.crew = {.n = workers + helpers, .threads = true, .root = ""},
		.workers = workers,
		.runtime_ns = runtime_ns,
		.body = work,
		.helper = help,
		.ready = readied,
		.wake = woken,
		.arg = s,
	};
}

static struct steps steps(void)
{
	struct steps s;

	memset(&s, 0, sizeof(s));
	s.victim = SIZE_MAX;
	return s;
}

/* All steps in their order, twice: what one run leaves does not hinder the next. */
START_TEST(workers_and_helpers)
{
	const struct ps_around before = ps_look();
	struct steps s = steps();
	const struct pg_period_plan plan = plan_of(&s, 3, 2, 20 * MS);
	struct pg_period_span span;
	struct pg_err err;
	double error;

	for (int i = 0; i < 2; i++) {
		const int64_t start = pg_now_ns();

		s.readied = s.woken = 0;
		atomic_store(&s.helped, 0);
		ck_assert_msg(pg_period_run(&s.p, &plan, &span, &err) == 0, "%s", err.msg);
		ck_assert_int_ge(span.elapsed, 20 * MS);
		ck_assert_int_le(span.elapsed, pg_now_ns() - start);
		ck_assert_int_eq(span.work, 0); /* the workers' end stamps lie long before the gate */
		ck_assert_uint_eq(s.woken, 1);
		ck_assert_uint_eq(atomic_load(&s.helped), 2);
		ck_assert_uint_eq(pg_period_count(&s.p), 60);
		ck_assert_int_eq(pg_period_own_ns(&s.p, 2), MS / 2);
		/* sd of 10, 20, 30 is 10 */
		ck_assert(pg_period_standard_error(&s.p, &error));
		ck_assert_double_eq_tol(error, 5.7735, 1e-4);
		pg_period_end(&s.p);
	}
	ps_same(&before);
}
END_TEST

/* However long the workers take to begin, they work for the whole of runtime. */
START_TEST(counted_from_the_first_work)
{
	struct steps s = steps();
	const struct pg_period_plan plan = plan_of(&s, 2, 0, 30 * MS);
	struct pg_period_span span;
	struct pg_err err;

	s.nap_ns = 200 * MS;
	ck_assert_msg(pg_period_run(&s.p, &plan, &span, &err) == 0, "%s", err.msg);
	ck_assert_int_ge(span.elapsed, 230 * MS);
	pg_period_end(&s.p);
}
END_TEST

/* Of one there is no standard error, whatever a helper has counted. */
START_TEST(one_worker_has_no_error)
{
	struct steps s = steps();
	const struct pg_period_plan plan = plan_of(&s, 1, 1, MS);
	struct pg_period_span span;
	struct pg_err err;
	double error;

	ck_assert_msg(pg_period_run(&s.p, &plan, &span, &err) == 0, "%s", err.msg);
	ck_assert(!pg_period_standard_error(&s.p, &error));
	ck_assert_uint_eq(pg_period_count(&s.p), 10);
	pg_period_end(&s.p);
}
END_TEST

/* A day's period ends with the first worker that fails. */
START_TEST(failure_ends_it)
{
	const struct ps_around before = ps_look();
	struct steps s = steps();
	const struct pg_period_plan plan = plan_of(&s, 3, 1, INT64_C(86400) * 1000 * MS);
	struct pg_period_span span;
	struct pg_err err;

	s.victim = 1;
	ck_assert_int_eq(pg_period_run(&s.p, &plan, &span, &err), -1);
	ck_assert_str_eq(err.msg, "worker 2 of 4: has had enough");
	pg_period_end(&s.p);
	ps_same(&before);
}
END_TEST

PG_TEST_MAIN("engine_period", ((const struct pg_test[]){
				      {workers_and_helpers, 0},
				      {counted_from_the_first_work, 0},
				      {one_worker_has_no_error, 0},
				      {failure_ends_it, 0},
				      {NULL, 0},
			      }))
