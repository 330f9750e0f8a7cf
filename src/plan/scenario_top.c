/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The top of a scenario: name, description, defaults out of their layers, and the list of sweeps. */
#include "base/str.h"
#include "plan/scalar.h"
#include "plan/scenario.h"

static int default_key(void *ctx, const struct pg_key *row, const struct pg_node *node)
{
	struct pg_build *b = ctx;

	if (row->id == PG_K_DESCRIPTION)
		return pg_scalar_text(&b->d, row, node, &b->defaults.description);
	if (row->id == PG_K_VARIANTS)
		return pg_variants_read(b, row, node, &b->defaults);
	return pg_key_is_rule(row->id) ? pg_keyset_rule(b, row, node, &b->defaults)
				       : pg_keyset_run(b, row, node, &b->defaults);
}

static int read_defaults(struct pg_build *b)
{
	int rc = 0;

	pg_keyset_init(&b->defaults);
	for (size_t i = 0; i < b->n_layers && !pg_diag_full(&b->d); i++)
		if (pg_keys_walk(&b->d, b->layers[i], pg_sweep_keys, PG_KEY_DEFAULTS, "`defaults`", default_key, b))
			rc = -1;
	return rc;
}

static int read_texts(struct pg_build *b, const struct pg_node *root)
{
	const struct pg_node *name = pg_node_get(root, "name"), *text = pg_node_get(root, "description"),
			     *sessions = pg_node_get(root, "sessions");
	int rc = 0;

	if (name && !pg_node_is_null(name) &&
	    pg_scalar_name(&b->d, pg_key_find(pg_file_keys, "name"), name, &b->plan->name))
		rc = -1;
	if (text && !pg_node_is_null(text) &&
	    pg_scalar_text(&b->d, pg_key_find(pg_file_keys, "description"), text, &b->plan->description))
		rc = -1;
	if (sessions && !pg_node_is_null(sessions) &&
	    pg_scalar_count(&b->d, pg_key_find(pg_file_keys, "sessions"), sessions, &b->plan->sessions))
		rc = -1;
	if (b->opts.against_itself)
		b->plan->sessions = 1;
	return rc;
}

int pg_scenario_read(struct pg_build *b)
{
	const struct pg_node *root = NULL, *sweeps;
	int rc = pg_scenario_files(b, b->in->file, &root);

	if (!root || root->kind != PG_NODE_MAP)
		return -1;
	if (read_texts(b, root))
		rc = -1;
	if (read_defaults(b) || (b->opts.against_itself && pg_variants_equal(b)))
		rc = -1;
	sweeps = pg_node_get(root, "sweeps");
	if (!sweeps || pg_node_is_null(sweeps))
		return -1;
	if (pg_drafts_read(b, sweeps))
		rc = -1;
	/* Sweeps that were read are still made, to find what is wrong in them too. */
	return b->n_drafts ? 0 : rc;
}
