/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a function lies: address -> mapping -> file and offset, by /proc/self/maps. That holds for programs at a fixed
 * address and for those placed anew, and for any layout of segments.
 */
#include "uprobe.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __GLIBC__
#include <gnu/lib-names.h>
#endif
#ifndef LIBC_SO
#define LIBC_SO "libc.so"
#endif

void __attribute__((noinline)) pg_uprobe_empty(void)
{
	__asm__ volatile("" : : : "memory"); /* no call of it can be left out */
}

/*
 * By the symbol table of libc itself: &usleep, and a search over all objects, may give this program's PLT entry for it.
 * RTLD_NOLOAD never loads anything.
 */
const void *pg_uprobe_usleep(void)
{
	void *libc = dlopen(LIBC_SO, RTLD_NOLOAD | RTLD_LAZY);
	const void *at;

	if (!libc)
		return NULL;
	at = dlsym(libc, "usleep");
	dlclose(libc);
	return at;
}

struct mapping {
	uintptr_t start, end;
	uint64_t offset;
	const char *file; /* inside the line */
	bool runs;
};

/* "start-end perms offset dev inode   file\n" */
static bool read_mapping(char *line, struct mapping *m)
{
	char perms[5];
	int at = 0;

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %*s %*s %n", &m->start, &m->end, perms, &m->offset,
		   &at) != 4 ||
	    at == 0)
		return false;
	line[strcspn(line, "\n")] = '\0';
	m->runs = perms[2] == 'x';
	m->file = line + at;
	return true;
}

/* The link names the very file that is mapped, also where its path now leads to another one; but not all may use it. */
static int name_file(const struct mapping *m, struct pg_uprobe_place *out, struct pg_err *err)
{
	struct stat st;
	size_t n;

	snprintf(out->path, sizeof(out->path), "/proc/self/map_files/%" PRIxPTR "-%" PRIxPTR, m->start, m->end);
	if (stat(out->path, &st) == 0)
		return 0;
	n = (size_t)snprintf(out->path, sizeof(out->path), "%s", m->file);
	if (m->file[0] != '/' || n >= sizeof(out->path) || stat(out->path, &st))
		return pg_fail(err, PG_EUNSUPPORTED,
			       "the code to be probed comes from `%s`, which is no file that can be named; start "
			       "perfgrid from a file that stays",
			       m->file);
	return 0;
}

int pg_uprobe_place_of(const void *code, struct pg_uprobe_place *out, struct pg_err *err)
{
	FILE *f = fopen("/proc/self/maps", "re");
	struct mapping m;
	char *line = NULL;
	size_t cap = 0;
	int r = 1;

	if (!f)
		return pg_fail(err, PG_EUNSUPPORTED, "cannot read /proc/self/maps: %s; mount /proc", strerror(errno));
	while (r > 0 && getline(&line, &cap, f) > 0) {
		if (!read_mapping(line, &m) || (uintptr_t)code < m.start || (uintptr_t)code >= m.end)
			continue;
		out->offset = (uintptr_t)code - m.start + m.offset;
		r = m.runs ? name_file(&m, out, err) : 1;
		break;
	}
	free(line);
	fclose(f);
	return r <= 0 ? r
		      : pg_fail(err, PG_EUNSUPPORTED,
				"no code is mapped at the address to be probed; use function empty");
}
