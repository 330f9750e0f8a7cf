/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables for reading: a CSV file in aligned columns, and text columns for lists. */
#ifndef PG_RUNNER_TERMINAL_H
#define PG_RUNNER_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

struct pg_err;
struct pg_plan;
struct pg_str;
struct pg_world;

/* Rows of text fields, appended one after the other. */
struct pg_grid {
	char **field; /* all fields, row by row, malloc'ed */
	size_t n_fields, cap;
	size_t *row; /* end of each row in field */
	size_t n_rows, row_cap;
	bool failed; /* out of memory */
};
void pg_grid_init(struct pg_grid *g);
void pg_grid_release(struct pg_grid *g);
void pg_grid_add(struct pg_grid *g, const char *field);
void pg_grid_end_row(struct pg_grid *g);
/*
 * The first row is the header. A column of numbers is set to the right, with decimal points below each other; of a
 * fraction so many digits are kept that 6 significant ones stay (the file has all). Rows without any text become blank
 * lines.
 */
void pg_grid_print(const struct pg_grid *g, struct pg_str *out);

/* Appends the aligned table of a CSV file with that separator; with `;` a decimal comma is understood. */
int pg_show_csv(const char *path, char separator, struct pg_str *out, struct pg_err *err);

/* The path of a table to standard output, with `show` followed by the table itself. */
int pg_print_table(struct pg_world *w, const char *path, char separator, bool show, struct pg_err *err);

/*
 * Paths of all tables of a plan below dir to standard output, with `show` each followed by the table itself; then that
 * of the verdicts where a sweep has variants.
 */
int pg_print_tables(struct pg_world *w, const struct pg_plan *plan, const char *dir, bool show, struct pg_err *err);

#endif
