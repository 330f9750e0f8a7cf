/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command lines. A command's options are rows over a struct of its own, type-checked at compile time; parser, --help
 * and man page walk the same rows. GNU syntax: long options with `=` or a separate argument, bundled short ones,
 * options and operands mixed, `--` ends. Names are never abbreviated. Lists collect; any other option with an argument
 * stands once.
 */
#ifndef PG_RUNNER_ARGS_H
#define PG_RUNNER_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pg_arena;
struct pg_err;

struct pg_opt_count {
	bool given;
	uint64_t v;
};
struct pg_opt_time {
	bool given;
	int64_t ns;
};
struct pg_opt_list {
	const char **v;
	size_t n;
};

enum pg_opt_kind { PG_OPT_FLAG, PG_OPT_TEXT, PG_OPT_LIST, PG_OPT_COUNT, PG_OPT_TIME };

struct pg_option {
	const char *name;	  /* long option; a table ends with NULL */
	const char *arg;	  /* what stands for its argument in help; NULL for flags */
	const char *doc;	  /* sentence fragment */
	uint64_t min, max;	  /* COUNT: max 0 = no limit; TIME: min in ns */
	const char *const *words; /* TEXT: the values it may have, ended by NULL; NULL = any */
	size_t offset;
	enum pg_opt_kind kind;
	char opt; /* short option or 0 */
};

/* clang-format off */
#define PG_OPT_AT(s, f)                                                                                                \
	.kind = _Generic(((s *)0)->f, bool: PG_OPT_FLAG, const char *: PG_OPT_TEXT, struct pg_opt_list: PG_OPT_LIST,   \
			 struct pg_opt_count: PG_OPT_COUNT, struct pg_opt_time: PG_OPT_TIME),                          \
	.offset = offsetof(s, f)
/* clang-format on */

struct pg_args {
	const char **operand;
	size_t n;
	bool help; /* --help or -h stood on the line: nothing else of it counts */
};

/*
 * Parses argv[0..argc) (the words after the command's name) into *opts (zeroed by the caller). Texts point into argv,
 * arrays are the arena's. -1: PG_EUSAGE.
 */
int pg_args_parse(const struct pg_option *rows, int argc, char **argv, struct pg_arena *a, void *opts,
		  struct pg_args *args, struct pg_err *err);

#endif
