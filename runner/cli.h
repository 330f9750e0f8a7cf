/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command table: what `perfgrid COMMAND` means, and what help and man page say about it. */
#ifndef PG_RUNNER_CLI_H
#define PG_RUNNER_CLI_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct pg_args;
struct pg_option;
struct pg_str;
struct pg_world;

#define PG_ANY_OPERANDS UINT_MAX

struct pg_command {
	const char *name;     /* a table ends with NULL */
	const char *operands; /* as in the usage line; "" = none */
	const char *summary;  /* one line, no full stop */
	const char *about;    /* paragraphs for --help and the man page, each one line of text ended by \n */
	const struct pg_option *options;
	size_t opts_size; /* of the struct that the options fill */
	unsigned min_operands, max_operands;
	bool hidden; /* for building perfgrid itself */
	bool silent; /* writes nothing to standard output, so it may be closed */
	int (*run)(struct pg_world *w, const void *opts, const struct pg_args *args);
	/* Makes another of the exit status, also of that of a wrong command line (its words after the name); NULL: as
	 * it is. */
	int (*status)(int status, int argc, char **argv);
	/*
	 * A foreign command line (a drop-in) in place of options, operands and run: argv[0] is the name for its
	 * messages, argv[1] its first word. Also what a link of that name to this program runs.
	 */
	int (*foreign)(struct pg_world *w, int argc, char **argv);
	const char *link; /* name of that link */
};

extern const struct pg_command pg_commands[];
const struct pg_command *pg_command_find(const char *name);

/* The whole program: argv[0] is its name. Returns the exit status. */
int pg_cli(struct pg_world *w, int argc, char **argv);

/* A line of the table of exit statuses; ends with text NULL. */
struct pg_status_doc {
	const char *status, *text;
};
extern const struct pg_status_doc pg_status_docs[];

#endif
