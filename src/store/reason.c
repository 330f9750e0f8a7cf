/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cutting of reasons by characters; what is no UTF-8 counts byte by byte. */
#include "store/reason.h"

#include <string.h>

#include "base/str.h"
#include "store/csv_write.h"

void pg_reason_csv(struct pg_csv *csv, const char *why)
{
	size_t n = why ? strlen(why) : 0, at = 0;

	if (n == 0) {
		pg_csv_missing(csv);
		return;
	}
	for (unsigned chars = 0; at < n && chars < PG_REASON_MAX; chars++) {
		size_t k = pg_utf8_len(why + at, n - at);

		at += k ? k : 1;
	}
	pg_csv_text_n(csv, why, at);
}
