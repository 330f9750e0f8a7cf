/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First byte: type of the row and where the text comes from (YAML or command line). The rest is a value, a list, a
 * range: messages, or values that are each once, in range, and read back from their text.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "plan/values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct pg_choice words[] = {{"auto", NULL}, {"all", NULL}, {"x", NULL}, {NULL, NULL}};
static const struct pg_param rows[] = {
	{.name = "flag", .type = PG_BOOL},
	{.name = "first", .type = PG_COUNT, .min = "1", .max = "100000", .choices = words},
	{.name = "size", .type = PG_SIZE, .min = "1B", .max = "16TB"},
	{.name = "interval", .type = PG_TIME, .max = "1h"},
	{.name = "fraction", .type = PG_REAL, .min = "0", .max = "1"},
	{.name = "choice", .type = PG_ENUM, .choices = words, .role = PG_ALL},
	{.name = "cpu_set", .type = PG_CPULIST},
	{.name = "node_set", .type = PG_NODELIST},
	{.name = "text", .type = PG_TEXT},
	{.name = "free", .type = PG_COUNT},
	{.name = "open", .type = PG_REAL},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void read_back(const struct pg_param *row, const struct pg_item *it, struct pg_arena *a)
{
	struct pg_value again;
	struct pg_str text;

	pg_str_init(&text);
	pg_value_format(row, &it->v, &text);
	assert(pg_value_parse(row, pg_str_text(&text), text.len, a, &again, NULL) == 0);
	assert(pg_value_equal(&it->v, &again));
	assert(it->text);
	pg_str_release(&text);
}

static void axis(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node)
{
	unsigned errors = ctx->diag->errors;
	struct pg_item *items;
	size_t n;

	if (pg_values_axis(ctx, row, node, &items, &n)) {
		assert(ctx->diag->errors > errors);
		return;
	}
	assert(n > 0 && ctx->diag->errors == errors);
	for (size_t i = 0; i < n && i < 100; i++) {
		read_back(row, &items[i], ctx->arena);
		for (size_t k = 0; k < i; k++)
			assert(!pg_value_equal(&items[i].v, &items[k].v));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const missing[] = {"b.choice=x"};
	static const struct pg_machine machine = {{4, 2, 1, 1, 1}, missing, 1};
	struct pg_diag d = {NULL, NULL, 0, 0};
	struct pg_loc loc = {"--set", 0, 0};
	struct pg_item one;
	struct pg_arena a;
	struct pg_values_ctx ctx = {&machine, "b", &a, &d};
	const struct pg_param *row;
	struct pg_node *node;
	const char *text;

	if (size < 2)
		return 0;
	pg_arena_init(&a, false);
	row = &rows[data[0] % 16 % ROWS];
	text = pg_arena_strndup(&a, (const char *)data + 1, size - 1);
	if (data[0] & 0x80)
		node = pg_values_cli(text, &loc, &a);
	else
		node = pg_yaml_parse("fuzz", text, strlen(text), &a, &d);
	if (node) {
		d.errors = 0;
		axis(&ctx, row, node);
		d.errors = 0;
		if (pg_values_one(&ctx, row, node, &one) == 0)
			read_back(row, &one, &a);
		(void)pg_values_guess(node);
	}
	pg_arena_release(&a);
	return 0;
}
