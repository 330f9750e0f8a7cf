/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What two machines, or one machine on two days, must have in common for their numbers to be compared: taken from
 * env.json and run.json of a run (docs/statistics.md 9.1).
 */
#ifndef PG_STORE_FINGERPRINT_H
#define PG_STORE_FINGERPRINT_H

#include <stdbool.h>
#include <stdint.h>

struct json_t;
struct pg_arena;
struct pg_err;
struct pg_side;
struct pg_store;
struct pg_str;

enum pg_trait {
	PG_T_CPU,
	PG_T_CPUS, /* those that the run could use */
	PG_T_KERNEL,
	PG_T_MICROCODE,
	PG_T_GOVERNOR,
	PG_T_TURBO,
	PG_T_SMT,
	PG_T_HYPERVISOR,
	PG_T_VERSION, /* of perfgrid */
	PG_TRAITS,
	/* No traits of a machine, but of a run: names for --differs only. */
	PG_T_LOOPS = PG_TRAITS,
	PG_T_SAMPLE_TIME,
};
#define PG_TRAIT_NAMES 11
extern const char *const pg_trait_names[PG_TRAIT_NAMES + 1]; /* "cpu", "cpus", ... "loops", "sample_time", NULL */
int pg_trait_find(const char *name);			     /* -1 = none */

struct pg_fingerprint {
	const char *trait[PG_TRAITS]; /* NULL = the machine does not tell */
	bool unknown;		      /* there is no env.json that could be read: nothing is known of the machine */
};
/* Of the run behind s. Without its env.json only CPUs and version are known, from run.json. Texts: the arena's. */
int pg_fingerprint_of(const struct pg_store *s, struct pg_arena *a, struct pg_fingerprint *out, struct pg_err *err);
/*
 * Bits (1 << trait) in which the two differ. What one machine tells and the other does not is different; what is
 * unknown is different from everything, unknown too.
 */
unsigned pg_fingerprint_differ(const struct pg_fingerprint *a, const struct pg_fingerprint *b);

/*
 * What else some run differs in from the first of the base, and what no verdict asks for: "libc glibc 2.36 /
 * glibc 2.41, mitigations retbleed mds". Appended; nothing where all is alike, or one of the two is not known.
 */
int pg_fingerprint_also(const struct pg_side *base, const struct pg_side *new, struct pg_str *out, struct pg_err *err);

/* As an object of JSON on one line, and back; unknown members are passed over. */
void pg_fingerprint_put(struct pg_str *out, const struct pg_fingerprint *f);
int pg_fingerprint_get(const struct json_t *o, struct pg_arena *a, struct pg_fingerprint *out, struct pg_err *err);

#endif
