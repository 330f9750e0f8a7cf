/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/spawn_words.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/template.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

void pg_wordlist_init(struct pg_wordlist *w)
{
	*w = (struct pg_wordlist){.n = 0};
	pg_str_init(&w->text);
}

void pg_wordlist_release(struct pg_wordlist *w)
{
	pg_str_release(&w->text);
	free(w->start);
	free(w->ptr);
	pg_wordlist_init(w);
}

void pg_wordlist_reset(struct pg_wordlist *w)
{
	pg_str_reset(&w->text);
	w->n = 0;
	w->failed = false;
}

/* Room for one more word, the spare slot and the closing NULL. */
static bool grow(struct pg_wordlist *w)
{
	size_t cap = w->cap ? w->cap * 2 : 32;
	size_t *start;
	char **ptr;

	if (w->n < w->cap)
		return true;
	start = reallocarray(w->start, cap, sizeof(*start));
	if (start)
		w->start = start;
	ptr = reallocarray(w->ptr, cap + 2, sizeof(*ptr));
	if (ptr)
		w->ptr = ptr;
	if (!start || !ptr) {
		w->failed = true;
		return false;
	}
	w->cap = cap;
	return true;
}

static void begin(struct pg_wordlist *w)
{
	if (grow(w))
		w->start[w->n++] = w->text.len;
}

static void end(struct pg_wordlist *w)
{
	pg_str_addc(&w->text, '\0');
}

void pg_wordlist_add(struct pg_wordlist *w, const char *s)
{
	begin(w);
	pg_str_adds(&w->text, s);
	end(w);
}

void pg_wordlist_expand(struct pg_wordlist *w, const struct pg_words *words, const struct pg_template_ctx *ctx)
{
	for (size_t i = 0; i < words->n; i++) {
		begin(w);
		pg_template_expand(words->w[i], ctx, &w->text);
		end(w);
	}
}

void pg_wordlist_split(struct pg_wordlist *w, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t len = strnlen(s + i, n - i);

		begin(w);
		pg_str_add(&w->text, s + i, len);
		end(w);
		i += len + 1;
	}
}

char **pg_wordlist_argv(struct pg_wordlist *w)
{
	if (w->failed || w->text.failed || !grow(w))
		return NULL;
	w->ptr[0] = NULL;
	for (size_t i = 0; i < w->n; i++)
		w->ptr[1 + i] = w->text.s + w->start[i];
	w->ptr[1 + w->n] = NULL;
	return w->ptr + 1;
}

void pg_environment_init(struct pg_environment *e)
{
	*e = (struct pg_environment){.cap = 0};
	pg_wordlist_init(&e->own);
}

void pg_environment_release(struct pg_environment *e)
{
	pg_wordlist_release(&e->own);
	free(e->unset);
	free(e->ptr);
	pg_environment_init(e);
}

/* Length of NAME in "NAME=text". */
static size_t name_len(const char *item)
{
	return strcspn(item, "=");
}

static bool replaced(const struct pg_environment *e, char *const *own, const char *item)
{
	size_t n = name_len(item);

	for (size_t i = 0; i < e->own.n; i++) {
		if (name_len(own[i]) == n && memcmp(own[i], item, n) == 0)
			return true;
	}
	for (size_t i = 0; i < e->n_unset; i++) {
		if (strlen(e->unset[i]) == n && memcmp(e->unset[i], item, n) == 0)
			return true;
	}
	return false;
}

static bool add_keys(struct pg_environment *e, const struct pg_runkeys *keys, const struct pg_template_ctx *ctx)
{
	if (keys->n_env > e->unset_cap) {
		const char **p = reallocarray(e->unset, keys->n_env, sizeof(*p));

		if (!p)
			return false;
		e->unset = p;
		e->unset_cap = keys->n_env;
	}
	for (size_t i = 0; i < keys->n_env; i++) {
		const struct pg_env_item *item = &keys->env[i];

		if (!item->text) {
			e->unset[e->n_unset++] = item->name;
			continue;
		}
		begin(&e->own);
		pg_str_adds(&e->own.text, item->name);
		pg_str_addc(&e->own.text, '=');
		pg_template_expand(item->text, ctx, &e->own.text);
		end(&e->own);
	}
	return true;
}

/* PERFGRID_* of which the scenario's env has no item of its own. */
static void add_program(struct pg_environment *e, const struct pg_runkeys *keys, const struct pg_template_ctx *ctx)
{
	struct pg_str vars;

	pg_str_init(&vars);
	pg_template_env(ctx, &vars);
	e->own.failed |= vars.failed;
	for (size_t at = 0; at < vars.len;) {
		const char *item = vars.s + at;
		size_t n = name_len(item);
		bool given = false;

		for (size_t i = 0; i < keys->n_env && !given; i++)
			given = strlen(keys->env[i].name) == n && memcmp(keys->env[i].name, item, n) == 0;
		if (!given)
			pg_wordlist_add(&e->own, item);
		at += strlen(item) + 1;
	}
	pg_str_release(&vars);
}

char **pg_environment_build(struct pg_environment *e, char **base, const struct pg_runkeys *keys,
			    const struct pg_template_ctx *ctx, bool program)
{
	size_t n_base = 0, n = 0;
	char **own;

	if (!program && keys->n_env == 0)
		return base;
	pg_wordlist_reset(&e->own);
	e->n_unset = 0;
	if (!add_keys(e, keys, ctx))
		return NULL;
	if (program)
		add_program(e, keys, ctx);
	own = pg_wordlist_argv(&e->own);
	while (base[n_base])
		n_base++;
	if (own && n_base + e->own.n + 1 > e->cap) {
		char **p = reallocarray(e->ptr, n_base + e->own.n + 1, sizeof(*p));

		if (!p)
			return NULL;
		e->ptr = p;
		e->cap = n_base + e->own.n + 1;
	}
	if (!own)
		return NULL;
	for (size_t i = 0; i < n_base; i++) {
		if (!replaced(e, own, base[i]))
			e->ptr[n++] = base[i];
	}
	for (size_t i = 0; i < e->own.n; i++)
		e->ptr[n++] = own[i];
	e->ptr[n] = NULL;
	return e->ptr;
}

const char *pg_environment_get(char *const *envp, const char *name)
{
	size_t n = strlen(name);

	for (; *envp; envp++) {
		if (strncmp(*envp, name, n) == 0 && (*envp)[n] == '=')
			return *envp + n + 1;
	}
	return NULL;
}

static bool is_program(const char *path)
{
	struct stat st;

	return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

void pg_find_program(const char *word, char *const *envp, struct pg_str *out)
{
	const char *path = pg_environment_get(envp, "PATH");

	pg_str_reset(out);
	if (strchr(word, '/')) {
		pg_str_adds(out, word);
		return;
	}
	for (const char *p = path ? path : DEFAULT_PATH; *word; p++) {
		size_t n = strcspn(p, ":");

		pg_str_reset(out);
		pg_str_add(out, n ? p : ".", n ? n : 1);
		pg_str_addc(out, '/');
		pg_str_adds(out, word);
		if (!out->failed && is_program(out->s))
			return;
		p += n;
		if (*p == '\0')
			break;
	}
	pg_str_reset(out);
}
