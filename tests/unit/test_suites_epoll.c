/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "suites/epoll_wait.h"
#include "tests/support/epollkit.h"
#include "tests/support/pgtest.h"

static const char *const queues[] = {"common", "per-thread"};
static const char *const waits[] = {"block", "poll"};
static const char *const triggers[] = {"level", "edge", "oneshot", "edge-oneshot"};
static const char *const patterns[] = {"sequential", "random"};

START_TEST(events_flow)
{
	struct ek_bench eb;
	const struct ps_bench *b = &eb.b;
	char params[160];

	for (int i = 0; i < 2; i++) { /* the writer may not get a CPU within 20 ms */
		if (i > 0 && ps_raw(b, "events_read") > 0)
			break;
		if (i > 0)
			ps_done(&eb.b);
		snprintf(params, sizeof(params), "runtime=%s fds=5 queue=%s wait=%s trigger=%s pattern=%s nesting=%d",
			 i ? "2s" : "20ms", queues[_i % 2], waits[_i / 2 % 2], triggers[_i / 4 % 4], patterns[_i / 16],
			 _i % 5);
		ek_good_rep(&eb, "epoll/wait", params);
	}
	ck_assert_int_gt(ps_raw(b, "events_read"), 0);
	ck_assert_int_ge(ps_raw(b, "work_events"), ps_raw(b, "events_read"));
	ck_assert_int_ge(ps_raw(b, "elapsed"), 20000000);
	ck_assert_int_ge(ps_raw(b, "work_span"), 20000000);
	ck_assert_int_eq(ps_raw(b, "thread_elapsed"), 2 * ps_raw(b, "elapsed"));
	ck_assert_int_eq(ps_raw(b, "slowest_thread") + ps_raw(b, "fastest_thread"), ps_raw(b, "work_events"));
	ck_assert_int_le(ps_raw(b, "slowest_thread"), ps_raw(b, "fastest_thread"));
	ck_assert_int_le(ps_raw(b, "events_error"), ps_raw(b, "events_read"));
	if (_i / 2 % 2 == 0)
		ck_assert_int_eq(ps_raw(b, "empty_waits"), 0);
	if (_i % 2)
		ck_assert_int_eq(ps_raw(b, "empty_reads"), 0);
	ps_done(&eb.b);
}
END_TEST

/* The parts of one rep, with a body or writer of the test's own. */
struct parts {
	struct ek_bench eb;
	struct pg_epoll *e;
	struct pg_period_span span;
};

static int run_parts(struct parts *p, const char *params, int (*body)(struct pg_worker *, void *),
		     int (*writer)(struct pg_worker *, void *))
{
	struct ps_bench *b = &p->eb.b;
	int r;

	ek_bind(&p->eb, "epoll/wait", params);
	ck_assert_int_eq(b->bench->setup(&b->run, &b->err), 0);
	p->e = b->run.state;
	p->e->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (p->e->conf->queue == 0) {
		ck_assert_int_eq(pg_epoll_open_queue(p->e, 0, &b->err), 0);
		ck_assert_int_eq(pg_epoll_watch_stop(p->e, 0), 0);
	}
	r = pg_epoll_run(p->e, &b->run, body, writer, &p->span, &b->err);
	return r;
}

static void end_parts(struct parts *p)
{
	p->eb.b.bench->teardown(&p->eb.b.run);
	ps_done(&p->eb.b);
}

/* Writes to one eventfd at a time and goes on when it was read. */
static int careful_writer(struct pg_worker *w, void *arg)
{
	struct pg_epoll *e = arg;
	const uint64_t one = 1;

	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	for (size_t i = 0;; i++) {
		struct pollfd p = {.fd = e->own[i % 2].fds[i / 2 % e->conf->fds], .events = POLLIN};

		if (write(p.fd, &one, sizeof(one)) != sizeof(one))
			return pg_worker_fail(w, "no write");
		while (poll(&p, 1, 0) == 1)
			if (pg_epoll_stopped(w, e))
				return 0;
		w->slot->count++;
	}
}

/* What was written and read is counted once, whoever was told, however often. */
START_TEST(each_event_counts_once)
{
	const struct ps_around before = ps_look();
	struct parts p;
	char params[160];
	uint64_t written = 0, read;

	/* Waiters that never sleep leave a busy machine's writer no time in a short period. */
	for (int ms = 60; written == 0; ms *= 10) {
		ck_assert_int_le(ms, 60000);
		snprintf(params, sizeof(params), "runtime=%dms fds=3 queue=%s wait=%s trigger=%s", ms, queues[_i % 2],
			 waits[_i / 2 % 2], triggers[_i / 4]);
		ck_assert_msg(run_parts(&p, params, pg_epoll_waiter, careful_writer) == 0, "%s", p.eb.b.err.msg);
		written = pg_crew_slot(p.e->period.crew, 2)->count;
		read = pg_crew_slot(p.e->period.crew, 0)->count + pg_crew_slot(p.e->period.crew, 1)->count;
		ck_assert_uint_ge(read, written);
		ck_assert_uint_le(read, written + 1); /* the last one: read, but the writer was told to stop */
		end_parts(&p);
	}
	ps_same(&before);
}
END_TEST

static int silent_writer(struct pg_worker *w, void *arg)
{
	(void)arg;
	pg_worker_ready(w);
	return pg_worker_hold(w);
}

/* Nobody writes: all that wait are woken at the end, however many wait on one instance. */
START_TEST(all_are_woken_at_the_end)
{
	const struct ps_around before = ps_look();
	struct parts p;
	char params[160];

	snprintf(params, sizeof(params), "threads=16 runtime=20ms fds=1 queue=%s trigger=%s nesting=%d", queues[_i % 2],
		 triggers[_i / 2], _i % 5);
	ck_assert_msg(run_parts(&p, params, pg_epoll_waiter, silent_writer) == 0, "%s", p.eb.b.err.msg);
	for (size_t i = 0; i < 16; i++) {
		ck_assert_uint_eq(pg_crew_slot(p.e->period.crew, i)->count, 0);
		ck_assert_int_ge(pg_crew_slot(p.e->period.crew, i)->end_ns,
				 pg_crew_slot(p.e->period.crew, i)->start_ns);
	}
	end_parts(&p);
	ps_same(&before);
}
END_TEST

static int failing_writer(struct pg_worker *w, void *arg)
{
	(void)arg;
	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	return pg_worker_fail(w, "no more to write");
}

static int failing_early(struct pg_worker *w, void *arg)
{
	(void)arg;
	return pg_worker_fail(w, "not even ready");
}

/* A thread that fails ends a rep that would last an hour, whatever the others wait for. */
START_TEST(failed_thread_ends_the_rep)
{
	const struct ps_around before = ps_look();
	struct parts p;
	char params[160];

	snprintf(params, sizeof(params), "threads=4 runtime=1h fds=2 queue=%s wait=%s", queues[_i % 2],
		 waits[_i / 2 % 2]);
	ck_assert_int_eq(run_parts(&p, params, pg_epoll_waiter, _i / 4 ? failing_early : failing_writer), -1);
	ck_assert_str_eq(p.eb.b.err.msg, _i / 4 ? "worker 5 of 5: not even ready" : "worker 5 of 5: no more to write");
	ck_assert_int_eq(p.eb.b.err.code, PG_EFAILED);
	end_parts(&p);
	ps_same(&before);
}
END_TEST

/* Nobody shuffles them, so that others may look. */
static bool shares_are_quiet(const struct pg_epoll *e)
{
	return e->conf->pattern == 0;
}

/* Makes its eventfds and leaves them alone; when the gate is open, every writer has its share already. */
static int idle(struct pg_worker *w, void *arg)
{
	struct pg_epoll *e = arg;

	if (pg_epoll_make_fds(w, e))
		return -1;
	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	pg_period_begin(w, &e->period);
	for (size_t k = 0; k < e->writers && shares_are_quiet(e); k++) {
		const struct pg_epoll_own *writer = &e->own[e->threads + k];

		for (size_t i = 0; i < writer->n_share; i++)
			if (writer->share[i] < 0)
				return pg_worker_fail(w, "eventfd %zu of writer %zu was not dealt", i, k);
		if (!writer->share)
			return pg_worker_fail(w, "writer %zu has no share", k);
	}
	while (!pg_epoll_stopped(w, e))
		usleep(1000);
	return 0;
}

/* Each eventfd has exactly one writer, and every one of them writes. */
START_TEST(writers_share_the_eventfds)
{
	static const int counts[] = {1, 2, 3, 5, 10};
	const int writers = counts[_i / 2];
	struct parts p;
	char params[160];
	uint64_t sum = 0, written = 0, dealt = 0;

	/* On a busy machine some writer may not have had its turn in a short period. */
	for (int ms = 30, late = 1; late; ms *= 10) {
		ck_assert_int_le(ms, 30000);
		snprintf(params, sizeof(params), "runtime=%dms fds=5 writers=%d pattern=%s", ms, writers,
			 patterns[_i % 2]);
		ck_assert_msg(run_parts(&p, params, idle, pg_epoll_writer) == 0, "%s", p.eb.b.err.msg);
		late = 0;
		for (size_t i = 0; i < (size_t)writers; i++)
			late |= pg_crew_slot(p.e->period.crew, 2 + i)->count < p.e->own[2 + i].n_share;
		if (late)
			end_parts(&p);
	}
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(p.e->own[i].n_fds, 5);
		ck_assert_uint_eq((uintptr_t)p.e->own[i].fds % 64, 0);
		ck_assert_uint_eq((uintptr_t)&p.e->own[i] % 64, 0);
		for (size_t k = 0; k < 5; k++) {
			uint64_t value = 0;

			ck_assert_int_eq(read(p.e->own[i].fds[k], &value, sizeof(value)), sizeof(value));
			ck_assert_uint_gt(value, 0);
			sum += value;
		}
	}
	for (size_t i = 0; i < (size_t)writers; i++) {
		ck_assert_uint_gt(pg_crew_slot(p.e->period.crew, 2 + i)->count, 0);
		ck_assert_uint_eq((uintptr_t)p.e->own[2 + i].share % 64, 0);
		dealt += p.e->own[2 + i].n_share;
		written += pg_crew_slot(p.e->period.crew, 2 + i)->count;
	}
	ck_assert_uint_eq(sum, written);
	ck_assert_uint_eq(dealt, 10);
	end_parts(&p);
}
END_TEST

#define ORDERED 32

/* Takes down the order in which its eventfds become ready, as places in its own list. */
static int observer(struct pg_worker *w, void *arg)
{
	struct pg_epoll *e = arg;
	struct pg_epoll_own *own = &e->own[0];
	const int queue = e->queues[0].instance[0];
	struct epoll_event ev;

	if (pg_epoll_make_fds(w, e))
		return -1;
	for (size_t i = 0; i < own->n_fds; i++) {
		ev = (struct epoll_event){.events = EPOLLIN | EPOLLET, .data.u32 = (uint32_t)i};
		if (epoll_ctl(queue, EPOLL_CTL_ADD, own->fds[i], &ev))
			return pg_worker_fail_sys(w, "no watch");
	}
	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	pg_period_begin(w, &e->period);
	while (w->slot->count < ORDERED && epoll_wait(queue, &ev, 1, 5000) == 1)
		w->slot->why[w->slot->count++] = (char)ev.data.u32;
	return 0;
}

START_TEST(patterns_order_the_writes)
{
	struct parts p;
	const char *order;
	char params[160];
	unsigned seen = 0;
	bool sorted = true;

	/* One round of the writer, then it sleeps. */
	snprintf(params, sizeof(params), "threads=1 runtime=300ms loop_sleep=1s fds=%d pattern=%s", ORDERED,
		 patterns[_i]);
	ck_assert_msg(run_parts(&p, params, observer, pg_epoll_writer) == 0, "%s", p.eb.b.err.msg);
	ck_assert_uint_eq(pg_crew_slot(p.e->period.crew, 0)->count, ORDERED);
	order = pg_crew_slot(p.e->period.crew, 0)->why;
	for (int i = 0; i < ORDERED; i++) {
		seen |= 1u << order[i];
		sorted = sorted && order[i] == i;
	}
	ck_assert_uint_eq(seen, UINT32_MAX);
	ck_assert_int_eq(sorted, _i == 0);
	end_parts(&p);
}
END_TEST

static int placed_waiter(struct pg_worker *w, void *arg)
{
	const int r = pg_epoll_waiter(w, arg);
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	return r || CPU_COUNT(&cpus) == 1 ? r : pg_worker_fail(w, "on %d CPUs", CPU_COUNT(&cpus));
}

static int free_writer(struct pg_worker *w, void *arg)
{
	const struct pg_epoll *e = arg;
	const int r = pg_epoll_writer(w, arg);
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	if (r || CPU_COUNT(&cpus) == (int)pg_cpuset_count(&e->home))
		return r;
	return pg_worker_fail(w, "on %d CPUs", CPU_COUNT(&cpus));
}

static int placed_reps(void *arg)
{
	struct pg_err *err = arg;
	struct parts p;

	for (int i = 0; i < 2; i++) {
		const int r =
			run_parts(&p, i ? "runtime=5ms placement=same-cpu" : "runtime=5ms", placed_waiter, free_writer);

		*err = p.eb.b.err;
		end_parts(&p);
		if (r)
			return 1;
	}
	return 0;
}

/* One CPU is enough for the default placement, and for no other that crosses. */
static int reps_on_one_cpu(void *arg)
{
	struct pg_err *err = arg;
	struct ek_bench eb;
	struct pg_need need;
	cpu_set_t cpus, one;
	size_t cpu = 0;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	while (!CPU_ISSET(cpu, &cpus))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) || placed_reps(arg))
		return 1;
	ek_bind(&eb, "epoll/wait", "");
	if (ps_probe(&eb.b, &need))
		return 2;
	ps_done(&eb.b);
	ek_bind(&eb, "epoll/ctl", "placement=cross-core");
	if (ps_probe(&eb.b, &need) != -1 || eb.b.err.code != PG_EUNSUPPORTED)
		return 3;
	ps_done(&eb.b);
	ek_bind(&eb, "epoll/ctl", "runtime=5ms");
	if (ps_probe(&eb.b, &need) || ps_rep(&eb.b)) {
		*err = eb.b.err;
		return 4;
	}
	ps_done(&eb.b);
	return 0;
}

START_TEST(workers_are_placed_writers_free)
{
	struct pg_err *err = ps_shared(sizeof(*err));
	const int status = ps_in_child(_i ? reps_on_one_cpu : placed_reps, err);

	ck_assert_msg(status == 0, "%d: %s", status, err->msg);
	munmap(err, sizeof(*err));
}
END_TEST

static int count_up(struct pg_worker *w, void *arg)
{
	static const uint64_t counts[] = {1887232, 988160, 0, 5};

	struct pg_epoll *e = arg;

	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	pg_period_begin(w, &e->period);
	w->slot->count = counts[w->index];
	return 0;
}

/* 1887232 and 988160 operations: the ancestor printed a mean of 1437696 (+- 31.27%), which is 449536. */
START_TEST(standard_error_of_threads)
{
	struct parts p;
	double error;

	ck_assert_int_eq(run_parts(&p, "runtime=1ms threads=2", count_up, silent_writer), 0);
	ck_assert(pg_period_standard_error(&p.e->period, &error));
	ck_assert_double_eq_tol(error, 449536, 1e-6);
	end_parts(&p);
	ck_assert_int_eq(run_parts(&p, "runtime=1ms threads=4", count_up, silent_writer), 0);
	ck_assert(pg_period_standard_error(&p.e->period, &error));
	ck_assert_double_eq_tol(error, 453792.154, 1e-3);
	end_parts(&p);
	ck_assert_int_eq(run_parts(&p, "runtime=1ms threads=1", count_up, silent_writer), 0);
	ck_assert(!pg_period_standard_error(&p.e->period, &error));
	end_parts(&p);
}
END_TEST

/* Of one thread there is none: the sample is missing, no perfect 0. */
START_TEST(no_error_of_one_thread)
{
	struct ek_bench eb;
	size_t row;

	ek_good_rep(&eb, "epoll/wait", "threads=1 runtime=2ms fds=4");
	pg_metric_find(eb.bench.metrics, "events_error", &row);
	ck_assert_uint_eq(eb.b.run.acc[row].n, 0);
	ps_done(&eb.b);
}
END_TEST

START_TEST(counts_are_scaled)
{
	static const struct {
		uint64_t operations;
		int64_t ns, span, expect;
	} cases_[] = {
		{1000, 500, 1000, 2000},
		{1000, 1000, 1000, 1000},
		{0, 5, 1000, 0},
		{7, 0, 1000, 0},
		{1, 3, 2, 1}, /* 0.67 */
		{1, 3, 1, 0}, /* 0.33 */
		{UINT64_C(1) << 61, 86400000000000, 86400000000000, INT64_C(1) << 61},
	};

	for (size_t i = 0; i < sizeof(cases_) / sizeof(cases_[0]); i++)
		ck_assert_int_eq(pg_period_scaled(cases_[i].operations, cases_[i].ns, cases_[i].span),
				 cases_[i].expect);
}
END_TEST

PG_TEST_MAIN("suites_epoll", ((const struct pg_test[]){
				     {events_flow, 32},
				     {each_event_counts_once, 16},
				     {all_are_woken_at_the_end, 8},
				     {failed_thread_ends_the_rep, 8},
				     {writers_share_the_eventfds, 10},
				     {patterns_order_the_writes, 2},
				     {workers_are_placed_writers_free, 2},
				     {standard_error_of_threads, 0},
				     {no_error_of_one_thread, 0},
				     {counts_are_scaled, 0},
				     {NULL, 0},
			     }))
