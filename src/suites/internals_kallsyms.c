/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * internals/kallsyms-parse: /proc/kallsyms read and parsed, line by line: address, type, name, each given to a function
 * that does nothing (perf bench internals kallsyms-parse).
 * Timed: from opening the file to closing it (time_per_op). Apart from that, on further passes (one for every eight,
 * at least one): the text read without being parsed, which is the kernel's part (read_time), and the parsing of text
 * that is in memory (parse_time). Not timed: one pass of each beforehand. Differs from the ancestor: the kernel's part
 * told apart, lines counted, a file that cannot be read or parsed says so. Without privileges all addresses are 0.
 */
#include "pg_bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME    "/proc/kallsyms"
#define CHUNK	     65536
#define APART_SHARE  8
#define FIRST_MEMORY ((size_t)1 << 20)

extern const struct pg_bench pg_internals_kallsyms_parse;

struct kallsyms_conf {
	uint64_t loops;
};

struct symbols {
	char path[4200];
	uint64_t seen;	/* symbols given away */
	char *chunk;	/* CHUNK bytes: what was read last */
	char *all;	/* the whole text */
	size_t n, room; /* of `all` */
};

static const struct pg_param params[] = {
	PG_ROW_LOOPS(struct kallsyms_conf, loops, "parses of the whole file", "100", "auto", 'i'),
	{.name = NULL},
};

enum { M_TIME_PER_OP, M_SYMBOLS, M_READ_TIME, M_PARSE_TIME, M_TIME, M_OPERATIONS, M_SEEN, M_APART, M_READ, M_PARSE };

static const struct pg_metric metrics[] = {
	[M_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "one parse of the whole file, mean", PG_U_S, PG_LOWER, M_TIME,
				       M_OPERATIONS, PG_M_MAIN),
	[M_SYMBOLS] = PG_ROW_RATIO("symbols", "lines of the file", PG_U_COUNT, PG_NEITHER, M_SEEN, M_OPERATIONS, 0),
	[M_READ_TIME] =
		PG_ROW_RATIO("read_time", "the text read without parsing", PG_U_S, PG_LOWER, M_READ, M_APART, 0),
	[M_PARSE_TIME] = PG_ROW_RATIO("parse_time", "parsing of text in memory", PG_U_S, PG_LOWER, M_PARSE, M_APART, 0),
	[M_TIME] = PG_ROW_HIDDEN("parses_time_total", "all parses", PG_U_S, PG_SUM, PG_M_GROWS),
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "parses made", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_SEEN] = PG_ROW_HIDDEN("symbols_total", "lines of all parses", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_APART] = PG_ROW_HIDDEN("passes_apart", "passes of read_time and parse_time", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_READ] = PG_ROW_HIDDEN("read_time_total", "reading alone", PG_U_S, PG_SUM, PG_M_GROWS),
	[M_PARSE] = PG_ROW_HIDDEN("parse_time_total", "parsing alone", PG_U_S, PG_SUM, PG_M_GROWS),
	{.name = NULL},
};

/* What is done with a symbol: nothing. */
__attribute__((noinline)) static void visit(struct symbols *s, uint64_t address, char type, const char *name, size_t n)
{
	__asm__ volatile("" : : "r"(address), "r"((int)type), "r"(name), "r"(n));
	s->seen++;
}

/* "address type name\t[module]" up to `end`, which holds the newline. */
static bool parse_line(struct symbols *s, const char *at, const char *end)
{
	const char *const begin = at;
	uint64_t address = 0;
	char type;

	for (; at < end && *at != ' '; at++) {
		const char c = *at;

		if (c >= '0' && c <= '9')
			address = address << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			address = address << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
	}
	if (at == begin || end - at < 4 || at[2] != ' ')
		return false;
	type = at[1];
	at += 3;
	visit(s, address, type, at, (size_t)(end - at));
	return true;
}

/* Whole lines of text[0..n): how much they take, -1 for a wrong one. */
static ssize_t parse_lines(struct symbols *s, const char *text, size_t n)
{
	const char *at = text, *end;

	while ((end = memchr(at, '\n', n - (size_t)(at - text)))) {
		if (!parse_line(s, at, end))
			return -1;
		at = end + 1;
	}
	return at - text;
}

static int no_symbol(struct pg_err *err)
{
	return pg_fail(err, PG_EFAILED, FILE_NAME " has a line that is no symbol; is /proc mounted?");
}

static int open_file(const struct symbols *s, struct pg_err *err)
{
	const int fd = open(s->path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? pg_fail_sys(err,
				    "cannot open " FILE_NAME "; mount /proc, or take a kernel with CONFIG_KALLSYMS")
		      : fd;
}

/* One operation. */
static int parse_file(struct symbols *s, struct pg_err *err)
{
	const int fd = open_file(s, err);
	size_t have = 0;
	ssize_t got = 0, used;
	int r = 0;

	if (fd < 0)
		return -1;
	while (r == 0 && (got = read(fd, s->chunk + have, CHUNK - have)) > 0) {
		have += (size_t)got;
		used = parse_lines(s, s->chunk, have);
		if (used < 0 || (used == 0 && have == CHUNK)) {
			r = no_symbol(err);
			break;
		}
		have -= (size_t)used;
		memmove(s->chunk, s->chunk + used, have);
	}
	if (got < 0)
		r = pg_fail_sys(err, "cannot read " FILE_NAME);
	else if (r == 0 && have > 0)
		r = no_symbol(err);
	close(fd);
	return r;
}

/* The same without parsing. */
static int read_file(struct symbols *s, struct pg_err *err)
{
	const int fd = open_file(s, err);
	ssize_t got;

	if (fd < 0)
		return -1;
	while ((got = read(fd, s->chunk, CHUNK)) > 0)
		;
	if (got < 0)
		pg_fail_sys(err, "cannot read " FILE_NAME);
	close(fd);
	return got < 0 ? -1 : 0;
}

/* The whole text into memory. */
static int keep_file(struct symbols *s, struct pg_err *err)
{
	const int fd = open_file(s, err);
	ssize_t got = 1;

	if (fd < 0)
		return -1;
	while (got > 0) {
		if (s->room - s->n < CHUNK) {
			const size_t more = s->room ? 2 * s->room : FIRST_MEMORY;
			char *grown = realloc(s->all, more);

			if (!grown) {
				close(fd);
				return pg_fail_nomem(err);
			}
			s->all = grown;
			s->room = more;
		}
		got = read(fd, s->all + s->n, s->room - s->n);
		s->n += got > 0 ? (size_t)got : 0;
	}
	if (got < 0)
		pg_fail_sys(err, "cannot read " FILE_NAME);
	close(fd);
	return got < 0 ? -1 : 0;
}

static int probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	char path[4200], byte;
	ssize_t n;
	int fd;

	(void)vconf;
	need->descriptors = 1;
	need->bytes = CHUNK + ((uint64_t)32 << 20); /* kernels with many modules have some ten MB of symbols */
	snprintf(path, sizeof(path), "%s" FILE_NAME, env->root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "cannot open " FILE_NAME "; mount /proc, or take a kernel with CONFIG_KALLSYMS"
			       ": %s; it needs /proc and a kernel with CONFIG_KALLSYMS",
			       strerror(errno));
	n = read(fd, &byte, 1);
	close(fd);
	if (n != 1)
		return pg_fail(err, PG_EUNSUPPORTED,
			       FILE_NAME " is empty for this user; see kernel.kptr_restrict, or run as root");
	return 0;
}

static int setup(struct pg_run *run, struct pg_err *err)
{
	struct symbols *s = calloc(1, sizeof(*s));

	run->state = s;
	if (!s)
		return pg_fail_nomem(err);
	snprintf(s->path, sizeof(s->path), "%s" FILE_NAME, run->root);
	s->chunk = malloc(CHUNK);
	if (!s->chunk)
		return pg_fail_nomem(err);
	if (keep_file(s, err))
		return -1;
	if (parse_lines(s, s->all, s->n) != (ssize_t)s->n)
		return no_symbol(err);
	return s->seen ? 0 : pg_fail(err, PG_EUNSUPPORTED, FILE_NAME " is empty; run as root");
}

static int measure_apart(struct symbols *s, uint64_t passes, int64_t *reading, int64_t *parsing, struct pg_err *err)
{
	int64_t start = pg_now_ns();

	for (uint64_t i = 0; i < passes; i++)
		if (read_file(s, err))
			return -1;
	*reading = pg_since(pg_now_ns(), start);
	start = pg_now_ns();
	for (uint64_t i = 0; i < passes; i++)
		if (parse_lines(s, s->all, s->n) < 0)
			return no_symbol(err);
	*parsing = pg_since(pg_now_ns(), start);
	return 0;
}

static int once(struct pg_run *run, struct pg_err *err)
{
	const struct kallsyms_conf *conf = run->conf;
	const uint64_t apart = (conf->loops + APART_SHARE - 1) / APART_SHARE;
	struct symbols *s = run->state;
	int64_t start, reading = 0, parsing = 0;
	uint64_t seen;

	s->seen = 0;
	start = pg_now_ns();
	for (uint64_t i = 0; i < conf->loops; i++)
		if (parse_file(s, err))
			return -1;
	run->timed_ns = pg_since(pg_now_ns(), start);
	seen = s->seen;
	if (measure_apart(s, apart, &reading, &parsing, err))
		return -1;
	pg_record(run, M_TIME, run->timed_ns);
	pg_record(run, M_OPERATIONS, (int64_t)conf->loops);
	pg_record(run, M_SEEN, (int64_t)seen);
	pg_record(run, M_APART, (int64_t)apart);
	pg_record(run, M_READ, reading);
	pg_record(run, M_PARSE, parsing);
	return 0;
}

static void teardown(struct pg_run *run)
{
	struct symbols *s = run->state;

	if (!s)
		return;
	free(s->chunk);
	free(s->all);
	free(s);
	run->state = NULL;
}

const struct pg_bench pg_internals_kallsyms_parse = {
	.name = "internals/kallsyms-parse",
	.summary = "the kernel's symbol table read and parsed",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct kallsyms_conf),
	.probe = probe,
	.setup = setup,
	.once = once,
	.teardown = teardown,
};
