/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --help of the program and of each command. */
#include "runner/emit_help.h"

#include <string.h>

#include "base/str.h"
#include "runner/args.h"
#include "runner/cli.h"

#define WIDTH  80
#define DOC_AT 26

static void blanks(struct pg_str *out, size_t n)
{
	while (n-- > 0)
		pg_str_addc(out, ' ');
}

void pg_emit_filled(struct pg_str *out, const char *text, size_t at, size_t indent, size_t width)
{
	size_t col = at;

	while (*text) {
		size_t n = strcspn(text, " \n");

		if (col > indent && col + 1 + n > width) {
			pg_str_addc(out, '\n');
			blanks(out, indent);
			col = indent;
		} else if (col > indent) {
			pg_str_addc(out, ' ');
			col++;
		}
		pg_str_add(out, text, n);
		col += n;
		text += n;
		text += strspn(text, " \n");
	}
	pg_str_addc(out, '\n');
}

/* The left column of one option: "  -o, --output DIR". */
static void option_line(struct pg_str *out, const struct pg_option *row, const char *doc)
{
	size_t from = out->len, used;

	if (row->opt)
		pg_str_addf(out, "  -%c, --%s", row->opt, row->name);
	else
		pg_str_addf(out, "      --%s", row->name);
	if (row->arg)
		pg_str_addf(out, " %s", row->arg);
	used = out->len - from;
	if (used + 2 > DOC_AT) {
		pg_str_addc(out, '\n');
		used = 0;
	}
	blanks(out, DOC_AT - used);
	pg_emit_filled(out, doc, DOC_AT, DOC_AT, WIDTH);
}

static void paragraphs(struct pg_str *out, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		struct pg_str one;

		pg_str_init(&one);
		pg_str_add(&one, text, n);
		pg_str_addc(out, '\n');
		pg_emit_filled(out, pg_str_text(&one), 0, 0, WIDTH);
		pg_str_release(&one);
		text += n + (text[n] == '\n');
	}
}

void pg_emit_command_help(const struct pg_command *c, struct pg_str *out)
{
	static const struct pg_option help = {.name = "help", .opt = 'h'};

	pg_str_addf(out, "usage: perfgrid %s [OPTION]...%s%s\n\n", c->name, *c->operands ? " " : "", c->operands);
	pg_emit_filled(out, c->summary, 0, 0, WIDTH);
	paragraphs(out, c->about);
	pg_str_adds(out, "\noptions:\n");
	for (const struct pg_option *row = c->options; row->name; row++)
		option_line(out, row, row->doc);
	option_line(out, &help, "this text");
}

void pg_emit_usage(struct pg_str *out)
{
	pg_str_adds(out, "usage: perfgrid COMMAND [OPTION]... [OPERAND]...\n"
			 "       perfgrid COMMAND --help\n"
			 "       perfgrid --version\n\n"
			 "Measures the sweeps of a scenario file and writes a CSV matrix for each.\n\n"
			 "commands:\n");
	for (const struct pg_command *c = pg_commands; c->name; c++) {
		if (c->hidden)
			continue;
		pg_str_addf(out, "  %-10s ", c->name);
		pg_emit_filled(out, c->summary, 13, 13, WIDTH);
	}
	pg_str_adds(out, "\nexit status:\n");
	for (const struct pg_status_doc *d = pg_status_docs; d->text; d++) {
		pg_str_addf(out, "  %-10s ", d->status);
		pg_emit_filled(out, d->text, 13, 13, WIDTH);
	}
	pg_str_adds(out, "\nto begin with:\n"
			 "  perfgrid init > first.yaml\n"
			 "  perfgrid run --show first.yaml\n");
}
