/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two runs whose cells differ in one param have nothing that `compare` could set side by side. */
#include "runner/cmd_compare.h"

#include "base/err.h"
#include "store/json.h"
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

#define HEAD "perfgrid: 1\nname: a\nsweeps:\n  - {name: s, suite: sched/messaging, warmup: 0, repeat: 8, "

/* Half as fast through what is no socket: whoever set the two side by side would see it. */
static int by_transport(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	const struct pg_cell *c = job->cell;
	size_t p;

	(void)err;
	ck_assert_ptr_nonnull(pg_param_find(c->params, "transport", &p));
	for (size_t i = 0; i < out->n; i++) {
		out->s[i].raw = f->rep_ns + (int64_t)(f->reps * 7919 % 5000);
		if (c->metrics[out->s[i].metric].unit == PG_U_S && c->vals[p].u.i != 0)
			out->s[i].raw *= 2;
	}
	return 0;
}

static void fresh(struct fake_world *f)
{
	fake_world_close(f);
	f->world.out = open_memstream(&f->out, &f->n_out);
	f->world.err = open_memstream(&f->err, &f->n_err);
	ck_assert(f->world.out && f->world.err);
}

static void run(struct fake_world *f, const char *dir, const char *text)
{
	put("a.yaml", text);
	ck_assert_msg(CLI(f, "run", "-q", "-o", dir, "a.yaml") == 0, "%s", f->err);
	fresh(f);
}

/* Every row of the report has one side. */
static void nothing_is_compared(struct fake_world *f, const char *base, const char *new, size_t missing)
{
	const struct json_t *rows;
	struct pg_err err;
	struct json_t *j;
	int64_t n;

	fresh(f);
	ck_assert_int_eq(CLI(f, "compare", base, new, "--format=json", "--trust-stored"), 0);
	j = pg_json_parse(f->out, strlen(f->out), &err);
	ck_assert_msg(j != NULL, "%s", err.msg);
	ck_assert(pg_json_int(pg_json_get(j, "counts"), "missing", &n));
	ck_assert_uint_eq((size_t)n, missing);
	rows = pg_json_get(j, "rows");
	ck_assert_uint_ge(pg_json_len(rows), missing);
	for (size_t i = 0; i < pg_json_len(rows); i++) {
		const struct json_t *row = pg_json_at(rows, i);

		ck_assert_str_eq(pg_json_text(row, "standing"), "missing");
		ck_assert(!pg_json_get(row, "base") || !pg_json_get(row, "new"));
	}
	pg_json_free(j);
	fresh(f);
	ck_assert_int_eq(CLI(f, "compare", base, new, "--gate", "--trust-stored"), 1);
	ck_assert_int_eq(CLI(f, "compare", base, new, "--gate", "--trust-stored", "--missing=pass"), 5);
}

START_TEST(transports_never_match)
{
	struct fake_world f;

	enter(&f);
	f.answer = by_transport;
	run(&f, "socket", HEAD "set: {transport: socket}}\n");
	run(&f, "pipe", HEAD "set: {transport: pipe}}\n");
	run(&f, "default", HEAD "}\n");
	nothing_is_compared(&f, "socket", "pipe", 2);
	nothing_is_compared(&f, "pipe", "default", 2);
	expect("stdout", f.out, "\ntransport=pipe ");
	expect("stdout", f.out, "missing\n    default: no such cell\n");
	expect("stdout", f.out, "missing\n    pipe: no such cell\n");
	expect("stdout", f.out, "the sides have no measured cell in common; ");
	/* What is only written down in one of them is one cell; a socket is the default. */
	fresh(&f);
	ck_assert_int_eq(CLI(&f, "compare", "socket", "default", "--gate", "--trust-stored", "--inconclusive=pass"), 0);
	ck_assert_msg(!strstr(f.out, "missing"), "%s", f.out);
	leave(&f);
}
END_TEST

/* A table of several: each meets its namesake, whatever the order of the list. */
START_TEST(namesakes_meet)
{
	struct fake_world f;

	enter(&f);
	f.answer = by_transport;
	run(&f, "one", HEAD "vary: {transport: [socket, pipe]}}\n");
	run(&f, "two", HEAD "vary: {transport: [inet, pipe, socket]}}\n");
	ck_assert_int_eq(
		CLI(&f, "compare", "one", "two", "--gate", "--trust-stored", "--missing=pass", "--inconclusive=pass"),
		0);
	expect("stdout", f.out, "\ntransport=inet ");
	expect("stdout", f.out, "missing\n    one: no such cell\n");
	expect("stdout", f.out, "1 missing");
	ck_assert_msg(!strstr(f.out, "regressed") && !strstr(f.out, "improved"), "%s", f.out);
	leave(&f);
}
END_TEST

/* A missing cell is named by what either side varies, at its default or not. */
START_TEST(missing_ones_are_named)
{
	struct fake_world f;

	enter(&f);
	f.answer = by_transport;
	run(&f, "one", HEAD "vary: {groups: [1, 2]}}\n");
	run(&f, "two", HEAD "set: {groups: 1}, vary: {transport: [socket, pipe]}}\n");
	run(&f, "single", HEAD "vary: {groups: [4]}}\n");
	ck_assert_int_eq(CLI(&f, "compare", "one", "two"), 0);
	expect("stdout", f.out, "\ntransport=pipe groups=1 ");
	expect("stdout", f.out, "\ngroups=2 transport=socket ");
	fresh(&f);
	ck_assert_int_eq(CLI(&f, "compare", "one", "single"), 0);
	expect("stdout", f.out, "\ngroups=4 ");
	expect("stdout", f.out, "\ngroups=1 ");
	leave(&f);
}
END_TEST

/* Rows as they come from the reader, which refuses those of another length than the header. */
struct sheet {
	size_t rows, transport, duration; /* columns, 1-based; fields of them that are not empty */
	size_t with_transport, with_duration;
};

static int take_row(void *ctx, size_t line, const char *const *fields, size_t n)
{
	struct sheet *s = ctx;

	for (size_t i = 0; line == 1 && i < n; i++) {
		s->transport = strcmp(fields[i], "transport") == 0 ? i + 1 : s->transport;
		s->duration = strcmp(fields[i], "duration") == 0 ? i + 1 : s->duration;
	}
	if (line == 1)
		return 0;
	s->rows++;
	s->with_transport += s->transport && *fields[s->transport - 1];
	s->with_duration += s->duration && *fields[s->duration - 1];
	return 0;
}

/* Columns for the params of both sides, empty where a bench has none of that name. */
START_TEST(columns_of_both_sides)
{
	struct sheet s = {0};
	struct fake_world f;
	struct pg_err err;

	enter(&f);
	run(&f, "one", HEAD "set: {groups: 1}}\n");
	put("b.yaml",
	    "perfgrid: 1\nname: b\nsweeps:\n  - {name: s, suite: noop, process: exec, warmup: 0, repeat: 8}\n");
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "two", "b.yaml"), 0);
	ck_assert_int_eq(CLI(&f, "compare", "one", "two", "--format=csv", "-o", "c.csv"), 0);
	ck_assert_msg(pg_csv_read("c.csv", ',', take_row, &s, &err) == 0, "%s", err.msg);
	ck_assert(s.duration > 0 && s.transport > s.duration);
	ck_assert_uint_gt(s.with_transport, 0);
	ck_assert_uint_gt(s.with_duration, 0);
	ck_assert_uint_eq(s.with_transport + s.with_duration, s.rows);
	leave(&f);
}
END_TEST

/* How far the samples of two runs lie apart, for programs and people. */
START_TEST(cliffs_delta)
{
	struct fake_world f;

	enter(&f);
	run(&f, "one", HEAD "set: {groups: 1}}\n");
	f.rep_ns *= 2;
	run(&f, "two", HEAD "set: {groups: 1}}\n");
	ck_assert_int_eq(CLI(&f, "compare", "one", "two", "--format=json"), 0);
	ck_assert_ptr_null(strstr(f.out, "cliff_delta"));
	fresh(&f);
	ck_assert_int_eq(CLI(&f, "compare", "one", "two", "--format=json", "--trust-stored"), 0);
	expect("stdout", f.out, "\"cliff_delta\": ");
	fresh(&f);
	ck_assert_int_eq(CLI(&f, "compare", "one", "two", "--trust-stored"), 0);
	expect("stdout", f.out, "Cliff's delta +");
	leave(&f);
}
END_TEST

PG_TEST_MAIN("runner_compare_cells", ((const struct pg_test[]){
					     {transports_never_match, 0},
					     {namesakes_meet, 0},
					     {missing_ones_are_named, 0},
					     {columns_of_both_sides, 0},
					     {cliffs_delta, 0},
					     {NULL, 0},
				     }))
