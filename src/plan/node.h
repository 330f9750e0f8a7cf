/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The located tree of a YAML file: what libyaml's events say, with aliases expanded (copied), and everything refused
 * that docs/scenario.md refuses at this level: duplicate keys, tags, `<<`, alias to an ancestor, a second document,
 * control characters, invalid UTF-8, depth over 64, 10,000 nodes from aliases, files over 16 MiB, empty file. Scalars
 * stay text; typing is by the param's row.
 */
#ifndef PG_PLAN_NODE_H
#define PG_PLAN_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct pg_arena;

enum pg_node_kind { PG_NODE_SCALAR, PG_NODE_LIST, PG_NODE_MAP };

struct pg_node {
	enum pg_node_kind kind;
	struct pg_loc loc; /* 1-based, columns in characters; of an expanded alias: where the alias stands */
	const char *text;  /* SCALAR: NUL-terminated; no NUL inside */
	size_t len;
	bool plain; /* SCALAR: unquoted; quotes switch off words, ranges and expressions */
	bool flow;  /* LIST, MAP in [ ] or { }; SCALAR directly inside such */
	bool exact; /* SCALAR: the file has its text character by character on one line: places inside can be told */
	bool cli;   /* from the command line, where quotes are the shell's; a LIST keeps its text too */
	struct pg_node *key;   /* child of a MAP: its key, a scalar */
	struct pg_node *child; /* first child of LIST or MAP */
	struct pg_node *next;  /* next sibling */
	size_t n;	       /* children */
};

/* Parses s[0..n) named `file` (kept by reference in locations). NULL after errors, which went to d. */
struct pg_node *pg_yaml_parse(const char *file, const char *s, size_t n, struct pg_arena *a, struct pg_diag *d);
/* Version of the library behind it, as "0.2.5": what it accepts differs between releases. */
const char *pg_yaml_version(void);

/* The value of a key of a MAP, NULL = absent or no map. */
struct pg_node *pg_node_get(const struct pg_node *map, const char *key);
/* "a list", "a map", "text": for messages. */
const char *pg_node_what(const struct pg_node *n);
/* Nothing stands there: `key:`, `- `, a name alone in { }. */
bool pg_node_is_null(const struct pg_node *n);
/* Where the text of a SCALAR begins (after its quote); of a text that is not `exact`, where the scalar begins. */
struct pg_loc pg_node_text_loc(const struct pg_node *n);
/*
 * Common slips of flow style, found where something else than the writer meant arrives: `{x}` unquoted in a list (a map
 * to YAML), a comma that cut an expression in two inside { } or [ ]. n is the list, the map or the cut scalar. true: it
 * is one, and was reported.
 */
bool pg_node_slip(const struct pg_node *n, struct pg_diag *d);

#endif
