/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweeps as they stand in the file: which bench, or which benches of a glob, names, keys over defaults, quick form. */
#include <string.h>

#include "base/str.h"
#include "plan/quote.h"
#include "plan/scalar.h"
#include "plan/scenario.h"

#define MAX_NEAR 256

static const char *leaf(const struct pg_bench *bench)
{
	const char *slash = strrchr(bench->name, '/');

	return slash ? slash + 1 : bench->name;
}

/* `all` leaves out the two that measure nothing of the machine by themselves. */
static bool in_glob(const char *glob, const struct pg_bench *bench)
{
	size_t n = strlen(glob);

	if (strcmp(glob, "all") == 0)
		return strcmp(bench->name, "exec") != 0 && strcmp(bench->name, "noop") != 0;
	return n > 2 && strcmp(glob + n - 2, "/*") == 0 && strncmp(bench->name, glob, n - 1) == 0;
}

static bool is_glob(const char *name)
{
	return strcmp(name, "all") == 0 || strchr(name, '*');
}

static int unknown_suite(struct pg_build *b, const struct pg_node *node)
{
	const struct pg_suite *const *s = b->in->suites;
	const char *names[MAX_NEAR], *best;
	struct pg_str list;
	struct pg_quote q;
	size_t n = 0;

	names[n++] = "all";
	for (size_t i = 0; s[i]; i++)
		for (size_t k = 0; s[i]->benches[k] && n < MAX_NEAR; k++)
			names[n++] = s[i]->benches[k]->name;
	best = pg_nearest(node->text, names, n);
	pg_quote(&q, node->text, node->len);
	if (best)
		return pg_diag_error(&b->d, &node->loc, "unknown suite %s; did you mean `%s`?", q.s, best);
	/* Suites, and of benches only those that are their own suite: all benches would be more than a line. */
	pg_str_init(&list);
	for (size_t i = 0; s[i]; i++)
		pg_str_addf(&list, "%s, ", s[i]->name);
	pg_diag_error(&b->d, &node->loc,
		      "unknown suite %s; allowed: a bench of %sas `perfgrid list` has them, SUITE/*, all", q.s,
		      pg_str_text(&list));
	pg_str_release(&list);
	return -1;
}

static int draft_room(struct pg_build *b)
{
	size_t room = b->room_drafts ? 2 * b->room_drafts : 16;
	struct pg_draft *more;

	if (b->n_drafts < b->room_drafts)
		return 0;
	more = pg_build_array(b, room, sizeof(*more));
	if (!more)
		return -1;
	if (b->n_drafts)
		memcpy(more, b->drafts, b->n_drafts * sizeof(*more));
	b->drafts = more;
	b->room_drafts = room;
	return 0;
}

/* The name is that of the next draft, unless another has it. */
static int take_name(struct pg_build *b, const struct pg_draft *from, const char *name)
{
	size_t before;
	int added = pg_nameset_add(&b->sweep_names, name, b->n_drafts, &before);

	if (added < 0)
		return pg_diag_error(&b->d, NULL, "out of memory");
	return added ? 0
		     : pg_diag_error(&b->d, &from->name_loc,
				     "sweep %s has the name of the sweep on line %u; a name is taken once, whatever "
				     "its case",
				     name, b->drafts[before].name_loc.line);
}

static int add_draft(struct pg_build *b, const struct pg_draft *from, const struct pg_bench *bench, const char *name)
{
	struct pg_draft *to;

	if (draft_room(b) || (name && take_name(b, from, name)))
		return -1;
	to = &b->drafts[b->n_drafts++];
	*to = *from;
	to->name = name;
	to->bench = bench;
	to->exec = bench && strcmp(bench->name, "exec") == 0;
	return 0;
}

/* One draft per bench of the glob, named NAME-BENCH. */
static int add_glob(struct pg_build *b, struct pg_draft *from, const struct pg_node *suite)
{
	const struct pg_suite *const *s = b->in->suites;
	size_t before = b->n_drafts;
	int rc = 0;

	from->glob = true;
	from->base_name = from->name;
	for (size_t i = 0; s[i]; i++)
		for (size_t k = 0; s[i]->benches[k]; k++) {
			const struct pg_bench *bench = s[i]->benches[k];
			const char *name = from->name;

			if (!in_glob(suite->text, bench))
				continue;
			if (name) {
				name = pg_build_printf(b, "%s-%s", from->name, leaf(bench));
				if (!name)
					return -1;
				if (!pg_is_name(name))
					return pg_diag_error(&b->d, &from->name_loc,
							     "%s is too long for a name; allowed: 64 letters", name);
			}
			if (add_draft(b, from, bench, name))
				rc = -1;
		}
	return before == b->n_drafts && !rc ? unknown_suite(b, suite) : rc;
}

static int read_suite(struct pg_build *b, struct pg_draft *from)
{
	const struct pg_node *suite = pg_node_get(from->node, "suite");
	const struct pg_key *row = pg_key_find(pg_sweep_keys, "suite");
	const struct pg_suite *const *s = b->in->suites;
	const char *text;

	if (!suite || pg_node_is_null(suite))
		return add_draft(b, from, NULL, from->name); /* reported with the other keys */
	from->suite_loc = suite->loc;
	if (pg_scalar_text(&b->d, row, suite, &text))
		return add_draft(b, from, NULL, from->name);
	if (is_glob(text))
		return add_glob(b, from, suite);
	for (size_t i = 0; s[i]; i++)
		for (size_t k = 0; s[i]->benches[k]; k++)
			if (strcmp(s[i]->benches[k]->name, text) == 0)
				return add_draft(b, from, s[i]->benches[k], from->name);
	unknown_suite(b, suite);
	return add_draft(b, from, NULL, from->name);
}

int pg_drafts_read(struct pg_build *b, const struct pg_node *sweeps)
{
	int rc = 0;

	if (pg_node_want_items(&b->d, pg_key_find(pg_file_keys, "sweeps"), sweeps))
		return -1;
	for (const struct pg_node *n = sweeps->child; n && !pg_diag_full(&b->d); n = n->next) {
		struct pg_draft dr = {.b = b, .node = n, .loc = n->loc, .name_loc = n->loc};
		const struct pg_node *name = pg_node_get(n, "name");

		if (n->kind != PG_NODE_MAP) {
			rc = pg_diag_error(&b->d, &n->loc, "a sweep must be a map with `name` and `suite`; this is %s",
					   pg_node_is_null(n) ? "empty" : pg_node_what(n));
			continue;
		}
		if (name && !pg_node_is_null(name)) {
			if (pg_scalar_name(&b->d, pg_key_find(pg_sweep_keys, "name"), name, &dr.name))
				rc = -1;
			dr.name_loc = name->loc;
		}
		dr.quick = pg_node_get(n, "quick");
		if (read_suite(b, &dr))
			rc = -1;
	}
	return rc;
}

static int sweep_key(void *ctx, const struct pg_key *row, const struct pg_node *node)
{
	struct pg_draft *dr = ctx;
	struct pg_build *b = dr->b;

	if (dr->glob && (row->flags & PG_KEY_GRID))
		return pg_diag_error(
			&b->d, &node->key->loc,
			"`%s` has no place where suite is several benches; give each bench a sweep of its own",
			row->name);
	if (dr->bench && !dr->exec && (row->flags & PG_KEY_EXEC))
		return pg_diag_error(&b->d, &node->key->loc,
				     "`%s` is a key of suite exec only; this sweep has suite %s", row->name,
				     dr->bench->name);
	if (row->id == PG_K_DESCRIPTION)
		return pg_scalar_text(&b->d, row, node, &dr->keys.description);
	if (row->id == PG_K_QUICK)
		return pg_node_want_map(&b->d, row, node);
	if (row->id == PG_K_VARIANTS)
		return pg_variants_read(b, row, node, &dr->keys);
	if (pg_key_is_rule(row->id))
		return pg_keyset_rule(b, row, node, &dr->keys);
	return pg_key_is_run(row->id) ? pg_keyset_run(b, row, node, &dr->keys) : 0;
}

/* The quick form replaces rules; its set, vary and derive are read with the places. */
static int quick_key(void *ctx, const struct pg_key *row, const struct pg_node *node)
{
	struct pg_draft *dr = ctx;

	if (dr->glob && (row->flags & PG_KEY_GRID))
		return sweep_key(ctx, row, node);
	return pg_key_is_rule(row->id) ? pg_keyset_rule(dr->b, row, node, &dr->keys) : 0;
}

static void apply_options(struct pg_draft *dr)
{
	const struct pg_plan_opts *o = &dr->b->opts;
	const struct pg_repeat *own = &dr->keys.rules.repeat;

	dr->own_given = dr->keys.repeat.file != NULL;
	dr->own_end = own->fixed ? own->n : own->max;
	if (o->repeat) {
		dr->keys.rules.repeat.fixed = true;
		dr->keys.rules.repeat.n = o->repeat;
		dr->keys.repeat.file = "--repeat";
	}
	if (o->has_warmup)
		dr->keys.rules.warmup = o->warmup;
}

static bool never_forks(const struct pg_bench *bench)
{
	for (const struct pg_param *row = bench->params; row->name; row++)
		if (row->role & PG_FORKS)
			return true;
	return false;
}

static int choose_process(struct pg_draft *dr)
{
	struct pg_rules *r = &dr->keys.rules;

	if (!dr->bench)
		return 0;
	if (dr->exec && pg_node_get(dr->node, "process"))
		return pg_diag_error(&dr->b->d, &dr->keys.process,
				     "the program of suite exec is a process of its own; leave `process` out");
	if (!dr->keys.process.file || dr->exec) {
		r->process = dr->bench->one_process ? PG_PROC_FORK : PG_PROC_EXEC;
		return 0;
	}
	if (r->process == PG_PROC_FORK && never_forks(dr->bench))
		return pg_diag_error(&dr->b->d, &dr->keys.process,
				     "%s cannot run under process fork; use process: exec", dr->bench->name);
	return 0;
}

int pg_draft_read(struct pg_draft *dr)
{
	struct pg_build *b = dr->b;
	int rc;

	dr->keys = b->defaults;
	rc = pg_keys_walk(&b->d, dr->node, pg_sweep_keys, PG_KEY_SWEEP, "a sweep", sweep_key, dr);
	if (b->opts.quick && dr->quick && dr->quick->kind == PG_NODE_MAP &&
	    pg_keys_walk(&b->d, dr->quick, pg_sweep_keys, PG_KEY_QUICK, "`quick`", quick_key, dr))
		rc = -1;
	apply_options(dr);
	return choose_process(dr) ? -1 : rc;
}
