/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines that are not this one, as trees of small files: nodes without memory, sparse numbers, thousands of CPUs, a
 * cpuset of one. Header only.
 */
#ifndef PG_TESTS_FAKETOPO_H
#define PG_TESTS_FAKETOPO_H

#include <check.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/topo.h"

struct faketopo {
	const char *name;
	const char *allowed;	    /* CPUs of the process */
	unsigned words[PG_DOMAINS]; /* cpus cores llcs sockets nodes: what they count there */
	const char *files[24];	    /* "path=text" below the root */
	void (*more)(const char *root);
};

#define FT_NODE "sys/devices/system/node/"
#define FT_CPU	"sys/devices/system/cpu/"
#define FT_MEMS "proc/self/status=Name:\tx\nMems_allowed:\tff\nMems_allowed_list:\t"

static inline void ft_parents(char *path)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	if (mkdir(path, 0755) < 0 && errno == ENOENT) {
		ft_parents(path);
		ck_assert_int_eq(mkdir(path, 0755), 0);
	}
	*slash = '/';
}

static inline void ft_put(const char *root, const char *text, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static inline void ft_put(const char *root, const char *text, const char *fmt, ...)
{
	char path[PATH_MAX], tail[200];
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(tail, sizeof(tail), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s/%s", root, tail);
	f = fopen(path, "we");
	if (!f) {
		ft_parents(path);
		f = fopen(path, "we");
	}
	if (!f || fprintf(f, "%s\n", text) < 0 || fclose(f) != 0)
		ck_abort_msg("%s: %s", path, strerror(errno));
}

/* 4096 CPUs: cores of 2, caches of 512, 32 nodes of 128, memory in the even ones. Lists stand with the
 * first CPU of a domain alone: of the others nothing is asked. */
static inline void ft_large(const char *root)
{
	char list[32];

	ft_put(root, "0-4095", FT_CPU "online");
	ft_put(root, "0-31", FT_NODE "online");
	ft_put(root, "0-30:2", FT_NODE "has_memory");
	for (int c = 0; c < 4096; c++) {
		snprintf(list, sizeof(list), "%d-%d", c & ~1, c | 1);
		if (c % 2 == 0)
			ft_put(root, list, FT_CPU "cpu%d/topology/core_cpus_list", c);
		snprintf(list, sizeof(list), "%d-%d", c & ~511, c | 511);
		if (c % 512 == 0) {
			ft_put(root, "3", FT_CPU "cpu%d/cache/index0/level", c);
			ft_put(root, "Unified", FT_CPU "cpu%d/cache/index0/type", c);
			ft_put(root, list, FT_CPU "cpu%d/cache/index0/shared_cpu_list", c);
		}
		snprintf(list, sizeof(list), "%d-%d", c & ~127, c | 127);
		if (c % 128 == 0)
			ft_put(root, list, FT_NODE "node%d/cpulist", c / 128);
	}
}

enum { FT_ONE, FT_NO_MEMORY, FT_SPARSE, FT_HOLE, FT_LARGE, FT_CPUSET, FT_MEMS_CPUSET, FT_NO_NUMA, FT_TOPOLOGIES };

static const struct faketopo faketopos[FT_TOPOLOGIES] = {
	[FT_ONE] = {"one node",
		    "0-3",
		    {4, 4, 1, 1, 1},
		    {FT_CPU "online=0-3", FT_NODE "online=0", FT_NODE "has_memory=0", FT_NODE "node0/cpulist=0-3",
		     FT_NODE "node0/distance=10", FT_MEMS "0"},
		    NULL},
	[FT_NO_MEMORY] = {"two nodes, one without memory",
			  "0-7",
			  {8, 8, 1, 1, 2},
			  {FT_CPU "online=0-7", FT_NODE "online=0-1", FT_NODE "has_memory=1",
			   FT_NODE "node0/cpulist=0-3", FT_NODE "node1/cpulist=4-7", FT_NODE "node0/distance=10 21",
			   FT_NODE "node1/distance=21 10", FT_MEMS "0-1"},
			  NULL},
	/* CPU 0 on node 8, which has no memory; 252 to 255 are memory alone, 253 is nearest to 8. */
	[FT_SPARSE] = {"nodes 0, 8, 252-255",
		       "0-15",
		       {16, 16, 1, 1, 2},
		       {FT_CPU "online=0-15", FT_NODE "online=0,8,252-255", FT_NODE "has_memory=0,252-255",
			FT_NODE "node0/cpulist=8-15", FT_NODE "node8/cpulist=0-7",
			FT_NODE "node252/cpulist=", FT_NODE "node253/cpulist=", FT_NODE "node254/cpulist=",
			FT_NODE "node0/distance=10 40 80 80 80 80", FT_NODE "node8/distance=40 10 80 20 80 20",
			FT_MEMS "0,8,252-255"},
		       NULL},
	[FT_HOLE] = {"CPUs 0-7,100-107",
		     "0-7,100-107",
		     {16, 16, 1, 1, 2},
		     {FT_CPU "online=0-7,100-107", FT_NODE "online=0-1", FT_NODE "has_memory=0-1",
		      FT_NODE "node0/cpulist=0-7", FT_NODE "node1/cpulist=100-107", FT_MEMS "0-1"},
		     NULL},
	[FT_LARGE] = {"4096 CPUs", "0-4095", {4096, 2048, 8, 1, 32}, {FT_MEMS "0-31"}, ft_large},
	[FT_CPUSET] = {"a cpuset of one CPU",
		       "6",
		       {1, 1, 1, 1, 1},
		       {FT_CPU "online=0-7", FT_NODE "online=0-1", FT_NODE "has_memory=0-1",
			FT_NODE "node0/cpulist=0-3", FT_NODE "node1/cpulist=4-7", FT_MEMS "0-1"},
		       NULL},
	[FT_MEMS_CPUSET] = {"a cpuset of one node's memory",
			    "0-3",
			    {4, 4, 1, 1, 2},
			    {FT_CPU "online=0-3", FT_NODE "online=0-1", FT_NODE "has_memory=0-1",
			     FT_NODE "node0/cpulist=0-1", FT_NODE "node1/cpulist=2-3", FT_MEMS "1"},
			    NULL},
	[FT_NO_NUMA] = {"no nodes in /sys", "0-1", {2, 2, 1, 1, 1}, {FT_CPU "online=0-1"}, NULL},
};

/* A fresh root with the files of a topology; root holds 64 bytes. */
static inline void ft_make(const struct faketopo *t, char *root)
{
	strcpy(root, "/dev/shm/pg-topo-XXXXXX");
	if (!mkdtemp(root)) {
		strcpy(root, "/tmp/pg-topo-XXXXXX");
		ck_assert_ptr_nonnull(mkdtemp(root));
	}
	for (const char *const *f = t->files; *f; f++) {
		const char *eq = strchr(*f, '=');

		ft_put(root, eq + 1, "%.*s", (int)(eq - *f), *f);
	}
	if (t->more)
		t->more(root);
}

static inline int ft_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void ft_drop(const char *root)
{
	nftw(root, ft_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline struct pg_topo ft_load(const struct faketopo *t, const char *root)
{
	struct pg_cpuset set;
	struct pg_topo topo;
	struct pg_err err;

	ck_assert_int_eq(pg_cpulist_parse(t->allowed, strlen(t->allowed), &set, NULL, NULL), 0);
	ck_assert_msg(pg_topo_load(root, &set, &topo, &err) == 0, "%s: %s", t->name, err.msg);
	pg_cpuset_release(&set);
	return topo;
}

#endif
