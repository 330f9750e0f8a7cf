/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CSV in a results directory: rows through the writer into a file that is renamed when it is whole.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "store/csv_write.h"
#include "store/results.h"

#define SHEET_ROWS    1048576u
#define SHEET_COLUMNS 16384u

struct pg_csv_file {
	const struct pg_results *r;
	struct pg_out out;
	struct pg_csv csv;
};

static void to_file(void *ctx, const char *s, size_t n)
{
	pg_out_write(ctx, s, n);
}

struct pg_csv_file *pg_csv_file_open(const struct pg_results *r, const char *name, struct pg_err *err)
{
	struct pg_csv_file *f = malloc(sizeof(*f));

	if (!f) {
		pg_fail_nomem(err);
		return NULL;
	}
	f->r = r;
	if (pg_out_open(&f->out, r->dirfd, name, err) != 0)
		goto fail;
	if (pg_csv_init(&f->csv, r->style, to_file, &f->out, err) == 0)
		return f;
	pg_out_abort(&f->out);
fail:
	free(f);
	return NULL;
}

struct pg_csv *pg_csv_file_rows(struct pg_csv_file *f)
{
	return &f->csv;
}

static void note_size(const struct pg_csv_file *f)
{
	char text[PG_FILE_NAME_MAX + 160];

	if (!f->r->note || (f->csv.n_rows <= SHEET_ROWS && f->csv.widest <= SHEET_COLUMNS))
		return;
	snprintf(text, sizeof(text),
		 "'%s' has %llu rows and %zu columns; a spreadsheet takes %u and %u and cuts the rest silently",
		 f->out.name, (unsigned long long)f->csv.n_rows, f->csv.widest, SHEET_ROWS, SHEET_COLUMNS);
	f->r->note(f->r->note_ctx, text);
}

int pg_csv_file_close(struct pg_csv_file *f, bool keep, struct pg_err *err)
{
	int result = keep ? pg_csv_end(&f->csv, err) : -1;

	if (result == 0) {
		note_size(f);
		result = pg_out_commit(&f->out, false, err);
	} else {
		pg_out_abort(&f->out);
	}
	pg_csv_release(&f->csv);
	free(f);
	return keep ? result : 0;
}
