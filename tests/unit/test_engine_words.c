/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/pgtest.h"

#include <stdio.h>
#include <sys/stat.h>

#include "tests/support/fake_bench.h"

#include "engine/spawn_words.h"
#include "model/template.h"

static struct fb_cell cell;
static struct pg_template_ctx ctx;

static void begin(void)
{
	fb_program(&cell, "");
	ctx = (struct pg_template_ctx){.cell = &cell.cell, .rep = 3, .seed = 9, .variant = ""};
}

START_TEST(command_line)
{
	static const char *const w[] = {"run", "--size={size}", "", "{rep}", NULL};
	struct pg_wordlist l;
	char **argv;

	begin();
	pg_wordlist_init(&l);
	for (int round = 0; round < 2; round++) { /* the second time in the same memory */
		struct pg_words words = fb_words(&cell.arena, w);

		pg_wordlist_reset(&l);
		pg_wordlist_expand(&l, &words, &ctx);
		pg_wordlist_split(&l, "a=1\0b=two words\0c=", 19);
		for (int i = 0; i < 100; i++)
			pg_wordlist_add(&l, "more");
		argv = pg_wordlist_argv(&l);
		ck_assert_ptr_nonnull(argv);
		ck_assert_ptr_null(argv[-1]);
		ck_assert_str_eq(argv[0], "run");
		ck_assert_str_eq(argv[1], "--size=4KB");
		ck_assert_str_eq(argv[2], "");
		ck_assert_str_eq(argv[3], "3");
		ck_assert_str_eq(argv[4], "a=1");
		ck_assert_str_eq(argv[5], "b=two words");
		ck_assert_str_eq(argv[6], "c=");
		ck_assert_str_eq(argv[106], "more");
		ck_assert_ptr_null(argv[107]);
	}
	pg_wordlist_release(&l);
	fb_done(&cell);
}
END_TEST

static char path_item[] = "PATH=/a:/b", home_item[] = "HOME=/root", old_item[] = "PERFGRID_SIZE=outer",
	    odd_item[] = "ODD";
static char *base[] = {path_item, home_item, old_item, odd_item, NULL};

static size_t count(char *const *envp, const char *name)
{
	size_t n = 0, len = strlen(name);

	for (; *envp; envp++)
		n += strncmp(*envp, name, len) == 0 && (*envp)[len] == '=';
	return n;
}

START_TEST(environment)
{
	static const struct pg_env_item items[] = {
		{"HOME", "/home/{size}"}, {"PATH", NULL}, {"NEW", ""}, {"PERFGRID_REP", "x"}};
	struct pg_environment e;
	char **envp;

	begin();
	pg_environment_init(&e);
	/* A bench without items has the runner's own, untouched. */
	ck_assert_ptr_eq(pg_environment_build(&e, base, cell.keys, &ctx, false), base);
	cell.keys->env = items;
	cell.keys->n_env = 4;
	for (int program = 0; program < 2; program++) {
		envp = pg_environment_build(&e, base, cell.keys, &ctx, program);
		ck_assert_ptr_nonnull(envp);
		ck_assert_str_eq(pg_environment_get(envp, "HOME"), "/home/4KB");
		ck_assert_uint_eq(count(envp, "HOME"), 1);
		ck_assert_ptr_null(pg_environment_get(envp, "PATH"));
		ck_assert_str_eq(pg_environment_get(envp, "NEW"), "");
		ck_assert_str_eq(pg_environment_get(envp, "PERFGRID_SIZE"), program ? "4KB" : "outer");
		ck_assert_uint_eq(count(envp, "PERFGRID_SIZE"), 1);
		/* The scenario's own wins. */
		ck_assert_str_eq(pg_environment_get(envp, "PERFGRID_REP"), "x");
		ck_assert_uint_eq(count(envp, "PERFGRID_REP"), 1);
		ck_assert_int_eq(pg_environment_get(envp, "PERFGRID_SEED") != NULL, program);
	}
	pg_environment_release(&e);
	fb_done(&cell);
}
END_TEST

START_TEST(finding)
{
	static char one[200], none[] = "OTHER=1";
	char *envp[] = {one, NULL}, *bare[] = {none, NULL};
	char dir[] = "/tmp/pgtest-XXXXXX", path[200];
	struct pg_str out;
	FILE *f;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/prog", dir);
	f = fopen(path, "we");
	ck_assert_ptr_nonnull(f);
	fclose(f);
	snprintf(one, sizeof(one), "PATH=/no/such::%s", dir);
	pg_str_init(&out);
	pg_find_program("prog", envp, &out); /* not executable */
	ck_assert_str_eq(pg_str_text(&out), "");
	ck_assert_int_eq(chmod(path, 0700), 0);
	pg_find_program("prog", envp, &out);
	ck_assert_str_eq(pg_str_text(&out), path);
	pg_find_program("./x/prog", envp, &out); /* a slash: no search */
	ck_assert_str_eq(pg_str_text(&out), "./x/prog");
	snprintf(one, sizeof(one), "PATH=/");
	pg_find_program("tmp", envp, &out); /* a directory is no program */
	ck_assert_str_eq(pg_str_text(&out), "");
	pg_find_program("", envp, &out);
	ck_assert_str_eq(pg_str_text(&out), "");
	pg_find_program("sh", bare, &out); /* without PATH */
	ck_assert_ptr_nonnull(strstr(pg_str_text(&out), "/sh"));
	pg_str_release(&out);
	unlink(path);
	rmdir(dir);
}
END_TEST

PG_TEST_MAIN("engine_words", ((const struct pg_test[]){
				     {command_line, 0},
				     {environment, 0},
				     {finding, 0},
				     {NULL, 0},
			     }))
