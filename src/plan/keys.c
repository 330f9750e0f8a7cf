/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking keys up, walking the maps they stand in, and what is said about a key that is none. */
#include "plan/keys.h"

#include <string.h>

#include "base/str.h"
#include "model/result.h"
#include "plan/expr.h"
#include "plan/node.h"
#include "plan/quote.h"

#define NEAR_MAX 256

const struct pg_key *pg_key_find(const struct pg_key *rows, const char *name)
{
	for (; rows->name; rows++)
		if (strcmp(rows->name, name) == 0)
			return rows;
	return NULL;
}

const char *pg_form_text(enum pg_form form)
{
	static const char *const texts[] = {
		[PG_FORM_VERSION] = "the number 1",
		[PG_FORM_NAME] = "a name: letters, digits, `_`, `-`, at most 64, not starting with `-`",
		[PG_FORM_TEXT] = "a text",
		[PG_FORM_COUNT] = "a whole number",
		[PG_FORM_NICE] = "a whole number from -20 to 19",
		[PG_FORM_TIME] = "a time with unit: ns, us, ms, s, min, h",
		[PG_FORM_PERCENT] = "a decimal number with %",
		[PG_FORM_NUMBER] = "a decimal number",
		[PG_FORM_BOOL] = "true or false",
		[PG_FORM_CHOICE] = "a word",
		[PG_FORM_POLICY] = "other, batch, idle, or fifo:N with N from 1 to 98",
		[PG_FORM_CPULIST] = "a CPU list in quotes, like '0-3,8'",
		[PG_FORM_WORDS] = "a list of words, the program first",
		[PG_FORM_COMMAND] = "a list of words, the program first; with `shell: true` one text",
		[PG_FORM_EXITS] = "a number from 0 to 255, a list of them, or `any`",
		[PG_FORM_ENV] = "a map of names and texts",
		[PG_FORM_FILES] = "a list of files",
		[PG_FORM_NAMES] = "a name or a list of names",
		[PG_FORM_SUITE] = "a bench, `SUITE/*` or `all`",
		[PG_FORM_REPEAT] = "a whole number, or a map of min, max, ci, time, conf, interval",
		[PG_FORM_COMPARE] = "a map of threshold, lens, looks, correction",
		[PG_FORM_LOOKS] = "a list of whole numbers, each above the one before, or `none`",
		[PG_FORM_VALUES] = "a map of params and values",
		[PG_FORM_AXES] = "a map of params and their values",
		[PG_FORM_EXPRS] = "a map of params and expressions",
		[PG_FORM_EXPR] = "an expression",
		[PG_FORM_SKIPS] = "a list of maps, each with `when` or params and values",
		[PG_FORM_ADDS] = "a list of maps, each with one value per axis",
		[PG_FORM_VARIANTS] = "a list of two or more maps, each with `label`",
		[PG_FORM_TABLES] = "a list of maps such as {rows: a, columns: b, value: time}",
		[PG_FORM_METRICS] = "a list of maps, each with `name` and `pattern`",
		[PG_FORM_QUICK] = "a map of sweep keys",
		[PG_FORM_DEFAULTS] = "a map of sweep keys",
		[PG_FORM_SWEEPS] = "a list of maps, each with `name` and `suite`",
		[PG_FORM_PICK] = "a map of one axis and one of its values",
	};

	return texts[form];
}

/* Columns that result files have beside params; words of the language; what YAML 1.1 reads as no text. */
static const char *const columns[] = {
	"cell",	     "rep",	      "seed",	    "variant",	   "label",	   "status",	    "bench",
	"suite",     "sweep",	      "id",	    "line",	   "session",	   "seq",	    "phase",
	"round",     "position",      "attempt",    "metric",	   "statistic",	   "unit",	    "better",
	"reason",    "flags",	      "stop",	    "n",	   "n_warmup",	   "n_failed",	    "median",
	"ci_lo",     "ci_hi",	      "ci_level",   "ci_pct",	   "best",	   "mean",	    "sd",
	"sd_pct",    "mad",	      "q25",	    "q75",	   "out_mild",	   "out_severe",    "r1",
	"n_eff",     "drift_pct",     "drift_p",    "time_used",   "mark",	   "guards",	    "n_redone",
	"base",	     "base_sd_pct",   "new",	    "new_sd_pct",  "change_pct",   "p_adj",	    "verdict",
	"n_dropped", "typical_ratio", "typical_lo", "typical_hi",  "typical_p",	   "typical_p_adj", "floor_ratio",
	"floor_lo",  "floor_hi",      "floor_p",    "floor_p_adj", "ratio_median", "mde",	    "rounds_needed",
	"threshold",
};
static const char *const operators[] = {"min", "max", "and", "or", "not"};
static const char *const yaml_words[] = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
/* Sweep keys of the language that this file's rows do not hold. */
static const char *const other_keys[] = {"counters", "sessions", "shard_by", "include", "defaults", "sweeps"};

static bool among(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

#define AMONG(name, list) among(name, list, sizeof(list) / sizeof((list)[0]))

const char *pg_name_reserved(const char *name)
{
	if (pg_key_find(pg_sweep_keys, name) || AMONG(name, other_keys))
		return "is a key of a sweep";
	if (among(name, pg_machine_words, PG_MACHINE_WORDS))
		return "is a machine word";
	if (AMONG(name, operators))
		return "is a word of expressions";
	if (AMONG(name, yaml_words))
		return "is no text to YAML";
	if (AMONG(name, columns))
		return "is a column of the result files";
	/* `loops` is a column only where a bench counts them, and there it is a param. */
	for (int f = PG_F_LOOPS + 1; f < PG_FACTS; f++)
		if (strcmp(pg_fact_name((enum pg_fact)f), name) == 0)
			return "is a column of the result files";
	return NULL;
}

int pg_key_has_value(struct pg_diag *d, const struct pg_node *node)
{
	struct pg_quote q;

	if (!pg_node_is_null(node))
		return 0;
	pg_quote(&q, node->key->text, node->key->len);
	if (node->flow)
		return pg_diag_error(d, &node->key->loc,
				     "`%s` has no value; write one, or, if it belongs to the text before, put that in "
				     "quotes: a comma in { } ends a text",
				     q.s);
	return pg_diag_error(d, &node->key->loc, "`%s` has no value; write one or leave the key out", q.s);
}

static size_t collect(const struct pg_key *rows, unsigned flags, const char **out, size_t room)
{
	size_t n = 0;

	for (; rows->name && n < room; rows++)
		if (rows->flags & flags)
			out[n++] = rows->name;
	return n;
}

int pg_key_unknown(struct pg_diag *d, const struct pg_node *node, const struct pg_key *rows, unsigned flags,
		   const char *where, const char *const *names, size_t n)
{
	const char *near[NEAR_MAX], *best;
	const struct pg_key *row = pg_key_find(rows, node->key->text);
	size_t have = collect(rows, flags, near, NEAR_MAX);
	struct pg_str list;
	struct pg_quote q;

	if (pg_node_is_null(node))
		return pg_key_has_value(d, node);
	pg_quote(&q, node->key->text, node->key->len);
	if (!row && rows == pg_sweep_keys && pg_key_find(pg_file_keys, node->key->text))
		return pg_diag_error(d, &node->key->loc,
				     "`%s` has no place in %s; it is a key of the file and stands beside `sweeps`", q.s,
				     where);
	if (!row && rows == pg_file_keys && pg_key_find(pg_sweep_keys, node->key->text))
		return pg_diag_error(
			d, &node->key->loc, "`%s` has no place in %s; it is a key of a sweep%s", q.s, where,
			pg_key_find(pg_sweep_keys, node->key->text)->flags & PG_KEY_DEFAULTS ? " or of `defaults`"
											     : "");
	for (size_t i = 0; i < n && have < NEAR_MAX; i++)
		if (names[i])
			near[have++] = names[i];
	best = pg_nearest(node->key->text, near, have);
	if (best && !row)
		return pg_diag_error(d, &node->key->loc, "unknown key `%s` in %s; did you mean `%s`?", q.s, where,
				     best);
	pg_str_init(&list);
	for (size_t i = 0; i < have; i++)
		pg_str_addf(&list, "%s%s", i ? ", " : "", near[i]);
	if (row)
		pg_diag_error(d, &node->key->loc, "`%s` has no place in %s; allowed: %s", q.s, where,
			      pg_str_text(&list));
	else
		pg_diag_error(d, &node->key->loc, "unknown key `%s` in %s; allowed: %s", q.s, where,
			      pg_str_text(&list));
	pg_str_release(&list);
	return -1;
}

static int require(struct pg_diag *d, const struct pg_node *map, const struct pg_key *rows, unsigned flags,
		   const char *where)
{
	int rc = 0;

	for (; rows->name; rows++)
		if ((rows->flags & flags) && (rows->flags & PG_KEY_REQUIRED) && !pg_node_get(map, rows->name))
			rc = pg_diag_error(d, &map->loc, "`%s` is missing in %s; it is %s", rows->name, where,
					   pg_form_text(rows->form));
	return rc;
}

/* `x-...` in a file: ignored. */
static bool is_anchor_home(const struct pg_node *n, unsigned flags)
{
	return (flags & (PG_KEY_FILE | PG_KEY_INCLUDE)) && pg_startswith(n->key->text, "x-");
}

int pg_keys_walk(struct pg_diag *d, const struct pg_node *map, const struct pg_key *rows, unsigned flags,
		 const char *where, pg_key_fn *fn, void *ctx)
{
	bool cut = false; /* the entry before was refused, maybe for a comma in it: what has no value belongs to it */
	int rc = 0;

	for (const struct pg_node *c = map->child; c && !pg_diag_full(d); c = c->next) {
		const struct pg_key *row = pg_key_find(rows, c->key->text);

		if ((cut && pg_node_is_null(c)) || is_anchor_home(c, flags))
			continue;
		cut = c->kind == PG_NODE_SCALAR && pg_node_slip(c, d);
		if (cut)
			rc = -1;
		else if (!row || !(row->flags & flags))
			rc = pg_key_unknown(d, c, rows, flags, where, NULL, 0);
		else if (pg_key_has_value(d, c) || fn(ctx, row, c)) {
			rc = -1;
			cut = c->kind == PG_NODE_SCALAR && c->plain && c->flow;
		}
	}
	return require(d, map, rows, flags, where) ? -1 : rc;
}
