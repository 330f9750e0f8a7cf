/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making and opening of run directories: exclusive, whole, read back; plan.csv and its marks; sessions and refreshing.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "store/fileio.h"
#include "store/plan_csv.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))

static const char text[] =
	"perfgrid: 1\n"
	"name: kit\n"
	"sweeps:\n"
	"  - name: a\n"
	"    suite: noop\n"
	"    vary: {first: [1, cpus], text: ['x,y', '=z']}\n"
	"    skip: [{first: 1, text: '=z', why: '-no'}]\n"
	"    repeat: 2\n"
	"    tables: [{rows: first, columns: text}]\n"
	"  - {name: b, suite: sched/pipe, set: {loops: auto}, vary: {mode: [process, thread]}, repeat: 2}\n";

static size_t entries(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static bool there(const struct kit *k, const char *name)
{
	char *s = kit_file(k, name);

	free(s);
	return s != NULL;
}

START_TEST(what_is_made)
{
	static const char *const names[] = {"run.json", "env.json", "plan.csv", "journal.jsonl"};
	struct kit k;

	kit_init(&k, text);
	kit_create(&k);
	for (int i = 0; i < LEN(names); i++)
		ck_assert_msg(there(&k, names[i]), "%s", names[i]);
	ck_assert_uint_eq(entries(k.run), 5);
	kit_is(&k, "files/01-kit.yaml", text);
	ck_assert_str_eq(pg_store_dir(k.store), k.run);
	kit_has(&k, "run.json", "\"state\": \"running\"");
	kit_end(&k);
}
END_TEST

START_TEST(info_comes_back)
{
	static const char *const set[] = {"a.second=5"}, *const vary[] = {"b.mode=thread"},
				 *const gone[] = {"mem/memcpy.function=x"};
	struct kit k;
	struct pg_arena a;
	struct pg_run_info i;
	struct pg_err err;

	kit_init(&k, text);
	pg_plan_free(k.plan);
	k.info.label = "with \"quotes\"";
	k.info.opts.set = set;
	k.info.opts.n_set = 1;
	k.info.opts.vary = vary;
	k.info.opts.n_vary = 1;
	k.info.opts.only = "cpus == 8";
	k.info.opts.repeat = 7;
	k.info.opts.has_warmup = true;
	k.info.opts.max_cells = 100;
	k.info.machine.unavailable = gone;
	k.info.machine.n_unavailable = 1;
	k.plan = kit_try_plan(&k, text);
	ck_assert_msg(k.plan, "%s", k.errors);
	kit_create(&k);
	pg_arena_init(&a, false);
	kit_ok(pg_run_info_read(k.run, &a, &i, &err), &err);
	ck_assert_str_eq(i.name, "kit");
	ck_assert_str_eq(i.label, "with \"quotes\"");
	ck_assert_str_eq(i.version, "1.2.3");
	ck_assert_str_eq(i.build, "abc");
	ck_assert_str_eq(i.scenario, KIT_FILE);
	ck_assert_str_eq(i.opts.only, k.info.opts.only);
	ck_assert(i.opts.n_set == 1 && i.opts.n_vary == 1 && !i.opts.quick);
	ck_assert_str_eq(i.opts.set[0], set[0]);
	ck_assert_str_eq(i.opts.vary[0], vary[0]);
	ck_assert(i.opts.repeat == 7 && i.opts.has_warmup && i.opts.warmup == 0 && i.opts.max_cells == 100);
	ck_assert(i.seed == UINT64_MAX && i.digest == pg_plan_digest(k.plan) && i.state == PG_RUN_RUNNING);
	ck_assert(i.started_wall_ns == KIT_WALL);
	ck_assert_int_eq(strncmp(i.id, "20251124T160000Z-", 17), 0);
	ck_assert(i.machine.word[0] == 8 && i.machine.word[4] == 1 && i.machine.n_unavailable == 1);
	ck_assert_str_eq(i.machine.unavailable[0], gone[0]);
	pg_arena_release(&a);
	kit_end(&k);
}
END_TEST

START_TEST(copies_are_read)
{
	struct kit k;
	struct pg_str out;
	struct pg_err err;

	kit_init(&k, text);
	kit_create(&k);
	pg_str_init(&out);
	kit_ok(pg_run_file_read(k.run, KIT_FILE, &out, &err), &err);
	ck_assert_str_eq(out.s, text);
	ck_assert_int_eq(pg_run_file_read(k.run, "other.yaml", &out, &err), -1);
	ck_assert_int_eq(pg_run_file_read(k.top, KIT_FILE, &out, &err), -1);
	ck_assert_int_eq(err.code, PG_EUSAGE);
	ck_assert_msg(strstr(err.msg, "is no run directory"), "%s", err.msg);
	pg_str_release(&out);
	kit_end(&k);
}
END_TEST

/* A run.json that points out of the directory reads nothing there. */
START_TEST(copies_stay_inside)
{
	static const char *const bad[] = {"files/../../secret", "/etc/hostname", "files/..", "../secret", "run.json"};
	struct kit k;
	struct pg_str out;
	struct pg_err err;
	char json[256];

	kit_init(&k, text);
	kit_create(&k);
	pg_store_close(k.store);
	k.store = NULL;
	snprintf(json, sizeof(json), "%s/run.json", k.run);
	ck_assert_int_eq(unlink(json), 0);
	snprintf(json, sizeof(json), "{\"perfgrid\":1,\"files\":[{\"path\":\"x\",\"copy\":\"%s\"}]}", bad[_i]);
	kit_append(&k, "run.json", json, strlen(json));
	pg_str_init(&out);
	ck_assert_int_eq(pg_run_file_read(k.run, "x", &out, &err), -1);
	ck_assert_uint_eq(out.len, 0);
	pg_str_release(&out);
	kit_end(&k);
}
END_TEST

/* ---- exclusive ---- */

START_TEST(not_empty)
{
	struct kit k;
	struct pg_err err = {.code = PG_OK};

	kit_init(&k, text);
	ck_assert_int_eq(mkdir(k.run, 0777), 0);
	kit_append(&k, "mine", "x", 1);
	ck_assert_int_eq(pg_store_create(&k.opts, k.plan, &k.store, &err), -1);
	ck_assert_int_eq(err.code, PG_EUSAGE);
	ck_assert_msg(strstr(err.msg, "is not empty") && strstr(err.msg, "--resume"), "%s", err.msg);
	ck_assert_uint_eq(entries(k.run), 1);
	kit_end(&k);
}
END_TEST

START_TEST(empty_and_nested)
{
	struct kit k;
	struct pg_err err;

	kit_init(&k, text);
	if (_i == 0)
		ck_assert_int_eq(mkdir(k.run, 0777), 0);
	else
		snprintf(k.run, sizeof(k.run), "%s/a/b//c/", k.top);
	kit_ok(pg_store_create(&k.opts, k.plan, &k.store, &err), &err);
	ck_assert(there(&k, "run.json"));
	kit_end(&k);
}
END_TEST

START_TEST(cannot_be_made)
{
	struct kit k;
	struct pg_err err = {.code = PG_OK};

	kit_init(&k, text);
	snprintf(k.run, sizeof(k.run), "%s", k.top);
	kit_append(&k, "file", "x", 1);
	snprintf(k.run, sizeof(k.run), _i ? "%s/file/run" : "%s/file", k.top);
	ck_assert_int_eq(pg_store_create(&k.opts, k.plan, &k.store, &err), -1);
	ck_assert_int_eq(err.code, PG_EUSAGE);
	kit_end(&k);
}
END_TEST

/* A start that fails half-way, here because files may not be larger than some bytes, leaves nothing. */
START_TEST(undone)
{
	static const rlim_t bytes[] = {100, 700};
	struct rlimit r = {bytes[_i / 2], RLIM_INFINITY};
	struct kit k;
	struct pg_err err = {.code = PG_OK};

	kit_init(&k, text);
	if (_i % 2)
		ck_assert_int_eq(mkdir(k.run, 0777), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &r), 0);
	ck_assert_int_eq(pg_store_create(&k.opts, k.plan, &k.store, &err), -1);
	ck_assert_int_eq(err.code, PG_EUSAGE);
	ck_assert_msg(strstr(err.msg, "run directory '/tmp/") == err.msg, "%s", err.msg);
	if (_i % 2)
		ck_assert_uint_eq(entries(k.run), 0);
	else
		ck_assert_int_eq(access(k.run, F_OK), -1);
	kit_end(&k);
}
END_TEST

START_TEST(stamped)
{
	struct kit k;
	struct pg_err err;
	char path[256], link[128];
	ssize_t n;

	kit_init(&k, text);
	ck_assert_int_eq(chdir(k.top), 0);
	k.opts.dir = NULL;
	for (int i = 0; i < 3; i++) {
		if (k.store)
			pg_store_close(k.store);
		kit_ok(pg_store_create(&k.opts, k.plan, &k.store, &err), &err);
		ck_assert_int_eq(strncmp(pg_store_dir(k.store), "results/kit/20251124T160000Z-", 29), 0);
		n = readlink("results/kit/latest", link, sizeof(link) - 1);
		ck_assert_int_gt(n, 0);
		link[n] = '\0';
		snprintf(path, sizeof(path), "results/kit/%s", link);
		ck_assert_str_eq(path, pg_store_dir(k.store));
	}
	ck_assert_uint_eq(entries("results/kit"), 4);
	ck_assert_str_eq(k.notes, "");
	ck_assert_int_eq(unlink("results/kit/latest"), 0);
	ck_assert_int_eq(mkdir("results/kit/latest", 0777), 0);
	pg_store_close(k.store);
	kit_ok(pg_store_create(&k.opts, k.plan, &k.store, &err), &err);
	ck_assert_msg(strstr(k.notes, "is no symbolic link and was left alone"), "%s", k.notes);
	ck_assert_int_eq(chdir("/"), 0);
	kit_end(&k);
}
END_TEST

/* ---- opening ---- */

START_TEST(other_plan)
{
	struct kit k;
	struct pg_err err = {.code = PG_OK};
	char *before;

	kit_init(&k, text);
	kit_create(&k);
	before = kit_file(&k, "journal.jsonl");
	pg_store_close(k.store);
	k.store = NULL;
	k.text = "perfgrid: 1\nname: kit\nsweeps:\n  - {name: a, suite: noop, vary: {first: [1, 3]}, repeat: 2}\n";
	ck_assert_int_eq(kit_open(&k, true, &err), -1);
	ck_assert_int_eq(err.code, PG_EUSAGE);
	kit_is(&k, "journal.jsonl", before);
	free(before);
	kit_end(&k);
}
END_TEST

START_TEST(two_writers)
{
	struct kit k;
	struct pg_store *second = NULL;
	struct pg_err err = {.code = PG_OK};

	kit_init(&k, text);
	kit_create(&k);
	ck_assert_int_eq(pg_store_open(&k.opts, k.plan, true, &second, &err), -1);
	ck_assert_int_eq(err.code, PG_EBUSY);
	kit_ok(pg_store_open(&k.opts, k.plan, false, &second, &err), &err); /* reading is fine */
	pg_store_close(second);
	kit_end(&k);
}
END_TEST

static const struct {
	const char *name, *content;
	enum pg_code code;
} broken[] = {
	{"run.json", NULL, PG_EUSAGE},
	{"run.json", "{", PG_EDAMAGED},
	{"run.json", "{\"perfgrid\":1}", PG_EDAMAGED},
	{"run.json", "{\"perfgrid\":9}", PG_EUSAGE},
	{"plan.csv", NULL, PG_ESYS},
	{"plan.csv", "cell;sweep\n", PG_EINPUT},
	{"plan.csv", "cell,sweep,suite,line,skip,reason\nc0123456789abcdef,a,noop,1,preflight,why\n", PG_EINPUT},
	{"plan.csv", "cell,sweep,suite,line,skip,reason\nx,a,noop,1,preflight,why\n", PG_EINPUT},
	{"journal.jsonl", NULL, PG_EUSAGE},
};

START_TEST(broken_directory)
{
	struct kit k;
	struct pg_err err = {.code = PG_OK};
	char path[256];

	kit_init(&k, text);
	kit_create(&k);
	snprintf(path, sizeof(path), "%s/%s", k.run, broken[_i].name);
	ck_assert_int_eq(unlink(path), 0);
	if (broken[_i].content)
		kit_append(&k, broken[_i].name, broken[_i].content, strlen(broken[_i].content));
	ck_assert_int_eq(kit_open(&k, false, &err), -1);
	ck_assert_msg(err.code == broken[_i].code, "%d: %s", (int)err.code, err.msg);
	kit_end(&k);
}
END_TEST

/* ---- plan.csv ---- */

static int add(void *ctx, const char *s, size_t n)
{
	pg_str_add(ctx, s, n);
	return 0;
}

START_TEST(plan_text)
{
	struct kit k;
	struct pg_str out;
	struct pg_err err;
	char *line;

	kit_init(&k, text);
	pg_str_init(&out);
	kit_ok(pg_plan_csv(k.plan, add, &out, &err), &err);
	line = strtok(out.s, "\n");
	ck_assert_msg(strncmp(line, "cell,sweep,suite,line,skip,reason,", 34) == 0, "%s", line);
	ck_assert_ptr_nonnull(strstr(line, ",first,first.label,second,"));
	ck_assert_ptr_nonnull(strstr(line, ",loops,"));
	ck_assert_ptr_eq(strstr(strstr(line, ",loops,") + 1, ",loops,"), NULL); /* once, though both sweeps have it */
	line = strtok(NULL, "\n");
	ck_assert_msg(strstr(line, ",a,noop,4,,,succeed,") && strstr(line, ",\"x,y\","), "%s", line);
	line = strtok(NULL, "\n");
	ck_assert_msg(strstr(line, ",a,noop,4,rule,'-no,succeed,") && strstr(line, ",'=z,"), "%s", line);
	line = strtok(NULL, "\n");
	ck_assert_msg(strstr(line, ",8,cpus,"), "%s", line);
	strtok(NULL, "\n");
	line = strtok(NULL, "\n");
	ck_assert_msg(strstr(line, ",b,sched/pipe,10,,,") && strstr(line, ",auto,auto,"), "%s", line);
	pg_str_release(&out);
	kit_end(&k);
}
END_TEST

START_TEST(marks_come_back)
{
	static const char why[] = "needs 5 descriptors, \"limit\" is 4";
	struct kit k;
	struct pg_err err;
	struct pg_cell_buf *buf;
	const struct pg_cell *c;

	kit_init(&k, text);
	ck_assert_int_eq(pg_plan_mark(k.plan, 4, PG_SKIP_PREFLIGHT, why), 0);
	kit_create(&k);
	kit_ok(kit_open(&k, false, &err), &err);
	buf = pg_cell_buf_new(k.plan);
	c = pg_plan_cell(k.plan, 4, buf);
	ck_assert_int_eq(c->skip, PG_SKIP_PREFLIGHT);
	ck_assert_str_eq(c->why, why);
	ck_assert_int_eq(pg_plan_cell(k.plan, 5, buf)->skip, PG_NOT_SKIPPED);
	ck_assert_int_eq(pg_plan_cell(k.plan, 1, buf)->skip, PG_SKIP_RULE);
	ck_assert_int_eq(pg_store_cell_status(k.store, 4), PG_ST_SKIPPED);
	pg_cell_buf_free(buf);
	kit_end(&k);
}
END_TEST

PG_TEST_MAIN("store_rundir", ((const struct pg_test[]){
				     {what_is_made, 0},
				     {info_comes_back, 0},
				     {copies_are_read, 0},
				     {copies_stay_inside, 5},
				     {not_empty, 0},
				     {empty_and_nested, 2},
				     {cannot_be_made, 2},
				     {undone, 4},
				     {stamped, 0},
				     {other_plan, 0},
				     {two_writers, 0},
				     {broken_directory, LEN(broken)},
				     {plan_text, 0},
				     {marks_come_back, 0},
				     {NULL, 0},
			     }))
