/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/drain.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#define CHUNK	  ((size_t)16 << 10)
#define READS_MAX 256  /* more than a pipe can hold */
#define LOOK_BACK 4096 /* of the end, for the last line */

void pg_drain_init(struct pg_drain *d)
{
	*d = (struct pg_drain){.rd = -1, .wr = -1};
}

int pg_drain_open(struct pg_drain *d, struct pg_err *err)
{
	int fd[2];

	d->head = pg_big_alloc(2 * PG_DRAIN_KEEP);
	if (!d->head)
		return pg_fail_nomem(err);
	d->tail = d->head + PG_DRAIN_KEEP;
	if (pipe2(fd, O_CLOEXEC) < 0)
		return pg_fail_sys(err, "cannot make a pipe; raise the limit of open files (ulimit -n)");
	d->rd = fd[0];
	d->wr = fd[1];
	if (fcntl(d->rd, F_SETFL, O_NONBLOCK) < 0)
		return pg_fail_sys(err, "cannot prepare a pipe");
	return 0;
}

void pg_drain_close(struct pg_drain *d)
{
	if (d->rd >= 0)
		close(d->rd);
	if (d->wr >= 0)
		close(d->wr);
	pg_big_free(d->head, 2 * PG_DRAIN_KEEP);
	pg_drain_init(d);
}

void pg_drain_reset(struct pg_drain *d)
{
	d->total = 0;
	if (d->lines)
		pg_lines_reset(d->lines);
}

static void keep(struct pg_drain *d, const char *s, size_t n)
{
	size_t at, k;

	if (d->total < PG_DRAIN_KEEP) {
		k = PG_DRAIN_KEEP - (size_t)d->total;
		k = k < n ? k : n;
		memcpy(d->head + d->total, s, k);
		d->total += k;
		s += k;
		n -= k;
	}
	while (n > 0) {
		at = (size_t)(d->total % PG_DRAIN_KEEP);
		k = PG_DRAIN_KEEP - at;
		k = k < n ? k : n;
		memcpy(d->tail + at, s, k);
		d->total += k;
		s += k;
		n -= k;
	}
}

bool pg_drain_read(struct pg_drain *d)
{
	char buf[CHUNK];
	ssize_t n = read(d->rd, buf, sizeof(buf));

	if (n <= 0)
		return false;
	keep(d, buf, (size_t)n);
	if (d->lines)
		pg_lines_add(d->lines, buf, (size_t)n);
	return true;
}

void pg_drain_finish(struct pg_drain *d)
{
	for (unsigned i = 0; i < READS_MAX && pg_drain_read(d); i++)
		;
}

void pg_drain_end(struct pg_drain *d)
{
	if (d->lines)
		pg_lines_end(d->lines);
}

/* Byte i of the output, one of those kept. */
static char byte_at(const struct pg_drain *d, uint64_t i)
{
	return i < PG_DRAIN_KEEP ? d->head[i] : d->tail[i % PG_DRAIN_KEEP];
}

static bool is_end(char c)
{
	return c == '\n' || c == '\r' || c == '\0';
}

bool pg_drain_last_line(const struct pg_drain *d, size_t max, struct pg_str *out)
{
	uint64_t end = d->total, floor = end > LOOK_BACK ? end - LOOK_BACK : 0, start;
	char line[LOOK_BACK];
	size_t n = 0, before = out->len;

	while (end > floor) {
		start = end;
		while (start > floor && !is_end(byte_at(d, start - 1)))
			start--;
		n = 0;
		for (uint64_t i = start; i < end; i++)
			line[n++] = byte_at(d, i);
		pg_clean_text(line, n, max, out);
		if (out->len > before)
			return true;
		end = start > floor ? start - 1 : floor;
	}
	return false;
}

/* Length of a terminal's control sequence (ESC [ ... letter) at s, 0 = none. */
static size_t sequence(const char *s, size_t n)
{
	size_t i = 2;

	if (n < 3 || s[0] != '\x1b' || s[1] != '[')
		return 0;
	while (i < n && (unsigned char)s[i] >= 0x20 && (unsigned char)s[i] < 0x40)
		i++;
	return i < n ? i + 1 : n;
}

/* Control characters beyond ASCII, U+0080 to U+009F, as two bytes. */
static bool is_c1(const char *s, size_t len)
{
	return len == 2 && s[0] == '\xc2' && (unsigned char)s[1] < 0xa0;
}

void pg_clean_text(const char *s, size_t n, size_t max, struct pg_str *out)
{
	size_t start = out->len, k;

	for (size_t i = 0; i < n; i += k) {
		unsigned char c = (unsigned char)s[i];
		size_t len = pg_utf8_len(s + i, n - i), was = out->len;

		k = sequence(s + i, n - i);
		if (k > 0)
			continue;
		k = len ? len : 1;
		if (c == '\t' || c == ' ') {
			if (out->len > start && out->s[out->len - 1] != ' ')
				pg_str_addc(out, ' ');
		} else if (c >= 0x20 && c != 0x7f && !is_c1(s + i, len)) {
			pg_utf8_clean(out, s + i, k);
		}
		if (out->failed || out->len - start > max) {
			out->len = out->failed ? out->len : was;
			break;
		}
	}
	while (out->len > start && out->s[out->len - 1] == ' ')
		out->len--;
	if (out->s)
		out->s[out->len] = '\0';
}
