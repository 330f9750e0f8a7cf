/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of every key of a scenario, in the order in which documents and messages name them. */
#include "model/compare.h"
#include "plan/keys.h"

#define NS_PER_S  UINT64_C(1000000000)
#define COUNT_MAX UINT64_C(1000000)
#define TIME_MAX  (UINT64_C(366) * 24 * 3600 * NS_PER_S)

static const char *const order_words[] = {"interleaved", "in-file", "grouped", NULL};
static const char *const process_words[] = {"exec", "fork", NULL};
static const char *const interval_words[] = {"interpolated", "exact", NULL};
static const char *const none_words[] = {"none", NULL};
static const char *const lens_words[] = {"both", "typical", "floor", NULL};
static const char *const correction_words[] = {"holm", "bh", "none", NULL};
static const char *const better_words[] = {"lower", "higher", "neither", NULL};
static const char *const metric_lens_words[] = {"both", "typical", NULL};
static const char *const which_words[] = {"first", "last", "sum", "mean", NULL};
static const char *const from_words[] = {"stdout", "stderr", NULL};

/* clang-format off */
#define ROW(n, k, f) .name = (n), .id = (k), .form = (f)
#define EVERY (PG_KEY_SWEEP | PG_KEY_DEFAULTS)
#define RUN_KEY (EVERY | PG_KEY_ITEM)
#define EXEC_KEY (PG_KEY_SWEEP | PG_KEY_EXEC)

const struct pg_key pg_file_keys[] = {
	{ ROW("perfgrid", PG_K_PERFGRID, PG_FORM_VERSION), .flags = PG_KEY_REQUIRED | PG_KEY_FILE | PG_KEY_INCLUDE,
	  .doc = "version of the scenario language" },
	{ ROW("name", PG_K_NAME, PG_FORM_NAME), .flags = PG_KEY_REQUIRED | PG_KEY_FILE,
	  .doc = "name of the scenario, part of the run directory's path" },
	{ ROW("description", PG_K_DESCRIPTION, PG_FORM_TEXT), .flags = PG_KEY_FILE, .doc = "what is measured and why" },
	{ ROW("include", PG_K_INCLUDE, PG_FORM_FILES), .flags = PG_KEY_FILE | PG_KEY_INCLUDE,
	  .doc = "files with defaults, relative to this file; later ones win" },
	{ ROW("defaults", PG_K_DEFAULTS, PG_FORM_DEFAULTS), .flags = PG_KEY_FILE | PG_KEY_INCLUDE,
	  .doc = "keys that every sweep has unless it says otherwise" },
	{ ROW("sweeps", PG_K_SWEEPS, PG_FORM_SWEEPS), .max = 10000, .flags = PG_KEY_REQUIRED | PG_KEY_FILE,
	  .doc = "what is measured" },
	{ ROW("sessions", PG_K_SESSIONS, PG_FORM_COUNT), .min = 1, .max = 100, .flags = PG_KEY_FILE, .def = "1",
	  .doc = "parts that the reps are split into, a minute or more apart" },
	{ .name = NULL },
};

const struct pg_key pg_sweep_keys[] = {
	{ ROW("name", PG_K_NAME, PG_FORM_NAME), .flags = PG_KEY_SWEEP | PG_KEY_REQUIRED,
	  .doc = "name of the sweep and of its result files" },
	{ ROW("description", PG_K_DESCRIPTION, PG_FORM_TEXT), .flags = EVERY, .doc = "what the sweep shows" },
	{ ROW("suite", PG_K_SUITE, PG_FORM_SUITE), .flags = PG_KEY_SWEEP | PG_KEY_REQUIRED,
	  .doc = "the bench; `SUITE/*` and `all` give one sweep per bench" },
	{ ROW("set", PG_K_SET, PG_FORM_VALUES), .flags = PG_KEY_SWEEP | PG_KEY_QUICK | PG_KEY_GRID,
	  .doc = "params with one value in every cell" },
	{ ROW("vary", PG_K_VARY, PG_FORM_AXES), .flags = PG_KEY_SWEEP | PG_KEY_QUICK | PG_KEY_GRID,
	  .doc = "axes: their values multiply, the last changes fastest" },
	{ ROW("derive", PG_K_DERIVE, PG_FORM_EXPRS), .flags = PG_KEY_SWEEP | PG_KEY_QUICK | PG_KEY_GRID,
	  .doc = "params computed from others" },
	{ ROW("skip", PG_K_SKIP, PG_FORM_SKIPS), .max = 1000, .flags = PG_KEY_SWEEP | PG_KEY_GRID,
	  .doc = "cells left blank, with the reason" },
	{ ROW("add", PG_K_ADD, PG_FORM_ADDS), .max = 10000,
	  .flags = PG_KEY_SWEEP | PG_KEY_GRID, .doc = "cells beside the product" },
	{ ROW("tables", PG_K_TABLES, PG_FORM_TABLES), .max = 1000, .flags = PG_KEY_SWEEP | PG_KEY_GRID,
	  .doc = "the matrices written as CSV" },
	{ ROW("variants", PG_K_VARIANTS, PG_FORM_VARIANTS), .max = 100, .flags = EVERY,
	  .doc = "arms of a comparison, the baseline first: every cell is measured in each" },
	{ ROW("compare", PG_K_COMPARE, PG_FORM_COMPARE), .flags = EVERY, .doc = "how the arms are compared" },
	{ ROW("quick", PG_K_QUICK, PG_FORM_QUICK), .flags = PG_KEY_SWEEP, .doc = "the small form for `run --quick`" },
	{ ROW("repeat", PG_K_REPEAT, PG_FORM_REPEAT), .flags = EVERY | PG_KEY_QUICK,
	  .def = "10", .min = 1, .max = COUNT_MAX,
	  .doc = "reps of a cell: a number, or a map that says when to stop" },
	{ ROW("warmup", PG_K_WARMUP, PG_FORM_COUNT), .flags = EVERY | PG_KEY_QUICK, .def = "1", .max = COUNT_MAX,
	  .doc = "reps before the counted ones" },
	{ ROW("pause", PG_K_PAUSE, PG_FORM_TIME), .flags = EVERY | PG_KEY_QUICK, .def = "0s", .max = TIME_MAX,
	  .doc = "rest before each rep" },
	{ ROW("timeout", PG_K_TIMEOUT, PG_FORM_TIME), .flags = EVERY | PG_KEY_QUICK,
	  .def = "10min", .words = none_words, .min = 1,
	  .max = TIME_MAX, .doc = "longest time of a rep" },
	{ ROW("retry", PG_K_RETRY, PG_FORM_COUNT), .flags = EVERY, .def = "0", .max = 1000,
	  .doc = "further tries after a failed rep" },
	{ ROW("redo", PG_K_REDO, PG_FORM_COUNT), .flags = EVERY, .def = "0", .max = COUNT_MAX,
	  .doc = "reps of a cell that are done again when the machine disturbed them" },
	{ ROW("order", PG_K_ORDER, PG_FORM_CHOICE), .flags = EVERY, .def = "interleaved", .words = order_words,
	  .doc = "order of the reps inside the sweep" },
	{ ROW("sample_time", PG_K_SAMPLE_TIME, PG_FORM_TIME), .flags = EVERY,
	  .def = "50ms", .min = 1000, .max = 3600 * NS_PER_S,
	  .doc = "length that loops `auto` is calibrated to" },
	{ ROW("process", PG_K_PROCESS, PG_FORM_CHOICE), .flags = EVERY, .def = "exec", .words = process_words,
	  .doc = "how a rep gets its fresh process" },
	{ ROW("label", PG_K_LABEL, PG_FORM_NAME), .flags = PG_KEY_ITEM | PG_KEY_REQUIRED, .doc = "name of the item" },
	{ ROW("pin", PG_K_PIN, PG_FORM_CPULIST), .flags = RUN_KEY, .doc = "CPUs that the rep may use" },
	{ ROW("nice", PG_K_NICE, PG_FORM_NICE), .flags = RUN_KEY, .doc = "nice value of the rep" },
	{ ROW("policy", PG_K_POLICY, PG_FORM_POLICY), .flags = RUN_KEY, .doc = "scheduling class of the rep" },
	{ ROW("cgroup", PG_K_CGROUP, PG_FORM_TEXT), .flags = RUN_KEY, .doc = "control group made for the rep" },
	{ ROW("env", PG_K_ENV, PG_FORM_ENV), .flags = RUN_KEY, .doc = "environment variables; ~ unsets" },
	{ ROW("prefix", PG_K_PREFIX, PG_FORM_WORDS), .flags = RUN_KEY, .doc = "command that runs the rep's command" },
	{ ROW("before", PG_K_BEFORE, PG_FORM_WORDS), .flags = RUN_KEY, .doc = "command run before each rep, untimed" },
	{ ROW("after", PG_K_AFTER, PG_FORM_WORDS), .flags = RUN_KEY,
	  .doc = "command run after each rep, whatever happened" },
	{ ROW("background", PG_K_BACKGROUND, PG_FORM_WORDS), .flags = RUN_KEY,
	  .doc = "command that runs beside each rep" },
	{ ROW("command", PG_K_COMMAND, PG_FORM_COMMAND), .flags = EXEC_KEY, .doc = "the program that is measured" },
	{ ROW("shell", PG_K_SHELL, PG_FORM_BOOL), .flags = EXEC_KEY, .def = "false",
	  .doc = "hand the command to `sh -c`" },
	{ ROW("stdin", PG_K_STDIN, PG_FORM_TEXT), .flags = EXEC_KEY, .doc = "file that the program reads" },
	{ ROW("working_directory", PG_K_WORKING_DIRECTORY, PG_FORM_TEXT), .flags = EXEC_KEY,
	  .doc = "where the programs run" },
	{ ROW("expected_exit_status", PG_K_EXITS, PG_FORM_EXITS), .flags = EXEC_KEY, .def = "0", .max = 255,
	  .doc = "statuses that are no failure" },
	{ ROW("metrics", PG_K_METRICS, PG_FORM_METRICS), .max = 48,
	  .flags = EXEC_KEY, .doc = "numbers taken from the output" },
	{ .name = NULL },
};

const struct pg_key pg_repeat_keys[] = {
	{ ROW("min", PG_K_MIN, PG_FORM_COUNT), .flags = PG_KEY_SUB, .def = "8", .min = 1, .max = COUNT_MAX,
	  .doc = "reps at least" },
	{ ROW("max", PG_K_MAX, PG_FORM_COUNT), .flags = PG_KEY_SUB, .def = "50", .min = 1, .max = COUNT_MAX,
	  .doc = "reps at most" },
	{ ROW("ci", PG_K_CI, PG_FORM_PERCENT), .flags = PG_KEY_SUB, .def = "2%",
	  .doc = "stop when the half width of the median's interval is at most this share of it" },
	{ ROW("time", PG_K_TIME, PG_FORM_TIME), .flags = PG_KEY_SUB, .def = "60s", .min = 1, .max = TIME_MAX,
	  .doc = "time of a cell at most" },
	{ ROW("conf", PG_K_CONF, PG_FORM_PERCENT), .flags = PG_KEY_SUB, .def = "95%",
	  .doc = "confidence of the interval" },
	{ ROW("interval", PG_K_INTERVAL, PG_FORM_CHOICE), .flags = PG_KEY_SUB,
	  .def = "interpolated", .words = interval_words,
	  .doc = "how the interval is built" },
	{ .name = NULL },
};

const struct pg_key pg_compare_keys[] = {
	{ ROW("threshold", PG_K_THRESHOLD, PG_FORM_PERCENT), .flags = PG_KEY_SUB, .def = "5%",
	  .doc = "changes up to this do not count" },
	{ ROW("lens", PG_K_LENS, PG_FORM_CHOICE), .flags = PG_KEY_SUB, .def = "both", .words = lens_words,
	  .doc = "what is compared: the typical time, the undisturbed time, or both" },
	{ ROW("looks", PG_K_LOOKS, PG_FORM_LOOKS), .flags = PG_KEY_SUB,
	  .def = "[10, 15, 20, 30, 40]", .words = none_words, .min = 2, .max = PG_LOOKS,
	  .doc = "rounds after which a cell may end; `none`: only after all" },
	{ ROW("correction", PG_K_CORRECTION, PG_FORM_CHOICE), .flags = PG_KEY_SUB,
	  .def = "holm", .words = correction_words, .doc = "how p is corrected for many tests" },
	{ .name = NULL },
};

const struct pg_key pg_skip_keys[] = {
	{ ROW("when", PG_K_WHEN, PG_FORM_EXPR), .flags = PG_KEY_SUB, .doc = "condition that must hold as well" },
	{ ROW("why", PG_K_WHY, PG_FORM_TEXT), .flags = PG_KEY_SUB, .doc = "the reason, as it stands in the results" },
	{ .name = NULL },
};

const struct pg_key pg_table_keys[] = {
	{ ROW("rows", PG_K_ROWS, PG_FORM_NAMES), .flags = PG_KEY_SUB,
	  .doc = "axes that run down; the first axis with several values that is placed nowhere else by default" },
	{ ROW("columns", PG_K_COLUMNS, PG_FORM_NAMES), .flags = PG_KEY_SUB, .doc = "axes that run across" },
	{ ROW("split", PG_K_SPLIT, PG_FORM_NAMES), .flags = PG_KEY_SUB, .doc = "axes with a file for each value" },
	{ ROW("value", PG_K_VALUE, PG_FORM_NAMES), .flags = PG_KEY_SUB,
	  .doc = "metrics shown; the main metric by default" },
	{ ROW("statistic", PG_K_STATISTIC, PG_FORM_NAMES), .flags = PG_KEY_SUB, .def = "median",
	  .doc = "how reps become one number" },
	{ ROW("unit", PG_K_UNIT, PG_FORM_TEXT), .flags = PG_KEY_SUB, .doc = "unit of the numbers" },
	{ ROW("relative_to", PG_K_RELATIVE_TO, PG_FORM_PICK), .flags = PG_KEY_SUB,
	  .doc = "divide by the number at this value of an axis" },
	{ ROW("name", PG_K_NAME, PG_FORM_NAME), .flags = PG_KEY_SUB, .doc = "part of the file name" },
	{ .name = NULL },
};

const struct pg_key pg_metric_keys[] = {
	{ ROW("name", PG_K_NAME, PG_FORM_NAME), .flags = PG_KEY_SUB | PG_KEY_REQUIRED, .doc = "name of the metric" },
	{ ROW("pattern", PG_K_PATTERN, PG_FORM_TEXT), .flags = PG_KEY_SUB | PG_KEY_REQUIRED,
	  .doc = "POSIX extended regular expression; group 1 is the number" },
	{ ROW("unit", PG_K_UNIT, PG_FORM_TEXT), .flags = PG_KEY_SUB, .def = "count",
	  .doc = "unit that the program prints" },
	{ ROW("scale", PG_K_SCALE, PG_FORM_NUMBER), .flags = PG_KEY_SUB, .def = "1",
	  .doc = "the printed number times this" },
	{ ROW("better", PG_K_BETTER, PG_FORM_CHOICE), .flags = PG_KEY_SUB, .def = "neither", .words = better_words,
	  .doc = "which direction is better" },
	{ ROW("lens", PG_K_LENS, PG_FORM_CHOICE), .flags = PG_KEY_SUB, .def = "both", .words = metric_lens_words,
	  .doc = "how it is compared; `typical` where a disturbed rep can be a better one, such as hit rates" },
	{ ROW("which", PG_K_WHICH, PG_FORM_CHOICE), .flags = PG_KEY_SUB, .def = "last", .words = which_words,
	  .doc = "which of several matches counts" },
	{ ROW("from", PG_K_FROM, PG_FORM_CHOICE), .flags = PG_KEY_SUB, .def = "stdout", .words = from_words,
	  .doc = "stream that is read" },
	{ ROW("required", PG_K_REQUIRED, PG_FORM_BOOL), .flags = PG_KEY_SUB, .def = "true",
	  .doc = "a rep without a match fails" },
	{ .name = NULL },
};
/* clang-format on */
