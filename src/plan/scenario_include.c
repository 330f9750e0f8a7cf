/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a scenario. Included ones give defaults only, so all that is kept of them is their `defaults` map, in
 * order of strength: what a file includes is weaker than what it says itself, a later include stronger than an earlier
 * one.
 */
#include <string.h>

#include "base/str.h"
#include "plan/include.h"
#include "plan/quote.h"
#include "plan/scalar.h"
#include "plan/scenario.h"

#define MAX_INCLUDES 1000 /* in all: files that include each other several times multiply */

struct file_ctx {
	struct pg_build *b;
	const struct pg_include *at;
	const struct pg_node *defaults;
	bool included;
};

static const char *join(struct pg_build *b, const char *from, const char *to)
{
	const char *path = NULL;
	struct pg_str text;

	pg_str_init(&text);
	if (pg_include_path(from, to, &text))
		pg_diag_error(&b->d, NULL, "out of memory");
	else
		path = pg_build_printf(b, "%s", pg_str_text(&text));
	pg_str_release(&text);
	return path;
}

static const struct pg_plan_file *find_file(const struct pg_build *b, const char *path)
{
	for (size_t i = 0; i < b->plan->n_files; i++)
		if (strcmp(b->plan->files[i].path, path) == 0)
			return &b->plan->files[i];
	return NULL;
}

static int keep_file(struct pg_build *b, const char *path, const struct pg_str *text)
{
	struct pg_plan *p = b->plan;
	char *bytes = pg_build_array(b, text->len + 1, 1);

	if (p->n_files == p->room_files) {
		size_t room = p->room_files ? 2 * p->room_files : 8;
		struct pg_plan_file *more = pg_build_array(b, room, sizeof(*more));

		if (!more)
			return -1;
		if (p->n_files)
			memcpy(more, p->files, p->n_files * sizeof(*more));
		p->files = more; /* what was there is small and stays in the arena */
		p->room_files = room;
	}
	if (!bytes)
		return -1;
	if (text->len)
		memcpy(bytes, text->s, text->len);
	p->files[p->n_files++] = (struct pg_plan_file){.path = path, .bytes = bytes, .n = text->len};
	return 0;
}

/* Reads a file once, however often it is included. loc = where it is named. */
static const struct pg_plan_file *read_file(struct pg_build *b, const char *path, const struct pg_loc *loc)
{
	const struct pg_plan_file *f = find_file(b, path);
	struct pg_err err = {.code = PG_OK};
	struct pg_str text;
	int rc;

	if (f)
		return f;
	pg_str_init(&text);
	rc = b->in->read(b->in->read_ctx, path, &text, &err);
	if (rc || text.failed) {
		if (loc)
			pg_diag_error(&b->d, loc, "%s: %s", path, rc ? err.msg : "out of memory");
		else
			pg_diag_error(&b->d, &(struct pg_loc){.file = path}, "%s", rc ? err.msg : "out of memory");
		rc = -1;
	} else {
		rc = keep_file(b, path, &text);
	}
	pg_str_release(&text);
	return rc ? NULL : &b->plan->files[b->plan->n_files - 1];
}

static int add_layer(struct pg_build *b, const struct pg_node *defaults)
{
	if (b->n_layers == b->room_layers) {
		size_t room = b->room_layers ? 2 * b->room_layers : 8;
		const struct pg_node **more = pg_build_array(b, room, sizeof(const struct pg_node *));

		if (!more)
			return -1;
		if (b->n_layers)
			memcpy(more, b->layers, b->n_layers * sizeof(const struct pg_node *));
		b->layers = more;
		b->room_layers = room;
	}
	b->layers[b->n_layers++] = defaults;
	return 0;
}

static int walk_file(struct pg_build *b, const struct pg_include *at, const struct pg_loc *loc,
		     const struct pg_node **root);

static int include_one(struct file_ctx *c, const struct pg_node *node)
{
	struct pg_build *b = c->b;
	struct pg_include next = {.path = join(b, c->at->path, node->text), .from = c->at};
	const struct pg_node *root;

	if (!next.path || pg_include_check(c->at, next.path, &node->loc, &b->d))
		return -1;
	if (++b->n_includes > MAX_INCLUDES)
		return pg_diag_error(&b->d, &node->loc, "too many includes; at most %u in all", MAX_INCLUDES);
	return walk_file(b, &next, &node->loc, &root);
}

static int include_all(struct file_ctx *c, const struct pg_key *row, const struct pg_node *list)
{
	int rc = 0;

	if (pg_node_want_list(&c->b->d, row, list))
		return -1;
	for (const struct pg_node *n = list->child; n && !pg_diag_full(&c->b->d); n = n->next) {
		if (n->kind != PG_NODE_SCALAR || n->len == 0)
			rc = pg_diag_error(&c->b->d, &n->loc, "an include must be the path of a file; this is %s",
					   n->kind == PG_NODE_SCALAR ? "empty" : pg_node_what(n));
		else if (include_one(c, n))
			rc = -1;
	}
	return rc;
}

static int version_check(struct pg_build *b, const struct pg_node *node)
{
	struct pg_quote q;

	if (node->kind == PG_NODE_SCALAR && strcmp(node->text, "1") == 0)
		return 0;
	return pg_diag_error(&b->d, &node->loc,
			     "version %s of the scenario language is not known; this perfgrid reads 1",
			     node->kind == PG_NODE_SCALAR ? pg_quote(&q, node->text, node->len) : pg_node_what(node));
}

/* Name, description and sweeps of the main file are read by scenario_top.c. */
static int file_key(void *ctx, const struct pg_key *row, const struct pg_node *node)
{
	struct file_ctx *c = ctx;

	if (row->id == PG_K_PERFGRID)
		return version_check(c->b, node);
	if (row->id == PG_K_INCLUDE)
		return include_all(c, row, node);
	if (row->id == PG_K_DEFAULTS) {
		c->defaults = node;
		return pg_node_want_map(&c->b->d, row, node);
	}
	return 0;
}

static int walk_file(struct pg_build *b, const struct pg_include *at, const struct pg_loc *loc,
		     const struct pg_node **root)
{
	struct file_ctx c = {.b = b, .at = at, .included = loc != NULL};
	const struct pg_plan_file *f = read_file(b, at->path, loc);
	int rc;

	*root = f ? pg_yaml_parse(f->path, f->bytes, f->n, b->a, &b->d) : NULL;
	if (!*root)
		return -1;
	if ((*root)->kind != PG_NODE_MAP)
		return pg_diag_error(&b->d, &(*root)->loc,
				     "a scenario is a map that begins with `perfgrid: 1`; this is %s",
				     pg_node_what(*root));
	rc = pg_keys_walk(&b->d, *root, pg_file_keys, c.included ? PG_KEY_INCLUDE : PG_KEY_FILE,
			  c.included ? "an included file" : "a scenario", file_key, &c);
	/* After the walk, wherever `include` stood: a file is stronger than what it includes. */
	if (c.defaults && c.defaults->kind == PG_NODE_MAP && add_layer(b, c.defaults))
		rc = -1;
	return rc;
}

int pg_scenario_files(struct pg_build *b, const char *path, const struct pg_node **root)
{
	const struct pg_include top = {.path = path};

	return walk_file(b, &top, NULL, root);
}
