/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libyaml complains of, told so that the user finds the place and the way out: its own words first, then the place
 * where the unclosed thing began, or a hint.
 */
#include <string.h>

#include "base/str.h"
#include "plan/yaml_parts.h"

struct phrase {
	const char *theirs, *ours;
};

/* Contexts whose beginning helps to find the fault. */
static const struct phrase openings[] = {
	{"while parsing a flow sequence", "the list opened"},
	{"while parsing a flow mapping", "the map opened"},
	{"while parsing a block collection", "the list begun"},
	{"while parsing a block mapping", "the map begun"},
	{"while scanning a quoted scalar", "the quoted text opened"},
	{"while scanning a simple key", "the key (one line, at most 1024 characters) begun"},
	{"while scanning a block scalar", "the text block begun"},
};

static const struct phrase hints[] = {
	{"mapping values are not allowed in this context",
	 "put text that holds `: ` in quotes, and indent the keys of a map alike"},
	{"block sequence entries are not allowed in this context", "begin a list with `- ` on a line of its own"},
	{"mapping keys are not allowed in this context", "put text that begins with `?` in quotes"},
	{"found character that cannot start any token", "put text that begins with this character in quotes"},
	{"did not find expected <document start>", "the file is one map: look at the indentation of this line"},
	{"did not find expected node content", "a value is missing here, or text needs quotes"},
	{"found undefined tag handle", "tags are not taken: put text that begins with `!` in quotes"},
	{"found unknown escape character", "in double quotes write \\\\ for a backslash, or use single quotes"},
	{"found unexpected ':'", "put text that holds a colon in quotes"},
	{"did not find expected alphabetic or numeric character",
	 "put text that begins with `*` or `&` in quotes; names of anchors are letters and digits"},
	{"did not find expected key", "write `name: value`, the keys of a map indented alike"},
	{"found incompatible YAML document", "leave the %YAML line away, or write %YAML 1.2"},
};

static const char *find(const struct phrase *t, size_t n, const char *theirs)
{
	for (size_t i = 0; theirs && i < n; i++)
		if (strcmp(t[i].theirs, theirs) == 0)
			return t[i].ours;
	return NULL;
}

/* Length of the line break at s, 0 = none: what YAML 1.1 counts as one. */
static size_t line_break(const char *s, size_t n)
{
	if (s[0] == '\r' && n > 1 && s[1] == '\n')
		return 2;
	if (s[0] == '\n' || s[0] == '\r')
		return 1;
	if (n > 1 && memcmp(s, "\xc2\x85", 2) == 0)
		return 2;
	if (n > 2 && (memcmp(s, "\xe2\x80\xa8", 3) == 0 || memcmp(s, "\xe2\x80\xa9", 3) == 0))
		return 3;
	return 0;
}

static size_t utf8_mark(const char *s, size_t n)
{
	return n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static void locate_utf8(const char *s, size_t off, struct pg_loc *l)
{
	size_t i = utf8_mark(s, off);

	while (i < off) {
		size_t step = line_break(s + i, off - i);

		if (step) {
			l->line++;
			l->col = 1;
		} else {
			step = pg_utf8_len(s + i, off - i);
			l->col++;
		}
		i += step ? step : 1;
	}
}

struct pg_loc pg_yaml_locate(const char *file, const char *s, size_t n, size_t off)
{
	struct pg_loc l = {file, 1, 1};

	locate_utf8(s, off > n ? n : off, &l);
	return l;
}

const char *pg_yaml_encoding(const char *s, size_t n)
{
	static const struct {
		const char *start;
		const char *name; /* as iconv has it */
	} marks[] = {{"\xff\xfe\0\0", "utf-32"}, {"\0\0\xfe\xff", "utf-32"}};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (n >= 4 && memcmp(s, marks[i].start, 4) == 0)
			return marks[i].name;
	if (n < 2)
		return NULL;
	if (memcmp(s, "\xff\xfe", 2) == 0 || memcmp(s, "\xfe\xff", 2) == 0)
		return "utf-16";
	if (s[0] && !s[1])
		return n >= 4 && !s[2] && !s[3] ? "utf-32le" : "utf-16le";
	if (!s[0] && s[1])
		return "utf-16be";
	return n >= 4 && !s[0] && !s[1] && !s[2] && s[3] ? "utf-32be" : NULL;
}

/* The byte at a place of a UTF-8 file, 0 = none. */
static char byte_at(const char *s, size_t n, const struct pg_loc *at)
{
	unsigned line = 1, col = 1;
	size_t i = utf8_mark(s, n);

	while (i < n && (line < at->line || (line == at->line && col < at->col))) {
		size_t step = line_break(s + i, n - i);

		if (step) {
			line++;
			col = 1;
		} else {
			step = pg_utf8_len(s + i, n - i);
			col++;
		}
		i += step ? step : 1;
	}
	return i < n && line == at->line && col == at->col ? s[i] : '\0';
}

void pg_yaml_explain(const struct pg_yaml_problem *p, const char *s, size_t n, struct pg_diag *d)
{
	const char *problem = p->problem ? p->problem : "this is not YAML";
	const char *opening = find(openings, sizeof(openings) / sizeof(openings[0]), p->context);
	const char *hint = find(hints, sizeof(hints) / sizeof(hints[0]), problem);
	bool apart = p->context_at.line && (p->context_at.line != p->at.line || p->context_at.col != p->at.col);
	char c = byte_at(s, n, &p->at);

	if (c == '\t' || strstr(problem, "tab character"))
		pg_diag_error(d, &p->at, "%s; a tab stands here: use spaces", problem);
	else if (c == '{' || c == '}')
		pg_diag_error(d, &p->at, "%s; put text that holds { } in quotes", problem);
	else if (opening && apart)
		pg_diag_error(d, &p->at, "%s; %s at line %u, column %u", problem, opening, p->context_at.line,
			      p->context_at.col);
	else if (p->at.col > 1024 && hint == hints[0].ours)
		pg_diag_error(d, &p->at, "%s; a key is at most 1024 characters long", problem);
	else
		pg_diag_error(d, &p->at, "%s; %s", problem, hint ? hint : "look at this line and the one before it");
}
