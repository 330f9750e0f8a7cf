/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names: what one may look like, and which one was meant.
 */
#include "base/str.h"

#include <string.h>

#define NAME_MAX_LEN 64

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

/* Neighbouring letters that changed places count once (the restricted form: no edit inside a swapped pair). */
unsigned pg_edit_distance(const char *a, const char *b)
{
	unsigned rows[3][NAME_MAX_LEN + 1];
	unsigned *before = rows[0], *prev = rows[1], *cur = rows[2];
	size_t na = strlen(a), nb = strlen(b);

	if (na > NAME_MAX_LEN || nb > NAME_MAX_LEN)
		return 2 * NAME_MAX_LEN;
	memset(rows, 0, sizeof(rows));
	for (size_t j = 0; j <= nb; j++)
		prev[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *swap = before;
		char ca = lower(a[i - 1]);

		cur[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			char cb = lower(b[j - 1]);
			unsigned cost = ca != cb;

			cur[j] = min3(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + cost);
			if (i > 1 && j > 1 && ca == lower(b[j - 2]) && lower(a[i - 2]) == cb &&
			    before[j - 2] + 1 < cur[j])
				cur[j] = before[j - 2] + 1;
		}
		before = prev;
		prev = cur;
		cur = swap;
	}
	return prev[nb];
}

static bool is_prefix_pair(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && b[n] && lower(a[n]) == lower(b[n]))
		n++;
	return n >= 3 && (!a[n] || !b[n]);
}

const char *pg_nearest(const char *name, const char *const *names, size_t n)
{
	unsigned best = 2 + (unsigned)(strlen(name) / 3);
	const char *nearest = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned d;

		if (!names[i])
			continue;
		d = pg_edit_distance(name, names[i]);
		if (d > 2 && is_prefix_pair(name, names[i])) /* likelier than some other word of that length */
			d = 2;
		if (d < best) {
			best = d;
			nearest = names[i];
		}
	}
	return nearest;
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool pg_is_name(const char *s)
{
	size_t n = 0;

	if (s[0] == '-')
		return false;
	for (; s[n]; n++) {
		char c = s[n];

		if (!is_lower(lower(c)) && !is_digit(c) && c != '_' && c != '-')
			return false;
		if (n >= NAME_MAX_LEN)
			return false;
	}
	return n > 0;
}

bool pg_is_param_name(const char *s)
{
	size_t n = 0;

	if (!is_lower(s[0]))
		return false;
	for (; s[n]; n++) {
		if (!is_lower(s[n]) && !is_digit(s[n]) && s[n] != '_')
			return false;
		if (n >= NAME_MAX_LEN)
			return false;
	}
	return true;
}
