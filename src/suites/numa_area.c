/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that tasks work on, its contents before the run, and the nodes on which its pages lie. */
#include "suites/numa.h"

#include <string.h>
#include <sys/mman.h>

#define BATCH 1024 /* pages asked about in one call */

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static void set_words(struct pg_numa_area *a, void *start, uint64_t size)
{
	a->size = size;
	a->word = start;
	a->words = size / sizeof(*a->word);
}

int pg_numa_area_map(struct pg_numa_area *a, uint64_t size, int thp, const char *root, struct pg_err *err)
{
	const struct pg_mem_pages pages = {.page_size = page_bytes(), .thp = thp, .root = root};

	*a = (struct pg_numa_area){.size = 0};
	if (size == 0)
		return 0;
	if (pg_mem_map(&a->map, &pages, 0, size, err))
		return -1;
	set_words(a, a->map.start, size);
	return 0;
}

int pg_numa_area_map_shared(struct pg_numa_area *a, uint64_t size, struct pg_err *err)
{
	char text[PG_NUM_BUF];
	void *p;

	*a = (struct pg_numa_area){.size = 0};
	if (size == 0)
		return 0;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		pg_size_format(text, size);
		return pg_fail_sys(err, "cannot map %s for all processes; lower global_size", text);
	}
	a->shared = p;
	set_words(a, p, size);
	return 0;
}

void pg_numa_area_unmap(struct pg_numa_area *a)
{
	pg_mem_unmap(&a->map);
	if (a->shared)
		munmap(a->shared, a->size);
	*a = (struct pg_numa_area){.size = 0};
}

void pg_numa_area_fill(struct pg_numa_area *a, int fill, uint64_t *random)
{
	const uint64_t first = pg_numa_random(random);

	if (!a->word || fill == PG_NUMA_FILL_NONE)
		return;
	if (fill == PG_NUMA_FILL_ZERO) {
		memset((void *)(uintptr_t)a->word, 0, a->size);
		return;
	}
	for (uint64_t i = 0; i < a->words; i++)
		atomic_store_explicit(&a->word[i], first + i, memory_order_relaxed);
}

void pg_numa_area_locate(const struct pg_numa_area *a, uint64_t *on, size_t nodes)
{
	const uint64_t page = page_bytes(), pages = (a->size + page - 1) / page;
	const uint64_t looks = pages < PG_NUMA_LOOKS ? pages : PG_NUMA_LOOKS;
	unsigned char *const start = (unsigned char *)(uintptr_t)a->word;
	void *where[BATCH];
	int status[BATCH];

	for (uint64_t i = 0; i < looks;) {
		unsigned long n = 0;

		for (; n < BATCH && i < looks; n++, i++)
			where[n] =
				start + (pages > looks ? i * (pages / looks) + i * (pages % looks) / looks : i) * page;
		/* Without nodes to move to it only tells where the pages are. */
		if (syscall(SYS_move_pages, 0, n, where, NULL, status, 0))
			return;
		for (unsigned long k = 0; k < n; k++)
			if (status[k] >= 0 && (size_t)status[k] < nodes)
				on[status[k]]++;
	}
}
