/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of a sweep: how often, how long, in which order, in which process. */
#include <string.h>

#include "base/str.h"
#include "plan/scalar.h"
#include "plan/scenario.h"
#include "stats/stats.h"

#define LAST_LOOK 1000000u /* as many reps as a cell can have */

/* Built-in values; the texts in pg_sweep_keys, pg_repeat_keys and pg_compare_keys say the same and a test holds them
 * together. */
void pg_keyset_init(struct pg_keyset *ks)
{
	*ks = (struct pg_keyset){
		.rules =
			{
				.repeat = {.fixed = true,
					   .n = 10,
					   .min = 8,
					   .max = 50,
					   .ci = 0.02,
					   .conf = 0.95,
					   .time_ns = INT64_C(60000000000)},
				.warmup = 1,
				.timeout_ns = INT64_C(600000000000),
				.compare = {.threshold = PG_THRESHOLD, .looks = {10, 15, 20, 30, 40}, .n_looks = 5},
				.sample_time_ns = 50000000,
			},
	};
}

bool pg_key_is_rule(enum pg_key_id id)
{
	return id >= PG_K_REPEAT && id <= PG_K_PROCESS;
}

struct repeat_ctx {
	struct pg_build *b;
	struct pg_repeat *r;
	struct pg_loc min_loc, max_loc;
};

static int repeat_key(void *ctx, const struct pg_key *row, const struct pg_node *node)
{
	struct repeat_ctx *c = ctx;
	struct pg_diag *d = &c->b->d;
	int word;

	if (row->id == PG_K_MIN) {
		c->min_loc = node->loc;
		return pg_scalar_count(d, row, node, &c->r->min);
	}
	if (row->id == PG_K_MAX) {
		c->max_loc = node->loc;
		return pg_scalar_count(d, row, node, &c->r->max);
	}
	if (row->id == PG_K_CI)
		return pg_scalar_percent(d, row, node, &c->r->ci);
	if (row->id == PG_K_TIME)
		return pg_scalar_time(d, row, node, &c->r->time_ns);
	if (row->id == PG_K_CONF)
		return pg_scalar_percent(d, row, node, &c->r->conf);
	if (pg_scalar_choice(d, row, node, &word))
		return -1;
	c->r->exact = word == 1;
	return 0;
}

/* Below a certain n no interval of that confidence exists: `ci` could never stop a cell there. */
static void raise_min(struct repeat_ctx *c)
{
	unsigned least = pg_min_n(c->r->conf);
	char conf[PG_NUM_BUF];

	if (c->r->min >= least || !c->min_loc.file)
		return;
	pg_fmt_double(conf, c->r->conf * 100);
	pg_diag_note(&c->b->d, &c->min_loc, "min %u cannot give a %s%% interval, using %u", c->r->min, conf, least);
	c->r->min = least;
}

static int read_repeat(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_repeat *out)
{
	struct pg_keyset fresh;
	struct repeat_ctx c = {.b = b};

	if (node->kind == PG_NODE_SCALAR) {
		if (pg_scalar_count(&b->d, row, node, &out->n))
			return -1;
		out->fixed = true;
		return 0;
	}
	if (pg_node_want_map(&b->d, row, node))
		return -1;
	pg_keyset_init(&fresh);
	c.r = &fresh.rules.repeat;
	c.r->fixed = false;
	if (pg_keys_walk(&b->d, node, pg_repeat_keys, PG_KEY_SUB, "`repeat`", repeat_key, &c))
		return -1;
	if (!c.min_loc.file && c.r->min > c.r->max)
		c.r->min = c.r->max; /* max binds, even before the min that nobody wrote */
	if (c.r->min > c.r->max)
		return pg_diag_error(&b->d, c.max_loc.file ? &c.max_loc : &c.min_loc,
				     "min %u is above max %u; allowed: min up to max", c.r->min, c.r->max);
	raise_min(&c);
	*out = *c.r;
	return 0;
}

static int read_looks(struct pg_build *b, const struct pg_key *row, const struct pg_node *node,
		      struct pg_compare_rules *out)
{
	const struct pg_key one = {.name = row->name, .form = PG_FORM_COUNT, .min = row->min, .max = LAST_LOOK};
	struct pg_diag *d = &b->d;
	uint32_t look, before = 0;

	out->n_looks = 0;
	if (node->kind == PG_NODE_SCALAR && strcmp(node->text, "none") == 0)
		return 0;
	if (pg_node_want_items(d, row, node))
		return -1;
	for (const struct pg_node *n = node->child; n; n = n->next, before = look) {
		if (pg_scalar_count(d, &one, n, &look))
			return -1;
		if (look <= before)
			return pg_diag_error(d, &n->loc,
					     "look %u does not come after %u; each is later than the one before", look,
					     before);
		out->looks[out->n_looks++] = look;
	}
	return 0;
}

struct compare_ctx {
	struct pg_build *b;
	struct pg_compare_rules *r;
	struct pg_loc looks; /* file NULL = not given */
};

static int compare_key(void *ctx, const struct pg_key *row, const struct pg_node *node)
{
	struct compare_ctx *c = ctx;
	int word;

	if (row->id == PG_K_THRESHOLD)
		return pg_scalar_percent(&c->b->d, row, node, &c->r->threshold);
	if (row->id == PG_K_LOOKS) {
		c->looks = node->loc;
		return read_looks(c->b, row, node, c->r);
	}
	if (pg_scalar_choice(&c->b->d, row, node, &word))
		return -1;
	if (row->id == PG_K_LENS)
		c->r->lens = (enum pg_lens)word;
	else
		c->r->correction = (enum pg_correction)word;
	return 0;
}

static int read_compare(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_keyset *ks)
{
	struct pg_keyset fresh;
	struct compare_ctx c = {.b = b, .r = &fresh.rules.compare};

	if (pg_node_want_map(&b->d, row, node))
		return -1;
	pg_keyset_init(&fresh);
	if (pg_keys_walk(&b->d, node, pg_compare_keys, PG_KEY_SUB, "`compare`", compare_key, &c))
		return -1;
	ks->rules.compare = fresh.rules.compare;
	ks->looks = c.looks;
	return 0;
}

static int read_word_rule(struct pg_build *b, const struct pg_key *row, const struct pg_node *node,
			  struct pg_keyset *ks)
{
	int word;

	if (pg_scalar_choice(&b->d, row, node, &word))
		return -1;
	if (row->id == PG_K_ORDER) {
		ks->rules.order = (enum pg_order)word;
		return 0;
	}
	ks->rules.process = (enum pg_process)word;
	ks->process = node->loc;
	return 0;
}

int pg_keyset_rule(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_keyset *ks)
{
	struct pg_rules *r = &ks->rules;

	if (row->id == PG_K_REPEAT) {
		ks->repeat = node->loc;
		return read_repeat(b, row, node, &r->repeat);
	}
	if (row->id == PG_K_COMPARE)
		return read_compare(b, row, node, ks);
	if (row->id == PG_K_REDO)
		return pg_scalar_count(&b->d, row, node, &r->redo);
	if (row->id == PG_K_WARMUP)
		return pg_scalar_count(&b->d, row, node, &r->warmup);
	if (row->id == PG_K_RETRY)
		return pg_scalar_count(&b->d, row, node, &r->retry);
	if (row->id == PG_K_PAUSE)
		return pg_scalar_time(&b->d, row, node, &r->pause_ns);
	if (row->id == PG_K_TIMEOUT)
		return pg_scalar_time(&b->d, row, node, &r->timeout_ns);
	if (row->id == PG_K_SAMPLE_TIME)
		return pg_scalar_time(&b->d, row, node, &r->sample_time_ns);
	return read_word_rule(b, row, node, ks);
}
