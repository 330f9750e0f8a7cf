/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside plan: how the tree of a scenario becomes drafts of sweeps. A build is one pg_plan_load(). Everything is
 * allocated in the plan's arena; functions report what is wrong to build.d and return -1.
 */
#ifndef PG_PLAN_SCENARIO_H
#define PG_PLAN_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/nameset.h"
#include "plan/draft.h"
#include "plan/keys.h"
#include "plan/node.h"
#include "plan/plan.h"

struct pg_build {
	struct pg_plan *plan;
	const struct pg_plan_input *in;
	struct pg_arena *a;
	struct pg_diag *out; /* the caller's */
	struct pg_diag d;    /* everything reports here: repeats are dropped, the rest is handed on */
	uint64_t seen[64];   /* hashes of messages already handed on */
	size_t n_seen;
	struct pg_plan_opts opts;
	bool quick_check; /* quick forms are only validated: notes are dropped */
	struct pg_keyset defaults;
	const struct pg_node **layers; /* the `defaults` maps, weakest first */
	size_t n_layers, room_layers, n_includes;
	struct pg_draft *drafts;
	size_t n_drafts, room_drafts;
	struct pg_looks_known { /* the last schedule of looks: most sweeps have the same, and a level takes ms */
		uint32_t looks[PG_LOOKS + PG_ENDS], n;
		double level;
	} looks;
	struct pg_nameset sweep_names; /* index of the draft */
	bool *set_taken, *vary_taken;  /* per --set and --vary: some sweep takes it */
};

/* scenario.c */
void *pg_build_array(struct pg_build *b, size_t n, size_t size); /* NULL after "out of memory" was reported */
const char *pg_build_printf(struct pg_build *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* scenario_top.c */
int pg_scenario_read(struct pg_build *b);

/* scenario_include.c: the defaults of file `path` and of what it includes, weakest first, into b->layers; *root = its
 * map. */
int pg_scenario_files(struct pg_build *b, const char *path, const struct pg_node **root);

/* scenario_rules.c, scenario_run.c: one key into ks. */
void pg_keyset_init(struct pg_keyset *ks);
int pg_keyset_rule(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_keyset *ks);
int pg_keyset_run(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_keyset *ks);
bool pg_key_is_rule(enum pg_key_id id);
bool pg_key_is_run(enum pg_key_id id);
/* A list of texts as words. */
int pg_words_read(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_words *out);
/* Placeholders in every text of a keyset, a node with texts, or one text; rows are the sweep's. */
int pg_keyset_placeholders(struct pg_draft *dr, const struct pg_keyset *ks);
int pg_node_placeholders(struct pg_draft *dr, const struct pg_node *node);

/* scenario_sweep.c */
int pg_drafts_read(struct pg_build *b, const struct pg_node *sweeps);
/* Reads the keys of the sweep over the defaults, those of its quick form and of the command line over them. */
int pg_draft_read(struct pg_draft *dr);

/* scenario_place.c */
int pg_draft_places(struct pg_draft *dr);
struct pg_param_place *pg_draft_find(const struct pg_draft *dr, const char *name);
/* The bundle that holds the param, and where in it; NULL = none. */
struct pg_param_place *pg_draft_bundle_of(const struct pg_draft *dr, const char *param, struct pg_loc *loc);
const struct pg_forced *pg_draft_forced(const struct pg_draft *dr, const char *param);
bool pg_item_key_is_param(const struct pg_node *entry); /* of an item of a bundle: no label, no run key */
int pg_draft_check_name(struct pg_draft *dr, const struct pg_node *key);
bool pg_draft_takes(const struct pg_draft *dr, const char *name); /* a param or bundle of the sweep */
int pg_draft_set(struct pg_draft *dr, const char *name, const struct pg_node *node, const struct pg_loc *loc, bool cli);
int pg_draft_vary(struct pg_draft *dr, const char *name, const struct pg_node *node, const struct pg_loc *loc,
		  bool cli);
int pg_draft_derive(struct pg_draft *dr, const char *name, const struct pg_node *node, const struct pg_loc *loc);
struct pg_param_place *pg_draft_place(struct pg_draft *dr, const char *name, enum pg_place_kind kind,
				      const struct pg_node *node, const struct pg_loc *loc); /* a new one */

/* scenario_variants.c */
int pg_variants_equal(struct pg_build *b); /* those of the self-check, into the defaults */
int pg_variants_read(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_keyset *ks);
int pg_draft_variants(struct pg_draft *dr);	 /* their place */
int pg_draft_variants_last(struct pg_draft *dr); /* all places are there: the axis goes last, params stand in one */
const struct pg_node *pg_variants_param(const struct pg_node *list, const char *param); /* the first that names it */
void pg_variants_unused(struct pg_build *b); /* a note where `compare` of defaults meets no variants */

/* select.c */
int pg_select_apply(struct pg_draft *dr);    /* --set and --vary */
int pg_select_all_taken(struct pg_build *b); /* an option that no sweep takes is an error */
int pg_select_only(struct pg_build *b);	     /* --only, over all sweeps */

/* exec_rows.c, exec_program.c */
int pg_exec_rows(struct pg_draft *dr);
int pg_exec_program(struct pg_draft *dr);
int pg_sweep_metrics(struct pg_draft *dr);

#endif
