/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The option grammar of `perf bench`: bundled short options, attached values, abbreviated long ones, a `--no-` form of
 * each, `--`, `--help`, `--list-opts`, and the texts that it answers with. What an option stands for here is said by
 * its row: the param that it sets, and how its text becomes the param's.
 */
#ifndef PG_RUNNER_COMPAT_OPTIONS_H
#define PG_RUNNER_COMPAT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pg_str;

enum pg_fopt_kind {
	PG_FOPT_FLAG,
	PG_FOPT_COUNTER, /* a flag that counts how often it stood there */
	PG_FOPT_UINT,	 /* a number; a minus sign is refused by the grammar */
	PG_FOPT_INT,	 /* a number that may be negative */
	PG_FOPT_TEXT,
};

/* A foreign option; a table ends with .name == NULL. */
struct pg_fopt {
	const char *name;  /* long spelling */
	const char *arg;   /* TEXT: what stands for the value in the usage */
	const char *help;  /* NULL: a further spelling of the option `param` names, not shown */
	const char *param; /* row of the bench that it sets; NULL = the front end reads it */
	const char *value; /* flag: the text that it gives the param. Else the unit put behind the number ("s", "MB") */
	const char *zero;  /* number: the word that 0 stands for ("" = the default); NULL = 0 */
	bool minus_one;	   /* INT: -1 is the default */
	enum pg_fopt_kind kind;
	char letter; /* 0 = long only */
};

/* What the words of a command line said about one option; the last one counts. */
struct pg_fopt_state {
	const char *text; /* TEXT: the value, in argv */
	uint64_t n;	  /* number: its size; flags: 1, counters: how often */
	bool negative;
	bool given;   /* stood there, in either form */
	bool no;      /* in its `--no-` form */
	bool by_name; /* spelled long, for messages */
};

#define PG_FOPTS_MOST 40 /* rows of a table at most */

struct pg_fopts {
	const struct pg_fopt *rows;
	const char *synopsis; /* what follows "Usage: " */
	bool stop;	      /* the first word that is no option ends them; else options and words may be mixed */
};

enum pg_fopt_outcome {
	PG_FOPT_OK,
	PG_FOPT_USAGE, /* asked for the usage, or made a mistake: `text` is for standard error, status 129 */
	PG_FOPT_LIST,  /* --list-opts: `text` is for standard output, status 130 */
};
#define PG_STATUS_USAGE 129
#define PG_STATUS_LIST	130

struct pg_fopt_rest {
	char **words; /* stop: the words from the first that is no option; else the first of those left over */
	int n;
};

/* Reads argv[0..argc) into states[] (one a row, zeroed here). Texts are appended to `text`. */
enum pg_fopt_outcome pg_fopts_parse(const struct pg_fopts *set, int argc, char **argv, struct pg_fopt_state *states,
				    struct pg_fopt_rest *rest, struct pg_str *text);

/* The whole usage; a message about one option ("switch `l' expects ...") with that option's help. */
void pg_fopts_usage(const struct pg_fopts *set, struct pg_str *text);
void pg_fopts_message(const struct pg_fopts *set, size_t row, const char *message, struct pg_str *text);

/*
 * The param's text for a state of row `row` that was given: false = the default. Numbers are written without sign,
 * blanks and leading zeros, `zero` stands in for 0. Of negative ones only a `minus_one` means something.
 */
bool pg_fopt_value(const struct pg_fopt *row, const struct pg_fopt_state *state, struct pg_str *out);

size_t pg_fopts_count(const struct pg_fopt *rows);
int pg_fopt_find(const struct pg_fopt *rows, const char *name); /* -1 = none */

#endif
