/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweeps of exec: the program, its params and their types, metrics taken from the output, placeholders. */
#include "tests/support/pgtest.h"

#include "tests/support/plankit.h"

#define EX KIT_HEAD "  - name: e\n    suite: exec\n"

static const struct pg_program *program_of(struct kit *k, const char *yaml)
{
	kit_good(k, yaml, "");
	return kit_cell(k, 0)->program;
}

START_TEST(program)
{
	struct kit k;
	const struct pg_program *p;

	kit_init(&k);
	p = program_of(&k, EX "    command: [make, -j, \"{jobs}\", '']\n    set: {jobs: 4}\n");
	ck_assert_uint_eq(p->command.n, 4);
	ck_assert_str_eq(p->command.w[2], "{jobs}");
	ck_assert_str_eq(p->command.w[3], "");
	ck_assert(!p->shell && !p->any_exit);
	ck_assert_uint_eq(p->n_exits, 1);
	ck_assert_int_eq(p->exits[0], 0);
	ck_assert_ptr_null(p->stdin_path);
	ck_assert_ptr_null(p->working_directory);
	ck_assert_uint_eq(p->n_captures, 0);
	p = program_of(&k, EX "    command: make -j {jobs} | cat {{}}\n    shell: yes\n    set: {jobs: 4}\n    stdin: "
			      "in-{jobs}\n    working_directory: /tmp/{rep}\n"
			      "    expected_exit_status: [0, 3, 255]\n");
	ck_assert(p->shell);
	ck_assert_uint_eq(p->command.n, 1);
	ck_assert_str_eq(p->command.w[0], "make -j {jobs} | cat {{}}");
	ck_assert_str_eq(p->stdin_path, "in-{jobs}");
	ck_assert_str_eq(p->working_directory, "/tmp/{rep}");
	ck_assert_uint_eq(p->n_exits, 3);
	ck_assert_int_eq(p->exits[2], 255);
	p = program_of(&k, EX "    command: [x]\n    expected_exit_status: any\n");
	ck_assert(p->any_exit);
	p = program_of(&k, EX "    command: [x]\n    expected_exit_status: 7\n");
	ck_assert_uint_eq(p->n_exits, 1);
	ck_assert_int_eq(p->exits[0], 7);
	kit_done(&k);
}
END_TEST

/* One param has one type, by all its values; a derived one that of its expression. */
struct typed {
	const char *keys;
	const char *types, *cells;
};

static const struct typed types[] = {
	{"set: {a: 4, b: 4KB, c: 0.5, d: /tmp, e: '7', f: cpus, g: yes}", "count text real text text count text",
	 "4 4KB 0.5 /tmp 7 4 yes"},
	{"vary: {a: [1, 2.5], b: [1, x], c: 1KB..2KB x2}", "real text size", NULL},
	{"vary: {a: 1s..4s by 1s}", "time", "1s; 2s; 3s; 4s"},
	{"vary: {a: [1, cpus]}", "count", "1; 4"},
	{"vary:\n      load:\n        - {label: p, a: 1, b: x}\n        - {label: q, a: 2.5, b: 3}", "real text",
	 "1 x; 2.5 3"},
	{"vary: {a: [1, 2]}\n    derive: {b: a * 4KB, c: a > 1, d: \"'x'\", e: f * 2, f: a + 0.5, g: b / 1KB}",
	 "count size bool text real real real", "1 4KB false x 3 1.5 4; 2 8KB true x 5 2.5 8"},
	{"set: {a: 0x10, b: 1_0, c: -3, d: 1e3, e: ''}", "text text text text text", "0x10 1_0 -3 1e3 "},
};

static const char *const type_names[] = {
	[PG_BOOL] = "bool", [PG_COUNT] = "count",  [PG_SIZE] = "size",	    [PG_TIME] = "time", [PG_REAL] = "real",
	[PG_ENUM] = "enum", [PG_CPULIST] = "cpus", [PG_NODELIST] = "nodes", [PG_TEXT] = "text",
};

START_TEST(row_types)
{
	struct kit k;
	const struct pg_sweep *s;
	char yaml[1024], names[64] = "";

	kit_init(&k);
	snprintf(yaml, sizeof(yaml), EX "    command: [x]\n    %s\n", types[_i].keys);
	kit_good(&k, yaml, "");
	s = pg_plan_sweep(k.plan, 0);
	pg_str_reset(&k.text);
	for (size_t i = 0; i < s->n_params; i++) {
		ck_assert(s->params[i].role & PG_DYNAMIC);
		ck_assert_ptr_nonnull(s->params[i].doc);
		pg_str_addf(&k.text, "%s%s", i ? " " : "", type_names[s->params[i].type]);
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? " " : "", s->params[i].name);
	}
	ck_assert_str_eq(pg_str_text(&k.text), types[_i].types);
	if (types[_i].cells)
		ck_assert_str_eq(kit_cells(&k, names), types[_i].cells);
	kit_done(&k);
}
END_TEST

/* {param} is the text of the file; of what was computed, the value. */
START_TEST(texts)
{
	struct kit k;
	const struct pg_cell *c;

	kit_init(&k);
	kit_good(&k,
		 EX "    command: [x]\n    set: {a: 4kb, b: 0.50, c: cpus}\n    vary: {d: [007, x], e: 1KB..4KB x4}\n  "
		    "  derive: {f: e * 2}\n",
		 "");
	c = kit_cell(&k, 1);
	ck_assert_str_eq(c->texts[0], "4kb");
	ck_assert_str_eq(c->texts[1], "0.50");
	ck_assert_ptr_null(c->texts[2]);
	ck_assert_str_eq(c->texts[3], "007");
	ck_assert_ptr_null(c->texts[4]);
	ck_assert_ptr_null(c->texts[5]);
	ck_assert_str_eq(kit_cells(&k, "f"), "2KB; 8KB; 2KB; 8KB");
	kit_done(&k);
}
END_TEST

START_TEST(metrics)
{
	struct kit k;
	const struct pg_program *p;
	const struct pg_sweep *s;
	const struct pg_metric *m;

	kit_init(&k);
	p = program_of(&k, EX "    command: [x]\n    metrics:\n"
			      "      - {name: warnings, pattern: '([0-9]+) warnings', better: lower, required: false}\n"
			      "      - {name: pause, pattern: 'pause ([0-9.]+)', unit: ms, which: mean, from: stderr, "
			      "better: lower}\n"
			      "      - {name: disk, pattern: '([0-9.]+) GB/s', unit: B/s, scale: 1000000000, better: "
			      "higher, which: first, lens: typical}\n"
			      "      - {name: heap, pattern: '([0-9]+)K', unit: KB, scale: 0.5, which: sum}\n"
			      "    tables:\n      - {rows: metric, value: [heap, wall_time, pause], statistic: max}\n");
	s = pg_plan_sweep(k.plan, 0);
	ck_assert_uint_eq(s->n_metrics, s->n_bench_metrics + PG_ENGINE_METRICS + 4);
	ck_assert_str_eq(s->metrics[s->main_metric].name, "wall_time");
	ck_assert_uint_eq(p->n_captures, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(p->captures[i].metric, s->n_metrics - 4 + i);
		ck_assert_str_eq(p->captures[i].name, s->metrics[p->captures[i].metric].name);
	}
	m = &s->metrics[s->n_metrics - 4];
	ck_assert_int_eq(m[0].unit, PG_U_COUNT);
	ck_assert_int_eq(m[0].better, PG_LOWER);
	ck_assert(!p->captures[0].required);
	ck_assert_int_eq(p->captures[0].which, PG_LAST);
	ck_assert_double_eq(p->captures[0].factor, 1);
	ck_assert_int_eq(m[1].unit, PG_U_S);
	ck_assert(p->captures[1].from_stderr && p->captures[1].required);
	ck_assert_int_eq(p->captures[1].which, PG_W_MEAN);
	ck_assert_int_eq(p->captures[1].dec_scale.m, 1);
	ck_assert_int_eq(p->captures[1].dec_scale.e, -3);
	ck_assert_int_eq(m[2].unit, PG_U_B_PER_S);
	ck_assert_int_eq(m[2].better, PG_HIGHER);
	ck_assert_uint_eq(m[2].flags, PG_M_TYPICAL);
	ck_assert_uint_eq(m[1].flags, 0);
	ck_assert_int_eq(p->captures[2].which, PG_FIRST);
	ck_assert_double_eq(p->captures[2].factor, 1e9);
	ck_assert_double_eq(pg_dec_to_double(p->captures[2].dec_scale), 1e9);
	ck_assert_int_eq(m[3].unit, PG_U_B);
	ck_assert_int_eq(p->captures[3].which, PG_W_SUM);
	ck_assert_int_eq(p->captures[3].dec_scale.m, 512);
	ck_assert_int_eq(p->captures[3].dec_scale.e, 0);
	ck_assert_ptr_null(m[4].name);
	kit_done(&k);
}
END_TEST

struct bad {
	const char *keys, *told;
};

static const struct bad bad[] = {
	{"set: {a: 1}",
	 "4:5: `command` is missing; suite exec needs a list of words, the program first; with `shell: true` one text"},
	{"command: x", "6:14: `command` must be a list of words; one text needs `shell: true`"},
	{"command: ['', a]", "6:15: `command` names no program; the first word is its path"},
	{"command: [x]\n    shell: true", "6:14: with `shell: true` `command` must be one text; this is a list"},
	{"command: [x, {a}]\n    set: {a: 1}", "6:18: {a} without quotes is a map to YAML; write \"{a}\""},
	{"command: [x, \"{nothing}\"]\n    set: {a: 1}", "6:19: unknown placeholder {nothing}; allowed: {a}, {rep}, "
							 "{cell}, {seed}, {variant}, and {{ for a brace itself"},
	{"command: [x, \"\xc3\xa9\xc3\xa9{b}\"]\n    set: {a: 1}", "6:21: unknown placeholder {b}"},
	{"command: [x, \"{a\"]\n    set: {a: 1}", "6:19: "},
	{"command: [x]\n    before: [y, '{b}']\n    env: {A: '{c}'}\n    stdin: '{d}'\n    working_directory: '{e}'",
	 "9:13: unknown placeholder {d}; "},
	{"command: [x]\n    expected_exit_status: 256",
	 "7:27: `expected_exit_status` 256 is no exit status; allowed: 0 to 255, a list of them, `any`"},
	{"command: [x]\n    expected_exit_status: []", "7:27: `expected_exit_status` is empty"},
	{"command: [x]\n    expected_exit_status: {a: 1}",
	 "7:27: `expected_exit_status` must be a number from 0 to 255, a list of them, or `any`; this is a map"},
	{"command: [x]\n    set: {loops: 1, cpus: 3}",
	 "7:21: `cpus` cannot be the name of a param: it is a machine word; take another"},
	{"command: [x]\n    set: {Abc: 3}",
	 "7:11: `Abc` cannot be the name of a param; allowed: small letters, digits, `_`, at most 64, first a letter"},
	{"command: [x]\n    set: {wall_time_s: 3}",
	 "7:11: `wall_time_s` cannot be the name of a param: it is the column of metric wall_time; take another"},
	{"command: [x]\n    metrics:\n      - {name: a, pattern: 'x('}",
	 "8:28: pattern x( is no POSIX extended regular expression: "},
	{"command: [x]\n    metrics:\n      - {name: a, pattern: x}",
	 "8:28: pattern x has no group; put the number in ( ), like 'took ([0-9.]+) s'"},
	{"command: [x]\n    metrics:\n      - {name: cpu_time, pattern: (x)}",
	 "8:16: `cpu_time` is measured for every program; take another name"},
	{"command: [x]\n    set: {a_s: 1}\n    metrics:\n      - {name: a, unit: s, pattern: (x)}",
	 "9:16: the column of metric `a` has the name of another column; take another name"},
	{"command: [x]\n    metrics:\n      - {name: a, pattern: (x), scale: -1}",
	 "8:40: `scale` -1 is no number above 0 (a sign); allowed: a decimal number, like 0.001"},
};

START_TEST(refused)
{
	struct kit k;
	char yaml[1024];

	kit_init(&k);
	snprintf(yaml, sizeof(yaml), EX "    %s\n", bad[_i].keys);
	kit_load(&k, yaml);
	ck_assert_ptr_null(k.plan);
	ck_assert_msg(strncmp(pg_told_text(&k.told), bad[_i].told, strlen(bad[_i].told)) == 0, "got:\n%s\nwanted:\n%s",
		      pg_told_text(&k.told), bad[_i].told);
	kit_done(&k);
}
END_TEST

/* Every text that may hold a placeholder is looked at. */
START_TEST(all_placeholders)
{
	struct kit k;

	kit_init(&k);
	kit_load(&k, EX "    command: [x, '{c1}']\n    before: [y, '{c2}']\n    after: [y, '{c3}']\n    prefix: [y, "
			"'{c4}']\n    background: [y, '{c5}']\n"
			"    env: {A: '{c6}'}\n    stdin: '{c7}'\n    working_directory: '{c8}'\n    vary:\n      b:\n "
			"       - {label: q, env: {Z: '{c9}'}, after: ['{c0}']}\n");
	ck_assert_ptr_null(k.plan);
	ck_assert_uint_eq(k.told.d.errors, 10);
	for (int i = 0; i < 10; i++) {
		char text[24];

		snprintf(text, sizeof(text), "{c%d}", i);
		ck_assert_msg(strstr(pg_told_text(&k.told), text) != NULL, "%s", text);
	}
	kit_good(&k, EX "    command: [x, '{rep}{cell}{seed}{variant}{a}{{no}}}']\n    set: {a: 1}\n", "");
	kit_done(&k);
}
END_TEST

PG_TEST_MAIN("plan_exec", ((const struct pg_test[]){
				  {program, 0},
				  {row_types, sizeof(types) / sizeof(types[0])},
				  {texts, 0},
				  {metrics, 0},
				  {refused, sizeof(bad) / sizeof(bad[0])},
				  {all_placeholders, 0},
				  {NULL, 0},
			  }))
