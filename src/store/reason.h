/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a cell has no number, as a field: at most 500 characters, so that no spreadsheet cuts or breaks it. */
#ifndef PG_STORE_REASON_H
#define PG_STORE_REASON_H

struct pg_csv;

#define PG_REASON_MAX 500

void pg_reason_csv(struct pg_csv *csv, const char *why); /* NULL or "" = missing */

#endif
