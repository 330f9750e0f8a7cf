/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/pgtest.h"

#include <stdio.h>

#include "tests/support/fake_bench.h"

#include "base/str.h"
#include "engine/rep.h"

static struct pg_rep_page page;

START_TEST(good)
{
	struct fb_conf conf = {.outcome = FB_OK, .loops = 3};
	struct pg_sample s;

	page = (struct pg_rep_page){.rep = 7, .attempt = 2};
	ck_assert_int_eq(pg_rep_run(&fb_bench, &conf, 99, "", &page), 0);
	ck_assert_int_eq((int)page.done, 1);
	ck_assert_int_eq(page.failed, 0);
	ck_assert_int_eq((int)page.phase, PG_PHASE_END);
	ck_assert_int_eq(page.n, 5); /* `seen` was not recorded, the ratio has no raw number */
	ck_assert_int_eq(fb_sample(&page, FB_TIME).raw, 3000);
	ck_assert_int_eq(fb_sample(&page, FB_TIME).exp10, -9);
	ck_assert_int_eq(fb_sample(&page, FB_OPS).exp10, 0);
	ck_assert_int_eq(fb_sample(&page, FB_SCORE).raw, 8); /* mean of 7 and 8, half away from 0 */
	ck_assert_int_eq(fb_sample(&page, FB_LEAST).raw, 2);
	ck_assert_int_eq(fb_sample(&page, FB_MOST).raw, 99);
	ck_assert(!fb_has_sample(&page, FB_PER_OP, &s) && !fb_has_sample(&page, FB_SEEN, &s));
	ck_assert_int_ge(page.once_ns, 0);
	for (uint32_t i = 1; i < page.n; i++)
		ck_assert_int_gt(page.s[i].metric, page.s[i - 1].metric);
}
END_TEST

START_TEST(numbers_default_to_one)
{
	struct fb_conf conf = {.loops = 1};

	page = (struct pg_rep_page){.rep = 0};
	ck_assert_int_eq(pg_rep_run(&fb_bench, &conf, 1, "", &page), 0);
	ck_assert_int_eq(fb_sample(&page, FB_LEAST).raw, 1);
	ck_assert_int_eq(fb_sample(&page, FB_SCORE).raw, 2);
}
END_TEST

START_TEST(bad)
{
	static const struct {
		int outcome;
		const char *msg;
	} cases[] = {
		{FB_FAIL_CHECK, "the check said no"},
		{FB_FAIL_SETUP, "the setup said no"},
		{FB_FAIL_ONCE, "the bench said no"},
		{FB_FAIL_SILENT, "failed in measure without a reason"},
	};
	struct fb_conf conf = {.outcome = cases[_i].outcome, .loops = 1};

	page = (struct pg_rep_page){.rep = 1};
	ck_assert_int_eq(pg_rep_run(&fb_bench, &conf, 1, "", &page), -1);
	ck_assert_int_eq((int)page.done, 1);
	ck_assert_int_eq(page.failed, -1);
	ck_assert_int_eq(page.n, 0);
	ck_assert_str_eq(page.err.msg, cases[_i].msg);
	ck_assert_ptr_null(page.err.loc.file);
}
END_TEST

/* Hooks in their order, and teardown after a setup that was begun. */
static char order[64];

static void note(char c)
{
	size_t n = strlen(order);

	if (n + 1 < sizeof(order))
		order[n] = c;
}

static int ordered_check(const void *conf, struct pg_err *err)
{
	note('c');
	return *(const int *)conf == 1 ? pg_fail(err, PG_EFAILED, "c") : 0;
}

static int ordered_setup(struct pg_run *run, struct pg_err *err)
{
	note('s');
	return *(const int *)run->conf == 2 ? pg_fail(err, PG_EFAILED, "s") : 0;
}

static int ordered_once(struct pg_run *run, struct pg_err *err)
{
	note('o');
	run->timed_ns = *(const int *)run->conf == 4 ? 123456789 : 0;
	return *(const int *)run->conf == 3 ? pg_fail(err, PG_EFAILED, "o") : 0;
}

static void ordered_teardown(struct pg_run *run)
{
	(void)run;
	note('t');
}

START_TEST(hooks)
{
	static const char *const expected[] = {"csot", "c", "cst", "csot", "csot"};
	static const struct pg_bench bench = {
		.name = "ordered",
		.params = fb_no_params,
		.metrics = fb_no_metrics,
		.check = ordered_check,
		.setup = ordered_setup,
		.once = ordered_once,
		.teardown = ordered_teardown,
	};

	memset(order, 0, sizeof(order));
	page = (struct pg_rep_page){.rep = 1};
	ck_assert_int_eq(pg_rep_run(&bench, &_i, 1, "", &page), _i == 0 || _i == 4 ? 0 : -1);
	ck_assert_str_eq(order, expected[_i]);
	if (_i == 4)
		ck_assert_int_eq(page.once_ns, 123456789);
	else
		ck_assert_int_lt(page.once_ns, 100000000);
}
END_TEST

static int64_t mean_in[2];

static int mean_once(struct pg_run *run, struct pg_err *err)
{
	(void)err;
	for (int i = 0; i < 2; i++)
		pg_record(run, 0, mean_in[i]);
	return 0;
}

START_TEST(rounding)
{
	static const int64_t cases[][3] = {{1, 2, 2},	{-1, -2, -2}, {1, 1, 1}, {0, 1, 1},
					   {0, -1, -1}, {2, 4, 3},    {-3, 3, 0}};
	static const struct pg_metric rows[] = {
		{.name = "m", .doc = "d", .unit = PG_U_COUNT, .reduce = PG_MEAN},
		{.name = NULL},
	};
	static const struct pg_bench bench = {
		.name = "mean", .params = fb_no_params, .metrics = rows, .once = mean_once};

	memcpy(mean_in, cases[_i], sizeof(mean_in));
	page = (struct pg_rep_page){.rep = 1};
	ck_assert_int_eq(pg_rep_run(&bench, NULL, 1, "", &page), 0);
	ck_assert_int_eq(page.s[0].raw, cases[_i][2]);
}
END_TEST

/* pg_rep_main in this process; page_fd < 0 makes one. */
static int rep_main(const char *const *params, int page_fd, size_t page_bytes)
{
	char *argv[24], fd_text[16];
	static char words[24][64];
	const char *head[] = {"perfgrid", PG_REP_ARG, fd_text, "5", "", "fake"};
	int argc = 0, r, fd = page_fd;
	void *map;

	if (fd < 0) {
		fd = memfd_create("test", 0);
		ck_assert_int_eq(ftruncate(fd, (off_t)page_bytes), 0);
	}
	snprintf(fd_text, sizeof(fd_text), "%d", fd);
	for (; argc < 6; argc++)
		snprintf(words[argc], sizeof(words[0]), "%s", head[argc]);
	for (; *params; params++, argc++)
		snprintf(words[argc], sizeof(words[0]), "%s", *params);
	for (int i = 0; i < argc; i++)
		argv[i] = words[i];
	argv[argc] = NULL;
	map = mmap(NULL, sizeof(page), PROT_READ, MAP_SHARED, fd, 0);
	r = pg_rep_main(argc, argv, fb_find);
	if (map != MAP_FAILED && page_bytes >= sizeof(page))
		memcpy(&page, map, sizeof(page));
	if (map != MAP_FAILED)
		munmap(map, sizeof(page));
	return r;
}

START_TEST(main_good)
{
	const char *const params[] = {"outcome=ok", "loops=4", "text=hello world", "cpus=1,3", NULL};

	memset(&page, 0, sizeof(page));
	ck_assert_int_eq(rep_main(params, -1, sizeof(page)), 0);
	ck_assert_int_eq((int)page.done, 1);
	ck_assert_int_eq(fb_sample(&page, FB_TIME).raw, 4000);
	ck_assert_int_eq(fb_sample(&page, FB_MOST).raw, 5);
	ck_assert_int_eq(fb_sample(&page, FB_SEEN).raw, 1101); /* 11 characters of text, CPU 1 */
	ck_assert_int_gt(page.peak_bytes, 100000);
}
END_TEST

START_TEST(main_bad)
{
	const char *const fail[] = {"outcome=fail-once", NULL}, *const wrong[] = {"outcome=nonsense", NULL};
	const char *const none[] = {NULL};

	memset(&page, 0, sizeof(page));
	ck_assert_int_eq(rep_main(fail, -1, sizeof(page)), 1);
	ck_assert_str_eq(page.err.msg, "the bench said no");
	memset(&page, 0, sizeof(page));
	ck_assert_int_eq(rep_main(wrong, -1, sizeof(page)), 1);
	ck_assert_int_eq((int)page.done, 1);
	ck_assert_int_eq(page.failed, -1);
	ck_assert_ptr_nonnull(strstr(page.err.msg, "nonsense"));
	/* Called by hand: no page. */
	ck_assert_int_eq(rep_main(none, 77, 0), 2);
	ck_assert_int_eq(rep_main(none, -1, 8), 2);
}
END_TEST

START_TEST(main_usage)
{
	char a[] = "perfgrid", b[] = PG_REP_ARG, fd[] = "3", seed[] = "x1", root[] = "", name[] = "fake",
	     none[] = "none";
	char number[] = "1";
	char *few[] = {a, b, NULL}, *bad_seed[] = {a, b, fd, seed, root, name, NULL},
	     *bad_name[] = {a, b, fd, number, root, none, NULL};

	ck_assert_int_eq(pg_rep_main(2, few, fb_find), 2);
	ck_assert_int_eq(pg_rep_main(6, bad_seed, fb_find), 2);
	ck_assert_int_eq(pg_rep_main(6, bad_name, fb_find), 2);
}
END_TEST

START_TEST(phase_names)
{
	for (unsigned i = 0; i <= PG_PHASE_END; i++)
		for (unsigned k = 0; k < i; k++)
			ck_assert_str_ne(pg_phase_name(i), pg_phase_name(k));
	ck_assert_ptr_nonnull(pg_phase_name(12345));
}
END_TEST

PG_TEST_MAIN("engine_rep", ((const struct pg_test[]){
				   {good, 0},
				   {numbers_default_to_one, 0},
				   {bad, 4},
				   {hooks, 5},
				   {rounding, 7},
				   {main_good, 0},
				   {main_bad, 0},
				   {main_usage, 0},
				   {phase_names, 0},
				   {NULL, 0},
			   }))
