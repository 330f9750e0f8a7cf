/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filling of struct pg_err. A message may hold text of foreign origin: control characters and invalid UTF-8 are taken
 * out here, so that no printer has to think of them.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* Copies text into msg (PG_ERR_MSG bytes), cleaned, cut on a UTF-8 border. */
static void put_msg(char *msg, const char *text)
{
	size_t n = strlen(text), len = 0;

	for (size_t i = 0; i < n;) {
		size_t k = pg_utf8_len(text + i, n - i);
		char one = text[i];

		if (len + (k ? k : 1) >= PG_ERR_MSG)
			break;
		if (k > 1) {
			memcpy(msg + len, text + i, k);
			len += k;
			i += k;
			continue;
		}
		if (k == 0)
			one = '?';
		else if ((unsigned char)one < 0x20 || one == 0x7f)
			one = ' ';
		msg[len++] = one;
		i++;
	}
	msg[len] = '\0';
}

static void fill(struct pg_err *err, enum pg_code code, const struct pg_loc *loc, const char *text)
{
	static const struct pg_loc nowhere = {NULL, 0, 0};
	struct pg_loc place = loc ? *loc : nowhere; /* loc may point into *err */

	err->code = code;
	err->sys = 0;
	err->loc = place;
	put_msg(err->msg, text);
}

/* Twice the size of a message, so that what is cut is cut by put_msg() on a border. Arguments may point into *err. */
#define SCRATCH (2 * PG_ERR_MSG)

int pg_fail(struct pg_err *err, enum pg_code code, const char *fmt, ...)
{
	char text[SCRATCH];
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fill(err, code, NULL, text);
	return -1;
}

int pg_fail_at(struct pg_err *err, enum pg_code code, const struct pg_loc *loc, const char *fmt, ...)
{
	char text[SCRATCH];
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fill(err, code, loc, text);
	return -1;
}

int pg_fail_sys(struct pg_err *err, const char *fmt, ...)
{
	int saved = errno;
	char text[SCRATCH];
	const char *reason;
	size_t room, len;
	va_list ap;

	if (!err)
		return -1;
	reason = strerror(saved);
	/* A long subject gives way to the reason, not the other way round. */
	room = PG_ERR_MSG - 1 - strlen(reason) - 2;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	len = strlen(text);
	if (len > room)
		len = pg_utf8_cut(text, room);
	snprintf(text + len, sizeof(text) - len, ": %s", reason);
	fill(err, PG_ESYS, NULL, text);
	err->sys = saved;
	errno = saved;
	return -1;
}

int pg_fail_nomem(struct pg_err *err)
{
	return pg_fail(err, PG_ENOMEM, "out of memory");
}

void pg_err_wrap(struct pg_err *err, const char *fmt, ...)
{
	char text[SCRATCH];
	size_t len;
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	vsnprintf(text, PG_ERR_MSG, fmt, ap);
	va_end(ap);
	len = strlen(text);
	snprintf(text + len, sizeof(text) - len, ": %s", err->msg);
	put_msg(err->msg, text);
}

static void report(struct pg_diag *d, const struct pg_err *e, bool note)
{
	if (d->report)
		d->report(d->ctx, e, note);
}

int pg_diag_pass(struct pg_diag *d, const struct pg_err *e)
{
	if (pg_diag_full(d))
		return -1;
	d->errors++;
	report(d, e, false);
	return -1;
}

int pg_diag_error(struct pg_diag *d, const struct pg_loc *loc, const char *fmt, ...)
{
	char text[SCRATCH];
	struct pg_err e;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fill(&e, PG_EINPUT, loc, text);
	return pg_diag_pass(d, &e);
}

void pg_diag_note(struct pg_diag *d, const struct pg_loc *loc, const char *fmt, ...)
{
	char text[SCRATCH];
	struct pg_err e;
	va_list ap;

	if (pg_diag_full(d))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fill(&e, PG_OK, loc, text);
	d->notes++;
	report(d, &e, true);
}

bool pg_diag_full(const struct pg_diag *d)
{
	return d->errors >= PG_DIAG_LIMIT;
}
