/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The suite `futex`, and what its benches do alike: the size of the process's hash table (Linux 6.16), locked memory,
 * memory for words; the measured period of hash and lock-pi.
 */
#include "futex.h"

#include <inttypes.h>
#include <linux/capability.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

extern const struct pg_bench pg_futex_hash, pg_futex_wake, pg_futex_wake_parallel, pg_futex_requeue, pg_futex_lock_pi;
extern const struct pg_suite pg_suite_futex;

#define BUCKET_BYTES 64 /* of the kernel, at least */
#define MIB	     (UINT64_C(1) << 20)
#define THOUSAND     1000

const struct pg_choice pg_futex_tables[] = {
	[PG_FUTEX_KERNEL] = {"kernel", "sized by the kernel"},
	[PG_FUTEX_GLOBAL] = {"global", "the table that all processes have in common"},
	{NULL, NULL},
};
const struct pg_choice pg_futex_broadcast[] = {{"broadcast", "all of them"}, {NULL, NULL}};

/* Slots of this process's table, 0 = it uses the common one; -1 with errno EINVAL: a kernel without tables of its own.
 */
static int slots_now(void)
{
	return prctl(PG_FUTEX_HASH, PG_FUTEX_HASH_GET_SLOTS, 0, 0, 0);
}

static int probe_table(const struct pg_futex_conf *conf, struct pg_err *err)
{
	if (conf->buckets.word == PG_FUTEX_KERNEL || slots_now() >= 0)
		return 0;
	if (errno != EINVAL)
		return pg_fail_sys(err, "cannot ask for the futex hash table of this process (prctl PR_FUTEX_HASH); "
					"use buckets kernel");
	/* Without tables of processes, the common one is all there is. */
	if (conf->buckets.word == PG_FUTEX_GLOBAL)
		return 0;
	return pg_fail(err, PG_EUNSUPPORTED,
		       "buckets: this kernel has no futex hash table per process (Linux 6.16, "
		       "CONFIG_FUTEX_PRIVATE_HASH); use buckets kernel or global");
}

/* Everything mapped by this process, which mlockall() counts. */
static uint64_t mapped_bytes(const char *root)
{
	char path[4096];
	uint64_t pages = 0;
	FILE *f;

	if ((size_t)snprintf(path, sizeof(path), "%s/proc/self/statm", root) >= sizeof(path))
		return 0;
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%" SCNu64, &pages) != 1)
		pages = 0;
	fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool may_lock_all(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[2] = {{0}};

	return syscall(SYS_capget, &head, caps) == 0 && caps[0].effective & (1u << CAP_IPC_LOCK);
}

/* `bytes` beside the program itself. The hard limit counts: soft ones are raised before a rep. */
static int probe_lock(const char *root, uint64_t bytes, struct pg_err *err)
{
	struct rlimit limit;

	if (may_lock_all() || getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_max == RLIM_INFINITY)
		return 0;
	bytes += mapped_bytes(root);
	if (bytes <= limit.rlim_max)
		return 0;
	return pg_fail(err, PG_EUNSUPPORTED,
		       "mlockall needs about %" PRIu64 " MiB of locked memory, the hard limit is %" PRIu64
		       " KiB; raise it (ulimit -Hl), run as root or lower threads",
		       bytes / MIB + 1, (uint64_t)limit.rlim_max / 1024);
}

int pg_futex_probe(const struct pg_futex_conf *conf, const struct pg_probe_env *env, uint64_t workers, uint64_t bytes,
		   struct pg_need *need, struct pg_err *err)
{
	need->tasks = workers;
	need->bytes = workers * pg_crew_task_bytes(true, PG_FUTEX_STACK) + bytes;
	if (probe_table(conf, err) || (conf->mlockall && probe_lock(env->root, need->bytes, err)))
		return -1;
	if (conf->buckets.word < 0)
		need->bytes += conf->buckets.n * BUCKET_BYTES;
	return pg_place_lenient_probe(conf->placement, env->topo, err);
}

/* Without an owner there is nothing to unlock: a kernel with priority inheritance says EPERM. */
int pg_futex_probe_pi(struct pg_err *err)
{
	_Atomic uint32_t word = 0;

	if (pg_futex_call(&word, FUTEX_UNLOCK_PI | FUTEX_PRIVATE_FLAG, 0, 0, NULL, 0) == 0 || errno != ENOSYS)
		return 0;
	return pg_fail(err, PG_EUNSUPPORTED,
		       "this kernel has no futexes with priority inheritance (CONFIG_FUTEX_PI); take another kernel or "
		       "leave this bench out");
}

int pg_futex_check(const struct pg_futex_conf *conf, struct pg_err *err)
{
	const uint64_t n = conf->buckets.n;

	if (conf->buckets.word >= 0 || (n & (n - 1)) == 0)
		return 0;
	return pg_fail(err, PG_EUSAGE,
		       "buckets: %" PRIu64 " is no power of 2; allowed: 2, 4, 8 ... 16777216, kernel or global", n);
}

static int set_table(const struct pg_futex_conf *conf, struct pg_err *err)
{
	const unsigned long slots = conf->buckets.word == PG_FUTEX_GLOBAL ? 0 : conf->buckets.n;

	if (conf->buckets.word == PG_FUTEX_KERNEL || prctl(PG_FUTEX_HASH, PG_FUTEX_HASH_SET_SLOTS, slots, 0, 0) == 0)
		return 0;
	if (slots == 0 && errno == EINVAL) /* there is only the common one */
		return 0;
	if (errno == EBUSY && slots == 0 && slots_now() == 0)
		return 0;
	if (errno == EBUSY)
		return pg_fail(
			err, PG_EFAILED,
			"cannot set %lu futex hash slots: this process has chosen the common table for ever; run "
			"it with process exec",
			slots);
	return pg_fail_sys(err, "cannot set %lu futex hash slots (prctl PR_FUTEX_HASH); lower buckets or use kernel",
			   slots);
}

int pg_futex_prepare(const struct pg_futex_conf *conf, struct pg_err *err)
{
	if (set_table(conf, err))
		return -1;
	if (conf->mlockall && mlockall(MCL_CURRENT | MCL_FUTURE))
		return pg_fail_sys(
			err, "cannot lock all memory; raise the limit of locked memory (ulimit -l) or run as root");
	return 0;
}

void pg_futex_undo(const struct pg_futex_conf *conf)
{
	if (conf->mlockall)
		munlockall();
}

int pg_futex_record_buckets(struct pg_run *run, unsigned metric, struct pg_err *err)
{
	const struct pg_futex_conf *conf = run->conf;
	const int used = slots_now();
	const uint64_t asked = conf->buckets.word == PG_FUTEX_GLOBAL ? 0 : conf->buckets.n;

	if (used < 0)
		return 0;
	if (conf->buckets.word != PG_FUTEX_KERNEL && (uint64_t)used != asked)
		return pg_fail(err, PG_EFAILED,
			       "%" PRIu64 " futex hash slots were asked for, the kernel uses %d; use another number or "
			       "buckets kernel",
			       asked, used);
	pg_record(run, metric, used);
	return 0;
}

void *pg_futex_map(const struct pg_futex_conf *conf, size_t bytes)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, (conf->shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS,
			 -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	memset(map, 0, bytes);
	return map;
}

void pg_futex_unmap(void *map, size_t bytes)
{
	if (map)
		munmap(map, bytes);
}

static int record_period(const struct pg_period *p, struct pg_run *run, int64_t elapsed, struct pg_err *err)
{
	double spread;

	if (pg_period_count(p) == 0)
		return pg_fail(err, PG_EFAILED,
			       "no operation was finished in %" PRId64 " us; raise runtime or lower threads",
			       elapsed / 1000);
	pg_record(run, PG_FP_ELAPSED, elapsed);
	pg_record(run, PG_FP_ELAPSED_1000, elapsed * THOUSAND);
	if (pg_period_standard_error(p, &spread))
		pg_record(run, PG_FP_SPREAD, llround(spread * THOUSAND));
	for (size_t i = 0; i < p->workers; i++) {
		const uint64_t count = pg_crew_slot(p->crew, i)->count;
		const int64_t work = pg_period_scaled(count, pg_period_own_ns(p, i), elapsed * THOUSAND);

		pg_record(run, PG_FP_OPERATIONS, (int64_t)count);
		pg_record(run, PG_FP_THREAD_ELAPSED, elapsed);
		pg_record(run, PG_FP_WORK, work);
		pg_record(run, PG_FP_SLOWEST, work);
		pg_record(run, PG_FP_FASTEST, work);
	}
	return pg_futex_record_buckets(run, PG_FP_BUCKETS, err);
}

int pg_futex_period_run(struct pg_period *p, struct pg_run *run, int (*body)(struct pg_worker *, void *), void *arg,
			struct pg_err *err)
{
	const struct pg_futex_conf *conf = run->conf;
	const struct pg_period_plan plan = {
		.crew = {.n = conf->threads,
			 .threads = true,
			 .placement = conf->placement,
			 .root = run->root,
			 .stack_bytes = PG_FUTEX_STACK},
		.workers = conf->threads,
		.runtime_ns = conf->runtime,
		.body = body,
		.arg = arg,
	};
	struct pg_period_span span;

	return pg_period_run(p, &plan, &span, err) || record_period(p, run, span.elapsed, err) ? -1 : 0;
}

static const struct pg_bench *const benches[] = {&pg_futex_hash,    &pg_futex_wake,    &pg_futex_wake_parallel,
						 &pg_futex_requeue, &pg_futex_lock_pi, NULL};

const struct pg_suite pg_suite_futex = {
	.name = "futex",
	.summary = "tasks that block and wake through futexes",
	.benches = benches,
};
