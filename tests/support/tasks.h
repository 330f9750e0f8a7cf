/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of a test, counted without those that have ended already. */
#ifndef PG_TESTS_TASKS_H
#define PG_TESTS_TASKS_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TASK_IS_ENDING 0x4u /* in the flags of proc_pid_stat(5): set before a joiner is woken */

static inline bool task_lives(const char *tid)
{
	char path[300], text[512];
	unsigned flags = TASK_IS_ENDING;
	const char *name;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%s/stat", tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	name = strrchr(text, ')');
	return name && sscanf(name + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 && !(flags & TASK_IS_ENDING);
}

/*
 * Threads of this process, itself included. The kernel wakes who joins a thread before it takes it out of /proc, so
 * that entries alone are too many now and then. -1 = /proc cannot be read.
 */
static inline int live_tasks(void)
{
	DIR *d = opendir("/proc/self/task");
	const struct dirent *e;
	int n = 0;

	if (!d)
		return -1;
	while ((e = readdir(d)))
		n += e->d_name[0] != '.' && task_lives(e->d_name);
	closedir(d);
	return n;
}

#endif
