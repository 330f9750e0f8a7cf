/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traits of the machine that a run was made on. */
#include "store/fingerprint.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "store/json.h"
#include "store/side.h"
#include "store/store_inside.h"

const char *const pg_trait_names[PG_TRAIT_NAMES + 1] = {
	[PG_T_CPU] = "cpu",
	[PG_T_CPUS] = "cpus",
	[PG_T_KERNEL] = "kernel",
	[PG_T_MICROCODE] = "microcode",
	[PG_T_GOVERNOR] = "governor",
	[PG_T_TURBO] = "turbo",
	[PG_T_SMT] = "smt",
	[PG_T_HYPERVISOR] = "hypervisor",
	[PG_T_VERSION] = "version",
	[PG_T_LOOPS] = "loops",
	[PG_T_SAMPLE_TIME] = "sample_time",
	[PG_TRAIT_NAMES] = NULL,
};

int pg_trait_find(const char *name)
{
	for (int i = 0; i < PG_TRAIT_NAMES; i++)
		if (strcmp(pg_trait_names[i], name) == 0)
			return i;
	return -1;
}

/* A member of a member as text, whatever kind it has there; false: out of memory. */
static bool take(const struct json_t *env, const char *group, const char *key, struct pg_arena *a, const char **out)
{
	const struct json_t *o = group ? pg_json_get(env, group) : env;
	const char *text = pg_json_text(o, key);
	int64_t number;
	bool truth;

	if (text)
		*out = pg_arena_strdup(a, text);
	else if (pg_json_int(o, key, &number))
		*out = pg_arena_printf(a, "%lld", (long long)number);
	else if (pg_json_bool(o, key, &truth))
		*out = truth ? "true" : "false";
	else
		return true;
	return *out != NULL;
}

/* Turbo is on or off, told by one of two switches that mean the opposite. */
static void turbo(const char *no_turbo, const char *boost, const char **out)
{
	if (no_turbo)
		*out = strcmp(no_turbo, "0") == 0 ? "on" : "off";
	else if (boost)
		*out = strcmp(boost, "0") == 0 ? "off" : "on";
}

static bool from_env(const struct json_t *env, struct pg_arena *a, struct pg_fingerprint *out)
{
	const char *no_turbo = NULL, *boost = NULL;
	bool ok = take(env, "cpu", "model", a, &out->trait[PG_T_CPU]) &&
		  take(env, "kernel", "release", a, &out->trait[PG_T_KERNEL]) &&
		  take(env, "cpu", "microcode", a, &out->trait[PG_T_MICROCODE]) &&
		  take(env, "cpu", "governor", a, &out->trait[PG_T_GOVERNOR]) &&
		  take(env, "cpu", "smt", a, &out->trait[PG_T_SMT]) &&
		  take(env, NULL, "hypervisor", a, &out->trait[PG_T_HYPERVISOR]) &&
		  take(env, "cpu", "no_turbo", a, &no_turbo) && take(env, "cpu", "boost", a, &boost);

	turbo(no_turbo, boost, &out->trait[PG_T_TURBO]);
	return ok;
}

int pg_fingerprint_of(const struct pg_store *s, struct pg_arena *a, struct pg_fingerprint *out, struct pg_err *err)
{
	struct json_t *env;
	bool ok = true;

	memset(out, 0, sizeof(*out));
	out->trait[PG_T_CPUS] = pg_arena_printf(a, "%llu", (unsigned long long)s->info.machine.word[0]);
	out->trait[PG_T_VERSION] = pg_arena_strdup(a, s->info.version);
	if (!out->trait[PG_T_CPUS] || !out->trait[PG_T_VERSION])
		return pg_fail_nomem(err);
	env = pg_env_read(s->dirfd);
	out->unknown = !pg_json_is_object(pg_json_get(env, "kernel")) && !pg_json_is_object(pg_json_get(env, "cpu"));
	for (unsigned i = 0; out->unknown && i < PG_TRAITS; i++)
		if (!out->trait[i])
			out->trait[i] = "unknown";
	if (!out->unknown)
		ok = from_env(env, a, out);
	pg_json_free(env);
	return ok ? 0 : pg_fail_nomem(err);
}

unsigned pg_fingerprint_differ(const struct pg_fingerprint *a, const struct pg_fingerprint *b)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < PG_TRAITS; i++) {
		const char *x = a->trait[i], *y = b->trait[i];

		if ((x == NULL) != (y == NULL) || (x && y && strcmp(x, y) != 0) ||
		    ((a->unknown || b->unknown) && i != PG_T_CPUS && i != PG_T_VERSION))
			bits |= 1u << i;
	}
	return bits;
}

void pg_fingerprint_put(struct pg_str *out, const struct pg_fingerprint *f)
{
	for (unsigned i = 0; i < PG_TRAITS; i++) {
		pg_str_addf(out, "%c\"%s\":", i ? ',' : '{', pg_trait_names[i]);
		if (f->trait[i])
			pg_json_quote(out, f->trait[i], strlen(f->trait[i]));
		else
			pg_str_adds(out, "null");
	}
	pg_str_addc(out, '}');
}

int pg_fingerprint_get(const struct json_t *o, struct pg_arena *a, struct pg_fingerprint *out, struct pg_err *err)
{
	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < PG_TRAITS; i++)
		if (!take(o, NULL, pg_trait_names[i], a, &out->trait[i]))
			return pg_fail_nomem(err);
	return 0;
}

/* ---- what else differs ---- */

enum also {
	ALSO_LIBC,
	ALSO_BUILD, /* of perfgrid */
	ALSO_CLOCK,
	ALSO_HUGE_PAGES,
	ALSO_MEMORY,
	ALSO_MITIGATIONS, /* the names of those that differ */
	ALSO,
};

static const char *also_text(enum also what, const struct pg_store *s, const struct json_t *env)
{
	const char *text = NULL;

	switch (what) {
	case ALSO_LIBC:
		text = pg_json_text(env, "libc");
		break;
	case ALSO_BUILD:
		text = s->info.build;
		break;
	case ALSO_CLOCK:
		text = pg_json_text(pg_json_get(env, "clock"), "clocksource");
		break;
	case ALSO_HUGE_PAGES:
		text = pg_json_text(pg_json_get(env, "memory"), "transparent_huge_pages");
		break;
	case ALSO_MEMORY:
	case ALSO_MITIGATIONS:
	case ALSO:
		break;
	}
	return text ? text : "n/a";
}

/* A kernel keeps some megabytes more or less for itself: that is no other memory. */
static void also_memory(const struct json_t *a, const struct json_t *b, struct pg_str *out)
{
	const double gib = 1024.0 * 1024 * 1024;
	int64_t x, y;

	if (pg_json_int(pg_json_get(a, "memory"), "total_bytes", &x) &&
	    pg_json_int(pg_json_get(b, "memory"), "total_bytes", &y) &&
	    fabs((double)(x - y)) > 0.02 * (double)(x > y ? x : y))
		pg_str_addf(out, "%.1f / %.1f GiB", (double)x / gib, (double)y / gib);
}

/* Those of a that b has otherwise or, with `absent`, has not. */
static void also_mitigations(const struct json_t *a, const struct json_t *b, bool absent, struct pg_str *out)
{
	for (const char *key = NULL; (key = pg_json_next(a, key));) {
		const char *x = pg_json_text(a, key), *y = pg_json_text(b, key);

		if (absent ? !y : x && y && strcmp(x, y) != 0)
			pg_str_addf(out, "%s%s", out->len ? " " : "", key);
	}
}

static void also_one(enum also what, const struct pg_store *s, const struct pg_store *t, const struct json_t *a,
		     const struct json_t *b, struct pg_str *out)
{
	const char *x = also_text(what, s, a), *y = also_text(what, t, b);

	if (what == ALSO_MEMORY) {
		also_memory(a, b, out);
	} else if (what == ALSO_MITIGATIONS) {
		a = pg_json_get(pg_json_get(a, "cpu"), "mitigations");
		b = pg_json_get(pg_json_get(b, "cpu"), "mitigations");
		also_mitigations(a, b, false, out);
		also_mitigations(a, b, true, out);
		also_mitigations(b, a, true, out);
	} else if (strcmp(x, y) != 0) {
		pg_str_addf(out, "%s / %s", x, y);
	}
}

/* `named`: bits of what an earlier run has differed in. */
static void also_run(const struct pg_store *s, const struct pg_store *t, unsigned *named, struct pg_str *out)
{
	static const char *const names[ALSO] = {
		[ALSO_LIBC] = "libc",	       [ALSO_BUILD] = "build of perfgrid",
		[ALSO_CLOCK] = "clock source", [ALSO_HUGE_PAGES] = "huge pages",
		[ALSO_MEMORY] = "memory",      [ALSO_MITIGATIONS] = "mitigations",
	};
	struct json_t *a = pg_env_read(s->dirfd), *b = pg_env_read(t->dirfd);
	struct pg_str one;

	pg_str_init(&one);
	for (unsigned i = 0; i < ALSO; i++) {
		pg_str_reset(&one);
		if (!(*named & 1u << i))
			also_one((enum also)i, s, t, a, b, &one);
		if (!one.len)
			continue;
		pg_str_addf(out, "%s%s %s", out->len ? ", " : "", names[i], pg_str_text(&one));
		*named |= 1u << i;
	}
	out->failed = out->failed || one.failed;
	pg_str_release(&one);
	pg_json_free(a);
	pg_json_free(b);
}

int pg_fingerprint_also(const struct pg_side *base, const struct pg_side *new, struct pg_str *out, struct pg_err *err)
{
	const struct pg_side *side[] = {base, new};
	unsigned named = 0;

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < side[k]->n; i++)
			if (!base->run[0].machine.unknown && !side[k]->run[i].machine.unknown)
				also_run(base->run[0].store, side[k]->run[i].store, &named, out);
	return out->failed ? pg_fail_nomem(err) : 0;
}
