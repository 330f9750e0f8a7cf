/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run keys: what stands around every rep. The same in defaults, a sweep and an item of a bundle. */
#include <string.h>

#include "base/cpulist.h"
#include "base/str.h"
#include "model/template.h"
#include "plan/quote.h"
#include "plan/scalar.h"
#include "plan/scenario.h"

bool pg_key_is_run(enum pg_key_id id)
{
	return id >= PG_K_PIN && id <= PG_K_BACKGROUND;
}

int pg_words_read(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_words *out)
{
	const char **w;
	size_t n = 0;

	if (pg_node_want_words(&b->d, row, node))
		return -1;
	w = pg_build_array(b, node->n, sizeof(*w));
	if (!w)
		return -1;
	for (const struct pg_node *c = node->child; c; c = c->next)
		w[n++] = c->text;
	*out = (struct pg_words){.w = w, .n = n};
	return 0;
}

/* Unquoted, YAML reads `0,8` inside { } as two entries, and other tools read `1-3` or `10:30` as they like: always in
 * quotes. */
static int pin_unquoted(struct pg_build *b, const struct pg_node *node)
{
	struct pg_quote q;
	struct pg_str whole;

	pg_str_init(&whole);
	pg_str_add(&whole, node->text, node->len);
	for (const struct pg_node *n = node->next; n && n->flow && pg_node_is_null(n) && whole.len < PG_QUOTE_MAX;
	     n = n->next)
		pg_str_addf(&whole, ",%s", n->key->text);
	pg_quote(&q, pg_str_text(&whole), whole.len);
	pg_diag_error(&b->d, &node->loc, "`pin` %s is a CPU list without quotes; write '%s'", q.s, q.s);
	pg_str_release(&whole);
	return -1;
}

static int read_pin(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_runkeys *k)
{
	struct pg_err err = {.code = PG_OK};
	struct pg_cpuset set;
	struct pg_quote q;
	struct pg_str text;
	size_t pos = 0;
	int rc;

	if (node->kind != PG_NODE_SCALAR)
		return pg_scalar_wrong(&b->d, row, node);
	pg_quote(&q, node->text, node->len);
	if (node->plain)
		return pin_unquoted(b, node);
	pg_cpuset_init(&set);
	rc = pg_cpulist_parse(node->text, node->len, &set, &pos, &err);
	if (!rc && pg_cpuset_count(&set) == 0)
		rc = pg_fail(&err, PG_EINPUT, "no CPU in it; allowed: a list like '0-3,8'");
	if (rc) {
		struct pg_loc at = pg_node_text_loc(node);

		at.col += node->exact ? (unsigned)pos : 0;
		pg_diag_error(&b->d, &at, "`pin` '%s': %s", q.s, err.msg);
	} else {
		pg_str_init(&text);
		pg_cpulist_format(&set, &text);
		k->pin = pg_build_printf(b, "%s", pg_str_text(&text));
		rc = text.failed || !k->pin ? -1 : 0;
		pg_str_release(&text);
	}
	pg_cpuset_release(&set);
	return rc;
}

static int read_nice(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_runkeys *k)
{
	struct pg_quote q;
	bool minus;
	uint64_t v = 0;

	if (node->kind != PG_NODE_SCALAR)
		return pg_scalar_wrong(&b->d, row, node);
	minus = node->text[0] == '-';
	if (pg_parse_u64(node->text + minus, node->len - minus, &v) != PG_NUM_OK || v > (minus ? 20u : 19u))
		return pg_diag_error(&b->d, &node->loc, "`nice` %s is no nice value; allowed: -20 to 19",
				     pg_quote(&q, node->text, node->len));
	k->nice = minus ? -(int)v : (int)v;
	k->has_nice = true;
	return 0;
}

static int read_policy(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_runkeys *k)
{
	static const char *const words[] = {"other", "batch", "idle"};
	struct pg_quote q;
	uint64_t v;

	if (node->kind != PG_NODE_SCALAR)
		return pg_scalar_wrong(&b->d, row, node);
	k->priority = 0;
	for (size_t i = 0; i < 3; i++)
		if (strcmp(node->text, words[i]) == 0) {
			k->policy = (enum pg_policy)(PG_POLICY_OTHER + i);
			return 0;
		}
	if (!pg_startswith(node->text, "fifo:") || pg_parse_u64(node->text + 5, node->len - 5, &v) != PG_NUM_OK ||
	    v < 1 || v > 98)
		return pg_diag_error(&b->d, &node->loc, "`policy` %s is no policy; allowed: %s",
				     pg_quote(&q, node->text, node->len), pg_form_text(row->form));
	k->policy = PG_POLICY_FIFO;
	k->priority = (int)v;
	return 0;
}

/* Relative, and nothing that leaves the mount. */
static bool is_cgroup(const char *s)
{
	if (!*s || *s == '/' || strlen(s) > 255)
		return false;
	for (const char *part = s; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
		if (*part == '/' || *part == '\0' || *part == '.')
			return false;
	for (; *s; s++)
		if (!strchr("/_-.", *s) && !(*s >= '0' && *s <= '9') && !(*s >= 'a' && *s <= 'z') &&
		    !(*s >= 'A' && *s <= 'Z'))
			return false;
	return true;
}

static int read_cgroup(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_runkeys *k)
{
	struct pg_quote q;

	if (pg_scalar_text(&b->d, row, node, &k->cgroup))
		return -1;
	if (!is_cgroup(k->cgroup))
		return pg_diag_error(&b->d, &node->loc,
				     "`cgroup` %s is no name below the mount; allowed: letters, digits, `_`, `-`, `.`, "
				     "parts joined by `/`, none beginning with `.`",
				     pg_quote(&q, node->text, node->len));
	return 0;
}

static bool is_env_name(const char *s)
{
	if (!(*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')))
		return false;
	for (; *s; s++)
		if (!(*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9')))
			return false;
	return true;
}

static int read_variable(struct pg_build *b, const struct pg_node *n, struct pg_env_item *out)
{
	struct pg_quote q;

	pg_quote(&q, n->key->text, n->key->len);
	if (!is_env_name(n->key->text))
		return pg_diag_error(&b->d, &n->key->loc,
				     "%s is no name of a variable; allowed: letters, digits, `_`, not first a digit",
				     q.s);
	if (n->kind != PG_NODE_SCALAR)
		return pg_node_slip(n, &b->d)
			       ? -1
			       : pg_diag_error(&b->d, &n->loc, "variable %s must be text, or ~ to unset it; this is %s",
					       q.s, pg_node_what(n));
	if (pg_node_is_null(n))
		return pg_diag_error(&b->d, &n->key->loc,
				     "variable %s has no value; an empty one is written '', ~ unsets it", q.s);
	*out = (struct pg_env_item){.name = n->key->text,
				    .text = n->plain && strcmp(n->text, "~") == 0 ? NULL : n->text};
	return 0;
}

static int read_env(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_runkeys *k)
{
	struct pg_env_item *env;
	size_t n = 0;
	int rc = 0;

	if (pg_node_want_map(&b->d, row, node))
		return -1;
	env = pg_build_array(b, node->n, sizeof(*env));
	if (!env)
		return -1;
	for (const struct pg_node *c = node->child; c; c = c->next)
		if (read_variable(b, c, &env[n++]))
			rc = -1;
	k->env = env;
	k->n_env = n;
	return rc;
}

static int read_words(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_keyset *ks)
{
	struct pg_words *const to[] = {&ks->run.prefix, &ks->run.before, &ks->run.after, &ks->run.background};
	size_t i = (size_t)(row->id - PG_K_PREFIX);

	ks->words[i] = node;
	return pg_words_read(b, row, node, to[i]);
}

int pg_keyset_run(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_keyset *ks)
{
	ks->given |= 1u << (row->id - PG_K_PIN);
	if (row->id == PG_K_PIN)
		return read_pin(b, row, node, &ks->run);
	if (row->id == PG_K_NICE)
		return read_nice(b, row, node, &ks->run);
	if (row->id == PG_K_POLICY)
		return read_policy(b, row, node, &ks->run);
	if (row->id == PG_K_CGROUP)
		return read_cgroup(b, row, node, &ks->run);
	if (row->id == PG_K_ENV) {
		ks->env = node;
		return read_env(b, row, node, &ks->run);
	}
	return read_words(b, row, node, ks);
}

static int text_placeholders(struct pg_draft *dr, const struct pg_node *n)
{
	struct pg_err err = {.code = PG_OK};
	struct pg_loc at = pg_node_text_loc(n);
	size_t pos = 0;

	if (!pg_template_check(n->text, dr->sw->pub.params, &pos, &err))
		return 0;
	if (n->exact)
		for (size_t i = 0; i < pos; i++)
			at.col += ((unsigned char)n->text[i] & 0xc0) != 0x80; /* columns count characters */
	return pg_diag_error(&dr->b->d, &at, "%s", err.msg);
}

int pg_node_placeholders(struct pg_draft *dr, const struct pg_node *node)
{
	int rc = 0;

	if (!node)
		return 0;
	if (node->kind == PG_NODE_SCALAR)
		return text_placeholders(dr, node);
	for (const struct pg_node *c = node->child; c; c = c->next)
		if (c->kind == PG_NODE_SCALAR && text_placeholders(dr, c))
			rc = -1;
	return rc;
}

int pg_keyset_placeholders(struct pg_draft *dr, const struct pg_keyset *ks)
{
	int rc = pg_node_placeholders(dr, ks->env);

	for (size_t i = 0; i < 4; i++)
		if (pg_node_placeholders(dr, ks->words[i]))
			rc = -1;
	return rc;
}
