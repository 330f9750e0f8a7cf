/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the futex benches prepare: the hash table of the process, locked memory, placement of threads. */
#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>

#include "tests/support/futexkit.h"
#include "tests/support/pgtest.h"

static const char *const all[] = {"futex/hash", "futex/lock-pi", "futex/wake", "futex/wake-parallel", "futex/requeue"};

#define QUICK(i) ((i) < 2 ? "runtime=60ms" : "settle=0s")

/* Does this kernel have tables of processes? Asked as the benches ask. */
static bool has_tables(void)
{
	return prctl(PG_FUTEX_HASH, PG_FUTEX_HASH_GET_SLOTS, 0, 0, 0) >= 0;
}

static struct fx_try *new_try(const char *name, const char *params)
{
	struct fx_try *t = ps_shared(sizeof(*t));

	t->name = name;
	t->params = params;
	return t;
}

/* Each bench in a process of its own, for a table cannot be given back: what is asked for is what is used and recorded.
 */
START_TEST(tables_are_set_and_recorded)
{
	static const struct {
		const char *word;
		int64_t used; /* -1 = whatever the kernel has chosen */
	} tables[] = {{"kernel", -1}, {"2", 2}, {"64", 64}, {"4096", 4096}, {"global", 0}};
	const int bench = _i / 5, table = _i % 5;
	char params[64] = "";
	struct fx_try *t = new_try(all[bench], params);

	snprintf(params, sizeof(params), "%s buckets=%s", QUICK(bench), tables[table].word);
	ck_assert_int_eq(ps_in_child(fx_try, t), 0);
	if (has_tables() || tables[table].used <= 0) {
		ck_assert_msg(t->probed == 0, "%s", t->probe_why);
		ck_assert_msg(t->r == 0, "%s", t->why);
	}
	if (!has_tables()) {
		ck_assert_int_eq(t->buckets, -1);
		ck_assert(tables[table].used <= 0 || t->code == PG_EUNSUPPORTED);
	} else if (tables[table].used >= 0) {
		ck_assert_int_eq(t->buckets, tables[table].used);
	} else {
		ck_assert_int_ge(t->buckets, 0);
	}
	munmap(t, sizeof(*t));
}
END_TEST

/* Kernels that have no such call, or refuse it. */
START_TEST(other_kernels)
{
	static const struct {
		const char *params;
		unsigned arg;
		uint32_t value; /* of that argument of prctl() */
		int answer;
		bool probed;	   /* can run by the probe */
		const char *why;   /* NULL = good */
		bool needs_tables; /* says something only where the real kernel has them */
	} cases[] = {
		{"buckets=kernel", 0, PG_FUTEX_HASH, EINVAL, true, NULL, false},
		{"buckets=global", 0, PG_FUTEX_HASH, EINVAL, true, NULL, false},
		{"buckets=64", 0, PG_FUTEX_HASH, EINVAL, false, "this kernel has no futex hash table per process",
		 false},
		{"buckets=kernel", 0, PG_FUTEX_HASH, EPERM, true, NULL, false},
		{"buckets=global", 0, PG_FUTEX_HASH, EPERM, false, "cannot ask for the futex hash table", false},
		{"buckets=64", 0, PG_FUTEX_HASH, EPERM, false, "cannot ask for the futex hash table", false},
		{"buckets=64", 1, PG_FUTEX_HASH_SET_SLOTS, ENOMEM, true, "cannot set 64 futex hash slots", true},
		{"buckets=64", 1, PG_FUTEX_HASH_SET_SLOTS, EBUSY, true, "has chosen the common table for ever", true},
		{"buckets=64", 1, PG_FUTEX_HASH_SET_SLOTS, 0, true, "64 futex hash slots were asked for", true},
		{"buckets=64", 1, PG_FUTEX_HASH_GET_SLOTS, EINVAL, false, "this kernel has no futex hash table", true},
	};
	char params[64] = "";
	struct fx_try *t = new_try("futex/wake", params);
	int r;

	if (cases[_i].needs_tables && !has_tables())
		return;
	snprintf(params, sizeof(params), "settle=0s %s", cases[_i].params);
	t->nr = SYS_prctl;
	t->arg = cases[_i].arg;
	t->value = cases[_i].value;
	t->answer = cases[_i].answer;
	r = ps_in_child(fx_try, t);
	if (r == 1) /* no filters here */
		return;
	ck_assert_int_eq(r, 0);
	ck_assert_int_eq(t->probed, cases[_i].probed ? 0 : -1);
	if (!cases[_i].probed) {
		ck_assert_int_eq(t->code, cases[_i].answer == EINVAL ? PG_EUNSUPPORTED : PG_ESYS);
		ck_assert_msg(strstr(t->probe_why, cases[_i].why), "%s", t->probe_why);
	} else if (cases[_i].why) {
		ck_assert_int_eq(t->r, -1);
		ck_assert_msg(strstr(t->why, cases[_i].why), "%s", t->why);
	} else {
		ck_assert_msg(t->r == 0, "%s", t->why);
		ck_assert_int_eq(t->buckets, -1); /* the kernel cannot tell */
	}
	munmap(t, sizeof(*t));
}
END_TEST

/* kB of a line of /proc/self/status. */
static long status_kb(const char *key)
{
	char line[256];
	long kb = -1;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && kb < 0 && fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0)
			kb = strtol(line + strlen(key), NULL, 10);
	if (f)
		fclose(f);
	return kb;
}

/* Sanitizers make nothing of mlockall(). */
#ifdef PG_SANITIZED
#define LOCKS false
#else
#define LOCKS true
#endif

START_TEST(memory_is_locked_and_unlocked)
{
	struct fx_bench f;
	struct pg_need need;

	fx_bind(&f, all[_i], "mlockall=true");
	if (ps_probe(&f.b, &need) == 0) {
		ck_assert_msg(pg_futex_prepare(f.b.conf, &f.b.err) == 0, "%s", f.b.err.msg);
		ck_assert(!LOCKS || status_kb("VmLck:") > 0);
		pg_futex_undo(f.b.conf);
		ck_assert_int_eq(status_kb("VmLck:"), 0);
		ps_done(&f.b);
		fx_good_rep(&f, all[_i], _i < 2 ? "mlockall=true runtime=60ms" : "mlockall=true settle=0s");
		ck_assert_int_eq(status_kb("VmLck:"), 0);
	} else {
		ck_assert_int_eq(f.b.err.code, PG_EUNSUPPORTED);
	}
	ps_done(&f.b);
}
END_TEST

static int rep_without_locking(void *arg)
{
	const struct rlimit little = {.rlim_cur = 65536, .rlim_max = 65536};
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}};

	if (setrlimit(RLIMIT_MEMLOCK, &little) || syscall(SYS_capset, &head, none))
		return 2;
	return fx_try(arg);
}

START_TEST(locking_is_refused_with_the_limit)
{
	char params[64] = "";
	struct fx_try *t = new_try(all[_i], params);

	snprintf(params, sizeof(params), "%s mlockall=true", QUICK(_i));
	ck_assert_int_eq(ps_in_child(rep_without_locking, t), 0);
	ck_assert_int_eq(t->probed, -1);
	ck_assert_int_eq(t->code, PG_EUNSUPPORTED);
	ck_assert_msg(strstr(t->probe_why, "the hard limit is 64 KiB; raise it"), "%s", t->probe_why);
	if (LOCKS) {
		ck_assert_int_eq(t->r, -1);
		ck_assert_msg(strstr(t->why, "cannot lock all memory"), "%s", t->why);
	}
	munmap(t, sizeof(*t));
}
END_TEST

START_TEST(every_placement)
{
	const int bench = _i / 9, placement = _i % 9;
	char params[96];
	struct fx_bench f;
	struct pg_need need;

	snprintf(params, sizeof(params), "%s threads=4 placement=%s", QUICK(bench), pg_placements[placement].name);
	fx_bind(&f, all[bench], params);
	if (ps_probe(&f.b, &need) == 0) {
		ps_done(&f.b);
		fx_good_rep(&f, all[bench], params);
	} else {
		ck_assert_int_eq(f.b.err.code, PG_EUNSUPPORTED);
		ck_assert_int_ne(placement, PG_PLACE_FREE);
		ck_assert_int_ne(placement, PG_PLACE_CROSS_CPU);
	}
	ps_done(&f.b);
}
END_TEST

/* Words of one bench in shared memory and in private memory: kind of mapping, zeroed, whole. */
START_TEST(words_are_where_they_should_be)
{
	const struct pg_futex_conf conf = {.shared = _i};
	char *map = pg_futex_map(&conf, 10000), line[512], *perms;
	unsigned long from, to;
	bool seen = false;
	FILE *f = fopen("/proc/self/maps", "re");

	ck_assert_ptr_nonnull(map);
	for (size_t i = 0; i < 10000; i++)
		ck_assert_int_eq(map[i], 0);
	while (f && !seen && fgets(line, sizeof(line), f)) {
		from = strtoul(line, &perms, 16);
		to = strtoul(perms + 1, &perms, 16);
		if (from <= (uintptr_t)map && (uintptr_t)map < to) {
			seen = true;
			ck_assert_int_eq(perms[4], _i ? 's' : 'p');
		}
	}
	if (f)
		fclose(f);
	ck_assert(seen);
	ck_assert_int_eq(pg_futex_op(&conf, FUTEX_WAKE), _i ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE);
	pg_futex_unmap(map, 10000);
}
END_TEST

/* No two workers write into one cache line, and the words of a round have one each. */
START_TEST(cache_lines_are_not_shared)
{
	ck_assert_uint_eq(sizeof(struct pg_futex_waiter) % 64, 0);
	ck_assert_uint_eq(sizeof(struct pg_slot) % 64, 0);
	ck_assert_uint_ge(offsetof(struct pg_futex_words, turn[1]) - offsetof(struct pg_futex_words, turn[0]), 64);
	ck_assert_uint_ge(offsetof(struct pg_futex_words, target) - offsetof(struct pg_futex_words, turn[1]), 64);
	ck_assert_uint_eq(offsetof(struct pg_period, stop) % 64, 0);
	ck_assert_uint_ge(offsetof(struct pg_period, stop), 64);
	ck_assert_uint_ge(offsetof(struct pg_period, begun) - offsetof(struct pg_period, stop), 64);
}
END_TEST

PG_TEST_MAIN("suites_futex_table", ((const struct pg_test[]){
					   {tables_are_set_and_recorded, 25},
					   {other_kernels, 10},
					   {memory_is_locked_and_unlocked, 5},
					   {locking_is_refused_with_the_limit, 5},
					   {every_placement, 45},
					   {words_are_where_they_should_be, 2},
					   {cache_lines_are_not_shared, 0},
					   {NULL, 0},
				   }))
