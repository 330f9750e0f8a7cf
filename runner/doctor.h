/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What makes this machine noisy: settings, and what others do to it for a moment (docs/statistics.md 12). */
#ifndef PG_RUNNER_DOCTOR_H
#define PG_RUNNER_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/topo.h"

struct pg_world;

enum pg_noise {
	PG_NOISE_NONE,
	PG_NOISE_FOUND,
	PG_NOISE_NOTE,	  /* shapes the numbers, and is no fault: recorded in env.json */
	PG_NOISE_UNKNOWN, /* cannot be read here */
};
const char *pg_noise_name(enum pg_noise n); /* "ok", "noisy", "note", "n/a" */

struct pg_finding {
	const char *name;
	enum pg_noise state;
	char here[160];	   /* what it is on this machine; "" for PG_NOISE_UNKNOWN */
	const char *why;   /* what it does to numbers, or why it cannot be told; "" for PG_NOISE_NONE */
	char command[512]; /* shell line against it, "" = none */
	char undo[512];	   /* shell line that takes that back, "" = nothing to take back */
};

#define PG_FINDINGS 40
struct pg_doctor {
	const char *root;
	const struct pg_topo *topo;
	struct pg_finding v[PG_FINDINGS];
	size_t n;
};

/* A further finding, unknown so far, and why it is if it stays so. */
struct pg_finding *pg_doctor_add(struct pg_doctor *d, const char *name, const char *unknown);
void pg_doctor_fine(struct pg_finding *f);
void pg_doctor_noisy(struct pg_finding *f, const char *why, const char *command, ...)
	__attribute__((format(printf, 3, 4)));
void pg_doctor_undo(struct pg_finding *f, const char *command, ...) __attribute__((format(printf, 2, 3)));
void pg_doctor_note(struct pg_finding *f, const char *why);
/* Shows who uses the CPUs now: since when a process lives does not count. */
extern const char pg_doctor_who[];
/* The first line of a small file below /proc or /sys; false = not there. */
bool pg_doctor_read(const struct pg_doctor *d, const char *path, char *buf, size_t n);

void pg_doctor_settings(struct pg_doctor *d);
/* Watches for that long. */
void pg_doctor_watch(struct pg_doctor *d, const struct pg_world *w, int64_t ns);

#endif
