/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CSV reader: libcsv, strict. libcsv knows no positions, passes blank lines over and does not look at the number of
 * fields: the input is handed to it line by line, and rows are counted here. After an error csv_fini() is not called:
 * it would deliver the partial row.
 */
#include "store/store.h"

#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "store/csv_read.h"
#include "store/csv_write.h"

#define FIELD_MAX  ((size_t)4 << 20)
#define FIELDS_MAX ((size_t)1 << 20)
#define CHUNK	   ((size_t)64 << 10)

struct reader {
	struct csv_parser p;
	pg_csv_row_fn *row;
	void *ctx;
	struct pg_str text; /* fields of the row, each ended by NUL */
	size_t *ends;	    /* where each ends */
	const char **fields;
	size_t n, cap;
	size_t width;	    /* fields of the first row; 0 = not known yet */
	size_t line, first; /* line being parsed; where the row began, 0 = between rows */
	int result;
	struct pg_err *err;
};

static int no_space(unsigned char c)
{
	(void)c;
	return 0;
}

static void fail(struct reader *r, const char *what)
{
	if (r->result == 0)
		r->result = pg_fail(r->err, PG_EINPUT, "line %zu: %s", r->first, what);
}

static bool grow(struct reader *r)
{
	size_t cap = r->cap ? 2 * r->cap : 64;
	size_t *ends;
	const char **fields;

	if (r->n < r->cap)
		return true;
	ends = reallocarray(r->ends, cap, sizeof(*ends));
	if (!ends)
		return false;
	r->ends = ends;
	fields = reallocarray(r->fields, cap, sizeof(*fields));
	if (!fields)
		return false;
	r->fields = fields;
	r->cap = cap;
	return true;
}

static void on_field(void *s, size_t n, void *ctx)
{
	struct reader *r = ctx;
	const char *text = s;

	if (r->result)
		return;
	if (r->first == 0) /* a lone CR ended a row inside this line */
		r->first = r->line;
	if (n && memchr(text, '\0', n)) {
		fail(r, "a NUL byte");
	} else if (n > FIELD_MAX || r->n >= FIELDS_MAX) {
		fail(r, "a field of over 4 MiB or a row of over a million fields");
	} else if (!grow(r)) {
		r->result = pg_fail_nomem(r->err);
	} else {
		if (n && *text == '\'' && pg_csv_guarded(text, n)) {
			text++;
			n--;
		}
		if (n)
			pg_str_add(&r->text, text, n);
		pg_str_add(&r->text, "", 1);
		r->ends[r->n++] = r->text.len;
	}
}

static void on_row(int end, void *ctx)
{
	struct reader *r = ctx;

	(void)end;
	if (r->result)
		return;
	if (r->text.failed) {
		r->result = pg_fail_nomem(r->err);
		return;
	}
	if (r->width == 0)
		r->width = r->n;
	if (r->n != r->width) {
		r->result =
			pg_fail(r->err, PG_EINPUT, "line %zu has %zu fields, the header %zu", r->first, r->n, r->width);
		return;
	}
	for (size_t i = 0; i < r->n; i++)
		r->fields[i] = r->text.s + (i ? r->ends[i - 1] : 0);
	if (r->row(r->ctx, r->first, r->fields, r->n) != 0)
		r->result = -1;
	r->n = 0;
	pg_str_reset(&r->text);
	r->first = 0;
}

/* A piece without newline, or a newline alone. */
static void feed(struct reader *r, const char *s, size_t n)
{
	/* Between two rows a newline is a blank line; libcsv passes it over. State 0 of its parser is "no row begun".
	 */
	if (r->p.pstate == 0 && *s != '\n')
		r->first = r->line;
	if (csv_parse(&r->p, s, n, on_field, on_row, r) == n || r->result)
		return;
	if (csv_error(&r->p) == CSV_EPARSE)
		fail(r, "a quote where none may stand; quote the whole field and double the quotes inside");
	else
		r->result = pg_fail_nomem(r->err);
}

static void feed_lines(struct reader *r, const char *s, size_t n)
{
	while (n && r->result == 0) {
		const char *nl = memchr(s, '\n', n);
		size_t k = nl ? (size_t)(nl - s) : n;

		if (k)
			feed(r, s, k);
		if (nl && r->result == 0) {
			feed(r, nl, 1);
			r->line++;
			k++;
		}
		s += k;
		n -= k;
	}
}

static int reader_init(struct reader *r, char separator, pg_csv_row_fn *row, void *ctx, struct pg_err *err)
{
	memset(r, 0, sizeof(*r));
	r->row = row;
	r->ctx = ctx;
	r->err = err;
	r->line = 1;
	pg_str_init(&r->text);
	if (csv_init(&r->p, CSV_STRICT | CSV_STRICT_FINI) != 0)
		return pg_fail_nomem(err);
	csv_set_delim(&r->p, (unsigned char)separator);
	csv_set_space_func(&r->p, no_space);
	return 0;
}

static int reader_end(struct reader *r)
{
	if (r->result == 0 && csv_fini(&r->p, on_field, on_row, r) != 0)
		fail(r, "a quoted field that never ends");
	csv_free(&r->p);
	pg_str_release(&r->text);
	free(r->ends);
	free(r->fields);
	return r->result;
}

static size_t bom(const char *s, size_t n)
{
	return n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

int pg_csv_parse(const char *s, size_t n, char separator, pg_csv_row_fn *row, void *ctx, struct pg_err *err)
{
	struct reader r;

	if (reader_init(&r, separator, row, ctx, err) != 0)
		return -1;
	feed_lines(&r, s + bom(s, n), n - bom(s, n));
	return reader_end(&r);
}

static int read_file(int fd, struct reader *r, const char *path)
{
	char *buf = malloc(CHUNK);
	bool start = true;

	if (!buf)
		r->result = pg_fail_nomem(r->err);
	while (r->result == 0) {
		ssize_t k = read(fd, buf, CHUNK);
		size_t skip;

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			r->result = pg_fail_sys(r->err, "cannot read '%s'", path);
		if (k <= 0)
			break;
		skip = start ? bom(buf, (size_t)k) : 0;
		start = false;
		feed_lines(r, buf + skip, (size_t)k - skip);
	}
	free(buf);
	return r->result;
}

int pg_csv_read(const char *path, char separator, pg_csv_row_fn *row, void *ctx, struct pg_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct reader r;
	struct stat st;
	int result;

	if (fd < 0)
		return pg_fail_sys(err, "cannot open '%s'", path);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return pg_fail(err, PG_EINPUT, "'%s' is no regular file", path);
	}
	if (reader_init(&r, separator, row, ctx, err) != 0) {
		close(fd);
		return -1;
	}
	read_file(fd, &r, path);
	close(fd);
	result = reader_end(&r);
	if (result != 0 && err && err->code == PG_EINPUT)
		pg_err_wrap(err, "%s", path);
	return result;
}

int pg_csv_check_header(const char *const *fields, size_t n, const char *const *expected, size_t n_expected,
			struct pg_err *err)
{
	if (n == 1 && n_expected > 1)
		return pg_fail(err, PG_EINPUT, "header has 1 column, expected %zu (%s); save it with commas",
			       n_expected,
			       strchr(fields[0], ';')	 ? "semicolon-separated?"
			       : strchr(fields[0], '\t') ? "tab-separated?"
							 : "another separator?");
	if (n < n_expected)
		return pg_fail(err, PG_EINPUT, "header has %zu columns, expected %zu", n, n_expected);
	for (size_t i = 0; i < n_expected; i++)
		if (strcmp(fields[i], expected[i]) != 0)
			return pg_fail(err, PG_EINPUT, "column %zu is '%s', expected '%s'", i + 1, fields[i],
				       expected[i]);
	return 0;
}
