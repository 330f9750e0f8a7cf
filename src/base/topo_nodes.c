/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory nodes from /sys: numbers are sparse, a node may lack CPUs, memory, or both. */
#include "base/topo.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

#define NODES "sys/devices/system/node/"

struct loader {
	const char *root;
	struct pg_str text; /* the file read last */
	struct pg_err *err;
};

/* A list; `set` is empty and need not be released when false. */
static bool read_list(struct loader *l, const char *path, struct pg_cpuset *set)
{
	pg_cpuset_init(set);
	return pg_topo_read(l->root, path, &l->text) &&
	       !pg_cpulist_parse(pg_str_text(&l->text), l->text.len, set, NULL, NULL);
}

/* Without a file, or with an empty one, all nodes have memory: a kernel that runs has some. */
static int load_memory(struct loader *l, struct pg_memnodes *m)
{
	static const char *const files[] = {NODES "has_memory", NODES "has_normal_memory"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (!read_list(l, files[i], &m->memory))
			continue;
		pg_cpuset_and(&m->memory, &m->online);
		if (pg_cpuset_next(&m->memory, -1) >= 0)
			return 0;
		pg_cpuset_release(&m->memory);
	}
	return pg_cpuset_copy(&m->memory, &m->online) < 0 ? pg_fail_nomem(l->err) : 0;
}

/* The line "Mems_allowed_list:\t0-1" of /proc/self/status. */
static int load_allowed(struct loader *l, struct pg_memnodes *m)
{
	static const char key[] = "\nMems_allowed_list:";
	struct pg_cpuset list;
	const char *p;

	if (pg_cpuset_copy(&m->allowed, &m->memory) < 0)
		return pg_fail_nomem(l->err);
	if (!pg_topo_read(l->root, "proc/self/status", &l->text))
		return 0;
	p = strstr(pg_str_text(&l->text), key);
	if (!p)
		return 0;
	p += sizeof(key) - 1;
	p += strspn(p, " \t");
	if (pg_cpulist_parse(p, strcspn(p, "\n"), &list, NULL, NULL))
		return 0;
	pg_cpuset_and(&m->allowed, &list);
	pg_cpuset_release(&list);
	return 0;
}

static int load_cpus(struct loader *l, struct pg_memnodes *m, bool told)
{
	const size_t n = pg_cpuset_count(&m->online);
	char path[64];

	m->ids = calloc(n, sizeof(*m->ids));
	m->cpus = calloc(n, sizeof(*m->cpus));
	if (!m->ids || !m->cpus)
		return pg_fail_nomem(l->err);
	for (int id = pg_cpuset_next(&m->online, -1); id >= 0; id = pg_cpuset_next(&m->online, id)) {
		m->ids[m->n] = (unsigned)id;
		snprintf(path, sizeof(path), NODES "node%d/cpulist", id);
		/* No list, or one that cannot be read: no CPUs. */
		(void)read_list(l, told ? path : "sys/devices/system/cpu/online", &m->cpus[m->n]);
		m->n++;
	}
	return 0;
}

int pg_memnodes_load(const char *root, struct pg_memnodes *out, struct pg_err *err)
{
	struct loader l = {.root = root, .err = err};
	bool told;
	int r = 0;

	memset(out, 0, sizeof(*out));
	pg_str_init(&l.text);
	told = read_list(&l, NODES "online", &out->online);
	if (told && pg_cpuset_next(&out->online, -1) < 0) {
		pg_cpuset_release(&out->online);
		told = false;
	}
	if (!told && pg_cpuset_add(&out->online, 0) < 0)
		r = pg_fail_nomem(err);
	if (r == 0)
		r = load_memory(&l, out);
	if (r == 0)
		r = load_allowed(&l, out);
	if (r == 0)
		r = load_cpus(&l, out, told);
	if (r < 0)
		pg_memnodes_release(out);
	pg_str_release(&l.text);
	return r;
}

void pg_memnodes_release(struct pg_memnodes *m)
{
	for (size_t i = 0; i < m->n; i++)
		pg_cpuset_release(&m->cpus[i]);
	free(m->cpus);
	free(m->ids);
	pg_cpuset_release(&m->online);
	pg_cpuset_release(&m->memory);
	pg_cpuset_release(&m->allowed);
	memset(m, 0, sizeof(*m));
}

int pg_memnodes_of_cpu(const struct pg_memnodes *m, unsigned cpu)
{
	for (size_t i = 0; i < m->n; i++)
		if (pg_cpuset_has(&m->cpus[i], cpu))
			return (int)m->ids[i];
	return -1;
}

/* The next number of a line of numbers between blanks; UINT64_MAX at its end. */
static uint64_t next_number(const char **p)
{
	size_t n;
	uint64_t v;

	*p += strspn(*p, " \t\n");
	n = strcspn(*p, " \t\n");
	if (n == 0 || pg_parse_u64(*p, n, &v) != PG_NUM_OK)
		return UINT64_MAX;
	*p += n;
	return v;
}

int pg_memnodes_nearest(const struct pg_memnodes *m, const char *root, unsigned node)
{
	int best = pg_cpuset_next(&m->allowed, -1);
	uint64_t least = UINT64_MAX;
	struct pg_str text;
	const char *p = "";
	char path[64];

	if (pg_cpuset_has(&m->allowed, node))
		return (int)node;
	pg_str_init(&text);
	snprintf(path, sizeof(path), NODES "node%u/distance", node);
	if (pg_topo_read(root, path, &text))
		p = pg_str_text(&text);
	/* One number for each online node, in their order. */
	for (size_t i = 0; i < m->n; i++) {
		const uint64_t distance = next_number(&p);

		if (distance < least && pg_cpuset_has(&m->allowed, m->ids[i])) {
			least = distance;
			best = (int)m->ids[i];
		}
	}
	pg_str_release(&text);
	return best;
}
