/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is measured: private mappings in base pages, with or without advice for transparent huge pages, or in
 * pages that were reserved beforehand.
 */
#ifndef PG_ENGINE_MEM_MAP_H
#define PG_ENGINE_MEM_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/param.h"

struct pg_err;

enum pg_mem_thp { PG_MEM_THP_SYSTEM, PG_MEM_THP_ADVISE, PG_MEM_THP_NEVER };
extern const struct pg_choice pg_mem_thps[]; /* words of enum pg_mem_thp */

struct pg_mem_pages {
	uint64_t page_size;
	int thp; /* enum pg_mem_thp */
	const char *root;
};

/*
 * Can the kernel give `maps` mappings with room for offset[i] + size bytes (offset NULL: all 0) in such pages? -1:
 * PG_EUNSUPPORTED with the reason. *bytes becomes what they take from free memory (pages reserved beforehand take
 * nothing).
 */
int pg_mem_pages_probe(const struct pg_mem_pages *p, uint64_t size, const uint64_t *offset, size_t maps,
		       uint64_t *bytes, struct pg_err *err);

/* A private mapping; start lies `offset` bytes past a page boundary. Zeroed = none. */
struct pg_mem_map {
	void *base;
	size_t length;
	unsigned char *start;
};
/* What pg_mem_map() needs, worked out beforehand (it reads files), so that mapping can be timed. */
struct pg_mem_layout {
	uint64_t length, align; /* of the mapping; of its buffer's page */
	int flags, advice;	/* of mmap(); of madvise(), -1 = none */
	bool populate;		/* pages are there when the mapping is */
};
struct pg_mem_layout pg_mem_layout(const struct pg_mem_pages *p, uint64_t offset, uint64_t size, bool populate);
/* System calls and nothing else. -1: errno says why, m is empty. */
int pg_mem_map_laid(struct pg_mem_map *m, const struct pg_mem_layout *l, uint64_t offset);
/* The same with the reason in words. */
int pg_mem_map(struct pg_mem_map *m, const struct pg_mem_pages *p, uint64_t offset, uint64_t size, struct pg_err *err);
/* 0, or -1 with errno; m is empty in either case. */
int pg_mem_unmap(struct pg_mem_map *m);

#endif
