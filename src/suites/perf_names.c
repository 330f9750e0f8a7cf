/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event names as people type them. Two steps: the list is cut into names (form alone, no look at the machine), then
 * each name is looked up: table, cache events by their parts, rHEX, group:name through tracefs, pmu/terms/ through
 * /sys.
 */
#include "perf_event.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELP                                                                                                           \
	"names are software events (dummy, cpu-clock, page-faults, context-switches ...), hardware events (cycles, "   \
	"instructions, cache-misses ...), group:tracepoint, rHEX, pmu/term=value,.../"

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} table[] = {
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
	{"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
	{"bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
	{"cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT + 1}, /* missing in headers before 5.13 */
	{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
	{"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
};

/* A name of the list: text[0..n) without its modifiers, which follow. */
struct piece {
	const char *text, *modifiers;
	size_t n, n_modifiers;
	size_t slash; /* pmu/terms/: length of the pmu's name; 0 = no slash */
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
	       c == '.';
}

static bool are_modifiers(const char *s, size_t n)
{
	size_t precise = 0;

	for (size_t i = 0; i < n; i++) {
		if (!strchr("ukhGHp", s[i]) || s[i] == '\0')
			return false;
		precise += s[i] == 'p';
	}
	return n > 0 && precise <= 3;
}

static int bad(const char *list, const char *at, const char *what, struct pg_err *err)
{
	return pg_fail(err, PG_EINPUT, "events: character %zu: %s; " HELP, (size_t)(at - list) + 1, what);
}

/* pmu/terms/: at the first slash. */
static int cut_pmu(const char *list, const char **at, struct piece *p, struct pg_err *err)
{
	const char *s = *at + 1;

	p->slash = (size_t)(*at - p->text);
	while (is_word(*s) || *s == '=' || *s == ',')
		s++;
	if (*s != '/' || p->slash == 0)
		return bad(list, s, "pmu/terms/ has no closing slash", err);
	s++;
	p->n = (size_t)(s - p->text);
	p->modifiers = s + (*s == ':');
	*at = p->modifiers;
	while (is_word(**at))
		++*at;
	p->n_modifiers = (size_t)(*at - p->modifiers);
	if ((*p->modifiers == '\0' || *p->modifiers == ',') && s == p->modifiers)
		return 0;
	return are_modifiers(p->modifiers, p->n_modifiers) ? 0 : bad(list, p->modifiers, "unknown modifier", err);
}

/* word[:word][:modifiers]; a word after one colon that consists of modifiers is modifiers where the first is no group:
 * `cycles:u`. A tracepoint whose name reads like that takes a second colon. */
static int cut(const char *list, const char **at, struct piece *p, struct pg_err *err)
{
	const char *colon[2] = {NULL, NULL};
	const char *s = *at;

	*p = (struct piece){.text = s};
	for (; is_word(*s) || *s == ':'; s++) {
		if (*s != ':')
			continue;
		if (colon[1] || s == *at || s[-1] == ':')
			return bad(list, s, "a colon too many", err);
		colon[colon[0] != NULL] = s;
	}
	if (*s == '/') {
		*at = s;
		return colon[0] ? bad(list, colon[0], "a PMU's name has no colon", err) : cut_pmu(list, at, p, err);
	}
	if (s == *at || s[-1] == ':')
		return bad(list, s, "a name is missing", err);
	*at = s;
	p->n = (size_t)(s - p->text);
	if (!colon[0] || (!colon[1] && !are_modifiers(colon[0] + 1, (size_t)(s - colon[0]) - 1)))
		return 0;
	p->modifiers = (colon[1] ? colon[1] : colon[0]) + 1;
	p->n_modifiers = (size_t)(s - p->modifiers);
	p->n = (size_t)(p->modifiers - p->text) - 1;
	return are_modifiers(p->modifiers, p->n_modifiers) ? 0 : bad(list, p->modifiers, "unknown modifier", err);
}

/* The next name of the list: 1, 0 = the list has ended, -1. */
static int next(const char *list, const char **at, struct piece *p, struct pg_err *err)
{
	if (**at == '\0' && *at != list)
		return 0;
	if (*at != list)
		++*at; /* the comma */
	if (cut(list, at, p, err))
		return -1;
	if (**at != '\0' && **at != ',')
		return bad(list, *at, "neither a name nor a comma", err);
	if ((size_t)(*at - p->text) >= PG_PERF_NAME)
		return bad(list, p->text, "a name of more than 127 characters", err);
	return 1;
}

static bool find_table(const char *name, struct perf_event_attr *attr)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].name, name) == 0) {
			attr->type = table[i].type;
			attr->config = table[i].config;
			return true;
		}
	return false;
}

/* L1-dcache-load-misses: cache, operation, result (uapi: cache | operation << 8 | result << 16). */
static bool find_cache(const char *name, struct perf_event_attr *attr)
{
	static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
	static const char *const results[] = {"loads",	      "load-misses", "stores",
					      "store-misses", "prefetches",  "prefetch-misses"};

	for (size_t c = 0; c < sizeof(caches) / sizeof(caches[0]); c++) {
		const size_t n = strlen(caches[c]);

		if (strncmp(name, caches[c], n) != 0 || name[n] != '-')
			continue;
		for (size_t r = 0; r < sizeof(results) / sizeof(results[0]); r++)
			if (strcmp(name + n + 1, results[r]) == 0) {
				attr->type = PERF_TYPE_HW_CACHE;
				attr->config = c | (r / 2) << 8 | (r % 2) << 16;
				return true;
			}
	}
	return false;
}

static bool find_raw(const char *name, struct perf_event_attr *attr)
{
	const size_t n = strlen(name);

	if (name[0] != 'r' || n < 2 || n > 17 || strspn(name + 1, "0123456789abcdefABCDEF") != n - 1)
		return false;
	attr->type = PERF_TYPE_RAW;
	attr->config = strtoull(name + 1, NULL, 16);
	return true;
}

/* Names that mean the same on every machine; the others are looked up in /sys. */
static bool find_fixed(const struct piece *p, struct perf_event_attr *attr)
{
	char name[PG_PERF_NAME];

	snprintf(name, sizeof(name), "%.*s", (int)p->n, p->text);
	return find_table(name, attr) || find_cache(name, attr) || find_raw(name, attr);
}

int pg_perf_events_check(const char *list, struct pg_err *err)
{
	struct perf_event_attr attr;
	const char *at = list;
	struct piece p;
	int r;

	while ((r = next(list, &at, &p, err)) > 0)
		if (!p.slash && !memchr(p.text, ':', p.n) && !find_fixed(&p, &attr))
			return bad(list, p.text, "unknown event", err);
	return r;
}

static int find_tracepoint(const char *name, const char *root, struct perf_event_attr *attr, struct pg_err *err)
{
	const char *colon = strchr(name, ':');
	const int dir = pg_perf_open_tracefs(root);
	char path[PG_PERF_NAME + 16], text[32] = "";
	int fd, why;

	if (dir < 0)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "event %s: tracefs cannot be read; run as root, or mount it where this user may read it",
			       name);
	snprintf(path, sizeof(path), "events/%.*s/%s/id", (int)(colon - name), name, colon + 1);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	why = errno;
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		attr->config = strtoull(text, NULL, 10);
	if (fd >= 0)
		close(fd);
	close(dir);
	attr->type = PERF_TYPE_TRACEPOINT;
	if (attr->config > 0)
		return 0;
	return pg_fail(err, PG_EUNSUPPORTED, "event %s: %s; see the folder events of tracefs", name,
		       fd < 0 && why == EACCES ? "its tracepoint may be read by root alone"
					       : "this kernel has no such tracepoint");
}

static int find_pmu(const struct piece *p, const char *root, struct pg_perf_event *e, struct pg_err *err)
{
	char pmu[PG_PERF_NAME];

	snprintf(pmu, sizeof(pmu), "%.*s", (int)p->slash, p->text);
	if (pg_pmu_type(root, pmu, &e->attr.type))
		return pg_fail(err, PG_EUNSUPPORTED,
			       "event %s: this machine has no PMU `%s`; those it has stand in " PG_PERF_DEVICES,
			       e->name, pmu);
	if (pg_pmu_terms(root, pmu, p->text + p->slash + 1, p->n - p->slash - 2, &e->attr, err))
		return -1;
	return pg_pmu_cpus(root, pmu, &e->cpus, err);
}

/* u, k, h: only what is named is counted; G, H: guest or host alone. */
static void set_modifiers(const struct piece *p, struct perf_event_attr *attr)
{
	bool has[128] = {false};
	unsigned precise = 0;

	for (size_t i = 0; i < p->n_modifiers; i++) {
		has[p->modifiers[i] & 127] = true;
		precise += p->modifiers[i] == 'p';
	}
	if (has['u'] || has['k'] || has['h']) {
		attr->exclude_user = !has['u'];
		attr->exclude_kernel = !has['k'];
		attr->exclude_hv = !has['h'];
	}
	attr->exclude_guest = !has['G'];
	attr->exclude_host = has['G'] && !has['H'];
	attr->precise_ip = precise & 3;
}

static int look_up(const struct piece *p, const char *root, struct pg_perf_event *e, struct pg_err *err)
{
	memset(e, 0, sizeof(*e));
	snprintf(e->name, sizeof(e->name), "%.*s", (int)p->n, p->text);
	set_modifiers(p, &e->attr);
	if (p->slash)
		return find_pmu(p, root, e, err);
	if (strchr(e->name, ':'))
		return find_tracepoint(e->name, root, &e->attr, err);
	if (find_fixed(p, &e->attr))
		return 0;
	return pg_fail(err, PG_EUNSUPPORTED, "event %s is unknown; " HELP, e->name);
}

int pg_perf_events_parse(const char *list, const char *root, struct pg_perf_event **out, size_t *n, struct pg_err *err)
{
	struct pg_perf_event *events = NULL, *more;
	const char *at = list;
	size_t have = 0;
	struct piece p;
	int r;

	while ((r = next(list, &at, &p, err)) > 0) {
		more = realloc(events, (have + 1) * sizeof(*events));
		r = more ? 0 : pg_fail_nomem(err);
		if (r)
			break;
		events = more;
		r = look_up(&p, root, &events[have++], err);
		if (r)
			break;
	}
	if (r) {
		pg_perf_events_free(events, have);
		return -1;
	}
	*out = events;
	*n = have;
	return 0;
}

void pg_perf_events_free(struct pg_perf_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pg_cpuset_release(&events[i].cpus);
	free(events);
}
