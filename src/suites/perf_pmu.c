/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A PMU as /sys/bus/event_source/devices describes it: type, CPUs, and where the terms of an event go. */
#include "perf_event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TERM 64

/* A decimal number at *at; moves on. */
static int number(const char **at, unsigned max, unsigned *out)
{
	char *end;
	unsigned long v;

	if (**at < '0' || **at > '9')
		return -1;
	v = strtoul(*at, &end, 10);
	*at = end;
	*out = (unsigned)v;
	return v <= max ? 0 : -1;
}

int pg_pmu_format_parse(const char *text, struct pg_pmu_format *out)
{
	const char *at = text;

	memset(out, 0, sizeof(*out));
	if (strncmp(at, "config", 6) != 0)
		return -1;
	at += 6;
	if (*at != ':' && number(&at, 3, &out->word))
		return -1;
	do {
		unsigned first, last;

		at++; /* the colon, then commas */
		if (out->n == sizeof(out->bits) / sizeof(out->bits[0]) || number(&at, 63, &first))
			return -1;
		last = first;
		if (*at == '-' && (at++, number(&at, 63, &last)))
			return -1;
		if (last < first)
			return -1;
		out->bits[out->n].first = (uint8_t)first;
		out->bits[out->n++].last = (uint8_t)last;
	} while (*at == ',');
	return *at == '\0' && text[6] != '\0' ? 0 : -1;
}

int pg_pmu_format_put(const struct pg_pmu_format *f, uint64_t value, uint64_t words[4])
{
	for (unsigned i = 0; i < f->n; i++) {
		const unsigned width = f->bits[i].last - f->bits[i].first + 1u;
		const uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;

		words[f->word] &= ~(mask << f->bits[i].first);
		words[f->word] |= (value & mask) << f->bits[i].first;
		value = width == 64 ? 0 : value >> width;
	}
	return value == 0 ? 0 : -1;
}

/* DEVICES/pmu/name, or DEVICES/pmu/folder/name. */
static ssize_t read_of(const char *root, const char *pmu, const char *folder, const char *name, char *buf, size_t n)
{
	char dir[512];

	if (!*pmu || strchr(pmu, '/') || *pmu == '.' || strchr(name, '/') || *name == '.')
		return -1;
	if ((size_t)snprintf(dir, sizeof(dir), PG_PERF_DEVICES "/%s%s", pmu, folder) >= sizeof(dir))
		return -1;
	return pg_perf_read(root, dir, name, buf, n);
}

int pg_pmu_type(const char *root, const char *pmu, uint32_t *type)
{
	char text[32], *end;
	unsigned long v;

	if (read_of(root, pmu, "", "type", text, sizeof(text)) <= 0)
		return -1;
	v = strtoul(text, &end, 10);
	*type = (uint32_t)v;
	return end != text && *end == '\0' && v <= UINT32_MAX ? 0 : -1;
}

int pg_pmu_cpus(const char *root, const char *pmu, struct pg_cpuset *out, struct pg_err *err)
{
	static const char *const names[] = {"cpumask", "cpus"};
	char text[4096];
	size_t pos;

	for (size_t i = 0; i < 2; i++) {
		const ssize_t n = read_of(root, pmu, "", names[i], text, sizeof(text));

		if (n > 0 && pg_cpulist_parse(text, (size_t)n, out, &pos, err)) {
			pg_err_wrap(err, "%s of PMU %s", names[i], pmu);
			err->code = PG_EUNSUPPORTED;
			return -1;
		}
		if (n > 0)
			break;
	}
	return 0;
}

/* config=1, period=... : terms that stand in no format file. */
static int put_word(const char *name, uint64_t value, uint64_t words[4])
{
	static const char *const names[] = {"config", "config1", "config2", "config3"};

	for (size_t i = 0; i < 4; i++)
		if (strcmp(name, names[i]) == 0) {
			words[i] = value;
			return 0;
		}
	return -1;
}

static int put_term(const char *root, const char *pmu, const char *name, const char *value, uint64_t words[4],
		    struct pg_err *err)
{
	struct pg_pmu_format f;
	char text[256], *end;
	uint64_t v = 1; /* a term alone is a flag */

	errno = 0;
	if (value)
		v = strtoull(value, &end, 0);
	if (value && (end == value || *end || *value == '-' || errno))
		return pg_fail(err, PG_EUNSUPPORTED, "PMU %s: %s=%s is no number; write %s=0x1", pmu, name, value,
			       name);
	if (value && put_word(name, v, words) == 0)
		return 0;
	if (read_of(root, pmu, "/format", name, text, sizeof(text)) <= 0)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "PMU %s has neither a term nor an event `%s`; see " PG_PERF_DEVICES
			       "/%s/format and events",
			       pmu, name, pmu);
	if (pg_pmu_format_parse(text, &f))
		return pg_fail(err, PG_EUNSUPPORTED, "PMU %s: term %s has the unknown format `%s`; use another term",
			       pmu, name, text);
	if (pg_pmu_format_put(&f, v, words))
		return pg_fail(err, PG_EUNSUPPORTED, "PMU %s: %s=%s does not fit into %s; use a smaller value", pmu,
			       name, value, text);
	return 0;
}

static int put_terms(const char *root, const char *pmu, const char *terms, size_t n, bool names_events,
		     uint64_t words[4], struct pg_err *err)
{
	for (const char *at = terms, *end = terms + n; at < end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const size_t len = comma ? (size_t)(comma - at) : (size_t)(end - at);
		char term[TERM], event[256], *eq;
		ssize_t got;

		if (len == 0 || len >= sizeof(term))
			return pg_fail(err, PG_EUNSUPPORTED,
				       "PMU %s: an empty or overlong term; terms are name=value, comma, ...", pmu);
		memcpy(term, at, len);
		term[len] = '\0';
		at += len + 1;
		eq = strchr(term, '=');
		if (eq)
			*eq = '\0';
		if (!eq && names_events && (got = read_of(root, pmu, "/events", term, event, sizeof(event))) > 0) {
			if (put_terms(root, pmu, event, (size_t)got, false, words, err))
				return -1;
		} else if (put_term(root, pmu, term, eq ? eq + 1 : NULL, words, err)) {
			return -1;
		}
	}
	return 0;
}

int pg_pmu_terms(const char *root, const char *pmu, const char *terms, size_t n, struct perf_event_attr *attr,
		 struct pg_err *err)
{
	uint64_t words[4] = {0};

	if (put_terms(root, pmu, terms, n, true, words, err))
		return -1;
	if (words[3])
		return pg_fail(err, PG_EUNSUPPORTED, "PMU %s: config3 is not supported; leave that term out", pmu);
	attr->config = words[0];
	attr->config1 = words[1];
	attr->config2 = words[2];
	return 0;
}
