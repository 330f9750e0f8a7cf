/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Advised mappings begin on a huge-page boundary and end on one, so that the whole buffer can have huge pages.
 */
#include "engine/mem_map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/num.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define SIZES_MAX 16
#define POOLS	  "/sys/kernel/mm/hugepages"
#define THP	  "/sys/kernel/mm/transparent_hugepage"

const struct pg_choice pg_mem_thps[] = {
	[PG_MEM_THP_SYSTEM] = {"system", "no advice"},
	[PG_MEM_THP_ADVISE] = {"advise", "MADV_HUGEPAGE, buffer on a huge-page boundary"},
	[PG_MEM_THP_NEVER] = {"never", "MADV_NOHUGEPAGE"},
	{NULL, NULL},
};

struct sizes {
	uint64_t bytes[SIZES_MAX]; /* ascending */
	size_t n;
};

static uint64_t base_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* A short file below root as text; "" when it cannot be read. */
static void read_text(const char *root, const char *path, char *buf, size_t cap)
{
	char full[512];
	ssize_t n = -1;
	int fd;

	if (snprintf(full, sizeof(full), "%s%s", root, path) < (int)sizeof(full)) {
		fd = open(full, O_RDONLY | O_CLOEXEC);
		if (fd >= 0) {
			n = read(fd, buf, cap - 1);
			close(fd);
		}
	}
	buf[n > 0 ? n : 0] = '\0';
}

static uint64_t read_number(const char *root, const char *path)
{
	char buf[32];

	read_text(root, path, buf, sizeof(buf));
	return strtoull(buf, NULL, 10);
}

static uint64_t pool_number(const char *root, uint64_t page_size, const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), POOLS "/hugepages-%llukB/%s", (unsigned long long)(page_size / 1024), file);
	return read_number(root, path);
}

static void add_size(struct sizes *s, uint64_t bytes)
{
	size_t i = s->n;

	if (s->n == SIZES_MAX || bytes == 0)
		return;
	for (; i > 0 && s->bytes[i - 1] > bytes; i--)
		s->bytes[i] = s->bytes[i - 1];
	s->bytes[i] = bytes;
	s->n++;
}

/* The base page and the pools that the kernel has. */
static void list_sizes(const char *root, struct sizes *s)
{
	const struct dirent *e;
	char path[512];
	DIR *d;

	*s = (struct sizes){{base_page()}, 1};
	if (snprintf(path, sizeof(path), "%s%s", root, POOLS) >= (int)sizeof(path))
		return;
	d = opendir(path);
	if (!d)
		return;
	while ((e = readdir(d))) {
		if (strncmp(e->d_name, "hugepages-", 10) == 0)
			add_size(s, strtoull(e->d_name + 10, NULL, 10) * 1024);
	}
	closedir(d);
}

static int not_offered(uint64_t page_size, const struct sizes *s, struct pg_err *err)
{
	char asked[PG_NUM_BUF], one[PG_NUM_BUF], all[256] = "";
	size_t len = 0;

	pg_size_format(asked, page_size);
	for (size_t i = 0; i < s->n && len < sizeof(all); i++) {
		pg_size_format(one, s->bytes[i]);
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "", one);
	}
	return pg_fail(err, PG_EUNSUPPORTED, "this kernel has no pages of %s; page_size can be %s", asked, all);
}

/* Pages that a new mapping can still have: free and promised to nobody, or made on demand. */
static uint64_t pages_left(const char *root, uint64_t page_size)
{
	uint64_t idle = pool_number(root, page_size, "free_hugepages");
	uint64_t promised = pool_number(root, page_size, "resv_hugepages");
	uint64_t demand = pool_number(root, page_size, "nr_overcommit_hugepages");
	uint64_t made = pool_number(root, page_size, "surplus_hugepages");

	return (idle > promised ? idle - promised : 0) + (demand > made ? demand - made : 0);
}

static int probe_pool(const struct pg_mem_pages *p, uint64_t bytes, struct pg_err *err)
{
	uint64_t pages = bytes / p->page_size, left = pages_left(p->root, p->page_size);
	char size[PG_NUM_BUF];

	pg_size_format(size, p->page_size);
	if (p->thp == PG_MEM_THP_ADVISE)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "transparent_huge_pages advise is for the base page, page_size is %s; use system", size);
	if (pages > left)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "reserved pages of %s: %llu needed, %llu free; reserve more through " POOLS
			       "/hugepages-%llukB/nr_hugepages",
			       size, (unsigned long long)pages, (unsigned long long)left,
			       (unsigned long long)(p->page_size / 1024));
	return 0;
}

static uint64_t huge_size(const char *root)
{
	uint64_t n = read_number(root, THP "/hpage_pmd_size");

	return n ? n : UINT64_C(2) << 20;
}

/* The kernel marks the word in force: "always [madvise] never". */
static bool in_force(const char *root, const char *path, const char *word, bool *there)
{
	char buf[128], marked[32];

	read_text(root, path, buf, sizeof(buf));
	*there = buf[0] != '\0';
	snprintf(marked, sizeof(marked), "[%s]", word);
	return strstr(buf, marked);
}

/* The word of the huge page's own size decides, where it is there and does not hand on to the general one. */
static int probe_thp(const char *root, struct pg_err *err)
{
	bool there, own, off, handed_on;
	char path[128];

	snprintf(path, sizeof(path), THP "/hugepages-%llukB/enabled", (unsigned long long)(huge_size(root) / 1024));
	off = in_force(root, path, "never", &own);
	handed_on = !own || in_force(root, path, "inherit", &there);
	if (handed_on)
		off = in_force(root, THP "/enabled", "never", &there);
	else
		there = true;
	if (!there)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "this kernel has no transparent huge pages; use transparent_huge_pages system or never");
	if (off)
		return pg_fail(err, PG_EUNSUPPORTED, "transparent huge pages are off; write madvise to %s",
			       handed_on ? THP "/enabled" : path);
	return 0;
}

/* Length of a mapping, *align the boundary on which its buffer's page begins. */
static uint64_t map_length(const struct pg_mem_pages *p, uint64_t offset, uint64_t size, uint64_t *align)
{
	*align = p->page_size;
	if (p->thp != PG_MEM_THP_ADVISE)
		return round_up(offset + size, p->page_size);
	*align = huge_size(p->root);
	return round_up(offset + size, *align) + *align - p->page_size;
}

int pg_mem_pages_probe(const struct pg_mem_pages *p, uint64_t size, const uint64_t *offset, size_t maps,
		       uint64_t *bytes, struct pg_err *err)
{
	uint64_t align, total = 0;
	struct sizes sizes;
	size_t known = 0;

	list_sizes(p->root, &sizes);
	while (known < sizes.n && sizes.bytes[known] != p->page_size)
		known++;
	if (known == sizes.n)
		return not_offered(p->page_size, &sizes, err);
	for (size_t i = 0; i < maps; i++)
		total += map_length(p, offset ? offset[i] : 0, size, &align);
	if (p->page_size != base_page()) {
		*bytes = 0;
		return probe_pool(p, total, err);
	}
	*bytes = total;
	return p->thp == PG_MEM_THP_ADVISE ? probe_thp(p->root, err) : 0;
}

static unsigned log2_of(uint64_t n)
{
	unsigned bits = 0;

	while (n > 1) {
		n /= 2;
		bits++;
	}
	return bits;
}

/* Advice comes after the mapping: with it, pages can be filled in only after that again. */
struct pg_mem_layout pg_mem_layout(const struct pg_mem_pages *p, uint64_t offset, uint64_t size, bool populate)
{
	struct pg_mem_layout l = {.flags = MAP_PRIVATE | MAP_ANONYMOUS, .advice = -1, .populate = populate};

	l.length = map_length(p, offset, size, &l.align);
	if (p->page_size != base_page())
		l.flags |= MAP_HUGETLB | (int)(log2_of(p->page_size) << MAP_HUGE_SHIFT);
	if (p->thp == PG_MEM_THP_ADVISE)
		l.advice = MADV_HUGEPAGE;
	else if (p->thp == PG_MEM_THP_NEVER && p->page_size == base_page())
		l.advice = MADV_NOHUGEPAGE;
	if (populate && l.advice < 0)
		l.flags |= MAP_POPULATE;
	return l;
}

/* A kernel without transparent huge pages does not know the advice against them and has none. */
static int advise(const struct pg_mem_map *m, const struct pg_mem_layout *l)
{
	if (l->advice < 0)
		return 0;
	if (madvise(m->base, m->length, l->advice) && !(l->advice == MADV_NOHUGEPAGE && errno == EINVAL))
		return -1;
	return l->populate ? madvise(m->base, m->length, MADV_POPULATE_WRITE) : 0;
}

int pg_mem_map_laid(struct pg_mem_map *m, const struct pg_mem_layout *l, uint64_t offset)
{
	uint64_t start;
	int why;

	*m = (struct pg_mem_map){.length = (size_t)l->length};
	m->base = mmap(NULL, m->length, PROT_READ | PROT_WRITE, l->flags, -1, 0);
	if (m->base == MAP_FAILED) {
		*m = (struct pg_mem_map){0};
		return -1;
	}
	if (advise(m, l)) {
		why = errno;
		pg_mem_unmap(m);
		errno = why;
		return -1;
	}
	start = round_up((uint64_t)(uintptr_t)m->base, l->align) - (uint64_t)(uintptr_t)m->base;
	m->start = (unsigned char *)m->base + start + offset;
	return 0;
}

int pg_mem_map(struct pg_mem_map *m, const struct pg_mem_pages *p, uint64_t offset, uint64_t size, struct pg_err *err)
{
	const struct pg_mem_layout l = pg_mem_layout(p, offset, size, false);
	char text[PG_NUM_BUF], page[PG_NUM_BUF];

	if (pg_mem_map_laid(m, &l, offset) == 0)
		return 0;
	pg_size_format(text, l.length);
	pg_size_format(page, p->page_size);
	return pg_fail_sys(err, "cannot map %s in pages of %s; lower size, or reserve more", text, page);
}

int pg_mem_unmap(struct pg_mem_map *m)
{
	const int r = m->base ? munmap(m->base, m->length) : 0;

	*m = (struct pg_mem_map){0};
	return r;
}
