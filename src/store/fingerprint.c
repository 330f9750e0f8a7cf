/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traits of the machine that a run was made on. */
#include "store/fingerprint.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "store/fileio.h"
#include "store/json.h"
#include "store/store_inside.h"

#define ENV_JSON_MAX ((size_t)1 << 20)

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
	struct json_t *env = NULL;
	struct pg_str text;
	bool ok = true;

	memset(out, 0, sizeof(*out));
	out->trait[PG_T_CPUS] = pg_arena_printf(a, "%llu", (unsigned long long)s->info.machine.word[0]);
	out->trait[PG_T_VERSION] = pg_arena_strdup(a, s->info.version);
	if (!out->trait[PG_T_CPUS] || !out->trait[PG_T_VERSION])
		return pg_fail_nomem(err);
	pg_str_init(&text);
	if (pg_file_get(s->dirfd, "env.json", ENV_JSON_MAX, &text, NULL) == 0)
		env = pg_json_parse(pg_str_text(&text), text.len, NULL);
	if (env)
		ok = from_env(env, a, out);
	pg_json_free(env);
	pg_str_release(&text);
	return ok ? 0 : pg_fail_nomem(err);
}

unsigned pg_fingerprint_differ(const struct pg_fingerprint *a, const struct pg_fingerprint *b)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < PG_TRAITS; i++) {
		const char *x = a->trait[i], *y = b->trait[i];

		if ((x == NULL) != (y == NULL) || (x && y && strcmp(x, y) != 0))
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
