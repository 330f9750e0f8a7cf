/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Aligned tables. */
#include "runner/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "plan/plan.h"
#include "runner/report.h"
#include "runner/world.h"
#include "store/store.h"

#define DIGITS 6 /* significant ones that are shown of a fraction */

void pg_grid_init(struct pg_grid *g)
{
	memset(g, 0, sizeof(*g));
}

void pg_grid_release(struct pg_grid *g)
{
	for (size_t i = 0; i < g->n_fields; i++)
		free(g->field[i]);
	free(g->field);
	free(g->row);
	pg_grid_init(g);
}

/* Room for one more of n items. */
static void *grow(void *v, size_t n, size_t *cap, size_t size)
{
	size_t want = *cap ? 2 * *cap : 64;
	void *more;

	if (n < *cap)
		return v;
	more = reallocarray(v, want, size);
	if (more)
		*cap = want;
	return more;
}

static bool is_number(const char *s, struct pg_dec *d)
{
	return pg_dec_parse_lax(s, strlen(s), d) == PG_NUM_OK;
}

/* A fraction with more digits than one reads is rounded; whole numbers never lose a digit. */
static char *shown(const char *field)
{
	const char *point = strchr(field, '.');
	struct pg_dec d;
	struct pg_str out;
	size_t whole = 0, zeros = 0;
	int keep;

	pg_str_init(&out);
	pg_clean_line(&out, field, strlen(field));
	if (!point || !is_number(field, &d) || strpbrk(field, "eE"))
		return pg_str_detach(&out);
	for (const char *c = field; c < point; c++)
		whole += (*c >= '1' && *c <= '9') || (whole > 0 && *c == '0');
	if (whole == 0)
		zeros = strspn(point + 1, "0");
	keep = DIGITS - (int)whole + (int)zeros;
	keep = keep < 0 ? 0 : keep;
	if (strlen(point + 1) > (size_t)keep) {
		pg_str_reset(&out);
		pg_str_addf(&out, "%.*f", keep, pg_dec_to_double(d));
	}
	return pg_str_detach(&out);
}

void pg_grid_add(struct pg_grid *g, const char *field)
{
	char **v = grow(g->field, g->n_fields, &g->cap, sizeof(*v));

	if (!v || g->failed) {
		g->failed = true;
		return;
	}
	g->field = v;
	v[g->n_fields] = *field ? shown(field) : strdup("");
	if (!v[g->n_fields])
		g->failed = true;
	else
		g->n_fields++;
}

void pg_grid_end_row(struct pg_grid *g)
{
	size_t *v = grow(g->row, g->n_rows, &g->row_cap, sizeof(*v));

	if (!v || g->failed) {
		g->failed = true;
		return;
	}
	g->row = v;
	v[g->n_rows++] = g->n_fields;
}

/* Columns on a terminal: code points. */
static size_t width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* How a column is set. */
struct column {
	size_t width;
	bool numbers;  /* every field below the header is a number or empty */
	size_t after;  /* numbers: longest point and fraction */
	size_t before; /* numbers: longest part before the point */
};

static size_t fraction(const char *s)
{
	const char *point = strchr(s, '.');

	return point ? strlen(point) : 0;
}

static void measure(struct column *c, const char *field, bool header)
{
	size_t n = width(field), after;
	struct pg_dec d;

	c->width = n > c->width ? n : c->width;
	if (header || !*field)
		return;
	c->numbers = c->numbers && is_number(field, &d);
	after = fraction(field);
	c->after = after > c->after ? after : c->after;
	c->before = n - after > c->before ? n - after : c->before;
}

static size_t columns_of(const struct pg_grid *g)
{
	size_t most = 0;

	for (size_t r = 0; r < g->n_rows; r++) {
		size_t n = g->row[r] - (r ? g->row[r - 1] : 0);

		most = n > most ? n : most;
	}
	return most;
}

static void measure_all(const struct pg_grid *g, struct column *col, size_t n)
{
	for (size_t i = 0; i < n; i++)
		col[i].numbers = true;
	for (size_t r = 0; r < g->n_rows; r++) {
		size_t from = r ? g->row[r - 1] : 0;

		for (size_t i = 0; from + i < g->row[r]; i++)
			measure(&col[i], g->field[from + i], r == 0);
	}
	for (size_t i = 0; i < n; i++)
		if (col[i].numbers && col[i].before + col[i].after > col[i].width)
			col[i].width = col[i].before + col[i].after;
}

static void blanks(struct pg_str *out, size_t n)
{
	while (n-- > 0)
		pg_str_addc(out, ' ');
}

static void put_field(struct pg_str *out, const struct column *c, const char *field, bool header)
{
	size_t n = width(field), tail = 0;

	if (c->numbers && !header)
		tail = c->after - fraction(field);
	if (c->numbers)
		blanks(out, c->width - n - tail);
	pg_str_adds(out, field);
	blanks(out, c->numbers ? tail : c->width - n);
}

static void trim(struct pg_str *out)
{
	while (out->len > 0 && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
}

void pg_grid_print(const struct pg_grid *g, struct pg_str *out)
{
	size_t n = columns_of(g);
	struct column *col = calloc(n + 1, sizeof(*col));

	if (!col || g->failed) {
		free(col);
		out->failed = true;
		return;
	}
	measure_all(g, col, n);
	for (size_t r = 0; r < g->n_rows; r++) {
		size_t from = r ? g->row[r - 1] : 0;

		for (size_t i = 0; from + i < g->row[r]; i++) {
			if (i > 0)
				pg_str_adds(out, "  ");
			put_field(out, &col[i], g->field[from + i], r == 0);
		}
		trim(out);
		pg_str_addc(out, '\n');
	}
	free(col);
}

struct reading {
	struct pg_grid grid;
	bool comma; /* decimal comma */
};

/* "1,5" as "1.5", where the text is a number then; else NULL. malloc'ed. */
static char *with_point(const char *field)
{
	char *copy = strdup(field), *comma = copy ? strchr(copy, ',') : NULL;
	struct pg_dec d;

	if (comma)
		*comma = '.';
	if (comma && is_number(copy, &d))
		return copy;
	free(copy);
	return NULL;
}

static int take_row(void *ctx, size_t line, const char *const *fields, size_t n)
{
	struct reading *r = ctx;

	(void)line;
	for (size_t i = 0; i < n; i++) {
		char *number = r->comma ? with_point(fields[i]) : NULL;

		pg_grid_add(&r->grid, number ? number : fields[i]);
		free(number);
	}
	pg_grid_end_row(&r->grid);
	return 0;
}

int pg_show_csv(const char *path, char separator, struct pg_str *out, struct pg_err *err)
{
	struct reading r = {.comma = separator == ';'};
	int result;

	pg_grid_init(&r.grid);
	result = pg_csv_read(path, separator, take_row, &r, err);
	if (result == 0)
		pg_grid_print(&r.grid, out);
	pg_grid_release(&r.grid);
	return result;
}

int pg_print_table(struct pg_world *w, const char *path, char separator, bool show, struct pg_err *err)
{
	struct pg_str text;
	int r = 0;

	pg_str_init(&text);
	pg_str_addf(&text, "%s\n", path);
	if (show) {
		r = pg_show_csv(path, separator, &text, err);
		pg_str_addc(&text, '\n');
	}
	/* What cannot be written is reported once, by pg_stdout_done(). */
	pg_stdout_text(w, &text);
	pg_str_release(&text);
	return r;
}

struct printing {
	struct pg_world *w;
	const char *dir;
	bool show;
};

static int print_table(void *ctx, const char *file_name, struct pg_err *err)
{
	const struct printing *p = ctx;
	struct pg_str path;
	int r;

	pg_str_init(&path);
	pg_str_addf(&path, "%s/%s", p->dir, file_name);
	r = pg_print_table(p->w, pg_str_text(&path), ',', p->show, err);
	pg_str_release(&path);
	return r;
}

/* Its columns are for programs: never shown. A sweep that is called `all` has its rows in the file of all. */
static int print_verdicts(const struct printing *p, const struct pg_sweep *s, struct pg_err *err)
{
	struct printing path_only = *p;
	struct pg_str name;
	int r;

	path_only.show = false;
	pg_str_init(&name);
	pg_str_addf(&name, "%s.compare.csv", strcasecmp(s->name, "all") == 0 ? "all" : s->name);
	r = print_table(&path_only, pg_str_text(&name), err);
	pg_str_release(&name);
	return r;
}

int pg_print_tables(struct pg_world *w, const struct pg_plan *plan, const char *dir, bool show, struct pg_err *err)
{
	struct printing p = {.w = w, .dir = dir, .show = show};
	int r = 0;

	for (size_t i = 0; r == 0 && i < pg_plan_sweeps(plan); i++) {
		const struct pg_sweep *s = pg_plan_sweep(plan, i);

		for (size_t k = 0; r == 0 && k < s->n_tables; k++)
			r = pg_table_names(plan, i, &s->tables[k], print_table, &p, err);
		if (r == 0 && s->n_variants > 1)
			r = print_verdicts(&p, s, err);
	}
	pg_stdout_flush(w);
	return r;
}
