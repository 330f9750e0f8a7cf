/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flags: which of them stand in cells.csv and samples.csv, and the counts over a run. */
#include <math.h>

#include "store/flags.h"
#include "tests/support/guardkit.h"

/* The line of a CSV that begins with the cell's id, from its metric on. */
static void flags_are(const struct kit *k, const char *file, size_t cell, const char *metric, const char *want)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(k->plan);
	char *text = kit_file(k, file), *line = text, id[PG_CELL_ID_BUF], name[64], field[256];
	const char *end;

	pg_cell_id_format(id, pg_plan_cell(k->plan, cell, buf)->id);
	snprintf(name, sizeof(name), ",%s,", metric);
	while (line && (strncmp(line, id, 17) != 0 || !memmem(line, strcspn(line, "\n"), name, strlen(name)))) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	ck_assert_msg(line != NULL, "%s has no %s of cell %zu", file, metric, cell);
	/* flags is the last field but one. */
	end = memrchr(line, ',', strcspn(line, "\n"));
	line = memrchr(line, ',', (size_t)(end - line));
	snprintf(field, sizeof(field), "%.*s", (int)(end - line - 1), line + 1);
	ck_assert_msg(strcmp(field, want) == 0, "%s: '%s', not '%s'", metric, field, want);
	free(text);
	pg_cell_buf_free(buf);
}

START_TEST(in_order)
{
	struct kit k;
	char root[FAKE_ROOT];

	open_run(&k, root, "hpet\n");
	/* A cell with a trend, a few spikes, a cold start, guards. */
	for (uint32_t i = 1; i <= 20; i++)
		rep(&k,
		    (struct with){.round = i,
				  .ns = i == 1 || i % 6 == 0 ? 9000 * MS + i : (1000 + 31 * i + i % 3) * MS,
				  .wall_ns = 300 * MS,
				  .switches = i == 9 ? 900 : 10,
				  .fact = {{PG_F_SWAPPED, i == 4 ? 8 : 0}, {PG_F_STEAL, i == 4 || i == 5 ? 90 : 1}}});
	rep(&k, (struct with){.cell = 2, .round = 1, .ns = 5 * MS});
	write_all(&k);
	flags_are(&k, "a.cells.csv", 0, "time",
		  "drift bimodal spiky cold-start noisy clock steal:10% switches:5% swap:100%");
	flags_are(&k, "a.cells.csv", 0, "minor_faults", "clock steal:10% switches:5% swap:100%");
	flags_are(&k, "a.cells.csv", 1, "time", "");
	flags_are(&k, "b.cells.csv", 2, "time", "n1 grouped one-layout clock");
	close_run(&k, root);
}
END_TEST

START_TEST(quiet_cell)
{
	struct kit k;
	char root[FAKE_ROOT];

	open_run(&k, root, "tsc\n");
	for (uint32_t i = 1; i <= 10; i++)
		rep(&k, (struct with){.round = i,
				      .ns = 1000 * MS + 7919 * (i * 7 % 11),
				      .wall_ns = 1001 * MS + 5003 * (i * 3 % 11)});
	write_all(&k);
	flags_are(&k, "a.cells.csv", 0, "time", "");
	flags_are(&k, "a.cells.csv", 0, "wall_time", "");
	flags_are(&k, "a.cells.csv", 0, "major_faults", "");
	close_run(&k, root);
}
END_TEST

START_TEST(loops_differ)
{
	struct kit k;
	char root[FAKE_ROOT];

	open_run(&k, root, "tsc\n");
	rep(&k, (struct with){.round = 1, .ns = MS, .fact = {{PG_F_LOOPS, 100}}});
	rep(&k, (struct with){.round = 2, .ns = 2 * MS, .fact = {{PG_F_LOOPS, 100}}});
	rep(&k, (struct with){.cell = 1, .round = 1, .ns = MS, .fact = {{PG_F_LOOPS, 100}}});
	rep(&k, (struct with){.cell = 1, .round = 2, .ns = 2 * MS, .fact = {{PG_F_LOOPS, 101}}});
	write_all(&k);
	flags_are(&k, "a.cells.csv", 0, "time", "");
	flags_are(&k, "a.cells.csv", 1, "time", "loops-differ");
	close_run(&k, root);
}
END_TEST

/* Counts that the scenario gives are no surprise. */
START_TEST(loops_as_given)
{
	struct kit k;
	char root[FAKE_ROOT];

	kit_init(&k, "perfgrid: 1\nname: kit\nsweeps:\n  - {name: a, suite: mem/memcpy, repeat: 2, "
		     "variants: [{label: x, loops: 10}, {label: y, loops: 100}]}\n");
	machine(&k, root, "tsc\n");
	kit_create(&k);
	for (uint32_t i = 1; i <= 2; i++) {
		rep(&k, (struct with){.cell = 0, .round = i, .ns = MS * i, .fact = {{PG_F_LOOPS, 10}}});
		rep(&k, (struct with){.cell = 1, .round = i, .ns = MS * i, .fact = {{PG_F_LOOPS, 100}}});
	}
	write_all(&k);
	flags_are(&k, "a.cells.csv", 0, "time", "");
	flags_are(&k, "a.cells.csv", 1, "time", "");
	close_run(&k, root);
}
END_TEST

/* Without a layout drawn for each program no rep has one of its own, whatever `process` says. */
START_TEST(layouts)
{
	static const struct {
		const char *drawn, *flags;
	} rows[] = {{"2\n", "n1"}, {"0\n", "n1 one-layout"}, {"1\n", "n1 one-layout"}, {NULL, "n1"}};
	struct kit k;
	char root[FAKE_ROOT];

	kit_init(&k, sweeps);
	machine(&k, root, "tsc\n");
	if (rows[_i].drawn)
		fr_put(root, "proc/sys/kernel/randomize_va_space", rows[_i].drawn);
	kit_create(&k);
	rep(&k, (struct with){.round = 1, .ns = MS});
	write_all(&k);
	flags_are(&k, "a.cells.csv", 0, "time", rows[_i].flags);
	close_run(&k, root);
}
END_TEST

/* Arms of a comparison must have the same count; and each rep stands with its own arm. */
START_TEST(arms)
{
	struct kit k;
	char root[FAKE_ROOT];

	open_run(&k, root, "tsc\n");
	for (uint32_t i = 1; i <= 2; i++) {
		rep(&k, (struct with){.cell = 3, .round = i, .ns = MS * i, .fact = {{PG_F_LOOPS, 100}}});
		rep(&k, (struct with){.cell = 4, .round = i, .ns = MS * i, .fact = {{PG_F_LOOPS, 90}}});
	}
	kit_reopen(&k, false);
	write_all(&k);
	flags_are(&k, "c.cells.csv", 3, "time", "loops-differ");
	flags_are(&k, "c.cells.csv", 4, "time", "loops-differ");
	kit_has(&k, "c.samples.csv", ",100,auto,whole,4096,system,0,0,x,");
	kit_has(&k, "c.samples.csv", ",90,auto,whole,4096,system,0,0,y,");
	close_run(&k, root);
}
END_TEST

/* The limit is that of the run's own clock; rows that are not of the timed region are not short. */
START_TEST(short_batches)
{
	static const char env[] =
		"{\"clock\": {\"clocksource\": \"tsc\", \"cost_ns\": 40, \"step_ns\": 20, \"res_ns\": 3000}}\n";
	struct kit k;
	char root[FAKE_ROOT], path[160];

	open_run(&k, root, "tsc\n");
	for (uint32_t i = 1; i <= 3; i++) {
		rep(&k, (struct with){.round = i, .ns = MS + i, .fact = {{PG_F_BATCH_TIME, 3 * MS + i}}});
		rep(&k, (struct with){.cell = 1,
				      .round = i,
				      .ns = MS + i,
				      .fact = {{PG_F_BATCH_TIME, i == 2 ? 3 * MS - 1 : 5 * MS}}});
	}
	snprintf(path, sizeof(path), "%s/env.json", k.run);
	ck_assert_int_eq(unlink(path), 0);
	kit_append(&k, "env.json", env, strlen(env));
	write_all(&k);
	flags_are(&k, "a.cells.csv", 0, "time", "");
	flags_are(&k, "a.cells.csv", 1, "time", "short");
	flags_are(&k, "a.cells.csv", 1, "bandwidth", "short");
	flags_are(&k, "a.cells.csv", 1, "wall_time", "");
	/* A run that does not tell has no such flag. */
	ck_assert_int_eq(unlink(path), 0);
	write_all(&k);
	flags_are(&k, "a.cells.csv", 1, "time", "");
	close_run(&k, root);
}
END_TEST

/* What is done again stands beside what it replaces. */
START_TEST(marks)
{
	struct kit k;
	char root[FAKE_ROOT], *text, *line, *save = NULL;
	static const char *const want[] = {",1,,,", ",1,disturbed,major-faults,", ",1,disturbed redo,major-faults,",
					   ",1,redo,,", ",1,,,"};
	int i = 0;

	open_run(&k, root, "tsc\n");
	rep(&k, (struct with){.round = 1, .ns = MS});
	rep(&k, (struct with){.round = 2, .ns = MS, .major = 2, .disturbed = true});
	rep(&k, (struct with){.round = 2, .ns = MS, .major = 1, .disturbed = true, .redo = true});
	rep(&k, (struct with){.round = 2, .ns = MS + 1, .redo = true});
	rep(&k, (struct with){.round = 3, .ns = MS + 2});
	kit_reopen(&k, false);
	write_all(&k);
	text = kit_file(&k, "a.samples.csv");
	ck_assert_ptr_nonnull(strstr(text, "round,position,attempt,mark,guards,reason,"));
	strtok_r(text, "\n", &save);
	while ((line = strtok_r(NULL, "\n", &save)) && i < LEN(want)) {
		ck_assert_msg(strstr(line, want[i]) != NULL, "%s in %s", want[i], line);
		i++;
	}
	ck_assert_int_eq(i, LEN(want));
	free(text);
	kit_has(&k, "a.cells.csv", ",n,n_warmup,n_failed,n_redone,median,");
	kit_has(&k, "a.cells.csv", ",3,0,0,2,");
	close_run(&k, root);
}
END_TEST

START_TEST(counts)
{
	struct kit k;
	struct pg_flag_counts n;
	struct pg_err err;
	char root[FAKE_ROOT];

	open_run(&k, root, "hpet\n");
	for (uint32_t i = 1; i <= 20; i++) {
		rep(&k, (struct with){.round = i, .ns = (1000 + 40 * i + i * 7 % 11) * MS, .wall_ns = MS});
		rep(&k, (struct with){.cell = 1,
				      .round = i,
				      .ns = (1000 + i * 7 % 20) * MS + i * i,
				      .wall_ns = MS,
				      .major = i == 2});
	}
	rep(&k, (struct with){.cell = 2, .round = 1, .ns = MS});
	kit_ok(pg_store_flags(k.store, &n, &err), &err);
	ck_assert_uint_eq(n.of[PG_FLAG_CLOCK].cells, 3);
	ck_assert_uint_eq(n.of[PG_FLAG_DRIFT].cells, 1);
	ck_assert_uint_eq(n.of[PG_FLAG_DRIFT].example, 0);
	ck_assert(fabs(n.of[PG_FLAG_DRIFT].d.drift_pct) > 20);
	ck_assert_uint_eq(n.of[PG_FLAG_N1].cells, 1);
	ck_assert_uint_eq(n.of[PG_FLAG_N1].example, 2);
	ck_assert_uint_eq(n.of[PG_FLAG_GUARDS + 6].cells, 1);
	ck_assert_double_eq_tol(n.of[PG_FLAG_GUARDS + 6].share, 0.05, 1e-12);
	ck_assert_uint_eq(n.of[PG_FLAG_SPIKY].cells, 0);
	close_run(&k, root);
}
END_TEST

/* Every flag has a name of its own, which is one word. */
START_TEST(names)
{
	for (unsigned i = 0; i < PG_FLAGS; i++) {
		const char *name = pg_flag_name(i);

		ck_assert_uint_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz-1"), strlen(name));
		for (unsigned j = 0; j < i; j++)
			ck_assert_str_ne(name, pg_flag_name(j));
	}
}
END_TEST

PG_TEST_MAIN("store_guards", ((const struct pg_test[]){
				     {in_order, 0},
				     {quiet_cell, 0},
				     {loops_differ, 0},
				     {loops_as_given, 0},
				     {layouts, 4},
				     {arms, 0},
				     {short_batches, 0},
				     {marks, 0},
				     {counts, 0},
				     {names, 0},
				     {NULL, 0},
			     }))
