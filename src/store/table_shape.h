/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shape of a table: what stands on rows, columns and split, in which order, under which text; and which files it
 * becomes.
 */
#ifndef PG_STORE_TABLE_SHAPE_H
#define PG_STORE_TABLE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

struct pg_csv;
struct pg_str;

#define PG_TABLE_FIELDS_MAX ((size_t)1 << 24) /* numbers of a table, all its files together */
#define PG_TABLE_FILES_MAX  10000u	      /* values of `split` */

/* Rows, columns or split: a product of placed things, the last one fastest. */
struct pg_side {
	const struct pg_placed *placed;
	size_t n;     /* placed things */
	size_t count; /* lines: 1 when n is 0 */
};

/* A line of a side: its share of the key of a cell, and the metric and statistic that it fixes (SIZE_MAX = none). */
struct pg_line {
	size_t key, metric, stat;
};

struct pg_shape {
	const struct pg_sweep *sw;
	const struct pg_table_spec *t;
	struct pg_side rows, columns, split;
	size_t *stride;		   /* per axis, in the key of a cell; 0 = not placed */
	size_t **order;		   /* per axis: value at each place */
	size_t n_keys;		   /* product of the placed axes */
	bool has_metric, has_stat; /* placed somewhere */
};

/* -1: PG_EINPUT at the table's place when it is too large. */
int pg_shape_init(struct pg_shape *s, const struct pg_sweep *sw, const struct pg_table_spec *t, struct pg_err *err);
void pg_shape_release(struct pg_shape *s);
size_t pg_shape_length(const struct pg_shape *s, const struct pg_placed *p); /* values of a placed thing */
struct pg_line pg_shape_line(const struct pg_shape *s, const struct pg_side *side, size_t i);
size_t pg_shape_key(const struct pg_shape *s, const struct pg_cell *c);
/* Names of the placed things joined by `|`; texts of line i joined by `|`. Appended. */
void pg_shape_names(const struct pg_shape *s, const struct pg_side *side, struct pg_str *out);
void pg_shape_label(const struct pg_shape *s, const struct pg_side *side, size_t i, struct pg_str *out);
/* The text of placed thing k of line i as a field. */
void pg_shape_field(const struct pg_shape *s, const struct pg_side *side, size_t i, size_t k, struct pg_csv *csv);
const char *pg_shape_name(const struct pg_shape *s, const struct pg_side *side, size_t k);

/* "time_ms", "time_ratio": a metric of the table with its unit. */
void pg_table_metric_text(const struct pg_shape *s, size_t metric, struct pg_str *out);
/* Divisor to the table's unit. */
double pg_table_divisor(const struct pg_shape *s, size_t metric, enum pg_statistic stat);

/* The files: split, then metrics and statistics that are nowhere placed. */
struct pg_table_file {
	size_t split;	     /* line */
	size_t metric, stat; /* SIZE_MAX = placed on rows or columns */
};
size_t pg_shape_files(const struct pg_shape *s);
struct pg_table_file pg_shape_file(const struct pg_shape *s, size_t i);
/* Its name. -1: PG_EINPUT at the table's place when it is too long for a file. */
int pg_shape_file_name(const struct pg_shape *s, const struct pg_table_file *f, struct pg_str *out, struct pg_err *err);
int pg_status_file_name(const struct pg_shape *s, size_t split, struct pg_str *out, struct pg_err *err);

#endif
