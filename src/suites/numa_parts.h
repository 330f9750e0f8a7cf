/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What numa/mem is made of, each for itself: lists of bindings, walks over areas, areas, CPUs and memory policies. */
#ifndef PG_SUITES_NUMA_PARTS_H
#define PG_SUITES_NUMA_PARTS_H

#include <stdatomic.h>

#include "pg_bench.h"

struct pg_numa_conf;

/* numa_list.c */

/* `first-last#step_lengthxtimes`: for each of first, first + step ... up to last, `times` entries of `length` numbers.
 */
struct pg_numa_token {
	uint32_t first, last, step, length, times;
};
/* Reads the token at *at; false at the end. The list was checked. */
bool pg_numa_list_next(const char *list, size_t *at, struct pg_numa_token *out);
uint64_t pg_numa_token_entries(const struct pg_numa_token *t);
/* Entry i: the numbers *first to *first + *length - 1; false = the list ends before. NULL is an empty list. */
bool pg_numa_list_entry(const char *list, uint64_t i, uint32_t *first, uint32_t *length);
/* The grammar; what = "task_cpus" or "task_nodes" (no lengths). */
int pg_numa_list_check(const char *what, const char *list, bool lengths, struct pg_err *err);

/* numa_walk.c: indices are of 8-byte words, all in 64 bits. */

#define PG_NUMA_CHUNK 1024   /* words of a random visit */
#define PG_NUMA_SLICE 131072 /* words between two looks at the clock: 1 MiB */
/*
 * Words of one call of bzero() at most: 64 MiB. Areas below are zeroed in one call, as the ancestor does: processors
 * take other ways for calls of several mebibytes than for small ones.
 */
#define PG_NUMA_ZEROED 8388608

struct pg_numa_turn {
	uint64_t worker, workers; /* who of how many that share the area */
	uint64_t pass;		  /* 0-based */
};
struct pg_numa_walk {
	uint64_t words;
	uint64_t left; /* words to go, as they count */
	uint64_t at;
	uint64_t most; /* words of one visit */
	bool random, back;
};
struct pg_numa_span {
	uint64_t first, words; /* really visited */
	uint64_t nominal;      /* as the ancestor counts them: random visits in full though cut at the area's end */
};
void pg_numa_walk_begin(struct pg_numa_walk *k, const struct pg_numa_conf *conf, uint64_t words,
			const struct pg_numa_turn *turn);
bool pg_numa_walk_next(struct pg_numa_walk *k, uint64_t *random, struct pg_numa_span *out); /* false: once round */
uint64_t pg_numa_random(uint64_t *state);
uint64_t pg_numa_seed(uint64_t seed, uint64_t i); /* a state for user i of a rep, never 0 */
/* Visits n words; returns the running value, which whoever calls must keep for the reads not to be dropped. */
uint64_t pg_numa_visit(_Atomic uint64_t *p, uint64_t n, bool back, int access, uint64_t value);

/* numa_area.c */

struct pg_numa_area {
	struct pg_mem_map map; /* private ones */
	void *shared;	       /* the shared one, size bytes */
	size_t size;
	_Atomic uint64_t *word; /* NULL = no area */
	uint64_t words;
};
/* `size` 0 gives no area. -1 leaves none. Released by the end of the process or by pg_numa_area_unmap(). */
int pg_numa_area_map(struct pg_numa_area *a, uint64_t size, int thp, const char *root, struct pg_err *err);
int pg_numa_area_map_shared(struct pg_numa_area *a, uint64_t size, struct pg_err *err);
void pg_numa_area_unmap(struct pg_numa_area *a);
void pg_numa_area_fill(struct pg_numa_area *a, int fill, uint64_t *random);
/*
 * Adds, for at most PG_NUMA_LOOKS pages of the area evenly spread, one to on[node] where that is below `nodes`. Pages
 * that are not in memory count nowhere; where the kernel does not tell, none does.
 */
#define PG_NUMA_LOOKS 65536
void pg_numa_area_locate(const struct pg_numa_area *a, uint64_t *on, size_t nodes);

/* numa_bind.c */

/* CPUs and memory policy of a task, to be returned to. */
struct pg_numa_home {
	struct pg_cpuset cpus;
	int mode; /* MPOL_*, with mode flags */
	struct pg_cpuset nodes;
	bool policies; /* mode and nodes are known */
};
/* 0, or -1 with PG_EUNSUPPORTED: the kernel has no memory policies or does not let this process have any. No effect. */
int pg_numa_policy_probe(struct pg_err *err);
int pg_numa_home_read(struct pg_numa_home *h, bool policies, struct pg_err *err);
int pg_numa_home_return(const struct pg_numa_home *h, struct pg_err *err);
void pg_numa_home_release(struct pg_numa_home *h);
/* CPU and node that the caller runs on. */
bool pg_numa_where(unsigned *cpu, unsigned *node);
/* Memory of the calling task from this node alone. */
int pg_numa_policy_bind(unsigned node, struct pg_err *err);

/* Where areas are allocated and filled under first_touch cpu0-node. */
struct pg_numa_touch {
	bool on;
	struct pg_cpuset cpus; /* those of the node that are in home; empty = none: home */
	unsigned node;	       /* the nearest with memory for this process */
};
/* -1: no node that this process may use has memory. */
int pg_numa_touch_find(struct pg_numa_touch *t, const struct pg_memnodes *m, const struct pg_cpuset *home,
		       const char *root, struct pg_err *err);

#endif
