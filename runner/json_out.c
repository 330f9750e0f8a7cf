/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing JSON. */
#include "runner/json_out.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "store/json.h"

void pg_jout_init(struct pg_jout *j, struct pg_str *out)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
}

static void new_line(struct pg_jout *j)
{
	pg_str_addc(j->out, '\n');
	for (unsigned i = 0; i < j->depth; i++)
		pg_str_adds(j->out, "  ");
}

/* Comma, line break and key before a value. */
static void lead(struct pg_jout *j, const char *key)
{
	if (j->depth > 0) {
		if (j->filled[j->depth - 1])
			pg_str_addc(j->out, ',');
		j->filled[j->depth - 1] = true;
		new_line(j);
	}
	if (key) {
		pg_json_quote(j->out, key, strlen(key));
		pg_str_adds(j->out, ": ");
	}
}

static void open_level(struct pg_jout *j, const char *key, char opening, char closing)
{
	assert(j->depth < PG_JOUT_DEPTH);
	lead(j, key);
	pg_str_addc(j->out, opening);
	j->filled[j->depth] = false;
	j->closing[j->depth++] = closing;
}

void pg_jout_object(struct pg_jout *j, const char *key)
{
	open_level(j, key, '{', '}');
}

void pg_jout_array(struct pg_jout *j, const char *key)
{
	open_level(j, key, '[', ']');
}

void pg_jout_close(struct pg_jout *j)
{
	assert(j->depth > 0);
	j->depth--;
	if (j->filled[j->depth])
		new_line(j);
	pg_str_addc(j->out, j->closing[j->depth]);
	if (j->depth == 0)
		pg_str_addc(j->out, '\n');
}

void pg_jout_text(struct pg_jout *j, const char *key, const char *text)
{
	lead(j, key);
	pg_json_quote(j->out, text, strlen(text));
}

void pg_jout_int(struct pg_jout *j, const char *key, int64_t v)
{
	lead(j, key);
	pg_str_addi(j->out, v);
}

void pg_jout_number(struct pg_jout *j, const char *key, double v)
{
	char buf[PG_NUM_BUF];
	const size_t n = pg_fmt_double(buf, v);

	assert(n > 0);
	lead(j, key);
	pg_str_add(j->out, buf, n);
}

void pg_jout_bool(struct pg_jout *j, const char *key, bool v)
{
	lead(j, key);
	pg_str_adds(j->out, v ? "true" : "false");
}

void pg_jout_texts(struct pg_jout *j, const char *key, const char *const *texts)
{
	lead(j, key);
	pg_str_addc(j->out, '[');
	for (size_t i = 0; texts[i]; i++) {
		if (i > 0)
			pg_str_adds(j->out, ", ");
		pg_json_quote(j->out, texts[i], strlen(texts[i]));
	}
	pg_str_addc(j->out, ']');
}
