/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs and memory policies of tasks, by system calls: masks are as large as the numbers in them need, nodes are numbers
 * and no counts.
 */
#include "suites/numa.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORD_BITS  (sizeof(unsigned long) * CHAR_BIT)
#define MOST_WORDS (32768 / WORD_BITS) /* the kernel takes no mask larger than a page */

bool pg_numa_where(unsigned *cpu, unsigned *node)
{
#ifdef __GLIBC__
	return getcpu(cpu, node) == 0; /* from the vDSO: no call inside a timed region */
#else
	return syscall(SYS_getcpu, cpu, node, NULL) == 0;
#endif
}

int pg_numa_policy_probe(struct pg_err *err)
{
	int mode;

	if (syscall(SYS_get_mempolicy, &mode, NULL, 0UL, NULL, 0UL) == 0)
		return 0;
	return pg_fail(
		err, PG_EUNSUPPORTED,
		"memory policies: %s; leave out task_nodes and use first_touch local, or run outside the container "
		"that filters them",
		errno == ENOSYS ? "this kernel has none" : strerror(errno));
}

/* The kernel answers EINVAL to a mask smaller than its own. */
static int read_policy(struct pg_numa_home *h, struct pg_err *err)
{
	for (size_t words = 16; words <= MOST_WORDS; words *= 2) {
		unsigned long *bits = calloc(words, sizeof(*bits));

		if (!bits)
			return pg_fail_nomem(err);
		if (syscall(SYS_get_mempolicy, &h->mode, bits, (unsigned long)(words * WORD_BITS), NULL, 0UL) == 0) {
			h->nodes = (struct pg_cpuset){.bits = bits, .words = words};
			h->policies = true;
			return 0;
		}
		free(bits);
		if (errno != EINVAL)
			break;
	}
	return pg_fail_sys(err,
			   "cannot read the memory policy; allow get_mempolicy to this container, or name no nodes");
}

/* The kernel takes one bit less than it is told of. */
static int set_policy(int mode, const struct pg_cpuset *nodes, struct pg_err *err)
{
	const bool some = pg_cpuset_next(nodes, -1) >= 0;

	if (syscall(SYS_set_mempolicy, mode, some ? nodes->bits : NULL,
		    some ? (unsigned long)(nodes->words * WORD_BITS + 1) : 0UL) == 0)
		return 0;
	return pg_fail_sys(err,
			   "cannot set the memory policy; name nodes that have memory and are allowed (numactl -s)");
}

int pg_numa_home_read(struct pg_numa_home *h, bool policies, struct pg_err *err)
{
	memset(h, 0, sizeof(*h));
	if (pg_affinity_get(0, &h->cpus, err))
		return -1;
	return policies ? read_policy(h, err) : 0;
}

int pg_numa_home_return(const struct pg_numa_home *h, struct pg_err *err)
{
	if (pg_affinity_set(0, &h->cpus, err))
		return -1;
	return h->policies ? set_policy(h->mode, &h->nodes, err) : 0;
}

void pg_numa_home_release(struct pg_numa_home *h)
{
	pg_cpuset_release(&h->cpus);
	pg_cpuset_release(&h->nodes);
}

int pg_numa_policy_bind(unsigned node, struct pg_err *err)
{
	struct pg_cpuset nodes;
	int r;

	pg_cpuset_init(&nodes);
	if (pg_cpuset_add(&nodes, node))
		return pg_fail_nomem(err);
	r = set_policy(MPOL_BIND, &nodes, err);
	if (r)
		pg_err_wrap(err, "memory of node %u", node);
	pg_cpuset_release(&nodes);
	return r;
}

/* The node of CPU 0; where that is offline, of the lowest CPU that is not. */
static unsigned first_node(const struct pg_memnodes *m)
{
	unsigned node = m->ids[0];
	int lowest = -1;

	for (size_t i = 0; i < m->n; i++) {
		const int cpu = pg_cpuset_next(&m->cpus[i], -1);

		if (cpu < 0 || (lowest >= 0 && cpu > lowest))
			continue;
		lowest = cpu;
		node = m->ids[i];
	}
	return node;
}

int pg_numa_touch_find(struct pg_numa_touch *t, const struct pg_memnodes *m, const struct pg_cpuset *home,
		       const char *root, struct pg_err *err)
{
	const unsigned of = first_node(m);
	const int node = pg_memnodes_nearest(m, root, of);

	memset(t, 0, sizeof(*t));
	if (node < 0)
		return pg_fail(
			err, PG_EUNSUPPORTED,
			"first_touch cpu0-node: this process may use the memory of no node; use first_touch local");
	t->node = (unsigned)node;
	t->on = true;
	if (pg_cpuset_copy(&t->cpus, home))
		return pg_fail_nomem(err);
	for (size_t i = 0; i < m->n; i++)
		if (m->ids[i] == of)
			return pg_cpuset_and(&t->cpus, &m->cpus[i]);
	return 0;
}

/* CPUs of a task into *set, the caller's; *cpus points to it or to what lives as long as m. */
static int cpus_of(const struct pg_numa *m, uint64_t task, struct pg_cpuset *set, const struct pg_cpuset **cpus,
		   struct pg_err *err)
{
	uint32_t first, length;

	pg_cpuset_init(set);
	if (pg_numa_list_entry(m->conf->task_cpus, task, &first, &length)) {
		for (uint32_t i = 0; i < length; i++)
			if (pg_cpuset_add(set, first + i)) {
				pg_cpuset_release(set);
				return pg_fail_nomem(err);
			}
		*cpus = set;
		return 0;
	}
	*cpus = pg_place_of(&m->place, task);
	if (!*cpus)
		*cpus = &m->home.cpus;
	return 0;
}

static int set_cpus(const struct pg_numa *m, uint64_t task, struct pg_err *err)
{
	const struct pg_cpuset *cpus;
	struct pg_cpuset set;
	int r = cpus_of(m, task, &set, &cpus, err);

	if (r == 0)
		r = pg_affinity_set(0, cpus, err);
	pg_cpuset_release(&set);
	return r;
}

int pg_numa_bind_task(const struct pg_numa *m, uint64_t task, struct pg_err *err)
{
	uint32_t node, length;

	if (set_cpus(m, task, err))
		return -1;
	if (!m->home.policies)
		return 0;
	if (pg_numa_list_entry(m->conf->task_nodes, task, &node, &length))
		return pg_numa_policy_bind(node, err);
	return set_policy(m->home.mode, &m->home.nodes, err);
}

int pg_numa_bind_touch(const struct pg_numa *m, uint64_t task, struct pg_err *err)
{
	if (!m->touch.on)
		return pg_numa_bind_task(m, task, err);
	if (pg_affinity_set(0, pg_cpuset_next(&m->touch.cpus, -1) >= 0 ? &m->touch.cpus : &m->home.cpus, err))
		return -1;
	return pg_numa_policy_bind(m->touch.node, err);
}

int pg_numa_perturb(const struct pg_numa *m, uint64_t task, struct pg_err *err)
{
	const struct pg_cpuset *home = &m->home.cpus;
	const size_t n = pg_cpuset_count(home);
	struct pg_cpuset target;
	unsigned cpu = 0, node;
	bool low;
	int r;

	pg_numa_where(&cpu, &node);
	low = (int)cpu < pg_cpuset_nth(home, n / 2);
	pg_cpuset_init(&target);
	if (pg_cpuset_add(&target, (unsigned)pg_cpuset_nth(home, low ? n - 1 : 0)))
		return pg_fail_nomem(err);
	r = pg_affinity_set(0, &target, err);
	pg_cpuset_release(&target);
	return r ? r : set_cpus(m, task, err);
}
