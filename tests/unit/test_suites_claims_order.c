/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes before what: gates that hold until all are there, passes that nobody times, readings of the clock; and
 * that a bench says what it has measured in its numbers alone. clock_gettime(), gettimeofday() and pthread_create() of
 * this program are watched: the definitions here stand before those of libc.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "tests/support/allbench.h"
#include "tests/support/futexkit.h"
#include "tests/support/pgtest.h"
#include "tests/support/small_rep.h"

#define DELAY_NS 20000000

/* Shared with the processes that a bench makes. */
struct watch {
	_Atomic uint64_t readings;
	_Atomic uint64_t clocks; /* bit per clock that was read */
	_Atomic int64_t steps;	 /* the wall clock is set forward by an hour whenever somebody reads it */
};
#define STEP_S 3600

static struct watch *watch;
static bool slow_creation; /* the main task's threads are made after a rest */

static void nap(int64_t ns)
{
	const struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	nanosleep(&t, NULL);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	if (watch) {
		atomic_fetch_add(&watch->readings, 1);
		if (id >= 0 && id < 64)
			atomic_fetch_or(&watch->clocks, UINT64_C(1) << id);
	}
	if (syscall(SYS_clock_gettime, id, t))
		return -1;
	if (watch && id == CLOCK_REALTIME)
		t->tv_sec += STEP_S * atomic_fetch_add(&watch->steps, 1);
	return 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	if (syscall(SYS_gettimeofday, t, zone))
		return -1;
	if (watch)
		t->tv_sec += STEP_S * atomic_fetch_add(&watch->steps, 1);
	return 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*body)(void *), void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	void *symbol = dlsym(RTLD_NEXT, "pthread_create");

	memcpy(&real, &symbol, sizeof(real));
	if (slow_creation && syscall(SYS_gettid) == getpid())
		nap(DELAY_NS);
	return real(thread, attr, body, arg);
}

/* Making the creators takes three rests, and all of them are over before the first batch: the ancestor's figure has
 * them, work_time has not. */
START_TEST(creators_wait_for_the_last_of_them)
{
	struct ps_bench b;

	ps_bind(&b, pg_bench_find("breakpoint/thread"), "breakpoints=0 creators=3 threads=1 loops=30");
	slow_creation = true;
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	slow_creation = false;
	ck_assert_int_ge(ps_raw(&b, "time") - ps_raw(&b, "work_time"), 3 * DELAY_NS);
	ps_done(&b);
}
END_TEST

/* futex/wake-parallel with one waker held up in a signal handler: */
struct held {
	struct fx_bench *f;
	_Atomic bool caught, let_go, end;
	bool asleep; /* the waker was caught before wakers were called */
	int woken;   /* waiters that were woken while it was held up */
};

static struct held held;

static void hold_up(int sig)
{
	(void)sig;
	atomic_store(&held.caught, true);
	while (!atomic_load(&held.let_go))
		nap(1000000);
}

/* A waker is a thread that is neither the main task, nor this one, nor a waiter; wakers are made before waiters. */
static pid_t a_waker(const struct pg_futex_rounds *r)
{
	const pid_t self = (pid_t)syscall(SYS_gettid);
	DIR *d = opendir("/proc/self/task");
	const struct dirent *e;
	pid_t found = 0;

	while (d && (e = readdir(d))) {
		const pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
		bool waiter = false;

		for (uint64_t i = 0; i < r->conf->threads; i++)
			waiter |= r->waiters[i].tid == tid;
		if (!waiter && tid > self)
			found = tid;
	}
	if (d)
		closedir(d);
	return found;
}

/* All waiters have begun to wait in the first timed round, whose rest is to come: wakers are asleep until it is over.
 */
static bool rest_begins(const struct pg_futex_rounds *r)
{
	for (uint64_t i = 0; i < r->conf->threads; i++)
		if (atomic_load(&r->waiters[i].entered) != 2)
			return false;
	return true;
}

static void *hold_one_waker(void *arg)
{
	const struct pg_futex_rounds *r = held.f->b.run.state;
	int64_t before = pg_now_ns(), now = before; /* of a look that found the rest not begun */

	(void)arg;
	while (!rest_begins(r) && !atomic_load(&held.end)) {
		before = now;
		nap(1000000);
		now = pg_now_ns();
	}
	syscall(SYS_tgkill, getpid(), a_waker(r), SIGUSR2);
	while (!atomic_load(&held.caught) && !atomic_load(&held.end))
		nap(1000000);
	held.asleep = atomic_load(&held.caught) && pg_since(pg_now_ns(), before) < r->conf->settle;
	if (held.asleep) {
		nap(r->conf->settle + 100000000); /* long enough to be called, and for calls that do not wait */
		for (uint64_t i = 0; i < r->conf->threads; i++)
			held.woken += atomic_load(&r->waiters[i].done) != 1;
	}
	atomic_store(&held.let_go, true);
	return NULL;
}

static void rep_with_one_held(void)
{
	struct fx_bench f;
	pthread_t thread;
	int r;

	memset(&held, 0, sizeof(held));
	held.f = &f;
	fx_bind(&f, "futex/wake-parallel", "threads=3 wakers=3 loops=1 settle=300ms");
	ck_assert_int_eq(f.bench.setup(&f.b.run, &f.b.err), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, hold_one_waker, NULL), 0);
	r = f.bench.once(&f.b.run, &f.b.err);
	atomic_store(&held.end, true);
	pthread_join(thread, NULL);
	ck_assert_msg(r == 0, "%s", f.b.err.msg);
	f.bench.teardown(&f.b.run);
	ps_done(&f.b);
}

/* As long as one waker has not come, the others do not call: nobody is woken. Then the round is a good one. On a loaded
 * machine the signal may come too late to say anything. */
START_TEST(no_call_before_the_last_waker_is_there)
{
#ifdef __SANITIZE_THREAD__
	const int tries = 0; /* it keeps signals back */
#else
	const int tries = 5;
#endif
	const struct sigaction sa = {.sa_handler = hold_up};

	sigaction(SIGUSR2, &sa, NULL);
	for (int i = 0; i < tries; i++) {
		rep_with_one_held();
		ck_assert_int_eq(held.woken, 0);
		if (held.asleep)
			break;
	}
}
END_TEST

static char root[32];

static void put(const char *path, const char *text)
{
	char full[128];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *s = full + strlen(root) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(full, 0700);
		*s = '/';
	}
	f = fopen(full, "we");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

/* How often the watched file was opened since the last time; openings and closings alternate, so none is merged. */
static int openings(int fd)
{
	_Alignas(struct inotify_event) char buf[4096];
	ssize_t n;
	int opened = 0;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (char *at = buf; at < buf + n;) {
			struct inotify_event ev;

			memcpy(&ev, at, sizeof(ev));
			opened += (ev.mask & IN_OPEN) != 0;
			at += sizeof(ev) + ev.len;
		}
	return opened;
}

/* The files are read once before anything is timed, then once a loop. */
START_TEST(files_are_read_once_untimed)
{
	static const struct {
		const char *bench, *params, *file;
		int more; /* openings beside the loops: kallsyms-parse reads a share of passes without parsing */
	} c[] = {
		{"internals/kallsyms-parse", "loops=3", "proc/kallsyms", 1},
		{"internals/synthesize", "loops=3 target=system threads=1", "proc/7/maps", 0},
	};
	char path[128], command[64];
	struct ps_bench b;
	const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	strcpy(root, "/tmp/pg-claims-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	put("proc/kallsyms", "0000000000000000 T _text\n0000000000000010 t start\n");
	put("proc/self/status", "Name:\tx\nTgid:\t1\nPid:\t1\nPPid:\t0\n");
	put("proc/7/task/7/status", "Name:\tp\nTgid:\t7\nPid:\t7\nPPid:\t1\n");
	put("proc/7/maps", "1000-2000 r-xp 00000000 08:01 9    /bin/p\n");
	snprintf(path, sizeof(path), "%s/%s", root, c[_i].file);
	ck_assert_int_ge(inotify_add_watch(fd, path, IN_OPEN | IN_CLOSE), 0);
	ps_bind(&b, pg_bench_find(c[_i].bench), c[_i].params);
	b.run.root = root;
	ck_assert_msg(b.bench->setup(&b.run, &b.err) == 0, "%s", b.err.msg);
	ck_assert_int_eq(openings(fd), 1);
	ck_assert_msg(b.bench->once(&b.run, &b.err) == 0, "%s", b.err.msg);
	ck_assert_int_eq(openings(fd), 3 + c[_i].more);
	b.bench->teardown(&b.run);
	close(fd);
	ps_done(&b);
	snprintf(command, sizeof(command), "rm -r %s", root);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

/* However many passes there are, the clock is read before the first and after the last. */
START_TEST(one_pair_of_readings)
{
	static const char *const params[] = {"loops=1", "loops=1000", "loops=1000 function=test_bit bits=64"};
	struct ps_bench b;

	ps_bind(&b, pg_bench_find("mem/find_bit"), params[_i]);
	ck_assert_int_eq(b.bench->setup(&b.run, &b.err), 0);
	watch = ps_shared(sizeof(*watch));
	ck_assert_int_eq(b.bench->once(&b.run, &b.err), 0);
	ck_assert_uint_eq(atomic_load(&watch->readings), 2);
	ck_assert_uint_eq(atomic_load(&watch->clocks), UINT64_C(1) << CLOCK_MONOTONIC_RAW);
	watch = NULL;
	b.bench->teardown(&b.run);
	ps_done(&b);
}
END_TEST

START_TEST(headline_of_find_bit)
{
	const struct pg_metric *rows = pg_bench_find("mem/find_bit")->metrics;

	ck_assert_str_eq(rows[pg_metric_main(rows, false)].name, "time_per_op");
	ck_assert_str_eq(rows[pg_metric_main(rows, true)].name, "time_per_op");
}
END_TEST

struct silence {
	int file, out, err;
};

static void be_silent(struct silence *s)
{
	fflush(NULL);
	s->file = memfd_create("output", MFD_CLOEXEC);
	s->out = dup(1);
	s->err = dup(2);
	ck_assert(s->file >= 0 && dup2(s->file, 1) == 1 && dup2(s->file, 2) == 2);
}

static off_t end_silence(struct silence *s)
{
	struct stat st;

	fflush(NULL);
	dup2(s->out, 1);
	dup2(s->err, 2);
	close(s->out);
	close(s->err);
	ck_assert_int_eq(fstat(s->file, &st), 0);
	close(s->file);
	return st.st_size;
}

/* Every time is there and below a step. */
static void check_times(const struct sr_rep *r)
{
	for (uint32_t i = 0; i < r->page.n; i++) {
		const struct pg_metric *m = &r->bench->metrics[r->page.s[i].metric];

		if (m->unit == PG_U_S && !r->page.s[i].missing)
			ck_assert_msg(r->page.s[i].raw >= 0 && r->page.s[i].raw < STEP_S * INT64_C(1000000000),
				      "%s: %s is %lld ns", r->bench->name, m->name, (long long)r->page.s[i].raw);
	}
}

/* A rep of any bench prints nothing, and a wall clock that is set all the time is in none of its figures. */
START_TEST(benches_print_nothing_and_know_no_wall_clock)
{
	const struct pg_bench *bench = ab_bench_at(_i);
	struct silence quiet;
	struct sr_rep r;
	off_t printed;
	int status;

	if (!bench)
		return;
	if (sr_open(&r, bench) == 0) {
		be_silent(&quiet);
		watch = ps_shared(sizeof(*watch));
		status = sr_run(&r, 1);
		printed = end_silence(&quiet);
		ck_assert_msg(status == 0, "%s: %s", bench->name, r.err.msg);
		ck_assert_msg(printed == 0, "%s printed %lld bytes", bench->name, (long long)printed);
		ck_assert_msg(atomic_load(&watch->readings) > 0, "%s", bench->name);
		check_times(&r);
		watch = NULL;
	}
	sr_close(&r);
}
END_TEST

PG_TEST_MAIN("suites_claims_order", ((const struct pg_test[]){
					    {creators_wait_for_the_last_of_them, 0},
					    {no_call_before_the_last_waker_is_there, 0},
					    {files_are_read_once_untimed, 2},
					    {one_pair_of_readings, 3},
					    {headline_of_find_bit, 0},
					    {benches_print_nothing_and_know_no_wall_clock, AB_BENCHES},
					    {ab_loop_reaches_every_bench, 0},
					    {NULL, 0},
				    }))
