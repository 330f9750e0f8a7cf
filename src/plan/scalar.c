/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scalars of keys. What a number, a time or a name may look like is decided in base; here the message gets its key and
 * place. */
#include "plan/scalar.h"

#include <string.h>

#include "base/str.h"
#include "plan/quote.h"

int pg_scalar_wrong(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node)
{
	if (pg_node_slip(node, d))
		return -1;
	return pg_diag_error(d, &node->loc, "`%s` must be %s; this is %s", row->name, pg_form_text(row->form),
			     pg_node_what(node));
}

static int want_scalar(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node)
{
	return node->kind == PG_NODE_SCALAR ? 0 : pg_scalar_wrong(d, row, node);
}

int pg_scalar_text(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, const char **out)
{
	if (want_scalar(d, row, node))
		return -1;
	*out = node->text;
	return 0;
}

int pg_scalar_name(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, const char **out)
{
	struct pg_quote q;

	if (want_scalar(d, row, node))
		return -1;
	if (!pg_is_name(node->text))
		return pg_diag_error(
			d, &node->loc,
			"`%s` cannot be a name; allowed: letters, digits, `_`, `-`, at most 64, not first `-`",
			pg_quote(&q, node->text, node->len));
	*out = node->text;
	return 0;
}

int pg_scalar_count(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, uint32_t *out)
{
	struct pg_quote q;
	enum pg_num_error e;
	uint64_t v = 0;

	if (want_scalar(d, row, node))
		return -1;
	e = pg_parse_u64(node->text, node->len, &v);
	if (e == PG_NUM_OK && v >= row->min && v <= row->max) {
		*out = (uint32_t)v;
		return 0;
	}
	pg_quote(&q, node->text, node->len);
	if (e == PG_NUM_OK || e == PG_NUM_OVERFLOW)
		return pg_diag_error(d, &node->loc, "`%s` %s is out of range; allowed: %llu to %llu", row->name, q.s,
				     (unsigned long long)row->min, (unsigned long long)row->max);
	return pg_diag_error(d, &node->loc, "`%s` %s is no whole number (%s); allowed: %llu to %llu", row->name, q.s,
			     strstr(node->text, "..") ? "a range, which only `vary` takes" : pg_num_error_text(e),
			     (unsigned long long)row->min, (unsigned long long)row->max);
}

static int time_error(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, enum pg_num_error e)
{
	const char *word = row->words ? ", or `none`" : "";
	char least[PG_NUM_BUF], most[PG_NUM_BUF];
	struct pg_quote q;

	pg_quote(&q, node->text, node->len);
	if (e != PG_NUM_OK && e != PG_NUM_OVERFLOW)
		return pg_diag_error(d, &node->loc,
				     "`%s` %s is no time (%s); allowed: a number with ns, us, ms, s, min or h%s",
				     row->name, q.s, pg_num_error_text(e), word);
	pg_time_format(least, (int64_t)row->min);
	pg_time_format(most, (int64_t)row->max);
	return pg_diag_error(d, &node->loc, "`%s` %s is out of range; allowed: %s to %s%s", row->name, q.s, least, most,
			     word);
}

int pg_scalar_time(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, int64_t *out)
{
	enum pg_num_error e;
	int64_t v = 0;

	if (want_scalar(d, row, node))
		return -1;
	if (row->words && strcmp(node->text, "none") == 0) {
		*out = -1;
		return 0;
	}
	e = pg_time_parse(node->text, node->len, &v);
	if (e != PG_NUM_OK || v < (int64_t)row->min || v > (int64_t)row->max)
		return time_error(d, row, node, e);
	*out = v;
	return 0;
}

int pg_scalar_percent(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, double *fraction)
{
	struct pg_quote q;
	struct pg_dec v;
	double f;

	if (want_scalar(d, row, node))
		return -1;
	pg_quote(&q, node->text, node->len);
	if (!node->len || node->text[node->len - 1] != '%' ||
	    pg_dec_parse(node->text, node->len - 1, false, &v) != PG_NUM_OK)
		return pg_diag_error(d, &node->loc,
				     "`%s` %s is no percentage; allowed: a decimal number with %%, like %s", row->name,
				     q.s, row->def);
	v.e -= 2;
	f = pg_dec_to_double(v);
	if (row->id == PG_K_CONF && !(f >= 0.5 && f <= 0.9999))
		return pg_diag_error(d, &node->loc, "`%s` %s is out of range; allowed: 50%% to 99.99%%", row->name,
				     q.s);
	if (!(f > 0 && f <= 1))
		return pg_diag_error(d, &node->loc, "`%s` %s is out of range; allowed: above 0%% to 100%%", row->name,
				     q.s);
	*fraction = f;
	return 0;
}

int pg_scalar_number(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, struct pg_dec *out)
{
	enum pg_num_error e;
	struct pg_quote q;

	if (want_scalar(d, row, node))
		return -1;
	e = pg_dec_parse(node->text, node->len, false, out);
	if (e == PG_NUM_OK && out->m > 0)
		return 0;
	return pg_diag_error(d, &node->loc, "`%s` %s is no number above 0 (%s); allowed: a decimal number, like 0.001",
			     row->name, pg_quote(&q, node->text, node->len),
			     e == PG_NUM_OK ? "zero" : pg_num_error_text(e));
}

int pg_scalar_bool(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, bool *out)
{
	static const char *const yes[] = {"true", "yes", "on"}, *const no[] = {"false", "no", "off"};
	struct pg_quote q;

	if (want_scalar(d, row, node))
		return -1;
	for (size_t i = 0; i < 3; i++) {
		bool is_yes = strcmp(node->text, yes[i]) == 0;

		if (is_yes || strcmp(node->text, no[i]) == 0) {
			*out = is_yes;
			return 0;
		}
	}
	return pg_diag_error(d, &node->loc, "`%s` %s is neither true nor false; allowed: true, false, yes, no, on, off",
			     row->name, pg_quote(&q, node->text, node->len));
}

int pg_scalar_choice(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node, int *out)
{
	const char *best;
	struct pg_str list;
	struct pg_quote q;
	size_t n = 0;

	if (want_scalar(d, row, node))
		return -1;
	for (; row->words[n]; n++)
		if (strcmp(row->words[n], node->text) == 0) {
			*out = (int)n;
			return 0;
		}
	best = pg_nearest(node->text, row->words, n);
	pg_str_init(&list);
	for (size_t i = 0; i < n; i++)
		pg_str_addf(&list, "%s%s", i ? ", " : "", row->words[i]);
	pg_diag_error(d, &node->loc, "`%s` cannot be %s; allowed: %s%s%s%s", row->name,
		      node->len ? pg_quote(&q, node->text, node->len) : "empty", pg_str_text(&list),
		      best ? "; did you mean `" : "", best ? best : "", best ? "`?" : "");
	pg_str_release(&list);
	return -1;
}

int pg_node_want_map(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node)
{
	if (node->kind != PG_NODE_MAP)
		return pg_scalar_wrong(d, row, node);
	if (!node->child)
		return pg_diag_error(d, &node->loc, "`%s` is empty; it is %s", row->name, pg_form_text(row->form));
	return 0;
}

int pg_node_want_list(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node)
{
	if (node->kind != PG_NODE_LIST)
		return pg_scalar_wrong(d, row, node);
	if (!node->child)
		return pg_diag_error(d, &node->loc, "`%s` is empty; it is %s", row->name, pg_form_text(row->form));
	return 0;
}

int pg_node_want_items(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node)
{
	if (pg_node_want_list(d, row, node))
		return -1;
	if (node->n > row->max)
		return pg_diag_error(d, &node->loc, "`%s` has %zu items; at most %llu", row->name, node->n,
				     (unsigned long long)row->max);
	return 0;
}

int pg_node_want_words(struct pg_diag *d, const struct pg_key *row, const struct pg_node *node)
{
	int rc = 0;

	if (pg_node_want_list(d, row, node))
		return -1;
	for (const struct pg_node *c = node->child; c; c = c->next) {
		if (c->kind != PG_NODE_SCALAR)
			rc = pg_node_slip(c, d) ? -1
						: pg_diag_error(d, &c->loc, "a word of `%s` must be text; this is %s",
								row->name, pg_node_what(c));
		else if (pg_node_is_null(c))
			rc = pg_diag_error(d, &c->loc, "a word of `%s` is missing; an empty one is written ''",
					   row->name);
	}
	if (!rc && node->child->len == 0)
		rc = pg_diag_error(d, &node->child->loc, "`%s` names no program; the first word is its path",
				   row->name);
	return rc;
}
