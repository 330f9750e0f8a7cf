/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables: where axes stand, which metrics and statistics, what is refused, and tables made on the command line. */
#include "tests/support/pgtest.h"

#include "tests/support/plankit.h"

#define SW KIT_HEAD "  - name: s\n    suite: fake/types\n"
#define AXES                                                                                                           \
	SW "    set: {loops: 9}\n    vary:\n      count: [1, 2]\n      load:\n        - {label: light, limit: 3}\n   " \
	   "     - {label: heavy, limit: 4}\n"                                                                         \
	   "      flag: [no]\n"
#define TABLE(t) AXES "    tables:\n      - " t "\n"

struct good {
	const char *yaml, *tables, *notes;
	const char *vary;
};

static const struct good good[] = {
	/* Without `tables`: the first axis with several values, the others as columns, the main metric. */
	{SW, "// rate median", "", NULL},
	{SW "    set: {loops: 9}\n", "// time median", "", NULL},
	{SW "    vary: {count: [3], flag: [no, yes]}\n", "flag// rate median", "", NULL},
	{AXES, "count/load/ time median", "", NULL},
	{SW "    vary: {flag: [no, yes], count: [1, 2], size: [1KB, 2KB]}\n", "flag/count,size/ rate median", "", NULL},
	{SW "    vary: {loops: [auto, 5]}\n", "loops// rate median", "", NULL},
	{SW "    derive: {loops: 5}\n", "// time median", "", NULL},
	{SW "    vary: {count: [1]}\n    add:\n      - {count: 4}\n", "count// rate median", "", NULL},
	{KIT_HEAD "  - {name: e, suite: exec, command: [x], vary: {a: [1, 2], b: [x, y]}}\n", "a/b/ wall_time median",
	 "", NULL},
	/* One table of everything. */
	{TABLE("{rows: count, columns: load, value: amount, statistic: mean, unit: KB, name: big}"),
	 "count/load/ amount mean KB as big", "", NULL},
	{TABLE("{rows: [load, count], split: flag}"), "load,count//flag time median", "", NULL},
	{TABLE("{rows: count, columns: [load, flag]}"), "count/load,flag/ time median", "", NULL},
	/* Lists of values: placed, or a file each. */
	{TABLE("{rows: [count, load], value: [time, rate]}"), "count,load//metric time,rate median", "", NULL},
	{TABLE("{rows: [count, load], columns: [metric, statistic], value: [time, rate], statistic: [min, max]}"),
	 "count,load/metric,statistic/ time,rate min,max", "", NULL},
	{TABLE("{rows: [count, metric], split: load, value: [time, rate], statistic: [min, max]}"),
	 "count,metric//load,statistic time,rate min,max", "", NULL},
	{TABLE("{rows: metric, columns: count, split: load, value: time}"), "metric/count/load time median", "", NULL},
	{TABLE("{rows: [count, load], value: wall_time, statistic: [median, mean, min, max, best, sd, sd_pct, mad, "
	       "q25, q75, n, ci_lo, ci_hi, ci_pct]}"),
	 "count,load//statistic wall_time median,mean,min,max,best,sd,sd_pct,mad,q25,q75,n,ci_lo,ci_hi,ci_pct", "",
	 NULL},
	/* relative_to. */
	{TABLE("{rows: count, columns: load, relative_to: {load: heavy}}"), "count/load/ time median load=heavy", "",
	 NULL},
	{TABLE("{rows: count, columns: load, relative_to: {count: 2}}"), "count/load/ time median count=2", "", NULL},
	{TABLE("{rows: count, columns: load, relative_to: {count: 2}, unit: ms}"), "count/load/ time median count=2",
	 "14:69: note: with relative_to the numbers are ratios; `unit` has no effect", NULL},
	/* The command line: a new axis splits a table that does not place it, a table may no longer fit. */
	{TABLE("{rows: count, columns: load}"), "count/load/size time median", "", "size=1KB,2KB"},
	{TABLE("{rows: count, columns: load, split: flag}"), "count/load/flag time median", "", "flag=no,yes"},
	{TABLE("{rows: count, columns: load}"), "count/load/flag time median", "", "flag=no,yes"},
	{TABLE("{rows: count, columns: load, relative_to: {count: 2}}"), "count/load/ time median",
	 "14:9: note: this table is relative to count 2, which is left out now; the table is left out too",
	 "count=1,3"},
	{TABLE("{rows: count, columns: load}\n      - {rows: load, columns: count, relative_to: {count: 2}, name: r}"),
	 "count/load/ time median",
	 "15:9: note: this table is relative to count 2, which is left out now; the table is left out too",
	 "count=1,3"},
};

START_TEST(taken)
{
	struct kit k;

	kit_init(&k);
	k.opts.vary = &good[_i].vary;
	k.opts.n_vary = good[_i].vary ? 1 : 0;
	kit_good(&k, good[_i].yaml, good[_i].notes);
	ck_assert_str_eq(kit_tables(&k, 0), good[_i].tables);
	kit_done(&k);
}
END_TEST

struct bad {
	const char *yaml, *told;
};

static const struct bad bad[] = {
	{TABLE("{rows: count}"),
	 "14:9: axis `load` has 2 values and stands nowhere in this table; put it into rows, columns or split"},
	{TABLE("{rows: conut, columns: load}"), "14:16: `conut` is no axis of this sweep; did you mean `count`?"},
	{TABLE("{rows: count, columns: [load, size]}"),
	 "14:39: `size` is no axis of this sweep, it does not vary; put it into `vary` or leave it out here"},
	{TABLE("{rows: [count, load, count]}"), "14:30: `count` is placed twice in this table; keep one"},
	{TABLE("{rows: [count, load], columns: metric, split: metric}"),
	 "14:55: `metric` is placed twice in this table; keep one"},
	{TABLE("{rows: [count, load], value: ops}"),
	 "14:38: `ops` is no metric of this sweep; allowed: time, rate, time_per_op, amount, wall_time, cpu_time, "
	 "user_time, system_time, peak_memory, "
	 "voluntary_switches, involuntary_switches, minor_faults, major_faults"},
	{TABLE("{rows: [count, load], value: timee}"),
	 "14:38: `timee` is no metric of this sweep; did you mean `time`?"},
	{TABLE("{rows: [count, load], value: [time, time]}"), "14:45: metric `time` stands here twice; keep one"},
	{TABLE("{rows: [count, load], statistic: geomean_of_all}"),
	 "14:42: `geomean_of_all` is no statistic; allowed: median, mean, min, max, best, sd, sd_pct, mad, q25, q75, "
	 "n, ci_lo, ci_hi, ci_pct"},
	{TABLE("{rows: [count, load], unit: B}"),
	 "14:37: time: 'B' is no unit for a number in s; allowed: ns, us, ms, s, min, h"},
	{TABLE("{rows: [count, load], relative_to: {count: 3}}"),
	 "14:52: axis `count` has no value 3; `relative_to` names one of its values"},
	{TABLE("{rows: [count, load], relative_to: {load: medium}}"),
	 "14:51: axis `load` has no value medium; `relative_to` names one of its values"},
	{TABLE("{rows: [count, load], relative_to: {metric: time}}"), "14:45: `metric` is no axis of this sweep"},
	{TABLE("{rows: [count, load], name: x}\n      - {rows: [load, count], name: X}"),
	 "15:37: table X has the name of the table on line 14; a name is taken once, whatever its case"},
	{SW "    vary: {count: [1, 2]}\n    tables:\n      - {rows: count, value: [rate, time]}\n",
	 "8:37: `time` grows with loops, and loops is `auto` here; use rate, time_per_op, or set loops to a number"},
	{SW "    vary: {loops: [5, auto]}\n    tables:\n      - {rows: loops, value: time}\n",
	 "8:30: `time` grows with loops, and loops is `auto` here; use rate, time_per_op, or set loops to a number"},
	{SW "    vary: {count: [1, 2]}\n    tables: []\n",
	 "7:13: `tables` is empty; it is a list of maps such as {rows: a, columns: b, value: time}"},
	{SW "    vary: {count: [1, 2]}\n    tables: {rows: count}\n",
	 "7:13: `tables` must be a list of maps such as {rows: a, columns: b, value: time}; this is a map"},
	{SW "    vary: {count: [1, 2000]}\n    tables:\n      - {rows: conut}\n",
	 "6:23: count: value 2000 is out of range; allowed: 0 to 1000\n8:16: `conut` is no axis of this sweep; did you "
	 "mean `count`?"},
	/* Of an axis whose values were refused nothing more is said. */
	{SW "    vary: {count: [1, 2000]}\n    tables:\n      - {rows: count, relative_to: {count: 2}}\n",
	 "6:23: count: value 2000 is out of range; allowed: 0 to 1000"},
};

START_TEST(refused)
{
	struct kit k;

	kit_init(&k);
	kit_load(&k, bad[_i].yaml);
	ck_assert_ptr_null(k.plan);
	ck_assert_msg(strncmp(pg_told_text(&k.told), bad[_i].told, strlen(bad[_i].told)) == 0, "got:\n%s\nwanted:\n%s",
		      pg_told_text(&k.told), bad[_i].told);
	kit_done(&k);
}
END_TEST

/* The stopping rule looks at what the first table shows, else at the main metric. */
START_TEST(stop_metric)
{
	struct kit k;
	const struct pg_sweep *s;

	kit_init(&k);
	kit_good(&k, TABLE("{rows: [count, load], value: [amount, time]}"), "");
	s = pg_plan_sweep(k.plan, 0);
	ck_assert_str_eq(s->metrics[s->main_metric].name, "time");
	ck_assert_str_eq(s->metrics[s->stop_metric].name, "amount");
	kit_good(&k, AXES, "");
	s = pg_plan_sweep(k.plan, 0);
	ck_assert_uint_eq(s->stop_metric, s->main_metric);
	ck_assert_uint_eq(s->n_bench_metrics, 5);
	ck_assert_uint_eq(s->n_metrics, 5 + PG_ENGINE_METRICS);
	ck_assert_ptr_null(s->metrics[s->n_metrics].name);
	kit_done(&k);
}
END_TEST

struct request {
	struct pg_table_request q;
	const char *table, *err;
};

static const struct request requests[] = {
	{{.rows = NULL}, "count/load/ time median", NULL},
	{{.rows = "load"},
	 NULL,
	 "--rows: axis `count` has 2 values and stands nowhere in this table; put it into rows, columns or split"},
	{{.rows = "load,count", .value = "time,rate", .statistic = "min,max", .columns = "metric"},
	 "load,count/metric/statistic time,rate min,max",
	 NULL},
	{{.columns = "count"}, "load/count/ time median", NULL},
	{{.split = "count", .value = "rate,amount"}, "load//count,metric rate,amount median", NULL},
	{{.value = "time", .unit = "ms", .name = "x"}, "count/load/ time median ms as x", NULL},
	{{.relative_to = "load=light"}, "count/load/ time median load=light", NULL},
	{{.relative_to = "count=2"}, "count/load/ time median count=2", NULL},
	{{.relative_to = "count=cpus-2"}, "count/load/ time median count=2", NULL},
	{{.relative_to = "count"}, NULL, "--relative-to: count is no axis and value; write --relative-to axis=value"},
	{{.relative_to = "count=7"},
	 NULL,
	 "--relative-to: axis `count` has no value 7; `relative_to` names one of its values"},
	{{.rows = "cuont"}, NULL, "--rows: `cuont` is no axis of this sweep; did you mean `count`?"},
	{{.value = "tmie"}, NULL, "--value: `tmie` is no metric of this sweep; did you mean `time`?"},
	{{.statistic = "maen"}, NULL, "--statistic: `maen` is no statistic; did you mean `mean`?"},
	{{.unit = "KB"}, NULL, "--unit: time: 'KB' is no unit for a number in s; allowed: ns, us, ms, s, min, h"},
	{{.name = "a/b"}, NULL, "--name: `a/b` cannot be a name; allowed: a name: letters"},
};

START_TEST(requested)
{
	const struct request *r = &requests[_i];
	struct pg_err err = {.code = PG_OK};
	struct pg_table_spec t;
	struct kit k;
	int rc;

	kit_init(&k);
	kit_good(&k, AXES, "");
	rc = pg_plan_add_table(k.plan, 0, &r->q, &t, &err);
	ck_assert_int_eq(rc, r->err ? -1 : 0);
	if (rc)
		ck_assert_msg(strncmp(err.msg, r->err, strlen(r->err)) == 0, "%s", err.msg);
	else
		ck_assert_str_eq(kit_table(&k, 0, &t), r->table);
	/* The tables of the sweep are still those of the file. */
	ck_assert_str_eq(kit_tables(&k, 0), "count/load/ time median");
	kit_done(&k);
}
END_TEST

PG_TEST_MAIN("plan_tables", ((const struct pg_test[]){
				    {taken, sizeof(good) / sizeof(good[0])},
				    {refused, sizeof(bad) / sizeof(bad[0])},
				    {stop_metric, 0},
				    {requested, sizeof(requests) / sizeof(requests[0])},
				    {NULL, 0},
			    }))
