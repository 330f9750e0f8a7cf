/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups of both versions: where they are mounted, where this process stands in them, and groups made for a
 * run.
 */
#ifndef PG_ENGINE_CGROUP_H
#define PG_ENGINE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pg_err;

#define PG_CGROUP_PATH 4096

struct pg_cgroup_place {
	char mount[PG_CGROUP_PATH]; /* mount point, behind the root */
	char own[PG_CGROUP_PATH]; /* directory of this process's group, behind the root; the mount point where it cannot
				     be seen */
};
/* controller NULL = the cgroup2 hierarchy, else the v1 hierarchy that has it. -1 = not mounted. */
int pg_cgroup_locate(const char *root, const char *controller, struct pg_cgroup_place *out);

/*
 * The least number in `file` of own and all groups above it up to the mount point, less what `used` of the same group
 * says (NULL: nothing); UINT64_MAX = no limit ("max", or what v1 has for it).
 */
uint64_t pg_cgroup_limit(const struct pg_cgroup_place *p, const char *file, const char *used);

/* Directory of the group `name` asks for: below the cgroup2 mount, else below v1's cpu mount. -1 = neither is mounted.
 */
int pg_cgroup_dir(const char *root, const char *name, char *out, size_t n, struct pg_err *err);
/* Could the group be made or entered by this process? -1 = no, err (PG_EUNSUPPORTED) says why. Makes nothing. */
int pg_cgroup_check(const char *root, const char *name, struct pg_err *err);

/* The groups that a run uses; each stays open for the run. */
struct pg_cgroup {
	char *name;
	char *dir;
	int procs;	/* cgroup.procs, for writing */
	size_t made_at; /* directories longer than this prefix of dir were made here; SIZE_MAX = none */
};
struct pg_cgroups {
	struct pg_cgroup *groups;
	size_t n;
};
/* The group of that name, made when it is not there. NULL with err. Valid until the next call. */
const struct pg_cgroup *pg_cgroup_get(struct pg_cgroups *g, const char *root, const char *name, struct pg_err *err);
/* Closes all, removes what was made here. */
void pg_cgroups_release(struct pg_cgroups *g);

/* A small file whole into buf, NUL-terminated; -1 = cannot be read. */
int pg_read_small(const char *path, char *buf, size_t n);

#endif
