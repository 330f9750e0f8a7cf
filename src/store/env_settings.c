/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the machine that all numbers of a run stand under: docs/statistics.md 12. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "store/json.h"
#include "store/store_inside.h"

#define LOAD_LIMIT 0.5 /* of the CPUs that may be used */

static void add(struct pg_str *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct pg_str *out, const char *fmt, ...)
{
	char text[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pg_str_addf(out, "%s%s", out->len ? ", " : "", text);
}

static void frequency(const struct json_t *cpu, uint64_t cpus, uint64_t cores, struct pg_str *out)
{
	const char *governor = pg_json_text(cpu, "governor"), *no_turbo = pg_json_text(cpu, "no_turbo");
	const char *boost = pg_json_text(cpu, "boost"), *smt = pg_json_text(cpu, "smt_active");

	if (governor && strcmp(governor, "performance") != 0)
		add(out, "governor %s", governor);
	if (no_turbo ? strcmp(no_turbo, "0") == 0 : boost && strcmp(boost, "0") != 0)
		add(out, "turbo on");
	if (smt && strcmp(smt, "1") == 0 && cpus > cores)
		add(out, "several threads of a core");
}

/* "50000 100000", or "max 100000". */
static void quota(const struct json_t *cgroup, uint64_t cpus, struct pg_str *out)
{
	const char *text = pg_json_text(cgroup, "cpu.max");
	char *end = NULL;
	double most = text ? strtod(text, &end) : 0, period = end && *end == ' ' ? strtod(end, NULL) : 0;

	if (most > 0 && period > 0 && most / period < (double)cpus)
		add(out, "CPU quota %.3g of %llu", most / period, (unsigned long long)cpus);
}

static void load(const struct json_t *env, uint64_t cpus, struct pg_str *out)
{
	const char *text = pg_json_text(env, "load_average");
	double mean = text ? strtod(text, NULL) : 0;

	if (mean > LOAD_LIMIT * (double)cpus)
		add(out, "load average %.3g on %llu CPU%s", mean, (unsigned long long)cpus, cpus == 1 ? "" : "s");
}

void pg_env_settings(const struct pg_store *s, struct pg_str *out)
{
	struct json_t *env = pg_env_read(s->dirfd);
	uint64_t cpus = s->info.machine.word[0], cores = s->info.machine.word[1];

	frequency(pg_json_get(env, "cpu"), cpus, cores, out);
	quota(pg_json_get(env, "cgroup"), cpus, out);
	load(env, cpus, out);
	if (env)
		pg_json_free(env);
}
