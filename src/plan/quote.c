/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of the user inside a message. */
#include "plan/quote.h"

#include <string.h>

#include "base/str.h"

/* Control characters of C0 and C1 would act on the terminal that shows the message. */
static size_t put(char *to, const char *s, size_t len)
{
	unsigned char c = (unsigned char)s[0];

	if (!len || c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)s[1] < 0xa0)) {
		*to = len ? ' ' : '?';
		return 1;
	}
	memcpy(to, s, len);
	return len;
}

const char *pg_quote(struct pg_quote *q, const char *text, size_t n)
{
	size_t at = 0, to = 0;

	while (at < n) {
		size_t len = pg_utf8_len(text + at, n - at);

		if (to + (len ? len : 1) > PG_QUOTE_MAX) {
			memcpy(q->s + to, "...", 3);
			to += 3;
			break;
		}
		to += put(q->s + to, text + at, len);
		at += len ? len : 1;
	}
	q->s[to] = '\0';
	return q->s;
}
