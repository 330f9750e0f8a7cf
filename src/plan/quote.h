/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of the user inside a message: short, valid UTF-8, no control characters, whatever it was. */
#ifndef PG_PLAN_QUOTE_H
#define PG_PLAN_QUOTE_H

#include <stddef.h>

#define PG_QUOTE_MAX 60 /* bytes of text; a longer one ends in "..." */

struct pg_quote {
	char s[PG_QUOTE_MAX + 4];
};

/* Returns q->s, so that it can stand among the arguments of a message. */
const char *pg_quote(struct pg_quote *q, const char *text, size_t n);

#endif
