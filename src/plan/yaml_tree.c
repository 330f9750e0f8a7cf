/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libyaml's events made into a located tree. The library gives every scalar as text, counts lines and columns from 0,
 * takes duplicate keys, knows no limit of depth and leaves aliases and `<<` to its caller: the rules about all that are
 * here. The only file that includes yaml.h.
 */
#include <string.h>
#include <yaml.h>

#include "base/arena.h"
#include "base/str.h"
#include "plan/quote.h"
#include "plan/yaml_parts.h"

#define ANCHOR_SLOTS 256u

struct anchor {
	const char *name;
	struct pg_node *node;
	struct anchor *next; /* in its slot, the newest first: a name may be given again */
};

struct frame {
	struct pg_node *node;
	struct pg_node **tail;
	struct pg_node *key; /* MAP: the key whose value comes next */
};

struct tree {
	const char *file, *s;
	size_t n;
	struct pg_arena *arena;
	struct pg_diag *diag;
	struct frame stack[PG_YAML_DEPTH];
	size_t depth;
	struct pg_node *root;
	struct anchor *anchors[ANCHOR_SLOTS];
	size_t copied;
	unsigned documents;
};

static struct pg_loc loc_of(const struct tree *t, const yaml_mark_t *m)
{
	struct pg_loc l = {t->file, (unsigned)m->line + 1, (unsigned)m->column + 1};

	return l;
}

static int nomem(const struct tree *t)
{
	struct pg_loc l = {t->file, 0, 0};

	return pg_diag_error(t->diag, &l, "out of memory");
}

/* Errors that leave the tree in shape are collected; -1 stops the reading. */
static int go_on(const struct tree *t)
{
	return pg_diag_full(t->diag) ? -1 : 0;
}

static struct pg_node *new_node(const struct tree *t, enum pg_node_kind kind, const yaml_mark_t *m)
{
	struct pg_node *n = pg_arena_alloc(t->arena, sizeof(*n));

	if (!n) {
		nomem(t);
		return NULL;
	}
	n->kind = kind;
	n->loc = loc_of(t, m);
	return n;
}

static void check_key(const struct tree *t, const struct pg_node *key)
{
	const struct frame *f = &t->stack[t->depth - 1];

	if (key->kind == PG_NODE_MAP && key->flow && f->node->flow)
		pg_diag_error(t->diag, &f->node->loc,
			      "{{ without quotes begins two maps to YAML; put the text in quotes: \"{name}\"");
	else if (key->kind != PG_NODE_SCALAR)
		pg_diag_error(t->diag, &key->loc, "a key is one word, not %s; write `name: value`", pg_node_what(key));
	else if (!key->len)
		pg_diag_error(t->diag, &key->loc, "a key is missing before the colon; write `name: value`");
	else if (key->plain && strcmp(key->text, "<<") == 0)
		pg_diag_error(
			t->diag, &key->loc,
			"`<<` is not merged here; write the keys out, or use an alias as a whole value (key: *name)");
}

static void place(struct tree *t, struct pg_node *n)
{
	struct frame *f;

	if (!t->depth) {
		t->root = n;
		return;
	}
	f = &t->stack[t->depth - 1];
	if (f->node->kind == PG_NODE_MAP && !f->key) {
		f->key = n; /* a list or map in this place is an error, found when it is complete */
		if (n->kind == PG_NODE_SCALAR)
			check_key(t, n);
		return;
	}
	n->key = f->key;
	f->key = NULL;
	*f->tail = n;
	f->tail = &n->next;
	f->node->n++;
}

static size_t anchor_slot(const char *name)
{
	return (size_t)pg_fnv1a(PG_FNV_INIT, name, strlen(name)) % ANCHOR_SLOTS;
}

static void refuse_tag(const struct tree *t, const char *tag, const yaml_mark_t *mark)
{
	static const char core[] = "tag:yaml.org,2002:";
	bool is_core = pg_startswith(tag, core);
	struct pg_loc at = loc_of(t, mark);
	struct pg_quote q;

	tag += is_core ? sizeof(core) - 1 : 0;
	pg_diag_error(t->diag, &at,
		      "tag %s%s is not taken, types come from the params; put text that begins with `!` in quotes",
		      is_core ? "!!" : "", pg_quote(&q, tag, strlen(tag)));
}

/* Tags and anchors of any node; mark is where they stand. */
static int properties(struct tree *t, struct pg_node *n, const yaml_mark_t *mark, const yaml_char_t *anchor,
		      const yaml_char_t *tag)
{
	struct anchor *a;
	size_t slot;

	if (tag)
		refuse_tag(t, (const char *)tag, mark);
	if (!anchor)
		return go_on(t);
	a = pg_arena_alloc(t->arena, sizeof(*a));
	if (!a)
		return nomem(t);
	a->name = pg_arena_strdup(t->arena, (const char *)anchor);
	if (!a->name)
		return nomem(t);
	slot = anchor_slot(a->name);
	a->node = n;
	a->next = t->anchors[slot];
	t->anchors[slot] = a;
	return go_on(t);
}

static size_t characters(const char *s, size_t n)
{
	size_t c = 0;

	for (size_t i = 0; i < n; i++)
		c += ((unsigned char)s[i] & 0xc0) != 0x80;
	return c;
}

/*
 * Sets loc behind an anchor, and `exact`. A plain scalar ends with its last character, so its width tells where it
 * begins; a quoted one is its text plus two quotes unless something in it is escaped.
 */
static void find_text(const struct tree *t, struct pg_node *n, const yaml_event_t *ev)
{
	size_t width = characters(n->text, n->len) + (n->plain ? 0 : 2);
	yaml_scalar_style_t style = ev->data.scalar.style;

	if (style != YAML_PLAIN_SCALAR_STYLE && style != YAML_SINGLE_QUOTED_SCALAR_STYLE &&
	    style != YAML_DOUBLE_QUOTED_SCALAR_STYLE)
		return;
	if (ev->start_mark.line != ev->end_mark.line || ev->end_mark.column < width)
		return;
	if (n->plain && n->len)
		n->loc = loc_of(t, &(yaml_mark_t){0, ev->end_mark.line, ev->end_mark.column - width});
	n->exact = n->loc.col == ev->end_mark.column - width + 1;
}

/* What the library refuses in the file must not come in through escapes either: C0 but tab and line ends, DEL, C1 but
 * NEL. */
static bool is_control(const char *s, size_t left, unsigned *value)
{
	unsigned c = (unsigned char)s[0];

	if (c == 0xc2 && left > 1)
		c = (unsigned char)s[1];
	else if (c >= 0x80)
		return false;
	*value = c;
	return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f || (c >= 0x80 && c < 0xa0 && c != 0x85);
}

static void check_controls(const struct tree *t, const struct pg_node *n)
{
	unsigned c;

	for (size_t i = 0; i < n->len; i++)
		if (is_control(n->text + i, n->len - i, &c)) {
			pg_diag_error(t->diag, &n->loc, "control character U+%04X in text; take the escape out", c);
			return;
		}
}

static int take_scalar(struct tree *t, const yaml_event_t *ev)
{
	struct pg_node *n = new_node(t, PG_NODE_SCALAR, &ev->start_mark);

	if (!n)
		return -1;
	n->len = ev->data.scalar.length;
	n->text = pg_arena_strndup(t->arena, (const char *)ev->data.scalar.value, n->len);
	if (!n->text)
		return nomem(t);
	n->plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	n->flow = t->depth && t->stack[t->depth - 1].node->flow;
	find_text(t, n, ev);
	check_controls(t, n);
	place(t, n);
	return properties(t, n, &ev->start_mark, ev->data.scalar.anchor, ev->data.scalar.tag);
}

static int too_deep(const struct tree *t, const struct pg_loc *l)
{
	return pg_diag_error(t->diag, l, "lists and maps are nested deeper than %u levels; flatten them",
			     PG_YAML_DEPTH);
}

static int open_node(struct tree *t, struct pg_node *n, const yaml_mark_t *mark, const yaml_char_t *anchor,
		     const yaml_char_t *tag)
{
	struct frame *f;

	if (!n)
		return -1;
	if (t->depth == PG_YAML_DEPTH)
		return too_deep(t, &n->loc);
	place(t, n);
	f = &t->stack[t->depth++];
	f->node = n;
	f->tail = &n->child;
	f->key = NULL;
	return properties(t, n, mark, anchor, tag);
}

static int open_list(struct tree *t, const yaml_event_t *ev)
{
	struct pg_node *n = new_node(t, PG_NODE_LIST, &ev->start_mark);

	if (n)
		n->flow = ev->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	return open_node(t, n, &ev->start_mark, ev->data.sequence_start.anchor, ev->data.sequence_start.tag);
}

static int open_map(struct tree *t, const yaml_event_t *ev)
{
	struct pg_node *n = new_node(t, PG_NODE_MAP, &ev->start_mark);

	if (n)
		n->flow = ev->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
	return open_node(t, n, &ev->start_mark, ev->data.mapping_start.anchor, ev->data.mapping_start.tag);
}

static int close_node(struct tree *t)
{
	const struct pg_node *n = t->stack[--t->depth].node;

	if (n->kind == PG_NODE_MAP)
		pg_yaml_unique(n, t->diag);
	if (t->depth && t->stack[t->depth - 1].key == n)
		check_key(t, n);
	return go_on(t);
}

static const struct anchor *find_anchor(const struct tree *t, const char *name)
{
	const struct anchor *a = t->anchors[anchor_slot(name)];

	while (a && strcmp(a->name, name) != 0)
		a = a->next;
	return a;
}

static bool is_open(const struct tree *t, const struct pg_node *n)
{
	for (size_t i = 0; i < t->depth; i++)
		if (t->stack[i].node == n)
			return true;
	return false;
}

/* A node in the place of an alias that cannot be followed, so that later errors are found too. */
static int place_nothing(struct tree *t, const yaml_event_t *ev)
{
	struct pg_node *n = new_node(t, PG_NODE_SCALAR, &ev->start_mark);

	if (!n)
		return -1;
	n->text = "?";
	n->len = 1;
	place(t, n);
	return go_on(t);
}

static int take_alias(struct tree *t, const yaml_event_t *ev)
{
	const char *name = (const char *)ev->data.alias.anchor;
	const struct anchor *a = find_anchor(t, name);
	struct pg_loc at = loc_of(t, &ev->start_mark);
	struct pg_node *n = NULL;
	struct pg_quote q;

	pg_quote(&q, name, strlen(name));
	if (!a) {
		pg_diag_error(t->diag, &at,
			      "nothing is named &%s above; an alias follows its anchor, text with `*` stands in quotes",
			      q.s);
		return place_nothing(t, ev);
	}
	if (is_open(t, a->node)) {
		pg_diag_error(t->diag, &at,
			      "alias *%s stands inside what it names (line %u, column %u); write the value out", q.s,
			      a->node->loc.line, a->node->loc.col);
		return place_nothing(t, ev);
	}
	switch (pg_yaml_copy(a->node, t->depth, &t->copied, t->arena, &n)) {
	case PG_COPY_OK:
		break;
	case PG_COPY_DEPTH:
		return too_deep(t, &at);
	case PG_COPY_MANY:
		return pg_diag_error(t->diag, &at, "aliases expand to more than %u values; write fewer of them",
				     PG_YAML_COPIES);
	case PG_COPY_NOMEM:
		return nomem(t);
	}
	n->loc = at;
	n->exact = false;
	place(t, n);
	if (t->depth && t->stack[t->depth - 1].key == n && n->kind != PG_NODE_SCALAR)
		check_key(t, n);
	return go_on(t);
}

static int start_document(struct tree *t, const yaml_event_t *ev)
{
	struct pg_loc at = loc_of(t, &ev->start_mark);

	if (t->documents++)
		return pg_diag_error(t->diag, &at, "a second document begins here; a file holds one scenario");
	return 0;
}

static int take(struct tree *t, const yaml_event_t *ev)
{
	switch (ev->type) {
	case YAML_DOCUMENT_START_EVENT:
		return start_document(t, ev);
	case YAML_ALIAS_EVENT:
		return take_alias(t, ev);
	case YAML_SCALAR_EVENT:
		return take_scalar(t, ev);
	case YAML_SEQUENCE_START_EVENT:
		return open_list(t, ev);
	case YAML_MAPPING_START_EVENT:
		return open_map(t, ev);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return close_node(t);
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		break;
	}
	return 0;
}

/* Bytes that are no text: the library leaves its mark at the beginning and tells the offset. */
static int reader_error(const struct tree *t, const yaml_parser_t *p)
{
	size_t off = p->problem_offset < t->n ? p->problem_offset : t->n;
	struct pg_loc at;

	if (strcmp(p->problem, "invalid trailing UTF-8 octet") == 0) { /* the character begins before */
		while (off && ((unsigned char)t->s[off - 1] & 0xc0) == 0x80)
			off--;
		off -= off > 0;
	}
	at = pg_yaml_locate(t->file, t->s, t->n, off);
	if (strcmp(p->problem, "control characters are not allowed") == 0)
		return pg_diag_error(t->diag, &at, "control character U+%04X; take it out, and save the file as UTF-8",
				     (unsigned)p->problem_value);
	if (p->problem_value >= 0)
		return pg_diag_error(t->diag, &at,
				     "%s 0x%02X; save the file as UTF-8, as with iconv -f latin1 -t utf-8", p->problem,
				     (unsigned)p->problem_value);
	return pg_diag_error(t->diag, &at, "%s; save the file as UTF-8", p->problem);
}

static int syntax_error(const struct tree *t, const yaml_parser_t *p)
{
	struct pg_yaml_problem pb = {p->problem, p->context, loc_of(t, &p->problem_mark), {t->file, 0, 0}};

	switch (p->error) {
	case YAML_MEMORY_ERROR:
		return nomem(t);
	case YAML_READER_ERROR:
		return reader_error(t, p);
	case YAML_NO_ERROR:
	case YAML_SCANNER_ERROR:
	case YAML_PARSER_ERROR:
	case YAML_COMPOSER_ERROR:
	case YAML_WRITER_ERROR:
	case YAML_EMITTER_ERROR:
		break;
	}
	if (p->context)
		pb.context_at = loc_of(t, &p->context_mark);
	pg_yaml_explain(&pb, t->s, t->n, t->diag);
	return -1;
}

/* Each event is deleted exactly once, whatever became of it. */
static int build(struct tree *t, yaml_parser_t *p)
{
	for (bool end = false; !end;) {
		yaml_event_t ev;
		int rc;

		if (!yaml_parser_parse(p, &ev))
			return syntax_error(t, p);
		end = ev.type == YAML_STREAM_END_EVENT;
		rc = take(t, &ev);
		yaml_event_delete(&ev);
		if (rc)
			return -1;
	}
	return 0;
}

struct pg_node *pg_yaml_parse(const char *file, const char *s, size_t n, struct pg_arena *a, struct pg_diag *d)
{
	struct tree t = {.file = file, .s = s, .n = n, .arena = a, .diag = d};
	struct pg_loc whole = {file, 0, 0}, start = {file, 1, 1};
	unsigned errors = d->errors;
	const char *encoding = pg_yaml_encoding(s, n);
	yaml_parser_t p;
	int rc;

	if (n > PG_YAML_BYTES) {
		pg_diag_error(d, &whole, "the file is larger than 16 MiB; split it into several scenarios");
		return NULL;
	}
	if (encoding) {
		pg_diag_error(d, &start, "this file is no UTF-8; convert it: iconv -f %s -t utf-8 FILE >NEW", encoding);
		return NULL;
	}
	if (!yaml_parser_initialize(&p)) {
		nomem(&t);
		return NULL;
	}
	yaml_parser_set_input_string(&p, (const unsigned char *)(n ? s : ""), n);
	rc = build(&t, &p);
	yaml_parser_delete(&p);
	if (rc || d->errors != errors)
		return NULL;
	if (!t.root || pg_node_is_null(t.root)) {
		pg_diag_error(d, &start, "no scenario in file; `perfgrid init` prints one to start from");
		return NULL;
	}
	return t.root;
}

const char *pg_yaml_version(void)
{
	return yaml_get_version_string();
}
