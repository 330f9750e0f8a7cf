/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SWEEP.cells.csv and SWEEP.samples.csv, by column name; limits of spreadsheets. */
#include <stdlib.h>

#include "store/csv_write.h"
#include "store/results.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))

/* A CSV in memory. */
struct sheet {
	char ***row; /* [0] = header */
	size_t n, width;
};

static int add_row(void *ctx, size_t line, const char *const *f, size_t n)
{
	struct sheet *s = ctx;

	(void)line;
	s->row = reallocarray(s->row, s->n + 1, sizeof(*s->row));
	ck_assert_ptr_nonnull(s->row);
	s->row[s->n] = calloc(n + 1, sizeof(char *));
	for (size_t i = 0; i < n; i++)
		s->row[s->n][i] = strdup(f[i]);
	s->n++;
	s->width = n;
	return 0;
}

static void load(struct sheet *s, const struct kit *k, const char *name)
{
	char path[512];
	struct pg_err err;

	memset(s, 0, sizeof(*s));
	snprintf(path, sizeof(path), "%s/%s", k->run, name);
	kit_ok(pg_csv_read(path, ',', add_row, s, &err), &err);
}

static void drop(struct sheet *s)
{
	for (size_t i = 0; i < s->n; i++) {
		for (size_t c = 0; c < s->width; c++)
			free(s->row[i][c]);
		free(s->row[i]);
	}
	free(s->row);
}

static const char *at(const struct sheet *s, size_t row, const char *column)
{
	for (size_t c = 0; c < s->width; c++)
		if (strcmp(s->row[0][c], column) == 0)
			return s->row[row][c];
	ck_abort_msg("no column %s", column);
	return NULL;
}

/* The row of a cell (by the value of param first) and metric. */
static size_t row_of(const struct sheet *s, const char *first, const char *metric)
{
	for (size_t i = 1; i < s->n; i++)
		if (strcmp(at(s, i, "first"), first) == 0 && strcmp(at(s, i, "metric"), metric) == 0)
			return i;
	ck_abort_msg("no row %s %s", first, metric);
	return 0;
}

/* A run on a machine of which nothing is known: no flags that depend on this one. */
static void create(struct kit *k, char *root, size_t n)
{
	snprintf(root, n, "%.60s/root", k->top);
	k->opts.root = root;
	kit_create(k);
}

static void write_all(struct kit *k)
{
	struct pg_err err;

	kit_ok(pg_store_write_all(k->store, NULL, PG_CSV_PLAIN, NULL, NULL, &err), &err);
}

static const char five[] = "perfgrid: 1\n"
			   "name: kit\n"
			   "sweeps:\n"
			   "  - name: s\n"
			   "    suite: noop\n"
			   "    set: {amount: 2KB}\n"
			   "    vary: {first: 1..5}\n"
			   "    skip: [{first: 5, why: '=odd, \"quoted\"'}]\n"
			   "    repeat: 4\n"
			   "    order: grouped\n";

START_TEST(columns)
{
	static const char want[] = "cell,status,reason,outcome,";
	static const char tail[] =
		",metric,unit,better,n,n_warmup,n_failed,n_redone,median,ci_lo,ci_hi,ci_level,ci_pct,"
		"best,min,max,mean,sd,sd_pct,"
		"mad,q25,q75,out_mild,out_severe,r1,n_eff,drift_pct,drift_p,stop,flags,time_used\n";
	struct kit k;
	char *text;

	kit_init(&k, five);
	kit_create(&k);
	write_all(&k);
	kit_has(&k, "s.cells.csv", tail);
	text = kit_file(&k, "s.cells.csv");
	ck_assert_int_eq(strncmp(text, want, strlen(want)), 0);
	free(text);
	kit_has(&k, "s.samples.csv",
		"session,seed,cell,status,phase,round,position,attempt,mark,guards,reason,outcome,");
	kit_has(&k, "s.samples.csv",
		",ignore_signals,time_per_op_s,time_s,rate_per_s,bandwidth_B_per_s,score_count,wall_time_s,cpu_time_s,"
		"user_time_s,"
		"system_time_s,peak_memory_B,voluntary_switches_count,involuntary_switches_count,minor_faults_count,"
		"major_faults_count,"
		"t_mono,t_wall,steal,other_busy,psi_cpu,psi_mem,psi_io,throttled,exit,batches,batch_time,thermal,"
		"frequency_start,frequency_end,interrupts,softirqs,swapped\n");
	kit_end(&k);
}
END_TEST

START_TEST(cells)
{
	struct kit k;
	struct sheet s;
	char root[96];
	size_t r;

	kit_init(&k, five);
	create(&k, root, sizeof(root));
	kit_rep(&k, (struct kit_rep){.cell = 0, .warmup = true, .ns = 9000});
	for (uint32_t i = 1; i <= 4; i++)
		kit_rep(&k, (struct kit_rep){.cell = 0, .round = i, .ns = 1000 * i, .count = i});
	kit_done(&k, 0, PG_STOP_FIXED);
	kit_rep(&k, (struct kit_rep){.cell = 1, .round = 1, .ns = 500, .count = 3});
	kit_rep(&k, (struct kit_rep){.cell = 1, .round = 2, .status = PG_ST_INVALID, .why = "time is 0"});
	for (uint32_t i = 1; i <= 3; i++)
		kit_rep(&k, (struct kit_rep){.cell = 2, .round = i, .status = PG_ST_FAILED, .why = "=exit status 3\n"});
	kit_done(&k, 2, PG_STOP_ERROR);
	write_all(&k);
	load(&s, &k, "s.cells.csv");
	ck_assert_uint_eq(s.n, 1 + 5 * 14); /* every cell and metric, none of the hidden ones */

	r = row_of(&s, "1", "time");
	ck_assert_str_eq(at(&s, r, "status"), "ok");
	ck_assert_str_eq(at(&s, r, "reason"), "");
	ck_assert_str_eq(at(&s, r, "amount"), "2048");
	ck_assert_str_eq(at(&s, r, "unit"), "s");
	ck_assert_str_eq(at(&s, r, "better"), "lower");
	ck_assert_str_eq(at(&s, r, "n"), "4");
	ck_assert_str_eq(at(&s, r, "n_warmup"), "1");
	ck_assert_str_eq(at(&s, r, "n_failed"), "0");
	ck_assert_str_eq(at(&s, r, "median"), "2.5e-06");
	ck_assert_str_eq(at(&s, r, "ci_lo"), "1e-06");
	ck_assert_str_eq(at(&s, r, "ci_hi"), "4e-06");
	ck_assert_str_eq(at(&s, r, "ci_level"), "0.875");
	ck_assert_str_eq(at(&s, r, "ci_pct"), "60");
	ck_assert_str_eq(at(&s, r, "best"), "1e-06");
	ck_assert_str_eq(at(&s, r, "max"), "4e-06");
	ck_assert_str_eq(at(&s, r, "q25"), "1.75e-06");
	ck_assert_str_eq(at(&s, r, "stop"), "fixed");
	ck_assert_str_eq(at(&s, r, "flags"), "grouped one-layout major-faults:100%");
	ck_assert_str_eq(at(&s, r, "time_used"), "0.000019");
	r = row_of(&s, "1", "bandwidth");
	ck_assert_str_eq(at(&s, r, "unit"), "B/s");
	ck_assert_str_eq(at(&s, r, "better"), "higher");
	r = row_of(&s, "1", "score");
	ck_assert_str_eq(at(&s, r, "unit"), "count");
	ck_assert_str_eq(at(&s, r, "better"), "neither");

	r = row_of(&s, "2", "time");
	ck_assert_str_eq(at(&s, r, "status"), "ok");
	ck_assert_str_eq(at(&s, r, "n"), "1");
	ck_assert_str_eq(at(&s, r, "n_failed"), "1");
	ck_assert_str_eq(at(&s, r, "ci_lo"), "");
	ck_assert_str_eq(at(&s, r, "sd"), "");
	ck_assert_str_eq(at(&s, r, "stop"), "");
	ck_assert_str_eq(at(&s, r, "flags"), "n1 grouped one-layout major-faults:100%");

	r = row_of(&s, "3", "time");
	ck_assert_str_eq(at(&s, r, "status"), "failed");
	ck_assert_str_eq(at(&s, r, "reason"), "=exit status 3\n");
	ck_assert_str_eq(at(&s, r, "n"), "0");
	ck_assert_str_eq(at(&s, r, "n_failed"), "3");
	ck_assert_str_eq(at(&s, r, "median"), "");
	ck_assert_str_eq(at(&s, r, "out_mild"), "");
	ck_assert_str_eq(at(&s, r, "stop"), "error");
	ck_assert_str_eq(at(&s, r, "time_used"), ""); /* its reps left no time: not 0 */

	r = row_of(&s, "4", "time");
	ck_assert_str_eq(at(&s, r, "status"), "not-run");
	ck_assert_str_eq(at(&s, r, "n"), "");
	ck_assert_str_eq(at(&s, r, "time_used"), "");
	ck_assert_str_eq(at(&s, r, "flags"), "");

	r = row_of(&s, "5", "time");
	ck_assert_str_eq(at(&s, r, "status"), "skipped");
	ck_assert_str_eq(at(&s, r, "reason"), "=odd, \"quoted\"");
	for (size_t c = 0; c < s.width; c++)
		if (strcmp(s.row[0][c], "n") == 0)
			for (; strcmp(s.row[0][c], "stop") != 0; c++)
				ck_assert_str_eq(s.row[r][c], "");
	drop(&s);
	kit_has(&k, "s.cells.csv", ",failed,\"'=exit status 3\n\",");
	kit_end(&k);
}
END_TEST

START_TEST(samples)
{
	struct kit k;
	struct sheet s;

	kit_init(&k, five);
	kit_create(&k);
	kit_rep(&k, (struct kit_rep){.cell = 1, .warmup = true, .position = 3, .ns = 1, .count = 1});
	kit_rep(&k, (struct kit_rep){.cell = 0, .round = 1, .position = 2, .ns = 4000, .count = 8});
	kit_rep(&k,
		(struct kit_rep){.cell = 0, .round = 2, .attempt = 2, .status = PG_ST_TIMEOUT, .why = "over 10min"});
	write_all(&k);
	load(&s, &k, "s.samples.csv");
	ck_assert_uint_eq(s.n, 4); /* in the order of time */
	ck_assert_str_eq(at(&s, 1, "phase"), "warmup");
	ck_assert_str_eq(at(&s, 1, "first"), "2");
	ck_assert_str_eq(at(&s, 1, "round"), "0");
	ck_assert_str_eq(at(&s, 1, "position"), "3");
	ck_assert_str_eq(at(&s, 2, "phase"), "measure");
	ck_assert_str_eq(at(&s, 2, "status"), "ok");
	ck_assert_str_eq(at(&s, 2, "time_s"), "4e-06");
	ck_assert_str_eq(at(&s, 2, "rate_per_s"), "2000000");
	ck_assert_str_eq(at(&s, 2, "t_mono"), "1.5");
	ck_assert_str_eq(at(&s, 2, "t_wall"), "1764000000");
	ck_assert_str_eq(at(&s, 2, "steal"), "0.03");
	ck_assert_str_eq(at(&s, 2, "psi_cpu"), "");
	ck_assert_str_eq(at(&s, 2, "reason"), "");
	ck_assert_str_eq(at(&s, 3, "status"), "timeout");
	ck_assert_str_eq(at(&s, 3, "attempt"), "2");
	ck_assert_str_eq(at(&s, 3, "reason"), "over 10min");
	ck_assert_str_eq(at(&s, 3, "time_s"), "");
	drop(&s);
	kit_end(&k);
}
END_TEST

/* `loops: auto`: the frozen number in the param's own column, `auto` as its label. */
START_TEST(calibrated)
{
	struct kit k;
	struct sheet s;
	struct pg_err err;
	struct pg_cell_buf *buf;

	kit_init(&k, "perfgrid: 1\nname: kit\nsweeps:\n  - {name: s, suite: noop, set: {loops: auto}, vary: {first: "
		     "[1, 2]}, repeat: 2, "
		     "tables: [{rows: first, value: rate}]}\n");
	kit_create(&k);
	buf = pg_cell_buf_new(k.plan);
	kit_ok(pg_store_observer(k.store)->calibrated(k.store, pg_plan_cell(k.plan, 0, buf), 123456, &err), &err);
	pg_cell_buf_free(buf);
	kit_rep(&k, (struct kit_rep){.ns = 1000, .count = 1});
	kit_reopen(&k, false);
	write_all(&k);
	load(&s, &k, "s.cells.csv");
	ck_assert_str_eq(at(&s, row_of(&s, "1", "rate"), "loops"), "123456");
	ck_assert_str_eq(at(&s, row_of(&s, "1", "rate"), "loops.label"), "auto");
	ck_assert_str_eq(at(&s, row_of(&s, "2", "rate"), "loops"), "");
	drop(&s);
	load(&s, &k, "s.samples.csv");
	ck_assert_str_eq(at(&s, 1, "loops"), "123456");
	drop(&s);
	kit_end(&k);
}
END_TEST

/* Warm-ups, failures, another sweep's reps, retries: a second reading of the journal gives the same bytes. */
START_TEST(rebuilt)
{
	static const char *const names[] = {"a.cells.csv",   "a.samples.csv", "b.cells.csv",
					    "b.samples.csv", "a.status.csv",  "a.time_per_op_s.median.csv"};
	char *before[LEN(names)];
	struct kit k;
	struct pg_err err;

	kit_init(&k, "perfgrid: 1\nname: kit\nsweeps:\n  - {name: a, suite: noop, vary: {first: 1..4}, repeat: 3}\n"
		     "  - {name: b, suite: noop, vary: {first: 1..2}, repeat: {min: 2, max: 3, ci: 1%}}\n");
	kit_create(&k);
	for (uint32_t r = 0; r < 4; r++) {
		for (size_t c = 0; c < 6; c++) {
			bool bad = (r * 7 + c * 3) % 5 == 0;

			kit_rep(&k, (struct kit_rep){.cell = c,
						     .warmup = r == 0,
						     .round = r,
						     .ns = 1000 + 10 * r + (int64_t)c,
						     .count = r,
						     .status = bad ? PG_ST_FAILED : PG_ST_OK,
						     .why = bad ? "it broke" : NULL});
		}
	}
	for (size_t c = 0; c < 6; c++)
		kit_done(&k, c, c == 1 ? PG_STOP_ERROR : c < 4 ? PG_STOP_FIXED : PG_STOP_MAX);
	kit_ok(pg_store_retry_failed(k.store, &err), &err);
	kit_ok(pg_store_finish(k.store, PG_RUN_INTERRUPTED, &err), &err);
	for (int i = 0; i < LEN(names); i++)
		before[i] = kit_file(&k, names[i]);
	kit_reopen(&k, false);
	write_all(&k);
	for (int i = 0; i < LEN(names); i++) {
		ck_assert_ptr_nonnull(before[i]);
		kit_is(&k, names[i], before[i]);
		free(before[i]);
	}
	kit_end(&k);
}
END_TEST

START_TEST(two_boots)
{
	struct kit k;
	struct sheet s;
	struct pg_err err;
	char root[96];

	kit_init(&k, five);
	create(&k, root, sizeof(root)); /* without a boot id: another than before */
	kit_rep(&k, (struct kit_rep){.cell = 0, .ns = 1});
	kit_rep(&k, (struct kit_rep){.cell = 1, .ns = 1});
	k.opts.root = "";
	kit_reopen(&k, true);
	kit_ok(pg_store_session(k.store, &err), &err);
	kit_rep(&k, (struct kit_rep){.cell = 0, .round = 2, .ns = 1});
	kit_rep(&k, (struct kit_rep){.cell = 2, .ns = 1});
	write_all(&k);
	load(&s, &k, "s.cells.csv");
	ck_assert_str_eq(at(&s, row_of(&s, "1", "time"), "flags"), "grouped one-layout two-boots quantised");
	ck_assert_str_eq(at(&s, row_of(&s, "2", "time"), "flags"), "n1 grouped one-layout");
	ck_assert_str_eq(at(&s, row_of(&s, "3", "time"), "flags"), "n1 grouped one-layout");
	drop(&s);
	kit_end(&k);
}
END_TEST

/* Which start of the runner a rep is of, also in a sweep that the first one did not reach; and what it was given. */
START_TEST(sessions_and_seeds)
{
	static const char two[] = "perfgrid: 1\nname: kit\nsweeps:\n  - {name: s, suite: noop, vary: {first: [1, 2]}}\n"
				  "  - {name: t, suite: noop}\n";
	struct kit k;
	struct sheet s;
	struct pg_err err;

	kit_init(&k, two);
	kit_create(&k);
	kit_rep(&k, (struct kit_rep){.cell = 0, .ns = 1, .seed = 7});
	kit_reopen(&k, true);
	kit_ok(pg_store_session(k.store, &err), &err);
	kit_rep(&k, (struct kit_rep){.cell = 1, .ns = 1, .seed = UINT64_MAX});
	kit_reopen(&k, true);
	kit_ok(pg_store_session(k.store, &err), &err);
	kit_rep(&k, (struct kit_rep){.cell = 2, .ns = 1});
	for (int again = 0; again < 2; again++) {
		write_all(&k);
		load(&s, &k, "s.samples.csv");
		ck_assert_str_eq(at(&s, 1, "session"), "1");
		ck_assert_str_eq(at(&s, 1, "seed"), "s7");
		ck_assert_str_eq(at(&s, 2, "session"), "2");
		ck_assert_str_eq(at(&s, 2, "seed"), "s18446744073709551615");
		drop(&s);
		load(&s, &k, "t.samples.csv");
		ck_assert_str_eq(at(&s, 1, "session"), "3");
		ck_assert_str_eq(at(&s, 1, "seed"), "");
		drop(&s);
		kit_reopen(&k, false);
	}
	kit_end(&k);
}
END_TEST

/* ---- reasons ---- */

START_TEST(long_reason)
{
	struct kit k;
	struct sheet s;
	char why[PG_WHY];
	size_t n = 0;

	/* 505 characters in 510 bytes. */
	for (; n < 10; n += 2)
		memcpy(why + n, "\xc3\xa9", 2);
	memset(why + n, 'x', 510 - n);
	why[510] = '\0';
	kit_init(&k, five);
	kit_create(&k);
	kit_rep(&k, (struct kit_rep){.cell = 0, .status = PG_ST_FAILED, .why = why});
	write_all(&k);
	load(&s, &k, "s.samples.csv");
	ck_assert_uint_eq(strlen(at(&s, 1, "reason")), 505); /* 500 characters, 5 of them of two bytes */
	ck_assert_int_eq(strncmp(at(&s, 1, "reason"), why, 505), 0);
	drop(&s);
	kit_end(&k);
}
END_TEST

/* ---- spreadsheets ---- */

START_TEST(too_large_for_sheets)
{
	static const char wide[] = "perfgrid: 1\nname: kit\nsweeps:\n  - {name: s, suite: noop, vary: {first: "
				   "1..17000, choice: [red, green]}, "
				   "tables: [{rows: choice, columns: first}]}\n";
	struct kit k;

	kit_init(&k, wide);
	kit_create(&k);
	write_all(&k);
	ck_assert_msg(strstr(k.notes, "'s.time_per_op_s.median.csv' has 3 rows and 17001 columns; a spreadsheet takes "
				      "1048576 and 16384"),
		      "%s", k.notes);
	ck_assert_msg(!strstr(k.notes, "samples"), "%s", k.notes);
	kit_end(&k);
}
END_TEST

/* The border: as many rows as a sheet takes, and one more. */
START_TEST(too_many_rows)
{
	struct kit k;
	struct pg_results r = {.note = kit_note, .note_ctx = &k};
	struct pg_csv_file *f;
	struct pg_err err;

	kit_init(&k, five);
	r.dirfd = open(k.top, O_RDONLY | O_DIRECTORY);
	f = pg_csv_file_open(&r, "rows.csv", &err);
	ck_assert_ptr_nonnull(f);
	for (int i = 0; i < 1048576 + _i; i++) {
		pg_csv_u64(pg_csv_file_rows(f), 7);
		pg_csv_row(pg_csv_file_rows(f));
	}
	kit_ok(pg_csv_file_close(f, true, &err), &err);
	if (_i)
		ck_assert_msg(
			strstr(k.notes,
			       "'rows.csv' has 1048577 rows and 1 columns; a spreadsheet takes 1048576 and 16384"),
			"%s", k.notes);
	else
		ck_assert_str_eq(k.notes, "");
	/* A file that is given up leaves nothing. */
	f = pg_csv_file_open(&r, "none.csv", &err);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(pg_csv_file_close(f, false, &err), 0);
	ck_assert_int_eq(faccessat(r.dirfd, "none.csv", F_OK, 0), -1);
	close(r.dirfd);
	kit_end(&k);
}
END_TEST

PG_TEST_MAIN("store_results", ((const struct pg_test[]){
				      {columns, 0},
				      {cells, 0},
				      {samples, 0},
				      {calibrated, 0},
				      {rebuilt, 0},
				      {two_boots, 0},
				      {sessions_and_seeds, 0},
				      {long_reason, 0},
				      {too_large_for_sheets, 0},
				      {too_many_rows, 2},
				      {NULL, 0},
			      }))
