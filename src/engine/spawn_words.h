/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command line and environment of a program, built anew for each rep in buffers that are kept.
 */
#ifndef PG_ENGINE_SPAWN_WORDS_H
#define PG_ENGINE_SPAWN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "model/cell.h"

struct pg_template_ctx;

/* Texts one after another, each ended by NUL, and pointers to them once all are there. */
struct pg_wordlist {
	struct pg_str text;
	size_t *start;
	char **ptr;
	size_t n, cap;
	bool failed; /* out of memory */
};

void pg_wordlist_init(struct pg_wordlist *w);
void pg_wordlist_release(struct pg_wordlist *w);
void pg_wordlist_reset(struct pg_wordlist *w);
void pg_wordlist_add(struct pg_wordlist *w, const char *s);
void pg_wordlist_expand(struct pg_wordlist *w, const struct pg_words *words, const struct pg_template_ctx *ctx);
/* Items of n bytes, each ended by NUL ("a=1\0b=2\0"). */
void pg_wordlist_split(struct pg_wordlist *w, const char *s, size_t n);
/* Pointers ended by NULL with one spare slot in front (argv[-1]); NULL = out of memory. Valid until the next change. */
char **pg_wordlist_argv(struct pg_wordlist *w);

/* Environment: `base`, changed by the scenario's items, and PERFGRID_* for programs. NULL = out of memory. */
struct pg_environment {
	struct pg_wordlist own;
	const char **unset;
	size_t n_unset, unset_cap;
	char **ptr;
	size_t cap;
};
void pg_environment_init(struct pg_environment *e);
void pg_environment_release(struct pg_environment *e);
char **pg_environment_build(struct pg_environment *e, char **base, const struct pg_runkeys *keys,
			    const struct pg_template_ctx *ctx, bool program);
const char *pg_environment_get(char *const *envp, const char *name);

/*
 * Where a program lies: `word` itself when it has a slash, else the first executable of that name on PATH of envp. An
 * empty buffer = not found.
 */
void pg_find_program(const char *word, char *const *envp, struct pg_str *out);

#endif
