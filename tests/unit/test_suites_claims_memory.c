/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose memory it is that benches work in, and when it is touched first: by the worker that works in it, before the
 * gate; what is read in the measured part was read before. Two workers never write into one cache line.
 */
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "suites/epoll_wait.h"
#include "suites/messaging.h"
#include "suites/numa.h"
#include "tests/support/epollkit.h"
#include "tests/support/futexkit.h"
#include "tests/support/pgtest.h"

static int64_t faults(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return u.ru_minflt;
}

static size_t page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Pages of an own mapping that are there; a fault is the only way for one to come. */
static size_t resident(void *p, size_t bytes)
{
	const size_t pages = (bytes + page() - 1) / page();
	unsigned char *there = malloc(pages);
	size_t n = 0;

	ck_assert_ptr_nonnull(there);
	ck_assert_int_eq(mincore(p, bytes, there), 0);
	for (size_t i = 0; i < pages; i++)
		n += there[i] & 1;
	free(there);
	return n;
}

/* The thread sanitizer has memory beside all memory, which faults as well, and does not see that the wake byte, polled
 * and never read, comes after what was done before it. */
#ifdef __SANITIZE_THREAD__
#define UNDISTURBED false
#else
#define UNDISTURBED true
#endif

#define MESSENGERS 4 /* of one group with two channels */
#define MESSAGE	   20000

static void start_messengers(struct pg_messaging *m, struct pg_err *err)
{
	const struct pg_crew_opts opts = {.n = MESSENGERS, .threads = m->threads, .root = ""};

	ck_assert_int_eq(pg_crew_open(&m->crew, &opts, err), 0);
	ck_assert_int_eq(pg_msg_channel_open(m, &m->ready, err), 0);
	ck_assert_int_eq(pg_msg_channel_open(m, &m->wake, err), 0);
	for (; m->opened < 2; m->opened++)
		ck_assert_int_eq(pg_msg_channel_open(m, &m->channels[m->opened], err), 0);
	for (size_t i = 0; i < MESSENGERS; i++)
		ck_assert_msg(pg_crew_start(m->crew, i < 2 ? pg_msg_receiver : pg_msg_sender, m, err) == 0, "%s",
			      err->msg);
}

/* Threads: each buffer whole by its worker, apart from the others'. Processes: each in pages of its own, so that the
 * main task still has none. */
START_TEST(messages_are_written_before_the_gate)
{
	struct pg_messaging *m;
	struct ps_bench b;
	char ready[MESSENGERS];

	ps_bind(&b, pg_bench_find("sched/messaging"),
		_i ? "groups=1 fds=2 loops=1 size=20000B mode=thread" : "groups=1 fds=2 loops=1 size=20000B");
	ck_assert_int_eq(b.bench->setup(&b.run, &b.err), 0);
	m = b.run.state;
	ck_assert_uint_eq((uintptr_t)m->buffers % 64, 0);
	ck_assert_uint_eq(m->stride % 64, 0);
	ck_assert(m->stride >= MESSAGE || !m->threads);
	ck_assert_uint_eq(resident(m->buffers, m->buffers_bytes), 0);
	start_messengers(m, &b.err);
	for (size_t n = 0; n < MESSENGERS;) {
		const ssize_t got = read(m->ready.reader, ready, MESSENGERS - n);

		ck_assert_int_gt(got, 0);
		n += (size_t)got;
	}
	if (!m->threads)
		ck_assert_uint_eq(resident(m->buffers, m->buffers_bytes), 0);
	for (size_t i = 0; i < MESSENGERS && m->threads && UNDISTURBED; i++)
		for (size_t k = 0; k < MESSAGE; k++)
			if (m->buffers[i * m->stride + k] != '-')
				ck_abort_msg("worker %zu is ready, byte %zu of its message is not", i, k);
	ck_assert_int_eq(write(m->wake.writer, "w", 1), 1);
	ck_assert_msg(pg_crew_reap(m->crew, &b.err) == 0, "%s", b.err.msg);
	b.bench->teardown(&b.run);
	ps_done(&b);
}
END_TEST

#define WORDS	   2097152 /* of a thread: 8 MiB */
#define WORD_BYTES ((int64_t)WORDS * 4)

struct touched {
	int64_t all, main; /* page faults of one rep */
	int r;
	char why[PG_ERR_MSG];
};

/* The first call of a thread is refused, so the rep ends with no word looked at by the kernel. 1: no filters here. */
static int stopped_at_first_call(void *arg)
{
	static const struct fx_try no_lookup = {.nr = SYS_futex, .arg = 2, .value = 1234, .answer = ENOSYS};
	struct touched *t = arg;
	struct fx_bench f;
	int64_t all, own;
	char params[64];

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	snprintf(params, sizeof(params), "threads=2 runtime=1h futexes=%d", WORDS);
	fx_bind(&f, "futex/hash", params);
	if (fx_filter(&no_lookup))
		return 1;
	all = faults(RUSAGE_SELF);
	own = faults(RUSAGE_THREAD);
	t->r = ps_rep(&f.b);
	t->main = faults(RUSAGE_THREAD) - own;
	t->all = faults(RUSAGE_SELF) - all;
	snprintf(t->why, sizeof(t->why), "%s", f.b.err.msg);
	ps_done(&f.b);
	return 0;
}

/* Every page of both threads' words is there before the first call, and not by the main task's doing. */
START_TEST(words_are_touched_by_their_thread_before_the_gate)
{
	struct touched *t = ps_shared(sizeof(*t));
	const int status = ps_in_child(stopped_at_first_call, t);

	if (status != 1) {
		ck_assert_int_eq(status, 0);
		ck_assert_int_eq(t->r, -1);
		ck_assert_msg(strstr(t->why, "cannot look up a futex"), "%s", t->why);
		ck_assert_int_ge(t->all, 2 * WORD_BYTES / (int64_t)page());
		ck_assert_int_lt(t->main, WORD_BYTES / (int64_t)page());
	}
	munmap(t, sizeof(*t));
}
END_TEST

/* Nothing of a list is there before its thread is. */
static int makes_its_list(struct pg_worker *w, void *arg)
{
	const struct pg_epoll *e = arg;

	if (e->own[w->index].fds || e->own[w->index].share)
		return pg_worker_fail(w, "the list was there before its thread");
	return w->index < e->threads ? pg_epoll_waiter(w, arg) : pg_epoll_writer(w, arg);
}

START_TEST(lists_are_made_by_their_thread)
{
	struct pg_period_span span;
	struct ek_bench eb;
	struct pg_epoll *e;
	struct ps_bench *b = &eb.b;

	ek_bind(&eb, "epoll/wait", "threads=2 writers=2 fds=5 runtime=5ms");
	ck_assert_int_eq(b->bench->setup(&b->run, &b->err), 0);
	e = b->run.state;
	e->stop_fd = eventfd(0, EFD_CLOEXEC);
	ck_assert_int_eq(pg_epoll_open_queue(e, 0, &b->err), 0);
	ck_assert_int_eq(pg_epoll_watch_stop(e, 0), 0);
	ck_assert_msg(pg_epoll_run(e, &b->run, makes_its_list, makes_its_list, &span, &b->err) == 0, "%s", b->err.msg);
	for (size_t i = 0; i < 4; i++) {
		const struct pg_epoll_own *own = &e->own[i];

		ck_assert_uint_eq((uintptr_t)own % 64, 0);
		ck_assert((i < 2) == (own->fds != NULL) && (i < 2) == (own->share == NULL));
		ck_assert_uint_eq((uintptr_t)(own->fds ? own->fds : own->share) % 64, 0);
	}
	b->bench->teardown(&b->run);
	ps_done(b);
}
END_TEST

/* What several workers write to at the same time fills whole cache lines. */
START_TEST(results_have_cache_lines_of_their_own)
{
	ck_assert_uint_eq(sizeof(struct pg_slot) % 64, 0);
	ck_assert_uint_eq(_Alignof(struct pg_slot) % 64, 0);
	ck_assert_uint_eq(sizeof(struct pg_epoll_own) % 64, 0);
	ck_assert_uint_eq(sizeof(struct pg_numa_result) % 64, 0);
	ck_assert_uint_eq(_Alignof(struct pg_numa_result) % 64, 0);
	ck_assert_uint_eq(sizeof(struct pg_numa_shared) % 64, 0);
}
END_TEST

/* The passes meet no page that they have to ask the kernel for: one untimed pass has read all of the bitmap. */
START_TEST(bitmap_was_read_before)
{
	static const char *const params[] = {"function=find_next_bit bits=1048576 set_bits=1 loops=1",
					     "function=test_bit bits=1048576 set_bits=1 loops=1"};
	const int64_t pages = 1048576 / 8 / (int64_t)page();
	struct ps_bench b;
	int64_t before;

	ps_bind(&b, pg_bench_find("mem/find_bit"), params[_i]);
	ck_assert_int_eq(b.bench->setup(&b.run, &b.err), 0);
	before = faults(RUSAGE_THREAD);
	ck_assert_int_eq(b.bench->once(&b.run, &b.err), 0);
	if (UNDISTURBED)
		ck_assert_int_lt(faults(RUSAGE_THREAD) - before, pages > 4 ? pages / 2 : pages + 4);
	b.bench->teardown(&b.run);
	ps_done(&b);
}
END_TEST

PG_TEST_MAIN("suites_claims_memory", ((const struct pg_test[]){
					     {messages_are_written_before_the_gate, 2},
					     {words_are_touched_by_their_thread_before_the_gate, 0},
					     {lists_are_made_by_their_thread, 0},
					     {results_have_cache_lines_of_their_own, 0},
					     {bitmap_was_read_before, 2},
					     {NULL, 0},
				     }))
