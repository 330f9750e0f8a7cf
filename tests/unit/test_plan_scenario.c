/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of a scenario: files and their includes, defaults, rules, run keys, globs, and what is said about slips. */
#include "tests/support/pgtest.h"

#include "plan/keys.h"
#include "tests/support/plankit.h"

#define PLAIN "  - {name: s, suite: fake/plain}\n"

static const struct pg_rules *rules_of(struct kit *k, const char *keys)
{
	char yaml[1024];

	snprintf(yaml, sizeof(yaml), KIT_HEAD "  - name: s\n    suite: fake/types\n%s", keys);
	kit_good(k, yaml, "");
	return &pg_plan_sweep(k->plan, 0)->rules;
}

START_TEST(built_in)
{
	struct kit k;
	const struct pg_rules *r;

	kit_init(&k);
	r = rules_of(&k, "");
	ck_assert(r->repeat.fixed);
	ck_assert_uint_eq(r->repeat.n, 10);
	ck_assert_uint_eq(r->warmup, 1);
	ck_assert_int_eq(r->pause_ns, 0);
	ck_assert_int_eq(r->timeout_ns, INT64_C(600000000000));
	ck_assert_uint_eq(r->retry, 0);
	ck_assert_int_eq(r->order, PG_INTERLEAVED);
	ck_assert_int_eq(r->process, PG_PROC_EXEC);
	ck_assert_int_eq(r->sample_time_ns, 50000000);
	kit_done(&k);
}
END_TEST

/* The text of a row's default, read as a user's, is the built-in value. */
START_TEST(defaults_of_rows)
{
	struct kit k;
	char keys[1024] = "";
	struct pg_rules built, read;

	kit_init(&k);
	built = *rules_of(&k, "");
	for (const struct pg_key *row = pg_sweep_keys; row->name; row++)
		if (row->def && row->id >= PG_K_REPEAT && row->id <= PG_K_PROCESS)
			snprintf(keys + strlen(keys), sizeof(keys) - strlen(keys), "    %s: %s\n", row->name, row->def);
	read = *rules_of(&k, keys);
	ck_assert_mem_eq(&read, &built, sizeof(read));
	snprintf(keys, sizeof(keys), "    repeat: {interval: interpolated}\n");
	built = *rules_of(&k, keys);
	snprintf(keys, sizeof(keys), "    repeat: {");
	for (const struct pg_key *row = pg_repeat_keys; row->name; row++)
		snprintf(keys + strlen(keys), sizeof(keys) - strlen(keys), "%s%s: %s",
			 row == pg_repeat_keys ? "" : ", ", row->name, row->def);
	strcat(keys, "}\n");
	read = *rules_of(&k, keys);
	ck_assert_mem_eq(&read, &built, sizeof(read));
	kit_done(&k);
}
END_TEST

START_TEST(rules_given)
{
	struct kit k;
	const struct pg_rules *r;

	kit_init(&k);
	r = rules_of(&k,
		     "    repeat: {min: 7, max: 9, ci: 2.5%, time: 2min, conf: 90%, interval: exact}\n    warmup: 0\n  "
		     "  pause: 1500us\n"
		     "    timeout: none\n    retry: 3\n    order: grouped\n    process: fork\n    sample_time: 1s\n");
	ck_assert(!r->repeat.fixed);
	ck_assert_uint_eq(r->repeat.min, 7);
	ck_assert_uint_eq(r->repeat.max, 9);
	ck_assert_double_eq(r->repeat.ci, 0.025);
	ck_assert_double_eq(r->repeat.conf, 0.9);
	ck_assert_int_eq(r->repeat.time_ns, INT64_C(120000000000));
	ck_assert(r->repeat.exact);
	ck_assert_uint_eq(r->warmup, 0);
	ck_assert_int_eq(r->pause_ns, 1500000);
	ck_assert_int_eq(r->timeout_ns, -1);
	ck_assert_uint_eq(r->retry, 3);
	ck_assert_int_eq(r->order, PG_GROUPED);
	ck_assert_int_eq(r->process, PG_PROC_FORK);
	ck_assert_int_eq(r->sample_time_ns, 1000000000);
	r = rules_of(&k, "    order: in-file\n    repeat: 1000000\n    timeout: 1ns\n");
	ck_assert_int_eq(r->order, PG_IN_FILE);
	ck_assert_uint_eq(r->repeat.n, 1000000);
	ck_assert_int_eq(r->timeout_ns, 1);
	kit_done(&k);
}
END_TEST

START_TEST(min_is_raised)
{
	struct kit k;

	kit_init(&k);
	kit_good(&k, KIT_HEAD "  - {name: s, suite: fake/plain, repeat: {min: 5, ci: 1%}}\n",
		 "4:48: note: min 5 cannot give a 95% interval, using 6");
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->rules.repeat.min, 6);
	kit_good(&k, KIT_HEAD "  - {name: s, suite: fake/plain, repeat: {min: 5, conf: 90%}}\n", "");
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->rules.repeat.min, 5);
	kit_done(&k);
}
END_TEST

/* built-in < include < defaults < sweep; each replaces the whole value. */
START_TEST(precedence)
{
	struct kit k;
	const struct pg_cell *c;
	const struct pg_plan_file *f;
	size_t n;

	kit_init(&k);
	k.names[0] = "lab/one.yaml";
	k.texts[0] = "perfgrid: 1\ninclude: [two.yaml]\ndefaults: {warmup: 2, retry: 2, env: {A: one, B: one}}\n";
	k.names[1] = "lab/two.yaml";
	k.texts[1] = "perfgrid: 1\nx-note: {any: [thing]}\ndefaults:\n  warmup: 3\n  pause: 3s\n  order: in-file\n  "
		     "description: of two\n";
	k.names[2] = "./three.yaml";
	k.texts[2] = "perfgrid: 1\ndefaults: {pause: 4s, retry: 4, nice: 5}\n";
	kit_good(&k,
		 "perfgrid: 1\nname: t\ndescription: words\nx-anchors: &a {warmup: 9}\ninclude: [lab/one.yaml, "
		 "./three.yaml]\n"
		 "defaults:\n  retry: 5\nsweeps:\n  - {name: a, suite: fake/plain}\n"
		 "  - {name: b, suite: fake/plain, pause: 6s, env: {C: two}, nice: -3, description: own}\n",
		 "");
	ck_assert_str_eq(pg_plan_name(k.plan), "t");
	ck_assert_str_eq(pg_plan_description(k.plan), "words");
	c = kit_cell(&k, 0);
	ck_assert_uint_eq(c->rules->warmup, 2);
	ck_assert_uint_eq(c->rules->retry, 5);
	ck_assert_int_eq(c->rules->pause_ns, INT64_C(4000000000));
	ck_assert_int_eq(c->rules->order, PG_IN_FILE);
	ck_assert_int_eq(c->rules->process, PG_PROC_FORK);
	ck_assert_int_eq(c->keys->nice, 5);
	ck_assert_uint_eq(c->keys->n_env, 2);
	ck_assert_str_eq(pg_plan_sweep(k.plan, 0)->description, "of two");
	c = kit_cell(&k, 1);
	ck_assert_int_eq(c->rules->pause_ns, INT64_C(6000000000));
	ck_assert_int_eq(c->keys->nice, -3);
	ck_assert_uint_eq(c->keys->n_env, 1);
	ck_assert_str_eq(c->keys->env[0].name, "C");
	ck_assert_str_eq(pg_plan_sweep(k.plan, 1)->description, "own");
	f = pg_plan_files(k.plan, &n);
	ck_assert_uint_eq(n, 4);
	ck_assert_str_eq(f[0].path, "t.yaml");
	ck_assert_str_eq(f[1].path, "lab/one.yaml");
	ck_assert_str_eq(f[2].path, "lab/two.yaml");
	ck_assert_str_eq(f[3].path, "./three.yaml");
	for (size_t i = 1; i < 4; i++) {
		ck_assert_uint_eq(f[i].n, strlen(k.texts[i - 1]));
		ck_assert_mem_eq(f[i].bytes, k.texts[i - 1], f[i].n);
	}
	kit_done(&k);
}
END_TEST

/* A file that two others include is read once. Its defaults are as strong as the last of its includers. */
START_TEST(included_twice)
{
	struct kit k;
	size_t n;

	kit_init(&k);
	k.names[0] = "a.yaml";
	k.texts[0] = "perfgrid: 1\ninclude: [c.yaml]\ndefaults: {warmup: 1}\n";
	k.names[1] = "b.yaml";
	k.texts[1] = "perfgrid: 1\ninclude: [c.yaml]\n";
	k.names[2] = "c.yaml";
	k.texts[2] = "perfgrid: 1\ndefaults: {warmup: 7}\n";
	kit_good(&k, "perfgrid: 1\nname: t\ninclude: [a.yaml, b.yaml]\nsweeps:\n" PLAIN, "");
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 0)->rules.warmup, 7);
	pg_plan_files(k.plan, &n);
	ck_assert_uint_eq(n, 4);
	ck_assert_uint_eq(k.reads, 4);
	kit_done(&k);
}
END_TEST

/* 20 files that include each other 8 deep are a small text and a long way. */
START_TEST(includes_do_not_explode)
{
	struct kit k;
	char text[9][512];

	kit_init(&k);
	for (int i = 0; i < 9; i++) {
		static const char *const names[] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8"};

		strcpy(text[i], i < 8 ? "perfgrid: 1\ninclude: [" : "perfgrid: 1\n");
		for (int r = 0; i < 8 && r < 20; r++)
			snprintf(text[i] + strlen(text[i]), sizeof(text[i]) - strlen(text[i]), "%sf%d", r ? ", " : "",
				 i + 1);
		strcat(text[i], i < 8 ? "]\n" : "");
		k.names[i] = names[i];
		k.texts[i] = text[i];
	}
	kit_load(&k, "perfgrid: 1\nname: t\ninclude: [f1]\nsweeps:\n" PLAIN);
	ck_assert_ptr_null(k.plan);
	ck_assert_ptr_nonnull(strstr(pg_told_text(&k.told), "too many includes; at most 1000 in all"));
	ck_assert_uint_lt(k.reads, 12);
	kit_done(&k);
}
END_TEST

START_TEST(run_keys)
{
	struct kit k;
	const struct pg_runkeys *r;

	kit_init(&k);
	kit_good(&k,
		 KIT_HEAD "  - name: s\n    suite: fake/types\n    pin: '8,0-3,9'\n    nice: -20\n    policy: "
			  "fifo:98\n    cgroup: perf/grid.slice\n"
			  "    env: {A: 1, B: ~, C: '~', D: '', E: \"{count}\"}\n    prefix: [taskset, -c, '0']\n    "
			  "before: [a, \"{size}\"]\n"
			  "    after: [b]\n    background: [c, d, '{{x}}']\n",
		 "");
	r = kit_cell(&k, 0)->keys;
	ck_assert_str_eq(r->pin, "0-3,8-9");
	ck_assert(r->has_nice);
	ck_assert_int_eq(r->nice, -20);
	ck_assert_int_eq(r->policy, PG_POLICY_FIFO);
	ck_assert_int_eq(r->priority, 98);
	ck_assert_str_eq(r->cgroup, "perf/grid.slice");
	ck_assert_uint_eq(r->n_env, 5);
	ck_assert_str_eq(r->env[0].text, "1");
	ck_assert_ptr_null(r->env[1].text);
	ck_assert_str_eq(r->env[2].text, "~");
	ck_assert_str_eq(r->env[3].text, "");
	ck_assert_str_eq(r->env[4].text, "{count}");
	ck_assert_uint_eq(r->prefix.n, 3);
	ck_assert_str_eq(r->prefix.w[2], "0");
	ck_assert_uint_eq(r->before.n, 2);
	ck_assert_uint_eq(r->after.n, 1);
	ck_assert_uint_eq(r->background.n, 3);
	kit_good(&k, KIT_HEAD "  - {name: s, suite: fake/types, policy: idle, nice: 19}\n", "");
	r = kit_cell(&k, 0)->keys;
	ck_assert_int_eq(r->policy, PG_POLICY_IDLE);
	ck_assert_int_eq(r->nice, 19);
	ck_assert_ptr_null(r->pin);
	ck_assert_uint_eq(r->before.n, 0);
	kit_good(&k, KIT_HEAD PLAIN, "");
	ck_assert(!kit_cell(&k, 0)->keys->has_nice);
	ck_assert_int_eq(kit_cell(&k, 0)->keys->policy, PG_POLICY_NONE);
	kit_done(&k);
}
END_TEST

START_TEST(processes)
{
	struct kit k;

	kit_init(&k);
	kit_good(&k,
		 KIT_HEAD "  - {name: a, suite: fake/plain}\n  - {name: b, suite: fake/plain, process: exec}\n  - "
			  "{name: c, suite: fake/forks}\n"
			  "  - {name: d, suite: fake/types, process: fork}\n  - {name: e, suite: exec, command: [x]}\n",
		 "");
	ck_assert_int_eq(pg_plan_sweep(k.plan, 0)->rules.process, PG_PROC_FORK);
	ck_assert_int_eq(pg_plan_sweep(k.plan, 1)->rules.process, PG_PROC_EXEC);
	ck_assert_int_eq(pg_plan_sweep(k.plan, 2)->rules.process, PG_PROC_EXEC);
	ck_assert_int_eq(pg_plan_sweep(k.plan, 3)->rules.process, PG_PROC_FORK);
	kit_bad(&k, KIT_HEAD "  - {name: c, suite: fake/forks, process: fork}\n",
		"4:43: fake/forks cannot run under process fork; use process: exec");
	kit_bad(&k,
		"perfgrid: 1\nname: t\ndefaults: {process: fork}\nsweeps:\n  - {name: a, suite: fake/forks}\n  - "
		"{name: b, suite: fake/forks}\n",
		"3:21: fake/forks cannot run under process fork; use process: exec");
	kit_bad(&k, KIT_HEAD "  - {name: e, suite: exec, command: [x], process: exec}\n",
		"4:51: the program of suite exec is a process of its own; leave `process` out");
	kit_good(&k,
		 "perfgrid: 1\nname: t\ndefaults: {process: fork}\nsweeps:\n  - {name: e, suite: exec, command: [x]}\n",
		 "");
	kit_done(&k);
}
END_TEST

static const char *sweep_names(struct kit *k)
{
	pg_str_reset(&k->text);
	for (size_t i = 0; i < pg_plan_sweeps(k->plan); i++)
		pg_str_addf(&k->text, "%s%s:%s", i ? " " : "", pg_plan_sweep(k->plan, i)->name,
			    pg_plan_sweep(k->plan, i)->bench->name);
	return pg_str_text(&k->text);
}

START_TEST(globs)
{
	struct kit k;

	kit_init(&k);
	kit_good(&k,
		 KIT_HEAD
		 "  - {name: f, suite: fake/*, repeat: 3, quick: {repeat: 2}}\n  - {name: m, suite: epoll/*}\n",
		 "");
	ck_assert_str_eq(sweep_names(&k), "f-types:fake/types f-forks:fake/forks f-plain:fake/plain "
					  "m-wait:epoll/wait m-ctl:epoll/ctl");
	ck_assert_uint_eq(pg_plan_sweep(k.plan, 1)->rules.repeat.n, 3);
	ck_assert_uint_eq(pg_plan_cells(k.plan), 5);
	kit_good(&k, KIT_HEAD "  - {name: x, suite: all}\n", "");
	ck_assert_ptr_null(strstr(sweep_names(&k), "x-exec:"));
	ck_assert_ptr_null(strstr(sweep_names(&k), "x-noop:"));
	ck_assert_ptr_nonnull(strstr(sweep_names(&k), "x-pipe:sched/pipe"));
	ck_assert_ptr_nonnull(strstr(sweep_names(&k), "x-plain:fake/plain"));
	kit_bad(&k, KIT_HEAD "  - {name: f, suite: fake/*, derive: {count: 1}, quick: {vary: {count: [1, 2]}}}\n",
		"4:30: `derive` has no place where suite is several benches; give each bench a sweep of its own");
	k.opts.quick = true;
	kit_bad(&k, KIT_HEAD "  - {name: f, suite: fake/*, quick: {vary: {count: [1, 2]}}}\n",
		"4:38: `vary` has no place where suite is several benches; give each bench a sweep of its own");
	kit_done(&k);
}
END_TEST

struct bad {
	const char *yaml, *messages;
};

#define SW(keys) KIT_HEAD "  - name: s\n    suite: fake/types\n" keys

static const struct bad bad[] = {
	{"perfgrid: 1\nname: t\n",
	 "1:1: `sweeps` is missing in a scenario; it is a list of maps, each with `name` and `suite`"},
	{"perfgrid: '1'\nname: t\nsweeps:\n" PLAIN "  - {name: S, suite: fake/plain}\n",
	 "5:12: sweep S has the name of the sweep on line 4; a name is taken once, whatever its case"},
	{"perfgrid: 1.0\nname: t\nsweeps:\n" PLAIN,
	 "1:11: version 1.0 of the scenario language is not known; this perfgrid reads 1"},
	{"perfgrid: [1]\nname: t\nsweeps:\n" PLAIN,
	 "1:11: version a list of the scenario language is not known; this perfgrid reads 1"},
	{"perfgrid: 1\nname: t\nshard_by: cell\nsweeps:\n" PLAIN,
	 "3:1: unknown key `shard_by` in a scenario; allowed: perfgrid, name, description, include, defaults, sweeps, "
	 "sessions"},
	/* Keys of later versions are unknown ones. */
	{SW("    counters: [cycles]\n    shard_by: cell\n"),
	 "6:5: unknown key `counters` in a sweep; allowed: name, description, suite, set, vary, "},
	/* Errors of several places, in order of finding. */
	{SW("    repeat: 0\n    warmup: -1\n    bogus: 1\n    set: {count: 1001, flag: maybe}\n"),
	 "6:13: `repeat` 0 is out of range; allowed: 1 to 1000000\n"
	 "7:13: `warmup` -1 is no whole number (a sign); allowed: 0 to 1000000\n8:5: unknown key `bogus` in a sweep; "
	 "allowed: "},
	{SW("    repeat: 0\n    set: {count: 1001, flag: maybe}\n"),
	 "6:13: `repeat` 0 is out of range; allowed: 1 to 1000000\n7:18: count: value 1001 is out of range; allowed: 0 "
	 "to 1000\n"
	 "7:30: flag: 'maybe' is no truth value; allowed: one of true, false, yes, no, on, off"},
	/* Slips of flow style. */
	{SW("    before: [a, {count}]\n"), "6:17: {count} without quotes is a map to YAML; write \"{count}\""},
	{SW("    env: {A: {count}}\n"), "6:14: {count} without quotes is a map to YAML; write \"{count}\""},
	{SW("    cgroup: .hidden\n"), "6:13: `cgroup` .hidden is no name below the mount"},
	{SW("    cgroup: a//b\n"), "6:13: `cgroup` a//b is no name below the mount"},
	{SW("    cgroup: /a\n"), "6:13: `cgroup` /a is no name below the mount"},
	{SW("    cgroup: a/\n"), "6:13: `cgroup` a/ is no name below the mount"},
	{SW("    nice: -21\n"), "6:11: `nice` -21 is no nice value; allowed: -20 to 19"},
	{SW("    nice: --1\n"), "6:11: `nice` --1 is no nice value; allowed: -20 to 19"},
	{SW("    policy: fifo:0\n"),
	 "6:13: `policy` fifo:0 is no policy; allowed: other, batch, idle, or fifo:N with N from 1 to 98"},
	{SW("    policy: fifo\n"), "6:13: `policy` fifo is no policy"},
	{SW("    pin: ''\n"), "6:11: `pin` '': no CPU in it; allowed: a list like '0-3,8'"},
	{SW("    repeat: {ci: 101%}\n"), "6:18: `ci` 101% is out of range; allowed: above 0% to 100%"},
	{SW("    repeat: {conf: 49.9%}\n"), "6:20: `conf` 49.9% is out of range; allowed: 50% to 99.99%"},
	{SW("    repeat: {min: 9, max: 8}\n"), "6:27: min 9 is above max 8; allowed: min up to max"},
	{SW("    timeout: 0s\n"), "6:14: `timeout` 0s is out of range; allowed: 1ns to"},
	{SW("    retry: 18446744073709551616\n"),
	 "6:12: `retry` 18446744073709551616 is out of range; allowed: 0 to 1000"},
	{SW("    quick: {repeat: 0}\n"), "6:21: `repeat` 0 is out of range; allowed: 1 to 1000000"},
	{SW("    quick: {retry: 0}\n"),
	 "6:13: `retry` has no place in `quick`; allowed: set, vary, derive, repeat, warmup, pause, timeout"},
	{SW("    quick: {}\n"), "6:12: `quick` is empty; it is a map of sweep keys"},
};

START_TEST(refused)
{
	struct kit k;

	kit_init(&k);
	kit_load(&k, bad[_i].yaml);
	ck_assert_ptr_null(k.plan);
	ck_assert_msg(strncmp(pg_told_text(&k.told), bad[_i].messages, strlen(bad[_i].messages)) == 0 ||
			      strstr(pg_told_text(&k.told), bad[_i].messages),
		      "got:\n%s\nwanted:\n%s", pg_told_text(&k.told), bad[_i].messages);
	kit_done(&k);
}
END_TEST

/* A wrong default is told once, however many sweeps have it, and a wrong placeholder once per place. */
START_TEST(told_once)
{
	struct kit k;

	kit_init(&k);
	kit_bad(&k,
		"perfgrid: 1\nname: t\ndefaults:\n  before: [x, \"{conut}\"]\nsweeps:\n  - {name: a, suite: "
		"fake/types}\n"
		"  - {name: b, suite: fake/types}\n",
		"4:16: unknown placeholder {conut}, did you mean {count}?; write {{ for a brace itself");
	kit_done(&k);
}
END_TEST

START_TEST(stops_at_twenty)
{
	struct kit k;
	char yaml[4096] = KIT_HEAD "  - name: s\n    suite: fake/types\n";

	kit_init(&k);
	for (int i = 0; i < 30; i++)
		snprintf(yaml + strlen(yaml), sizeof(yaml) - strlen(yaml), "    bogus%d: 1\n", i);
	kit_load(&k, yaml);
	ck_assert_ptr_null(k.plan);
	ck_assert_uint_eq(k.told.d.errors, PG_DIAG_LIMIT);
	kit_done(&k);
}
END_TEST

/* Every reserved name is one that a param of a bench does not have, and the other way round. */
START_TEST(reserved_names)
{
	static const char *const free_names[] = {"jobs", "time", "loops", "size", "groups", "value", "command_line"};

	for (size_t i = 0; i < sizeof(free_names) / sizeof(free_names[0]); i++)
		ck_assert_msg(!pg_name_reserved(free_names[i]), "%s", free_names[i]);
	for (size_t i = 0; pg_suites[i]; i++)
		for (size_t b = 0; pg_suites[i]->benches[b]; b++)
			for (const struct pg_param *row = pg_suites[i]->benches[b]->params; row->name; row++)
				ck_assert_msg(!pg_name_reserved(row->name), "%s of %s", row->name,
					      pg_suites[i]->benches[b]->name);
	ck_assert_ptr_nonnull(pg_name_reserved("cpus"));
	ck_assert_ptr_nonnull(pg_name_reserved("min"));
	ck_assert_ptr_nonnull(pg_name_reserved("status"));
	ck_assert_ptr_nonnull(pg_name_reserved("metric"));
	ck_assert_ptr_nonnull(pg_name_reserved("y"));
	ck_assert_ptr_nonnull(pg_name_reserved("psi_cpu"));
	ck_assert_ptr_nonnull(pg_name_reserved("expected_exit_status"));
}
END_TEST

/* Rows: a sentence each, unique names, a form with a text. */
START_TEST(key_rows)
{
	static const struct pg_key *const tables[] = {pg_file_keys, pg_sweep_keys, pg_repeat_keys, pg_compare_keys,
						      pg_skip_keys, pg_table_keys, pg_metric_keys};

	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (const struct pg_key *row = tables[t]; row->name; row++) {
			ck_assert_ptr_eq(pg_key_find(tables[t], row->name), row);
			ck_assert_msg(row->doc && *row->doc, "%s", row->name);
			ck_assert_msg(pg_form_text(row->form) && *pg_form_text(row->form), "%s", row->name);
			ck_assert_msg(row->flags != 0, "%s", row->name);
			ck_assert_msg(row->form != PG_FORM_CHOICE || row->words, "%s", row->name);
		}
}
END_TEST

PG_TEST_MAIN("plan_scenario", ((const struct pg_test[]){
				      {built_in, 0},
				      {defaults_of_rows, 0},
				      {rules_given, 0},
				      {min_is_raised, 0},
				      {precedence, 0},
				      {included_twice, 0},
				      {includes_do_not_explode, 0},
				      {run_keys, 0},
				      {processes, 0},
				      {globs, 0},
				      {refused, sizeof(bad) / sizeof(bad[0])},
				      {told_once, 0},
				      {stops_at_twenty, 0},
				      {reserved_names, 0},
				      {key_rows, 0},
				      {NULL, 0},
			      }))
