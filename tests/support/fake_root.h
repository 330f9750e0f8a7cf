/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A fake root for /sys and /proc below /tmp: made, filled file by file, removed. Header only. */
#ifndef PG_TESTS_FAKE_ROOT_H
#define PG_TESTS_FAKE_ROOT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAKE_ROOT 64 /* size of its path */

static inline void fr_make(char *root)
{
	const char *tmp = getenv("TMPDIR");

	ck_assert_int_lt(snprintf(root, FAKE_ROOT, "%s/pg-root-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp"),
			 FAKE_ROOT);
	ck_assert_ptr_nonnull(mkdtemp(root));
}

/* path without the first slash; folders on the way are made. */
static inline void fr_put(const char *root, const char *path, const char *text)
{
	char name[512];
	FILE *f;

	ck_assert_int_lt(snprintf(name, sizeof(name), "%s/%s", root, path), (int)sizeof(name));
	for (char *slash = strchr(name + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(name, 0777);
		*slash = '/';
	}
	f = fopen(name, "we");
	ck_assert_msg(f != NULL, "%s", name);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

static inline void fr_remove(const char *root)
{
	char command[FAKE_ROOT + 16];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	ck_assert_int_eq(system(command), 0);
}

#endif
