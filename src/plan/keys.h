/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of a scenario file as rows: one source for validation, "did you mean", schema and documentation. What a
 * key's value may be is its form; params are not here, they are rows of their bench.
 */
#ifndef PG_PLAN_KEYS_H
#define PG_PLAN_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pg_node;

enum pg_form {
	PG_FORM_VERSION, /* 1 */
	PG_FORM_NAME,	 /* letters, digits, `_`, `-` */
	PG_FORM_TEXT,
	PG_FORM_COUNT, /* min..max */
	PG_FORM_NICE,
	PG_FORM_TIME, /* min..max in ns */
	PG_FORM_PERCENT,
	PG_FORM_NUMBER, /* decimal */
	PG_FORM_BOOL,
	PG_FORM_CHOICE,
	PG_FORM_POLICY,
	PG_FORM_CPULIST,
	PG_FORM_WORDS,	 /* list of texts: a command */
	PG_FORM_COMMAND, /* list of texts, or one text with `shell` */
	PG_FORM_EXITS,	 /* number, list of numbers, `any` */
	PG_FORM_ENV,	 /* map of texts, ~ = unset */
	PG_FORM_FILES,	 /* list of paths */
	PG_FORM_NAMES,	 /* one text or a list of texts */
	PG_FORM_SUITE,	 /* bench or glob */
	PG_FORM_REPEAT,	 /* number, or map of pg_repeat_keys */
	PG_FORM_COMPARE, /* map of pg_compare_keys */
	PG_FORM_LOOKS,	 /* list of numbers, or `none` */
	PG_FORM_VALUES,	 /* map: param -> value */
	PG_FORM_AXES,	 /* map: param -> values, or bundle -> list of maps */
	PG_FORM_EXPRS,	 /* map: param -> expression */
	PG_FORM_EXPR,
	PG_FORM_SKIPS,	  /* list of maps of pg_skip_keys and params */
	PG_FORM_ADDS,	  /* list of maps: axis -> value */
	PG_FORM_VARIANTS, /* list of maps of a label, run keys and params */
	PG_FORM_TABLES,	  /* list of maps of pg_table_keys */
	PG_FORM_METRICS,  /* list of maps of pg_metric_keys */
	PG_FORM_QUICK,	  /* map of the sweep keys with PG_KEY_QUICK */
	PG_FORM_DEFAULTS, /* map of the sweep keys with PG_KEY_DEFAULTS */
	PG_FORM_SWEEPS,	  /* list of maps of pg_sweep_keys */
	PG_FORM_PICK,	  /* map of one entry: axis -> value */
};

enum pg_key_flag {
	PG_KEY_REQUIRED = 1 << 0,
	PG_KEY_FILE = 1 << 1,	  /* in the scenario file itself */
	PG_KEY_INCLUDE = 1 << 2,  /* in an included file */
	PG_KEY_SWEEP = 1 << 3,	  /* in a sweep */
	PG_KEY_DEFAULTS = 1 << 4, /* in `defaults` */
	PG_KEY_ITEM = 1 << 5,	  /* in an item of a bundle or of `variants` */
	PG_KEY_QUICK = 1 << 6,	  /* in `quick` */
	PG_KEY_EXEC = 1 << 7,	  /* in a sweep of suite exec only */
	PG_KEY_GRID = 1 << 8,	  /* not where the suite is a glob */
	PG_KEY_SUB = 1 << 9,	  /* rows of the small tables: repeat, compare, skip, table, metric */
};

enum pg_key_id {
	PG_K_PERFGRID,
	PG_K_NAME,
	PG_K_DESCRIPTION,
	PG_K_INCLUDE,
	PG_K_DEFAULTS,
	PG_K_SWEEPS,
	PG_K_SESSIONS,
	PG_K_SUITE,
	PG_K_SET,
	PG_K_VARY,
	PG_K_DERIVE,
	PG_K_SKIP,
	PG_K_ADD,
	PG_K_TABLES,
	PG_K_QUICK,
	PG_K_VARIANTS,
	PG_K_REPEAT,
	PG_K_WARMUP,
	PG_K_PAUSE,
	PG_K_TIMEOUT,
	PG_K_RETRY,
	PG_K_REDO,
	PG_K_COMPARE,
	PG_K_ORDER,
	PG_K_SAMPLE_TIME,
	PG_K_PROCESS,
	PG_K_LABEL,
	PG_K_PIN,
	PG_K_NICE,
	PG_K_POLICY,
	PG_K_CGROUP,
	PG_K_ENV,
	PG_K_PREFIX,
	PG_K_BEFORE,
	PG_K_AFTER,
	PG_K_BACKGROUND,
	PG_K_COMMAND,
	PG_K_SHELL,
	PG_K_STDIN,
	PG_K_WORKING_DIRECTORY,
	PG_K_EXITS,
	PG_K_METRICS,
	PG_K_MIN,
	PG_K_MAX,
	PG_K_CI,
	PG_K_TIME,
	PG_K_CONF,
	PG_K_INTERVAL,
	PG_K_THRESHOLD,
	PG_K_LENS,
	PG_K_LOOKS,
	PG_K_CORRECTION,
	PG_K_WHEN,
	PG_K_WHY,
	PG_K_ROWS,
	PG_K_COLUMNS,
	PG_K_SPLIT,
	PG_K_VALUE,
	PG_K_STATISTIC,
	PG_K_UNIT,
	PG_K_RELATIVE_TO,
	PG_K_PATTERN,
	PG_K_SCALE,
	PG_K_BETTER,
	PG_K_WHICH,
	PG_K_FROM,
	PG_K_REQUIRED,
};

struct pg_key {
	const char *name, *doc;	  /* a table ends with .name == NULL */
	const char *def;	  /* built-in value as text; NULL = none */
	const char *const *words; /* CHOICE: all there are; else words beside the number; ends with NULL */
	uint64_t min, max; /* COUNT: the number; TIME: ns; SWEEPS SKIPS ADDS VARIANTS TABLES METRICS LOOKS: items */
	enum pg_form form;
	enum pg_key_id id;
	unsigned flags;
};

extern const struct pg_key pg_file_keys[];
extern const struct pg_key pg_sweep_keys[]; /* also defaults, bundle items, quick: by their flag */
extern const struct pg_key pg_repeat_keys[];
extern const struct pg_key pg_compare_keys[];
extern const struct pg_key pg_skip_keys[];
extern const struct pg_key pg_table_keys[];
extern const struct pg_key pg_metric_keys[];

const struct pg_key *pg_key_find(const struct pg_key *rows, const char *name);
/* "a list of words", "a time with unit, or `none`": what the value may be, for messages. */
const char *pg_form_text(enum pg_form form);
/* Names that no param, bundle or metric of a scenario may have; why is a fragment for the message, NULL = free. */
const char *pg_name_reserved(const char *name);

/*
 * Calls fn for each entry of map whose key is a row with one of `flags`. Unknown keys and missing required ones are
 * reported; all entries are looked at. -1 = something was wrong. `where` names the map in messages ("a sweep").
 */
typedef int pg_key_fn(void *ctx, const struct pg_key *row, const struct pg_node *node);
int pg_keys_walk(struct pg_diag *d, const struct pg_node *map, const struct pg_key *rows, unsigned flags,
		 const char *where, pg_key_fn *fn, void *ctx);
/* Reports a key that is no row: with the nearest of `rows` (having flags) and of names[0..n). */
int pg_key_unknown(struct pg_diag *d, const struct pg_node *node, const struct pg_key *rows, unsigned flags,
		   const char *where, const char *const *names, size_t n);
/* An entry without a value, as `{a: 1, 2}` leaves behind: reported, with a hint, and -1; else 0. */
int pg_key_has_value(struct pg_diag *d, const struct pg_node *node);

#endif
