/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a world knows of itself: environment, build id. */
#include "runner/world.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

const char *pg_world_env(const struct pg_world *w, const char *name)
{
	size_t n = strlen(name);

	for (char **e = w->environ; e && *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

/* Looks for the build-id note in one PT_NOTE segment. */
static bool note_build_id(const unsigned char *p, size_t n, char *buf)
{
	static const char hex[] = "0123456789abcdef";
	ElfW(Nhdr) h;

	while (n >= sizeof(h)) {
		size_t name, desc;

		memcpy(&h, p, sizeof(h));
		name = ((size_t)h.n_namesz + 3) & ~(size_t)3;
		desc = ((size_t)h.n_descsz + 3) & ~(size_t)3;
		if (name > n - sizeof(h) || desc > n - sizeof(h) - name)
			return false;
		p += sizeof(h);
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && memcmp(p, "GNU", 4) == 0) {
			size_t k = 0;

			for (const unsigned char *d = p + name; k < h.n_descsz && 2 * k + 2 < PG_BUILD_BUF; k++) {
				buf[2 * k] = hex[d[k] >> 4];
				buf[2 * k + 1] = hex[d[k] & 15];
			}
			buf[2 * k] = '\0';
			return k > 0;
		}
		p += name + desc;
		n -= sizeof(h) + name + desc;
	}
	return false;
}

/* The first object is the program itself: a non-zero result ends the walk. */
static int first_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t at = (uintptr_t)(info->dlpi_addr + ph->p_vaddr);

		if (ph->p_type == PT_NOTE && note_build_id((const unsigned char *)at, ph->p_memsz, ctx))
			break;
	}
	return 1;
}

void pg_build_id(char *buf)
{
	memcpy(buf, "unknown", sizeof("unknown"));
	dl_iterate_phdr(first_object, buf);
}
