/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * env.json: what of this machine may explain a number. An allow-list: nothing of the environment's variables, no
 * command line, no serial number. What is not there is null.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpulist.h"
#include "base/err.h"
#include "base/str.h"
#include "engine/cgroup.h"
#include "store/fileio.h"
#include "store/json.h"
#include "store/store_inside.h"

#define ENV_MAX ((size_t)1 << 20)

struct env {
	const char *root;
	struct pg_json_out j;
	struct pg_str text; /* of the file at hand */
};

/* Content of a file as text, NULL = not there. Valid until the next call. */
static const char *get(struct env *e, const char *path)
{
	pg_str_reset(&e->text);
	if (!pg_sys_get(e->root, path, &e->text))
		return NULL;
	while (e->text.len && e->text.s[e->text.len - 1] == ' ')
		e->text.s[--e->text.len] = '\0';
	return pg_str_text(&e->text);
}

static void file(struct env *e, const char *key, const char *path)
{
	pg_json_put_text(&e->j, key, get(e, path));
}

/* Of "always [madvise] never" the word in brackets. */
static void chosen(struct env *e, const char *key, const char *path)
{
	const char *s = get(e, path), *open = s ? strchr(s, '[') : NULL, *close = open ? strchr(open, ']') : NULL;
	struct pg_str word;

	pg_str_init(&word);
	if (close)
		pg_str_add(&word, open + 1, (size_t)(close - open - 1));
	pg_json_put_text(&e->j, key, close ? pg_str_text(&word) : s);
	pg_str_release(&word);
}

/* Value of "KEY: value" or "KEY<tab>: value", first match, into *out; false = none. */
static bool field(struct env *e, const char *path, const char *key, struct pg_str *out)
{
	const char *s = get(e, path);
	size_t n = strlen(key);

	while (s && *s) {
		const char *end = strchrnul(s, '\n');

		if (strncmp(s, key, n) == 0) {
			const char *v = s + n;

			v += strspn(v, " \t");
			if (*v == ':') {
				v++;
				v += strspn(v, " \t");
				pg_str_add(out, v, v < end ? (size_t)(end - v) : 0);
				return true;
			}
		}
		s = *end ? end + 1 : end;
	}
	return false;
}

static void text_field(struct env *e, const char *key, const char *path, const char *name)
{
	struct pg_str v;

	pg_str_init(&v);
	pg_json_put_text(&e->j, key, field(e, path, name, &v) ? pg_str_text(&v) : NULL);
	pg_str_release(&v);
}

/* "123 kB" in bytes. */
static void memory_field(struct env *e, const char *key, const char *name)
{
	struct pg_str v;

	pg_str_init(&v);
	if (field(e, "/proc/meminfo", name, &v) && v.len)
		pg_json_put_int(&e->j, key, (int64_t)strtoll(v.s, NULL, 10) * 1024);
	else
		pg_json_put_text(&e->j, key, NULL);
	pg_str_release(&v);
}

/* Programs started by this one get what it has, as by `setarch -R`. */
#define PERSONALITY_ASK 0xffffffffUL

static void kernel(struct env *e)
{
	int personality_now = personality(PERSONALITY_ASK);
	struct utsname u;

	pg_json_open(&e->j, "kernel", '{');
	file(e, "release", "/proc/sys/kernel/osrelease");
	file(e, "version", "/proc/sys/kernel/version");
	pg_json_put_text(&e->j, "architecture", uname(&u) == 0 ? u.machine : NULL);
	file(e, "randomize_va_space", "/proc/sys/kernel/randomize_va_space");
	if (personality_now >= 0)
		pg_json_put_bool(&e->j, "personality_no_randomize", (personality_now & ADDR_NO_RANDOMIZE) != 0);
	else
		pg_json_put_text(&e->j, "personality_no_randomize", NULL);
	file(e, "autogroup", "/proc/sys/kernel/sched_autogroup_enabled");
	file(e, "numa_balancing", "/proc/sys/kernel/numa_balancing");
	file(e, "nmi_watchdog", "/proc/sys/kernel/nmi_watchdog");
	file(e, "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid");
	file(e, "ksm", "/sys/kernel/mm/ksm/run");
	pg_json_close(&e->j, '}');
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in a directory, sorted; NULL = not there. Both the list and its texts are malloc'ed. */
static char **names(const char *root, const char *path, size_t *n)
{
	struct pg_str full;
	struct dirent *d;
	char **list = NULL;
	DIR *dir;

	*n = 0;
	pg_str_init(&full);
	pg_str_adds(&full, root);
	pg_str_adds(&full, path);
	dir = opendir(pg_str_text(&full));
	pg_str_release(&full);
	while (dir && (d = readdir(dir))) {
		char **more = reallocarray(list, *n + 1, sizeof(*list));

		if (!more)
			break;
		list = more;
		list[*n] = d->d_name[0] == '.' ? NULL : strdup(d->d_name);
		*n += list[*n] != NULL;
	}
	if (dir)
		closedir(dir);
	if (*n)
		qsort(list, *n, sizeof(*list), by_name);
	return list;
}

static void names_free(char **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

static void mitigations(struct env *e)
{
	static const char path[] = "/sys/devices/system/cpu/vulnerabilities";
	char **list, full[512];
	size_t n;

	list = names(e->root, path, &n);
	if (!n) {
		pg_json_put_text(&e->j, "mitigations", NULL);
		names_free(list, n);
		return;
	}
	pg_json_open(&e->j, "mitigations", '{');
	for (size_t i = 0; i < n; i++) {
		snprintf(full, sizeof(full), "%s/%s", path, list[i]);
		file(e, list[i], full);
	}
	pg_json_close(&e->j, '}');
	names_free(list, n);
}

/* The distinct contents of cpufreq/policy* /NAME: as a rule one. */
static void policies(struct env *e, const char *key, const char *name)
{
	static const char path[] = "/sys/devices/system/cpu/cpufreq";
	struct pg_str all;
	char **list, full[512];
	size_t n;

	pg_str_init(&all);
	list = names(e->root, path, &n);
	for (size_t i = 0; i < n; i++) {
		const char *s;

		snprintf(full, sizeof(full), "%s/%s/%s", path, list[i], name);
		s = strncmp(list[i], "policy", 6) == 0 ? get(e, full) : NULL;
		if (!s || strstr(pg_str_text(&all), s))
			continue;
		if (all.len)
			pg_str_addc(&all, ' ');
		pg_str_adds(&all, s);
	}
	pg_json_put_text(&e->j, key, all.len ? all.s : NULL);
	pg_str_release(&all);
	names_free(list, n);
}

static void cpu(struct env *e)
{
	struct pg_cpuset allowed;
	struct pg_str list;

	pg_json_open(&e->j, "cpu", '{');
	text_field(e, "model", "/proc/cpuinfo", "model name");
	text_field(e, "microcode", "/proc/cpuinfo", "microcode");
	file(e, "online", "/sys/devices/system/cpu/online");
	file(e, "isolated", "/sys/devices/system/cpu/isolated");
	file(e, "nohz_full", "/sys/devices/system/cpu/nohz_full");
	file(e, "smt", "/sys/devices/system/cpu/smt/control");
	file(e, "smt_active", "/sys/devices/system/cpu/smt/active");
	pg_cpuset_init(&allowed);
	pg_str_init(&list);
	if (pg_affinity_get(0, &allowed, NULL) == 0) {
		pg_cpulist_format(&allowed, &list);
		pg_json_put_text(&e->j, "allowed", pg_str_text(&list));
	} else {
		pg_json_put_text(&e->j, "allowed", NULL);
	}
	pg_str_release(&list);
	pg_cpuset_release(&allowed);
	policies(e, "governor", "scaling_governor");
	policies(e, "frequency_driver", "scaling_driver");
	file(e, "boost", "/sys/devices/system/cpu/cpufreq/boost");
	file(e, "no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo");
	mitigations(e);
	pg_json_close(&e->j, '}');
}

static void memory(struct env *e)
{
	pg_json_open(&e->j, "memory", '{');
	memory_field(e, "total_bytes", "MemTotal");
	memory_field(e, "available_bytes", "MemAvailable");
	memory_field(e, "swap_bytes", "SwapTotal");
	pg_json_put_int(&e->j, "page_bytes", (int64_t)sysconf(_SC_PAGESIZE));
	file(e, "nodes", "/sys/devices/system/node/online");
	chosen(e, "transparent_huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled");
	chosen(e, "transparent_huge_pages_defrag", "/sys/kernel/mm/transparent_hugepage/defrag");
	pg_json_close(&e->j, '}');
}

static void clock_section(struct env *e, const struct pg_clock_figures *f)
{
	pg_json_open(&e->j, "clock", '{');
	pg_json_put_text(&e->j, "source", pg_clock_name());
	file(e, "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	file(e, "available", "/sys/devices/system/clocksource/clocksource0/available_clocksource");
	pg_json_put_int(&e->j, "cost_ns", f->cost_ns);
	pg_json_put_int(&e->j, "step_ns", f->step_ns);
	pg_json_put_int(&e->j, "res_ns", f->res_ns);
	pg_json_put_int(&e->j, "batch_ns", pg_clock_batch_ns(f));
	pg_json_put_int(&e->j, "overhead_ppm", pg_clock_overhead_ppm(f));
	pg_json_close(&e->j, '}');
}

struct json_t *pg_env_read(int dirfd)
{
	struct json_t *j = NULL;
	struct pg_str text;
	struct pg_err err;

	pg_str_init(&text);
	if (pg_file_get(dirfd, "env.json", ENV_MAX, &text, &err) == 0)
		j = pg_json_parse(pg_str_text(&text), text.len, &err);
	pg_str_release(&text);
	return j;
}

bool pg_env_clock(int dirfd, struct pg_env_clock *out)
{
	struct json_t *j = pg_env_read(dirfd);
	const struct json_t *c = pg_json_get(j, "clock");
	const char *name;
	bool known = false;

	if (pg_json_int(c, "cost_ns", &out->figures.cost_ns) && pg_json_int(c, "step_ns", &out->figures.step_ns) &&
	    pg_json_int(c, "res_ns", &out->figures.res_ns)) {
		known = true;
		name = pg_json_text(c, "clocksource");
		snprintf(out->clocksource, sizeof(out->clocksource), "%s", name ? name : "");
	}
	if (j)
		pg_json_free(j);
	return known;
}

bool pg_env_one_layout(int dirfd)
{
	struct json_t *j = pg_env_read(dirfd);
	const struct json_t *kernel = pg_json_get(j, "kernel");
	const char *drawn = pg_json_text(kernel, "randomize_va_space");
	bool own = false, fixed;

	/* The whole machine's switch, or that of the programs of this run alone. */
	pg_json_bool(kernel, "personality_no_randomize", &own);
	fixed = own || (drawn && strcmp(drawn, "2") != 0);

	if (j)
		pg_json_free(j);
	return fixed;
}

/* -1 = unlimited. */
static void limits(struct env *e)
{
	static const struct {
		const char *key;
		unsigned which;
	} rows[] = {
		{"descriptors", RLIMIT_NOFILE},
		{"tasks", RLIMIT_NPROC},
		{"locked_memory_bytes", RLIMIT_MEMLOCK},
		{"stack_bytes", RLIMIT_STACK},
		{"address_space_bytes", RLIMIT_AS},
		{"file_bytes", RLIMIT_FSIZE},
		{"nice", RLIMIT_NICE},
		{"realtime_priority", RLIMIT_RTPRIO},
	};

	pg_json_open(&e->j, "limits", '{');
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rlimit r;

		if (getrlimit(rows[i].which, &r) != 0)
			pg_json_put_text(&e->j, rows[i].key, NULL);
		else
			pg_json_put_int(&e->j, rows[i].key, r.rlim_cur == RLIM_INFINITY ? -1 : (int64_t)r.rlim_cur);
	}
	pg_json_close(&e->j, '}');
}

/* What version 1 has for cpu.max, in its words; false = no such group. */
static bool old_quota(const struct env *e, char *out, size_t n)
{
	static const char *const files[] = {"cpu.cfs_quota_us", "cpu.cfs_period_us"};
	char path[PG_CGROUP_PATH + 32], text[2][32];
	struct pg_cgroup_place place;

	if (pg_cgroup_locate(e->root, "cpu", &place) < 0)
		return false;
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", place.own, files[i]);
		if (pg_read_small(path, text[i], sizeof(text[i])) < 0)
			return false;
		text[i][strcspn(text[i], "\n")] = '\0';
	}
	snprintf(out, n, "%s %s", text[0][0] == '-' ? "max" : text[0], text[1]);
	return true;
}

static void cgroup(struct env *e)
{
	static const char *const files[] = {"cpu.max", "cpu.weight", "memory.max", "pids.max", "cpuset.cpus.effective"};
	struct pg_str path;
	const char *own = get(e, "/proc/self/cgroup"), *v2;
	char full[1024], quota[80];

	pg_str_init(&path);
	/* "0::/path" is the cgroup2 line. */
	v2 = own ? strstr(own, "0::/") : NULL;
	if (v2 && (v2 == own || v2[-1] == '\n'))
		pg_str_add(&path, v2 + 3, strcspn(v2 + 3, "\n"));
	pg_json_open(&e->j, "cgroup", '{');
	pg_json_put_text(&e->j, "path", path.len ? path.s : NULL);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(full, sizeof(full), "/sys/fs/cgroup%s/%s",
			 strcmp(pg_str_text(&path), "/") == 0 ? "" : pg_str_text(&path), files[i]);
		if (path.len && (i > 0 || get(e, full)))
			file(e, files[i], full);
		else
			pg_json_put_text(&e->j, files[i], i == 0 && old_quota(e, quota, sizeof(quota)) ? quota : NULL);
	}
	pg_json_close(&e->j, '}');
	pg_str_release(&path);
}

static void libc(struct env *e)
{
	char buf[64];
	size_t n = 0;

#ifdef _CS_GNU_LIBC_VERSION
	n = confstr(_CS_GNU_LIBC_VERSION, buf, sizeof(buf));
#endif
	pg_json_put_text(&e->j, "libc", n > 0 && n <= sizeof(buf) ? buf : NULL);
}

void pg_boot_id(const char *root, char *buf, size_t size)
{
	struct pg_str text;

	pg_str_init(&text);
	if (!pg_sys_get(root, "/proc/sys/kernel/random/boot_id", &text))
		pg_str_reset(&text);
	snprintf(buf, size, "%.*s", (int)(size - 1), pg_str_text(&text));
	pg_str_release(&text);
}

/* Of the three numbers, the mean of tasks that ran or wanted to over 1, 5 and 15 minutes. */
static void load(struct env *e)
{
	const char *s = get(e, "/proc/loadavg"), *end = s;
	struct pg_str three;

	pg_str_init(&three);
	for (int i = 0; s && i < 3; i++)
		end += strspn(end, " ") + strcspn(end + strspn(end, " "), " ");
	if (s)
		pg_str_add(&three, s, (size_t)(end - s));
	pg_json_put_text(&e->j, "load_average", s ? pg_str_text(&three) : NULL);
	pg_str_release(&three);
}

/* Who is below: by /sys where it says so, else who made the machine, where its CPUs say that they are virtual. */
static void hypervisor(struct env *e)
{
	struct pg_str flags;
	const char *s;
	bool known;

	s = get(e, "/sys/hypervisor/type");
	if (s) {
		pg_json_put_text(&e->j, "hypervisor", s);
		return;
	}
	pg_str_init(&flags);
	known = field(e, "/proc/cpuinfo", "flags", &flags);
	if (!known) {
		pg_json_put_text(&e->j, "hypervisor", NULL);
	} else if (!strstr(pg_str_text(&flags), " hypervisor")) {
		pg_json_put_text(&e->j, "hypervisor", "none");
	} else {
		s = get(e, "/sys/class/dmi/id/sys_vendor");
		pg_json_put_text(&e->j, "hypervisor", s && *s ? s : "unknown");
	}
	pg_str_release(&flags);
}

int pg_env_write(struct pg_store *s, struct pg_err *err)
{
	struct pg_clock_figures figures;
	struct pg_str out;
	struct env e = {.root = s->root, .j = {.out = &out}};
	int result;

	if (pg_clock_measure(&figures, err) < 0)
		return -1;
	pg_str_init(&out);
	pg_str_init(&e.text);
	pg_json_open(&e.j, NULL, '{');
	file(&e, "host", "/proc/sys/kernel/hostname");
	file(&e, "boot", "/proc/sys/kernel/random/boot_id");
	file(&e, "machine", "/sys/class/dmi/id/product_name");
	hypervisor(&e);
	load(&e);
	kernel(&e);
	cpu(&e);
	memory(&e);
	clock_section(&e, &figures);
	limits(&e);
	cgroup(&e);
	libc(&e);
	pg_json_close(&e.j, '}');
	result = out.failed ? pg_fail_nomem(err) : pg_file_put(s->dirfd, "env.json", out.s, out.len, err);
	pg_str_release(&e.text);
	pg_str_release(&out);
	return result;
}
