/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of a sweep of exec: the program, what counts as success, and the metrics taken from what it prints. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "plan/quote.h"
#include "plan/scalar.h"
#include "plan/sweep.h"

#define MAX_EXIT 255

struct metric_ctx {
	struct pg_draft *dr;
	struct pg_metric *m;
	struct pg_capture *c;
	struct pg_dec scale;
	double factor;
	struct pg_loc name_loc;
};

/* The C library takes memory by the product of nested counts, and time without end for back-references. */
#define PATTERN_MAX   1000
#define MOST_REPEATED 10000

/* NULL = the pattern may be compiled, else what is wrong with it and what is allowed. */
static const char *pattern_trouble(const char *p, size_t n)
{
	unsigned long repeated = 1;
	bool in_set = false;

	if (n > PATTERN_MAX)
		return "is longer than 1000 characters; look for less of the line";
	for (size_t i = 0; i < n; i++) {
		if (in_set) {
			in_set = p[i] != ']';
		} else if (p[i] == '\\' && i + 1 < n) {
			i++;
			if (p[i] >= '1' && p[i] <= '9')
				return "has a back-reference, which may take for ever; write the text again";
		} else if (p[i] == '[') {
			in_set = true;
			i += p[i + 1] == '^';
			i += p[i + 1] == ']';
		} else if (p[i] == '{') {
			unsigned long count = strtoul(p + i + 1, NULL, 10), most = count;
			const char *comma = strchr(p + i, ','), *end = strchr(p + i, '}');

			if (comma && end && comma < end)
				most = strtoul(comma + 1, NULL, 10);
			most = most > count ? most : count;
			if (most > 1)
				repeated *= most;
			if (repeated > MOST_REPEATED)
				return "has counts in { } that multiply to more than 10000; use * or smaller ones";
		}
	}
	return NULL;
}

static int read_pattern(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_capture *c)
{
	struct pg_quote q;
	const char *trouble;
	char why[128];
	regex_t re;
	size_t groups;
	int rc;

	if (pg_scalar_text(&b->d, row, node, &c->pattern))
		return -1;
	pg_quote(&q, node->text, node->len);
	trouble = pattern_trouble(c->pattern, strlen(c->pattern));
	if (trouble)
		return pg_diag_error(&b->d, &node->loc, "pattern %s %s", q.s, trouble);
	rc = regcomp(&re, c->pattern, REG_EXTENDED);
	if (rc) {
		regerror(rc, &re, why, sizeof(why));
		return pg_diag_error(&b->d, &node->loc,
				     "pattern %s is no POSIX extended regular expression: %s; see regex(7)", q.s, why);
	}
	groups = re.re_nsub;
	regfree(&re);
	if (!groups)
		return pg_diag_error(&b->d, &node->loc,
				     "pattern %s has no group; put the number in ( ), like 'took ([0-9.]+) s'", q.s);
	return 0;
}

static int read_unit(struct pg_build *b, const struct pg_node *node, struct metric_ctx *c)
{
	struct pg_err err = {.code = PG_OK};

	if (pg_unit_parse(node->text, &c->m->unit, &c->factor, &err))
		return pg_diag_error(&b->d, &node->loc, "%s", err.msg);
	return 0;
}

static int metric_key(void *ctx, const struct pg_key *row, const struct pg_node *node)
{
	struct metric_ctx *c = ctx;
	struct pg_build *b = c->dr->b;
	const char *text;
	int word = 0;

	if (row->form == PG_FORM_CHOICE && pg_scalar_choice(&b->d, row, node, &word))
		return -1;
	if (row->id == PG_K_NAME) {
		c->name_loc = node->loc;
		c->m->doc = "taken from the output";
		return pg_scalar_text(&b->d, row, node, &c->m->name);
	}
	if (row->id == PG_K_PATTERN)
		return read_pattern(b, row, node, c->c);
	if (row->id == PG_K_UNIT)
		return pg_scalar_text(&b->d, row, node, &text) ? -1 : read_unit(b, node, c);
	if (row->id == PG_K_SCALE)
		return pg_scalar_number(&b->d, row, node, &c->scale);
	if (row->id == PG_K_REQUIRED)
		return pg_scalar_bool(&b->d, row, node, &c->c->required);
	if (row->id == PG_K_BETTER)
		c->m->better = (enum pg_better)word;
	else if (row->id == PG_K_LENS)
		c->m->flags |= word == 1 ? PG_M_TYPICAL : 0;
	else if (row->id == PG_K_WHICH)
		c->c->which = (enum pg_which)word;
	else
		c->c->from_stderr = word == 1;
	return 0;
}

/* Units are whole powers: 1024, 60, 3600, or 10^-3, -6, -9. */
static struct pg_dec exact_factor(double f)
{
	if (f >= 1)
		return pg_dec_int((int64_t)f);
	for (int e = -3; e >= -9; e -= 3) {
		struct pg_dec d = {.m = 1, .e = e};
		double off = f / pg_dec_to_double(d);

		if (off > 0.999 && off < 1.001)
			return d;
	}
	return (struct pg_dec){0, 0};
}

static int finish_metric(struct metric_ctx *c)
{
	struct pg_dec unit = exact_factor(c->factor);

	c->c->factor = c->factor * pg_dec_to_double(c->scale);
	if (!pg_dec_mul(unit, c->scale, &c->c->dec_scale))
		c->c->dec_scale = (struct pg_dec){0, 0}; /* too many digits: the double counts */
	c->c->name = c->m->name;
	c->m->reduce = PG_SUM;
	return 0;
}

/* Params and bundles stand under their name. */
static bool is_param(const struct pg_draft *dr, const char *name)
{
	return pg_param_find(dr->sw->pub.params, name, NULL) || pg_draft_find(dr, name);
}

/* Columns of the result files: metrics have their unit behind their name. */
static bool column_taken(const struct pg_draft *dr, const struct pg_metric *rows, size_t n, const char *column)
{
	if (is_param(dr, column))
		return true;
	for (size_t i = 0; i < n; i++) {
		struct pg_str s;
		bool same;

		pg_str_init(&s);
		pg_str_addf(&s, "%s_%s", rows[i].name, pg_unit_suffix(rows[i].unit));
		same = strcmp(pg_str_text(&s), column) == 0;
		pg_str_release(&s);
		if (same)
			return true;
	}
	return false;
}

static int name_metric(struct pg_draft *dr, const struct metric_ctx *c, const struct pg_metric *rows, size_t n)
{
	struct pg_diag *d = &dr->b->d;
	const char *name = c->m->name;
	struct pg_quote q;
	struct pg_str column;
	bool taken;

	pg_quote(&q, name, strlen(name));
	if (!pg_is_param_name(name))
		return pg_diag_error(
			d, &c->name_loc,
			"%s cannot be the name of a metric; allowed: small letters, digits, `_`, first a letter", q.s);
	if (pg_metric_find(pg_engine_metrics, name, NULL))
		return pg_diag_error(d, &c->name_loc, "`%s` is measured for every program; take another name", q.s);
	if (is_param(dr, name))
		return pg_diag_error(d, &c->name_loc, "`%s` is a %s of this sweep; take another name", q.s,
				     pg_param_find(dr->sw->pub.params, name, NULL) ? "param" : "bundle");
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].name, name) == 0)
			return pg_diag_error(d, &c->name_loc, "metric `%s` stands here a second time; names differ",
					     q.s);
	pg_str_init(&column);
	pg_str_addf(&column, "%s_%s", name, pg_unit_suffix(c->m->unit));
	taken = column_taken(dr, rows, n, pg_str_text(&column));
	pg_str_release(&column);
	if (taken)
		return pg_diag_error(d, &c->name_loc,
				     "the column of metric `%s` has the name of another column; take another name",
				     q.s);
	return 0;
}

/* m: rows before it are the bench's, the engine's and earlier ones. */
static int read_metric(struct pg_draft *dr, const struct pg_node *node, struct pg_metric *rows, size_t n,
		       struct pg_capture *cap)
{
	struct metric_ctx c = {.dr = dr, .m = &rows[n], .c = cap, .factor = 1, .scale = {1, 0}};

	*c.m = (struct pg_metric){.unit = PG_U_COUNT, .better = PG_NEITHER};
	*cap = (struct pg_capture){.which = PG_LAST, .required = true, .metric = n};
	if (node->kind != PG_NODE_MAP)
		return pg_diag_error(&dr->b->d, &node->loc,
				     "a metric must be a map with `name` and `pattern`; this is %s",
				     pg_node_what(node));
	if (pg_keys_walk(&dr->b->d, node, pg_metric_keys, PG_KEY_SUB, "a metric", metric_key, &c) || !c.m->name)
		return -1;
	return name_metric(dr, &c, rows, n) ? -1 : finish_metric(&c);
}

static size_t declared(const struct pg_draft *dr, const struct pg_node **list)
{
	*list = dr->exec ? pg_node_get(dr->node, "metrics") : NULL;
	return *list && (*list)->kind == PG_NODE_LIST ? (*list)->n : 0;
}

static int read_declared(struct pg_draft *dr, const struct pg_node *list, struct pg_metric *rows, size_t *n)
{
	struct pg_program *prog = dr->program;
	struct pg_capture *caps;
	int rc = 0;

	if (pg_node_want_items(&dr->b->d, pg_key_find(pg_sweep_keys, "metrics"), list))
		return -1;
	caps = pg_build_array(dr->b, list->n, sizeof(*caps));
	if (!caps)
		return -1;
	for (const struct pg_node *c = list->child; c; c = c->next) {
		if (read_metric(dr, c, rows, *n, &caps[prog->n_captures])) {
			rc = -1;
			continue;
		}
		prog->n_captures++;
		++*n;
	}
	prog->captures = caps;
	return rc;
}

/* The bench's rows, then the engine's, then those that the scenario brings. */
int pg_sweep_metrics(struct pg_draft *dr)
{
	struct pg_sweep *s = &dr->sw->pub;
	const struct pg_node *list;
	size_t n_bench = pg_metric_count(dr->bench->metrics), n_declared = declared(dr, &list),
	       n = n_bench + PG_ENGINE_METRICS;
	struct pg_metric *rows = pg_build_array(dr->b, n + n_declared + 1, sizeof(*rows));
	int rc = 0;

	if (!rows)
		return -1;
	memcpy(rows, dr->bench->metrics, n_bench * sizeof(*rows));
	memcpy(rows + n_bench, pg_engine_metrics, PG_ENGINE_METRICS * sizeof(*rows));
	if (list)
		rc = read_declared(dr, list, rows, &n);
	memset(&rows[n], 0, sizeof(rows[n]));
	s->metrics = rows;
	s->n_bench_metrics = n_bench;
	s->n_metrics = n;
	return rc;
}

static int read_command(struct pg_draft *dr, struct pg_program *p)
{
	const struct pg_key *row = pg_key_find(pg_sweep_keys, "command");
	const struct pg_node *node = pg_node_get(dr->node, "command");
	struct pg_diag *d = &dr->b->d;
	const char **w;

	if (!node)
		return pg_diag_error(d, &dr->loc, "`command` is missing; suite exec needs %s", pg_form_text(row->form));
	if (pg_node_is_null(node))
		return -1;
	if (!p->shell && node->kind == PG_NODE_SCALAR)
		return pg_diag_error(d, &node->loc, "`command` must be a list of words; one text needs `shell: true`");
	if (!p->shell)
		return pg_words_read(dr->b, row, node, &p->command) || pg_node_placeholders(dr, node) ? -1 : 0;
	if (node->kind != PG_NODE_SCALAR)
		return pg_diag_error(d, &node->loc, "with `shell: true` `command` must be one text; this is %s",
				     pg_node_what(node));
	w = pg_build_array(dr->b, 1, sizeof(*w));
	if (!w)
		return -1;
	w[0] = node->text;
	p->command = (struct pg_words){.w = w, .n = 1};
	return pg_node_placeholders(dr, node);
}

static int read_path(struct pg_draft *dr, const char *key, const char **out)
{
	const struct pg_key *row = pg_key_find(pg_sweep_keys, key);
	const struct pg_node *node = pg_node_get(dr->node, key);

	if (!node || pg_node_is_null(node))
		return 0;
	if (pg_scalar_text(&dr->b->d, row, node, out))
		return -1;
	if (!node->len)
		return pg_diag_error(&dr->b->d, &node->loc, "`%s` is empty; it is a path", key);
	return pg_node_placeholders(dr, node);
}

static int read_exit(struct pg_draft *dr, const struct pg_key *row, const struct pg_node *node, int *out)
{
	struct pg_quote q;
	uint64_t v;

	if (node->kind != PG_NODE_SCALAR)
		return pg_scalar_wrong(&dr->b->d, row, node);
	if (pg_parse_u64(node->text, node->len, &v) != PG_NUM_OK || v > MAX_EXIT)
		return pg_diag_error(&dr->b->d, &node->loc,
				     "`%s` %s is no exit status; allowed: 0 to 255, a list of them, `any`", row->name,
				     pg_quote(&q, node->text, node->len));
	*out = (int)v;
	return 0;
}

static int read_exits(struct pg_draft *dr, struct pg_program *p)
{
	const struct pg_key *row = pg_key_find(pg_sweep_keys, "expected_exit_status");
	const struct pg_node *node = pg_node_get(dr->node, row->name), *one;
	bool list = node && node->kind == PG_NODE_LIST;
	int *exits, rc = 0;

	p->any_exit = node && node->kind == PG_NODE_SCALAR && strcmp(node->text, "any") == 0;
	if (p->any_exit || (list && pg_node_want_list(&dr->b->d, row, node)))
		return p->any_exit ? 0 : -1;
	exits = pg_build_array(dr->b, list ? node->n : 1, sizeof(*exits));
	if (!exits)
		return -1;
	p->exits = exits;
	if (!node || pg_node_is_null(node)) {
		p->n_exits = 1; /* 0 */
		return 0;
	}
	for (one = list ? node->child : node; one; one = list ? one->next : NULL)
		if (read_exit(dr, row, one, &exits[p->n_exits++]))
			rc = -1;
	return rc;
}

int pg_exec_program(struct pg_draft *dr)
{
	struct pg_program *p = pg_build_array(dr->b, 1, sizeof(*p));
	const struct pg_node *shell = pg_node_get(dr->node, "shell");
	int rc = 0;

	if (!p)
		return -1;
	dr->program = p;
	dr->sw->program = p;
	if (shell && !pg_node_is_null(shell) &&
	    pg_scalar_bool(&dr->b->d, pg_key_find(pg_sweep_keys, "shell"), shell, &p->shell))
		rc = -1;
	if (read_command(dr, p))
		rc = -1;
	if (read_path(dr, "stdin", &p->stdin_path))
		rc = -1;
	if (read_path(dr, "working_directory", &p->working_directory))
		rc = -1;
	return read_exits(dr, p) ? -1 : rc;
}
