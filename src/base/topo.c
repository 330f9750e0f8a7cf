/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topology from /sys. A file that lists the members of a domain is read once a domain, not once a CPU. What /sys does
 * not say is assumed as simple as can be: each CPU its own core; one cache, one socket, one node.
 */
#include "base/topo.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

#define FILE_LIMIT    ((size_t)4 << 20)
#define CACHE_INDEXES 32

struct loader {
	const char *root;
	struct pg_topo *t;
	struct pg_cpuset left; /* allowed CPUs not yet in a domain of the kind at work */
	struct pg_str text;    /* the file read last */
	struct pg_err *err;
};

bool pg_topo_read(const char *root, const char *path, struct pg_str *text)
{
	char name[PATH_MAX], buf[4096];
	ssize_t n;
	int fd;

	pg_str_reset(text);
	if ((size_t)snprintf(name, sizeof(name), "%s/%s", root, path) >= sizeof(name))
		return false;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	do {
		n = read(fd, buf, sizeof(buf));
		if (n > 0)
			pg_str_add(text, buf, (size_t)n);
	} while ((n > 0 && text->len < FILE_LIMIT) || (n < 0 && errno == EINTR));
	close(fd);
	return n == 0 && !text->failed;
}

/* Reads ROOT/sys/devices/system/PATH into l->text; false when it cannot be read. */
static bool read_file(struct loader *l, const char *path)
{
	char name[128];

	if ((size_t)snprintf(name, sizeof(name), "sys/devices/system/%s", path) >= sizeof(name))
		return false;
	return pg_topo_read(l->root, name, &l->text);
}

/* A whole number; false when absent, negative (the kernel's "unknown") or odd. */
static bool read_number(struct loader *l, const char *path, unsigned *out)
{
	uint64_t v;
	size_t n;

	if (!read_file(l, path))
		return false;
	n = l->text.len;
	while (n && (l->text.s[n - 1] == '\n' || l->text.s[n - 1] == '\0'))
		n--;
	if (n == 0 || pg_parse_u64(l->text.s, n, &v) || v > INT_MAX)
		return false;
	*out = (unsigned)v;
	return true;
}

/* A list; `set` is empty and need not be released when false. */
static bool read_list(struct loader *l, const char *path, struct pg_cpuset *set)
{
	pg_cpuset_init(set);
	return read_file(l, path) && !pg_cpulist_parse(pg_str_text(&l->text), l->text.len, set, NULL, NULL);
}

/* A new, empty domain; NULL = out of memory. */
static struct pg_cpuset *domain_add(struct loader *l, enum pg_domain kind, unsigned id)
{
	size_t n = l->t->domain[kind].n;

	if ((n & (n - 1)) == 0) { /* grow at powers of two */
		size_t cap = n ? n * 2 : 1;
		struct pg_cpuset *sets = realloc(l->t->domain[kind].sets, cap * sizeof(*sets));
		unsigned *ids;

		if (!sets)
			return NULL;
		l->t->domain[kind].sets = sets;
		ids = realloc(l->t->domain[kind].ids, cap * sizeof(*ids));
		if (!ids)
			return NULL;
		l->t->domain[kind].ids = ids;
	}
	l->t->domain[kind].ids[n] = id;
	l->t->domain[kind].n = n + 1;
	pg_cpuset_init(&l->t->domain[kind].sets[n]);
	return &l->t->domain[kind].sets[n];
}

static int member_add(struct loader *l, struct pg_cpuset *set, int cpu)
{
	pg_cpuset_del(&l->left, (unsigned)cpu);
	return pg_cpuset_add(set, (unsigned)cpu) < 0 ? pg_fail_nomem(l->err) : 0;
}

/* A domain of `cpu` and of those of `members` (may be NULL) that have none yet. */
static int domain_make(struct loader *l, enum pg_domain kind, unsigned id, int cpu, const struct pg_cpuset *members)
{
	struct pg_cpuset *set = domain_add(l, kind, id);

	if (!set)
		return pg_fail_nomem(l->err);
	if (member_add(l, set, cpu) < 0)
		return -1;
	for (int c = members ? pg_cpuset_next(members, -1) : -1; c >= 0; c = pg_cpuset_next(members, c)) {
		if (pg_cpuset_has(&l->left, (unsigned)c) && member_add(l, set, c) < 0)
			return -1;
	}
	return 0;
}

static int start(struct loader *l)
{
	return pg_cpuset_copy(&l->left, &l->t->allowed) < 0 ? pg_fail_nomem(l->err) : 0;
}

static int load_cpus(struct loader *l)
{
	for (int c = pg_cpuset_next(&l->t->allowed, -1); c >= 0; c = pg_cpuset_next(&l->t->allowed, c)) {
		if (domain_make(l, PG_DOMAIN_CPU, (unsigned)c, c, NULL) < 0)
			return -1;
	}
	return 0;
}

/* Without a list of siblings: the CPUs of the same socket and core number. Sorted, so that equal ones stand together.
 */
struct core_key {
	unsigned package, core;
	int cpu;
};

static int cmp_unsigned(unsigned a, unsigned b)
{
	return (a > b) - (a < b);
}

static int cmp_core(const void *a, const void *b)
{
	const struct core_key *x = a, *y = b;
	int r = cmp_unsigned(x->package, y->package);

	if (r == 0)
		r = cmp_unsigned(x->core, y->core);
	return r ? r : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void core_key(struct loader *l, int cpu, struct core_key *k)
{
	char path[96];

	k->cpu = cpu;
	k->package = UINT_MAX;
	k->core = (unsigned)cpu;
	snprintf(path, sizeof(path), "cpu/cpu%d/topology/core_id", cpu);
	if (!read_number(l, path, &k->core))
		return;
	k->package = 0;
	snprintf(path, sizeof(path), "cpu/cpu%d/topology/physical_package_id", cpu);
	(void)read_number(l, path, &k->package);
}

/* Cores of the CPUs that no list of siblings names. */
static int cores_by_number(struct loader *l, const struct pg_cpuset *cpus)
{
	size_t n = pg_cpuset_count(cpus), i = 0;
	struct core_key *keys = calloc(n ? n : 1, sizeof(*keys));
	struct pg_cpuset *set = NULL;
	int r = 0;

	if (!keys)
		return pg_fail_nomem(l->err);
	for (int c = pg_cpuset_next(cpus, -1); c >= 0; c = pg_cpuset_next(cpus, c))
		core_key(l, c, &keys[i++]);
	qsort(keys, n, sizeof(*keys), cmp_core);
	for (i = 0; i < n && r == 0; i++) {
		bool same = i && keys[i].package == keys[i - 1].package && keys[i].core == keys[i - 1].core;

		if (!same)
			set = domain_add(l, PG_DOMAIN_CORE, keys[i].core);
		r = set ? member_add(l, set, keys[i].cpu) : pg_fail_nomem(l->err);
	}
	free(keys);
	return r;
}

static bool siblings(struct loader *l, int cpu, struct pg_cpuset *set)
{
	char path[96];

	snprintf(path, sizeof(path), "cpu/cpu%d/topology/core_cpus_list", cpu);
	if (read_list(l, path, set))
		return true;
	snprintf(path, sizeof(path), "cpu/cpu%d/topology/thread_siblings_list", cpu);
	return read_list(l, path, set);
}

static int load_cores(struct loader *l)
{
	struct pg_cpuset unlisted, list;
	int r = start(l);

	pg_cpuset_init(&unlisted);
	for (int c = r ? -1 : pg_cpuset_next(&l->left, -1); c >= 0 && r == 0; c = pg_cpuset_next(&l->left, c)) {
		unsigned id = (unsigned)c;
		char path[96];

		if (!siblings(l, c, &list)) {
			if (pg_cpuset_add(&unlisted, (unsigned)c) < 0)
				r = pg_fail_nomem(l->err);
			continue;
		}
		snprintf(path, sizeof(path), "cpu/cpu%d/topology/core_id", c);
		(void)read_number(l, path, &id);
		r = domain_make(l, PG_DOMAIN_CORE, id, c, &list);
		pg_cpuset_release(&list);
	}
	if (r == 0)
		r = cores_by_number(l, &unlisted);
	pg_cpuset_release(&unlisted);
	return r;
}

/* The CPUs that share the last-level cache of cpu. */
static bool shared_cache(struct loader *l, int cpu, struct pg_cpuset *set, unsigned *id)
{
	unsigned best_level = 0, best = 0;
	char path[96];

	for (unsigned i = 0; i < CACHE_INDEXES; i++) {
		unsigned level;

		snprintf(path, sizeof(path), "cpu/cpu%d/cache/index%u/level", cpu, i);
		if (!read_number(l, path, &level))
			break;
		snprintf(path, sizeof(path), "cpu/cpu%d/cache/index%u/type", cpu, i);
		if (!read_file(l, path) || pg_startswith(pg_str_text(&l->text), "Instruction"))
			continue;
		if (level >= best_level) {
			best_level = level;
			best = i;
		}
	}
	if (best_level == 0)
		return false;
	snprintf(path, sizeof(path), "cpu/cpu%d/cache/index%u/id", cpu, best);
	*id = (unsigned)cpu;
	(void)read_number(l, path, id);
	snprintf(path, sizeof(path), "cpu/cpu%d/cache/index%u/shared_cpu_list", cpu, best);
	return read_list(l, path, set);
}

/* The CPUs of which /sys says nothing share one domain. */
static int load_rest(struct loader *l, enum pg_domain kind)
{
	int first = pg_cpuset_next(&l->left, -1);
	struct pg_cpuset rest;
	int r;

	if (first < 0)
		return 0;
	pg_cpuset_init(&rest);
	if (pg_cpuset_copy(&rest, &l->left) < 0)
		return pg_fail_nomem(l->err);
	r = domain_make(l, kind, 0, first, &rest);
	pg_cpuset_release(&rest);
	return r;
}

static int load_caches(struct loader *l)
{
	struct pg_cpuset list;
	int r = start(l);

	for (int c = r ? -1 : pg_cpuset_next(&l->left, -1); c >= 0 && r == 0; c = pg_cpuset_next(&l->left, c)) {
		unsigned id;

		if (!shared_cache(l, c, &list, &id))
			continue;
		r = domain_make(l, PG_DOMAIN_CACHE, id, c, &list);
		pg_cpuset_release(&list);
	}
	return r ? r : load_rest(l, PG_DOMAIN_CACHE);
}

static struct pg_cpuset *domain_find(struct loader *l, enum pg_domain kind, unsigned id)
{
	for (size_t i = l->t->domain[kind].n; i-- > 0;) {
		if (l->t->domain[kind].ids[i] == id)
			return &l->t->domain[kind].sets[i];
	}
	return NULL;
}

static int load_sockets(struct loader *l)
{
	int r = start(l);

	for (int c = r ? -1 : pg_cpuset_next(&l->left, -1); c >= 0 && r == 0; c = pg_cpuset_next(&l->left, c)) {
		struct pg_cpuset *set;
		char path[96];
		unsigned id;

		snprintf(path, sizeof(path), "cpu/cpu%d/topology/physical_package_id", c);
		if (!read_number(l, path, &id))
			continue;
		set = domain_find(l, PG_DOMAIN_SOCKET, id);
		r = set ? member_add(l, set, c) : domain_make(l, PG_DOMAIN_SOCKET, id, c, NULL);
	}
	return r ? r : load_rest(l, PG_DOMAIN_SOCKET);
}

static int load_node(struct loader *l, unsigned node)
{
	struct pg_cpuset list;
	char path[96];
	int first = -1, r = 0;

	snprintf(path, sizeof(path), "node/node%u/cpulist", node);
	if (!read_list(l, path, &list))
		return 0;
	pg_cpuset_and(&list, &l->left);
	first = pg_cpuset_next(&list, -1);
	if (first >= 0)
		r = domain_make(l, PG_DOMAIN_NODE, node, first, &list);
	pg_cpuset_release(&list);
	return r;
}

static int load_nodes(struct loader *l)
{
	struct pg_cpuset nodes;
	int r = start(l);

	if (r == 0 && read_list(l, "node/online", &nodes)) {
		for (int n = pg_cpuset_next(&nodes, -1); n >= 0 && r == 0; n = pg_cpuset_next(&nodes, n))
			r = load_node(l, (unsigned)n);
		pg_cpuset_release(&nodes);
	}
	/* CPUs of no node stay outside once there is one: a node number made up here would be bound to later. */
	if (r == 0 && l->t->domain[PG_DOMAIN_NODE].n == 0)
		r = load_rest(l, PG_DOMAIN_NODE);
	return r;
}

struct entry {
	struct pg_cpuset set;
	unsigned id;
};

static int cmp_entry(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return pg_cpuset_next(&x->set, -1) - pg_cpuset_next(&y->set, -1);
}

/* Domains that were not found in the order of their first CPU. */
static int sort_domains(struct loader *l, enum pg_domain kind)
{
	size_t n = l->t->domain[kind].n;
	struct entry *e = calloc(n ? n : 1, sizeof(*e));

	if (!e)
		return pg_fail_nomem(l->err);
	for (size_t i = 0; i < n; i++) {
		e[i].set = l->t->domain[kind].sets[i];
		e[i].id = l->t->domain[kind].ids[i];
	}
	qsort(e, n, sizeof(*e), cmp_entry);
	for (size_t i = 0; i < n; i++) {
		l->t->domain[kind].sets[i] = e[i].set;
		l->t->domain[kind].ids[i] = e[i].id;
	}
	free(e);
	return 0;
}

static int load_domains(struct loader *l)
{
	if (load_cpus(l) < 0 || load_cores(l) < 0 || load_caches(l) < 0 || load_sockets(l) < 0 || load_nodes(l) < 0)
		return -1;
	for (int kind = PG_DOMAIN_CORE; kind < PG_DOMAINS; kind++) {
		if (sort_domains(l, (enum pg_domain)kind) < 0)
			return -1;
	}
	return 0;
}

static int load_sets(struct loader *l, const struct pg_cpuset *allowed)
{
	struct pg_topo *t = l->t;

	if (!allowed) {
		if (pg_affinity_get(0, &t->allowed, l->err) < 0)
			return -1;
	} else if (pg_cpuset_copy(&t->allowed, allowed) < 0) {
		return pg_fail_nomem(l->err);
	}
	if (pg_cpuset_next(&t->allowed, -1) < 0)
		return pg_fail(l->err, PG_EUNSUPPORTED, "no CPU is allowed to this process; look at its cpuset");
	if (read_list(l, "cpu/online", &t->online) && pg_cpuset_next(&t->online, -1) >= 0)
		return 0;
	pg_cpuset_release(&t->online);
	return pg_cpuset_copy(&t->online, &t->allowed) < 0 ? pg_fail_nomem(l->err) : 0;
}

int pg_topo_load(const char *root, const struct pg_cpuset *allowed, struct pg_topo *out, struct pg_err *err)
{
	struct loader l = {.root = root, .t = out, .err = err};
	int r;

	memset(out, 0, sizeof(*out));
	pg_cpuset_init(&l.left);
	pg_str_init(&l.text);
	r = load_sets(&l, allowed);
	if (r == 0)
		r = load_domains(&l);
	if (r < 0)
		pg_topo_release(out);
	pg_cpuset_release(&l.left);
	pg_str_release(&l.text);
	return r;
}

void pg_topo_release(struct pg_topo *t)
{
	pg_cpuset_release(&t->allowed);
	pg_cpuset_release(&t->online);
	for (int kind = 0; kind < PG_DOMAINS; kind++) {
		for (size_t i = 0; i < t->domain[kind].n; i++)
			pg_cpuset_release(&t->domain[kind].sets[i]);
		free(t->domain[kind].sets);
		free(t->domain[kind].ids);
	}
	memset(t, 0, sizeof(*t));
}
