/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables: shapes, names of files, units, ratios, statuses, styles; byte by byte. */
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))
#define HEAD   "perfgrid: 1\nname: kit\nsweeps:\n  - name: s\n    suite: noop\n    repeat: 1\n"

static struct pg_str paths;

static void written(void *ctx, const char *path)
{
	const struct kit *k = ctx;

	ck_assert_int_eq(strncmp(path, k->run, strlen(k->run)), 0);
	pg_str_addf(&paths, "%s\n", path + strlen(k->run) + 1);
}

static int name(void *ctx, const char *file, struct pg_err *err)
{
	(void)err;
	pg_str_addf(ctx, "%s\n", file);
	return 0;
}

/* The names that pg_table_names() tells are those of the files that are written. */
static void names_agree(struct kit *k)
{
	struct pg_str told;
	struct pg_err err;

	pg_str_init(&told);
	for (size_t s = 0; s < pg_plan_sweeps(k->plan); s++)
		for (size_t t = 0; t < pg_plan_sweep(k->plan, s)->n_tables; t++)
			kit_ok(pg_table_names(k->plan, s, &pg_plan_sweep(k->plan, s)->tables[t], name, &told, &err),
			       &err);
	ck_assert_str_eq(pg_str_text(&told), pg_str_text(&paths));
	pg_str_release(&told);
}

/* Every cell one rep: time = 1 ms times (1 + cell), other raw numbers 1000. */
static void measure(struct kit *k, const char *text, enum pg_csv_style style)
{
	struct pg_cell_buf *buf;
	struct pg_err err;

	kit_init(k, text);
	kit_create(k);
	buf = pg_cell_buf_new(k->plan);
	for (size_t i = 0; i < pg_plan_cells(k->plan); i++)
		if (pg_plan_cell(k->plan, i, buf)->skip == PG_NOT_SKIPPED)
			kit_rep(k, (struct kit_rep){.cell = i, .ns = 1000000 * (int64_t)(i + 1), .count = 1000});
	pg_cell_buf_free(buf);
	pg_str_init(&paths);
	kit_ok(pg_store_write_all(k->store, NULL, style, written, k, &err), &err);
	names_agree(k);
}

static const struct {
	const char *scenario, *paths, *file, *content, *status_file, *status;
} shapes[] = {
	/* no axis */
	{HEAD, "s.time_per_op_s.median.csv\n", "s.time_per_op_s.median.csv", "sweep,time_per_op_s\ns,1e-06\n",
	 "s.status.csv", "sweep,status\ns,ok\n"},
	/* rows only */
	{HEAD "    vary: {first: [10, 2]}\n", "s.time_per_op_s.median.csv\n", "s.time_per_op_s.median.csv",
	 "first,time_per_op_s\n2,2e-06\n10,1e-06\n", "s.status.csv", "first,status\n2,ok\n10,ok\n"},
	/* columns only: no rows is one row named after the sweep, when metrics stand on the columns */
	{HEAD "    tables: [{rows: statistic, value: time, statistic: [min, max]}]\n", "s.time_s.statistic.csv\n",
	 "s.time_s.statistic.csv", "statistic,time_s\nmin,0.001\nmax,0.001\n", "s.status.csv", "sweep,status\ns,ok\n"},
	/* matrix; sizes in B, times in s; numbers ascend, words keep the order of the file */
	{HEAD "    vary: {amount: [1KB, 10B], interval: [1ms, 5us], choice: [red, blue, green]}\n"
	      "    tables: [{rows: amount, columns: [interval, choice], value: time, unit: ms}]\n",
	 "s.time_ms.median.csv\n", "s.time_ms.median.csv",
	 "amount\\interval|choice,0.000005|red,0.000005|blue,0.000005|green,0.001|red,0.001|blue,0.001|green\n"
	 "10,10,11,12,7,8,9\n1024,4,5,6,1,2,3\n",
	 "s.status.csv",
	 "amount\\interval|choice,0.000005|red,0.000005|blue,0.000005|green,0.001|red,0.001|blue,0.001|green\n"
	 "10,ok,ok,ok,ok,ok,ok\n1024,ok,ok,ok,ok,ok,ok\n"},
	/* several row axes, skipped cells, reasons do not show */
	{HEAD "    vary: {first: [1, 2], second: [7, 8], choice: [red, green]}\n    skip: [{first: 2, choice: green}]\n"
	      "    tables: [{rows: [first, second], columns: choice, value: time, unit: ms}]\n",
	 "s.time_ms.median.csv\n", "s.time_ms.median.csv",
	 "first,second\\choice,red,green\n1,7,1,2\n1,8,3,4\n2,7,5,\n2,8,7,\n", "s.status.csv",
	 "first,second\\choice,red,green\n1,7,ok,ok\n1,8,ok,ok\n2,7,ok,skipped\n2,8,ok,skipped\n"},
	/* add: the matrix is complete, what is no cell is absent */
	{HEAD "    vary: {first: [1, 2], choice: [red]}\n    add: [{first: 3, choice: green}]\n"
	      "    tables: [{rows: first, columns: choice, value: time, unit: ms}]\n",
	 "s.time_ms.median.csv\n", "s.time_ms.median.csv", "first\\choice,red,green\n1,1,\n2,2,\n3,,3\n",
	 "s.status.csv", "first\\choice,red,green\n1,ok,absent\n2,ok,absent\n3,absent,ok\n"},
	/* metrics and statistics placed like axes */
	{HEAD "    vary: {first: [1, 2]}\n"
	      "    tables: [{rows: first, columns: [metric, statistic], value: [time, rate], statistic: [min, n]}]\n",
	 "s.metric.statistic.csv\n", "s.metric.statistic.csv",
	 "first\\metric|statistic,time_s|min,time_s|n,rate_per_s|min,rate_per_s|n\n1,0.001,1,1000000,1\n2,0.002,1,"
	 "500000,1\n",
	 "s.status.csv", "first,status\n1,ok\n2,ok\n"},
	/* lists that are nowhere placed: a file each */
	{HEAD "    vary: {first: [1, 2]}\n    tables: [{name: t, rows: first, value: [time, score], statistic: [mean, "
	      "max]}]\n",
	 "s.t.time_s.mean.csv\ns.t.time_s.max.csv\ns.t.score_count.mean.csv\ns.t.score_count.max.csv\n",
	 "s.t.score_count.max.csv", "first,score_count\n1,1000\n2,1000\n", "s.t.status.csv",
	 "first,status\n1,ok\n2,ok\n"},
	/* split: values in names, characters that no name may have become _ */
	{HEAD "    vary: {first: [1, 2], fraction: [0.5, 2], text: ['a b', '']}\n"
	      "    tables: [{rows: first, split: [fraction, text], value: time, unit: ms}]\n",
	 "s.0_5.a_b.time_ms.median.csv\ns.0_5._.time_ms.median.csv\ns.2.a_b.time_ms.median.csv\ns.2._.time_ms.median."
	 "csv\n",
	 "s.2.a_b.time_ms.median.csv", "first,time_ms\n1,3\n2,7\n", "s.0_5._.status.csv", "first,status\n1,ok\n2,ok\n"},
	/* metrics on the split are the METRIC_UNIT of the name */
	{HEAD "    vary: {first: [1, 2]}\n    tables: [{rows: first, split: metric, value: [time, score]}]\n",
	 "s.time_s.median.csv\ns.score_count.median.csv\n", "s.time_s.median.csv", "first,time_s\n1,0.001\n2,0.002\n",
	 "s.status.csv", "first,status\n1,ok\n2,ok\n"},
	/* relative to a column, to a row */
	{HEAD "    vary: {first: [1, 2], choice: [red, green]}\n"
	      "    tables: [{rows: first, columns: choice, value: time, relative_to: {choice: green}}]\n",
	 "s.time_ratio.median.csv\n", "s.time_ratio.median.csv", "first\\choice,red,green\n1,0.5,1\n2,0.75,1\n",
	 "s.status.csv", "first\\choice,red,green\n1,ok,ok\n2,ok,ok\n"},
	{HEAD "    vary: {first: [1, 2], choice: [red, green]}\n    skip: [{first: 1, choice: green}]\n"
	      "    tables: [{rows: first, columns: choice, value: time, relative_to: {first: 1}}]\n",
	 "s.time_ratio.median.csv\n", "s.time_ratio.median.csv", "first\\choice,red,green\n1,1,\n2,3,\n",
	 "s.status.csv", "first\\choice,red,green\n1,ok,skipped\n2,ok,ok\n"},
	/* bundles by their labels; a machine word as its number */
	{HEAD "    vary: {load: [{label: light, second: 1}, {label: heavy, second: 9}], first: [1, cpus]}\n"
	      "    tables: [{rows: load, columns: first, value: time, unit: ms}]\n",
	 "s.time_ms.median.csv\n", "s.time_ms.median.csv", "load\\first,1,8\nlight,1,2\nheavy,3,4\n", "s.status.csv",
	 "load\\first,1,8\nlight,ok,ok\nheavy,ok,ok\n"},
	/* labels that would open as formulas or need quotes */
	{HEAD "    vary: {text: ['=1+1', 'a,b', '-5', \"'x\"], choice: [red]}\n    tables: [{rows: text, value: time, "
	      "unit: ms}]\n",
	 "s.time_ms.median.csv\n", "s.time_ms.median.csv", "text,time_ms\n'=1+1,1\n\"a,b\",2\n-5,3\n'x,4\n",
	 "s.status.csv", "text,status\n'=1+1,ok\n\"a,b\",ok\n-5,ok\n'x,ok\n"},
	/* two tables of one shape: one status table; rates in GiB/s */
	{HEAD
	 "    set: {amount: 1GB}\n    vary: {first: [1, 2]}\n    tables: [{rows: first, value: bandwidth, unit: GB/s}, "
	 "{rows: first, value: time}]\n",
	 "s.bandwidth_GiB_per_s.median.csv\ns.time_s.median.csv\n", "s.bandwidth_GiB_per_s.median.csv",
	 "first,bandwidth_GiB_per_s\n1,0.000931322574615479\n2,0.000465661287307739\n", "s.status.csv",
	 "first,status\n1,ok\n2,ok\n"},
};

START_TEST(shape)
{
	struct kit k;

	measure(&k, shapes[_i].scenario, PG_CSV_PLAIN);
	ck_assert_str_eq(pg_str_text(&paths), shapes[_i].paths);
	kit_is(&k, shapes[_i].file, shapes[_i].content);
	kit_is(&k, shapes[_i].status_file, shapes[_i].status);
	pg_str_release(&paths);
	kit_end(&k);
}
END_TEST

static const char styled[] = HEAD "    vary: {fraction: [0.5, 2], text: ['a;b', 'c,d']}\n"
				  "    tables: [{rows: fraction, columns: text, value: time, unit: us}]\n";
static const char *const in_style[] = {
	[PG_CSV_PLAIN] = "fraction\\text,a;b,\"c,d\"\n0.5,1000,2000\n2,3000,4000\n",
	[PG_CSV_RFC4180] = "fraction\\text,a;b,\"c,d\"\r\n0.5,1000,2000\r\n2,3000,4000\r\n",
	[PG_CSV_EXCEL] = "\xef\xbb\xbf"
			 "fraction\\text,a;b,\"c,d\"\r\n0.5,1000,2000\r\n2,3000,4000\r\n",
	[PG_CSV_EXCEL_EU] = "\xef\xbb\xbf"
			    "fraction\\text;\"a;b\";c,d\r\n0,5;1000;2000\r\n2;3000;4000\r\n",
	[PG_CSV_TSV] = "fraction\\text\ta;b\tc,d\n0.5\t1000\t2000\n2\t3000\t4000\n",
};

START_TEST(styles)
{
	struct kit k;

	measure(&k, styled, (enum pg_csv_style)_i);
	kit_is(&k, "s.time_us.median.csv", in_style[_i]);
	pg_str_release(&paths);
	kit_end(&k);
}
END_TEST

START_TEST(failed_and_zero)
{
	struct kit k;
	struct pg_err err;

	kit_init(&k, HEAD "    vary: {first: [1, 2, 3, 4]}\n"
			  "    tables: [{rows: first, value: [time, score]}, {rows: first, value: [time, score], "
			  "relative_to: {first: 1}, name: r}]\n");
	kit_create(&k);
	kit_rep(&k, (struct kit_rep){.cell = 0, .ns = 2000000000, .count = 0});
	for (uint32_t i = 1; i <= 3; i++)
		kit_rep(&k, (struct kit_rep){.cell = 1, .round = i, .status = PG_ST_TIMEOUT, .why = "no answer"});
	kit_done(&k, 1, PG_STOP_ERROR);
	kit_rep(&k, (struct kit_rep){.cell = 2, .ns = 1000000000, .count = 5});
	for (uint32_t i = 1; i <= 3; i++)
		kit_rep(&k, (struct kit_rep){.cell = 2, .round = i, .status = PG_ST_FAILED, .why = "broke"});
	kit_done(&k, 2, PG_STOP_ERROR);
	kit_ok(pg_store_write_all(k.store, NULL, PG_CSV_PLAIN, NULL, NULL, &err), &err);
	kit_is(&k, "s.time_s.median.csv", "first,time_s\n1,2\n2,\n3,\n4,\n");
	kit_is(&k, "s.score_count.median.csv", "first,score_count\n1,0\n2,\n3,\n4,\n"); /* a measured 0 is a number */
	kit_is(&k, "s.r.time_ratio.median.csv", "first,time_ratio\n1,1\n2,\n3,\n4,\n");
	kit_is(&k, "s.r.score_ratio.median.csv", "first,score_ratio\n1,\n2,\n3,\n4,\n"); /* and no ratio comes of it */
	kit_is(&k, "s.status.csv", "first,status\n1,ok\n2,timeout\n3,failed\n4,not-run\n");
	kit_end(&k);
}
END_TEST

/* A table asked for later, as `tables --rows ... -o DIR` does. */
START_TEST(one_more)
{
	struct kit k;
	struct pg_table_request req = {
		.rows = "choice", .columns = "first", .value = "time", .unit = "ms", .name = "more"};
	struct pg_table_spec t;
	struct pg_err err;
	char dir[96];

	measure(&k, HEAD "    vary: {first: [1, 2], choice: [red, green]}\n", PG_CSV_PLAIN);
	pg_str_reset(&paths);
	kit_ok(pg_plan_add_table(k.plan, 0, &req, &t, &err), &err);
	snprintf(dir, sizeof(dir), "%.60s/out", k.top);
	snprintf(k.run, sizeof(k.run), "%s", dir);
	kit_ok(pg_store_write_table(k.store, dir, 0, &t, PG_CSV_TSV, written, &k, &err), &err);
	ck_assert_str_eq(pg_str_text(&paths), "s.more.time_ms.median.csv\n");
	kit_is(&k, "s.more.time_ms.median.csv", "choice\\first\t1\t2\nred\t1\t3\ngreen\t2\t4\n");
	kit_is(&k, "s.more.status.csv", "choice\\first\t1\t2\nred\tok\tok\ngreen\tok\tok\n");
	snprintf(dir, sizeof(dir), "%.60s/out/s.more.status.csv/x", k.top);
	ck_assert_int_eq(pg_store_write_table(k.store, dir, 0, &t, PG_CSV_TSV, NULL, NULL, &err), -1);
	ck_assert_int_eq(err.code, PG_EUSAGE);
	pg_str_release(&paths);
	kit_end(&k);
}
END_TEST

static const char *const refused[] = {"file name", "`split` makes 20000 files; at most 10000"};

START_TEST(names_refused)
{
	struct kit k;
	struct pg_str told;
	struct pg_err err = {.code = PG_OK};
	struct pg_table_spec t;
	struct pg_placed split[3] = {{PG_PLACE_AXIS, 0}, {PG_PLACE_AXIS, 0}, {PG_PLACE_AXIS, 0}};
	char scenario[1024];

	/* Built by hand where the plan's own rules would say no first. */
	snprintf(scenario, sizeof(scenario), HEAD "    vary: {text: [%s], first: %s}\n",
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", _i ? "1..20000" : "[1]");
	kit_init(&k, scenario);
	t = pg_plan_sweep(k.plan, 0)->tables[0];
	t.rows = t.columns = NULL;
	t.n_rows = t.n_columns = 0;
	t.name = "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn";
	split[0].axis = _i ? 1 : 0;
	t.split = split;
	t.n_split = _i ? 1 : 3;
	pg_str_init(&told);
	ck_assert_int_eq(pg_table_names(k.plan, 0, &t, name, &told, &err), -1);
	ck_assert_int_eq(err.code, PG_EINPUT);
	ck_assert_msg(strstr(err.msg, refused[_i]), "%s", err.msg);
	ck_assert_uint_eq(told.len, 0);
	pg_str_release(&told);
	kit_end(&k);
}
END_TEST

PG_TEST_MAIN("store_table", ((const struct pg_test[]){
				    {shape, LEN(shapes)},
				    {styles, LEN(in_style)},
				    {failed_and_zero, 0},
				    {one_more, 0},
				    {names_refused, LEN(refused)},
				    {NULL, 0},
			    }))
