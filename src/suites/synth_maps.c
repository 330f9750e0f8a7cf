/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings of a process from its `maps` file as MMAP2 records. */
#include "suites/synth.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The name that the kernel itself gives a mapping without a file in its records. */
#define NO_FILE "//anon"

/* Reads a number of base 10 or 16 and moves on; whatever else stands there ends it. */
static uint64_t take_number(const char **at, unsigned base)
{
	uint64_t v = 0;

	for (;; (*at)++) {
		const char c = **at;
		unsigned digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned)(c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			digit = (unsigned)(c - 'a') + 10;
		else
			return v;
		v = v * base + digit;
	}
}

static bool take_char(const char **at, char c)
{
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

static uint32_t protection_of(const char *words)
{
	return (words[0] == 'r' ? PROT_READ : 0u) | (words[1] == 'w' ? PROT_WRITE : 0u) |
	       (words[2] == 'x' ? PROT_EXEC : 0u);
}

/* "start-end rwxp offset major:minor inode   name", NUL-terminated. False: no such line. */
static bool parse_line(const char *at, struct pg_synth_mmap2 *r, const char **name)
{
	r->start = take_number(&at, 16);
	if (!take_char(&at, '-'))
		return false;
	r->length = take_number(&at, 16) - r->start;
	if (!take_char(&at, ' ') || strlen(at) < 5)
		return false;
	r->protection = protection_of(at);
	r->flags = at[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	at += 4;
	if (!take_char(&at, ' '))
		return false;
	r->offset = take_number(&at, 16);
	if (!take_char(&at, ' '))
		return false;
	r->major = (uint32_t)take_number(&at, 16);
	if (!take_char(&at, ':'))
		return false;
	r->minor = (uint32_t)take_number(&at, 16);
	if (!take_char(&at, ' '))
		return false;
	r->inode = take_number(&at, 10);
	*name = at + strspn(at, " ");
	return true;
}

/* False: the line is none of a `maps` file. */
static bool line(struct pg_synth *s, const char *text, pid_t pid)
{
	struct pg_synth_mmap2 *r = s->record;
	const char *name;
	size_t n, padded;

	if (!parse_line(text, r, &name))
		return false;
	if (!(r->protection & PROT_EXEC) && !s->data_maps)
		return true;
	if (!*name)
		name = NO_FILE;
	n = strnlen(name, sizeof(r->name) - 1);
	padded = (n + 8) & ~(size_t)7;
	memcpy(r->name, name, n);
	memset(r->name + n, 0, padded - n);
	r->header = (struct perf_event_header){
		.type = PERF_RECORD_MMAP2,
		.misc = (uint16_t)(PERF_RECORD_MISC_USER |
				   (r->protection & PROT_EXEC ? 0 : PERF_RECORD_MISC_MMAP_DATA)),
		.size = (uint16_t)(offsetof(struct pg_synth_mmap2, name) + padded),
	};
	r->pid = r->tid = (uint32_t)pid;
	r->generation = 0;
	s->deliver(s->ctx, &r->header);
	return true;
}

/* Whole lines of text[0..n): returns how much they take, -1 for a wrong one. */
static ssize_t lines(struct pg_synth *s, size_t n, pid_t pid)
{
	char *at = s->text, *end;

	while ((end = memchr(at, '\n', n - (size_t)(at - s->text)))) {
		*end = '\0';
		if (!line(s, at, pid))
			return -1;
		at = end + 1;
	}
	return at - s->text;
}

int pg_synth_maps(struct pg_synth *s, const char *path, pid_t pid, struct pg_err *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t got, used;
	int r = 0;

	if (fd < 0)
		return pg_synth_passed_over(errno) ? 0 : pg_fail_sys(err, "cannot open %s", path);
	while (r == 0 && (got = read(fd, s->text + have, PG_SYNTH_TEXT - have)) != 0) {
		if (got < 0) {
			if (!pg_synth_passed_over(errno))
				r = pg_fail_sys(err, "cannot read %s", path);
			break;
		}
		have += (size_t)got;
		used = lines(s, have, pid);
		if (used < 0 || (used == 0 && have == PG_SYNTH_TEXT)) {
			r = pg_fail(err, PG_EFAILED, "%s has a line that is no mapping; is /proc mounted?", path);
			break;
		}
		have -= (size_t)used;
		memmove(s->text, s->text + used, have);
	}
	close(fd);
	return r;
}
