/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine words: names of numbers that the machine gives. */
#include <string.h>

#include "plan/expr.h"

const char *const pg_machine_words[PG_MACHINE_WORDS] = {"cpus", "cores", "llcs", "sockets", "nodes"};

int pg_machine_word(const char *name, size_t n)
{
	for (int i = 0; i < PG_MACHINE_WORDS; i++)
		if (strlen(pg_machine_words[i]) == n && memcmp(pg_machine_words[i], name, n) == 0)
			return i;
	return -1;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool pg_expr_names_word(const char *text, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		if (!is_name_char(text[i]))
			continue;
		while (end < n && is_name_char(text[end]))
			end++;
		if (pg_machine_word(text + i, end - i) >= 0)
			return true;
	}
	return false;
}
