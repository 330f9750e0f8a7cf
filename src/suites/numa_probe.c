/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What numa/mem refuses: rules across its params, and what this machine and this process cannot do. */
#include "suites/numa.h"

static int check_size(const char *name, uint64_t size, struct pg_err *err)
{
	if (size == 0 || size >= sizeof(uint64_t))
		return 0;
	return pg_fail(err, PG_EINPUT, "%s %lluB is less than a word; allowed: 0B, or at least 8B", name,
		       (unsigned long long)size);
}

int pg_numa_check(const void *vconf, struct pg_err *err)
{
	const struct pg_numa_conf *conf = vconf;

	if (check_size("global_size", conf->global_size, err) || check_size("process_size", conf->process_size, err) ||
	    check_size("locked_size", conf->locked_size, err) || check_size("thread_size", conf->thread_size, err))
		return -1;
	if (conf->global_size == 0 && conf->process_size == 0 && conf->thread_size == 0)
		return pg_fail(err, PG_EINPUT,
			       "nothing to work on; give one of global_size, process_size and thread_size");
	if (conf->locked_size > conf->process_size)
		return pg_fail(err, PG_EINPUT,
			       "locked_size %lluB is more than process_size %lluB, of which it is a part; lower it",
			       (unsigned long long)conf->locked_size, (unsigned long long)conf->process_size);
	if (conf->loops.word >= 0 && conf->runtime == 0 && !conf->until_converged)
		return pg_fail(err, PG_EINPUT,
			       "loops and runtime are both unlimited; limit one of them or set until_converged");
	if (conf->task_cpus && pg_numa_list_check("task_cpus", conf->task_cpus, true, err))
		return -1;
	return conf->task_nodes ? pg_numa_list_check("task_nodes", conf->task_nodes, false, err) : 0;
}

static uint64_t tasks_of(const struct pg_numa_conf *conf)
{
	return conf->processes * conf->threads;
}

static int missing(const char *what, uint64_t number, const char *is_not, const struct pg_cpuset *have,
		   struct pg_err *err)
{
	struct pg_str list;

	pg_str_init(&list);
	pg_cpulist_format(have, &list);
	pg_fail(err, PG_EUNSUPPORTED, "%s %llu is %s: %s); name others", what, (unsigned long long)number, is_not,
		pg_str_text(&list));
	pg_str_release(&list);
	return -1;
}

static int probe_cpu(uint64_t cpu, const struct pg_topo *topo, struct pg_err *err)
{
	if (cpu < PG_CPU_MAX && pg_cpuset_has(&topo->allowed, (unsigned)cpu))
		return 0;
	if (cpu < PG_CPU_MAX && pg_cpuset_has(&topo->online, (unsigned)cpu))
		return missing("task_cpus: CPU", cpu, "not allowed to this process (allowed", &topo->allowed, err);
	return missing("task_cpus: CPU", cpu, "not online (online", &topo->online, err);
}

static int probe_node(uint64_t node, const struct pg_memnodes *m, struct pg_err *err)
{
	const unsigned n = (unsigned)node;

	if (pg_cpuset_has(&m->allowed, n))
		return 0;
	if (!pg_cpuset_has(&m->online, n))
		return missing("task_nodes: node", node, "not online (online", &m->online, err);
	if (!pg_cpuset_has(&m->memory, n))
		return missing("task_nodes: node", node, "without memory (with memory", &m->memory, err);
	return missing("task_nodes: node", node, "not allowed to this process (allowed", &m->allowed, err);
}

struct machine {
	const struct pg_topo *topo;
	const struct pg_memnodes *nodes;
};

static int probe_value(const struct machine *on, bool cpus, uint64_t first, uint64_t length, struct pg_err *err)
{
	for (uint64_t i = first; i < first + length; i++)
		if (cpus ? probe_cpu(i, on->topo, err) : probe_node(i, on->nodes, err))
			return -1;
	return 0;
}

/* Entries beyond the last task are nobody's. *bound: tasks that have one. */
static int probe_list(const char *list, uint64_t tasks, const struct machine *on, bool cpus, uint64_t *bound,
		      struct pg_err *err)
{
	struct pg_numa_token t;
	size_t at = 0;

	*bound = 0;
	while (list && *bound < tasks && pg_numa_list_next(list, &at, &t)) {
		const uint64_t entries = pg_numa_token_entries(&t), left = tasks - *bound;
		const uint64_t used = entries < left ? entries : left;

		for (uint64_t i = 0; i < used; i += t.times)
			if (probe_value(on, cpus, t.first + i / t.times * t.step, t.length, err))
				return -1;
		*bound += used;
	}
	return 0;
}

/* Beside what stands in the file of the machine: do the nodes that are asked for exist, and may policies be set? */
static int probe_memory(const struct pg_numa_conf *conf, const struct pg_probe_env *env, struct pg_err *err)
{
	struct pg_numa_touch touch = {.on = false};
	struct pg_memnodes nodes;
	struct machine on = {.topo = env->topo, .nodes = &nodes};
	uint64_t bound;
	int r;

	if (!conf->task_nodes && conf->first_touch == PG_NUMA_TOUCH_LOCAL)
		return 0;
	if (pg_memnodes_load(env->root, &nodes, err))
		return -1;
	r = probe_list(conf->task_nodes, tasks_of(conf), &on, false, &bound, err);
	if (r == 0 && conf->first_touch == PG_NUMA_TOUCH_CPU0_NODE)
		r = pg_numa_touch_find(&touch, &nodes, &env->topo->allowed, env->root, err);
	pg_cpuset_release(&touch.cpus);
	pg_memnodes_release(&nodes);
	return r ? r : pg_numa_policy_probe(err);
}

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t r;

	return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t r;

	return pg_mul_u64(a, b, &r) ? r : UINT64_MAX;
}

static int need_area(const struct pg_numa_conf *conf, const struct pg_probe_env *env, uint64_t size, uint64_t n,
		     struct pg_need *need, struct pg_err *err)
{
	const struct pg_mem_pages pages = {
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE), .thp = conf->transparent_huge_pages, .root = env->root};
	const uint64_t offset = 0;
	uint64_t bytes;

	if (size == 0)
		return 0;
	if (pg_mem_pages_probe(&pages, size, &offset, 1, &bytes, err))
		return -1;
	need->bytes = add(need->bytes, times(n, bytes));
	return 0;
}

int pg_numa_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct pg_numa_conf *conf = vconf;
	const uint64_t tasks = tasks_of(conf);
	const struct machine on = {.topo = env->topo};
	uint64_t bound;

	need->tasks = conf->processes + tasks;
	need->bytes = add(conf->global_size, times(conf->processes, pg_crew_task_bytes(false, 0)));
	need->bytes = add(need->bytes, times(tasks, pg_crew_task_bytes(true, PG_NUMA_STACK)));
	if (need_area(conf, env, conf->process_size, conf->processes, need, err) ||
	    need_area(conf, env, conf->thread_size, tasks, need, err))
		return -1;
	if (probe_list(conf->task_cpus, tasks, &on, true, &bound, err))
		return -1;
	if (bound < tasks && pg_place_probe(conf->placement, env->topo, err))
		return -1;
	if (conf->perturb_interval && pg_cpuset_count(&env->topo->allowed) < 2)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "perturb_interval needs a second CPU to push to, this process may use one; use never");
	return probe_memory(conf, env, err);
}
