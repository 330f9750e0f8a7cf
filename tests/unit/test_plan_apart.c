/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells are matched by id, by `compare` and by --resume alike: two that differ in any param of any bench (transport,
 * mode, trigger, ...) must never be taken for one another, and what is only written in another way is one cell.
 */
#include "tests/support/pgtest.h"

#include "tests/support/plankit.h"

#define MOST 40 /* texts of a param */

struct tried {
	const char *text; /* as in the scenario, NULL = not given */
	char value[256];  /* as the cell has it */
	uint64_t id;
};

/* Where a param depends on another one, that is set too, always to the same. */
static const struct {
	const char *bench, *param, *also;
} alongside[] = {
	{"mem/mmap", "page_size", ", size: 4MB"},
	{"numa/mem", "locked_size", ", process_size: 8KB"},
	{"internals/evlist-open-close", "buffer", ", target: 'pid:1'"},
	{"internals/synthesize", "threads", ", target: system"},
};

static const char *also(const struct pg_bench *b, const struct pg_param *row)
{
	for (size_t i = 0; i < sizeof(alongside) / sizeof(alongside[0]); i++)
		if (strcmp(alongside[i].bench, b->name) == 0 && strcmp(alongside[i].param, row->name) == 0)
			return alongside[i].also;
	return "";
}

/* false: this text is no value of that param here (another param's limit, two that exclude each other). */
static bool try_text(struct kit *k, const struct pg_bench *b, const struct pg_param *row, const char *text,
		     struct tried *out)
{
	char yaml[1024];
	const struct pg_cell *c;
	size_t p;

	if (text)
		snprintf(yaml, sizeof(yaml), KIT_HEAD "  - {name: s, suite: %s, set: {%s: %s%s}}\n", b->name, row->name,
			 text, also(b, row));
	else
		snprintf(yaml, sizeof(yaml), KIT_HEAD "  - {name: s, suite: %s, set: {%s}}\n", b->name,
			 *also(b, row) ? also(b, row) + 2 : "");
	if (kit_load(k, yaml))
		return false;
	ck_assert_uint_eq(pg_plan_cells(k->plan), 1);
	c = kit_cell(k, 0);
	ck_assert_ptr_nonnull(pg_param_find(c->params, row->name, &p));
	pg_str_reset(&k->text);
	pg_value_format(&c->params[p], &c->vals[p], &k->text);
	out->text = text;
	snprintf(out->value, sizeof(out->value), "%s", pg_str_text(&k->text));
	out->id = c->id;
	ck_assert_uint_eq(pg_plan_find(k->plan, c->id), 0);
	return true;
}

/* Texts that a row suggests. */
static size_t texts_of(const struct pg_param *row, const char **out)
{
	static const char *const others[] = {"true",  "false", "1",	     "2",      "3",	"3KB",
					     "3072B", "3ms",   "3000us",     "'0'",    "'0-1'", "'a,b'",
					     "'c,d'", "2MB",   "/bin/false", "'pid:1'"};
	size_t n = 0;

	out[n++] = NULL;
	out[n++] = row->min;
	out[n++] = row->max;
	out[n++] = row->def;
	for (size_t i = 0; row->choices && row->choices[i].name && n < MOST - 16; i++)
		out[n++] = row->choices[i].name;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		out[n++] = others[i];
	return n;
}

/* Every pair: one id where the value is one, else two. */
static size_t pairs(const struct pg_bench *b, const struct pg_param *row, const struct tried *t, size_t n)
{
	size_t apart = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			const bool same = strcmp(t[i].value, t[j].value) == 0;

			ck_assert_msg((t[i].id == t[j].id) == same, "%s: %s %s and %s have %s id", b->name, row->name,
				      t[i].value, t[j].value, same ? "no common" : "one");
			apart += !same;
		}
	}
	return apart;
}

/* A bench a turn. */
START_TEST(values_keep_cells_apart)
{
	const struct pg_bench *b = NULL;
	struct kit k;
	int at = 0;

	for (size_t s = 0; pg_suites[s] && !b; s++)
		for (size_t i = 0; pg_suites[s]->benches[i] && !b; i++)
			if (at++ == _i)
				b = pg_suites[s]->benches[i];
	if (!b) /* there are not that many */
		return;
	kit_init(&k);
	for (const struct pg_param *row = b->params; row->name; row++) {
		struct tried t[MOST];
		const char *texts[MOST];
		const size_t n = texts_of(row, texts);
		size_t good = 0;

		for (size_t i = 0; i < n; i++)
			if (i == 0 || texts[i])
				good += try_text(&k, b, row, texts[i], &t[good]);
		ck_assert_msg(pairs(b, row, t, good) > 0, "%s: %s was never anything but %s", b->name, row->name,
			      good ? t[0].value : "refused");
	}
	kit_done(&k);
}
END_TEST

/* The benches above are all there are. */
#define BENCHES 64

START_TEST(every_bench_had_its_turn)
{
	int n = 0;

	for (size_t s = 0; pg_suites[s]; s++)
		for (size_t i = 0; pg_suites[s]->benches[i]; i++)
			n++;
	ck_assert_int_gt(n, 20);
	ck_assert_int_le(n, BENCHES);
}
END_TEST

/* The case that is known to have misled: transports of messaging, in a list and alone. */
START_TEST(transports_are_apart)
{
	static const char *const names[] = {"socket", "pipe", "inet"};
	uint64_t id[3];
	struct kit k;
	char yaml[256];

	kit_init(&k);
	for (size_t i = 0; i < 3; i++) {
		snprintf(yaml, sizeof(yaml), KIT_HEAD "  - {name: s, suite: sched/messaging, set: {transport: %s}}\n",
			 names[i]);
		kit_good(&k, yaml, "");
		id[i] = kit_cell(&k, 0)->id;
	}
	kit_good(&k, KIT_HEAD "  - {name: s, suite: sched/messaging, vary: {transport: [inet, socket, pipe]}}\n", "");
	ck_assert_uint_eq(pg_plan_cells(k.plan), 3);
	ck_assert_uint_eq(pg_plan_find(k.plan, id[0]), 1);
	ck_assert_uint_eq(pg_plan_find(k.plan, id[1]), 2);
	ck_assert_uint_eq(pg_plan_find(k.plan, id[2]), 0);
	ck_assert(id[0] != id[1] && id[1] != id[2] && id[0] != id[2]);
	kit_done(&k);
}
END_TEST

PG_TEST_MAIN("plan_apart", ((const struct pg_test[]){
				   {values_keep_cells_apart, BENCHES},
				   {every_bench_had_its_turn, 0},
				   {transports_are_apart, 0},
				   {NULL, 0},
			   }))
