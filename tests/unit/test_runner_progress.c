/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The progress line on a clock that the test moves. */
#include "runner/progress.h"

#include "runner/observe.h"
#include "runner/reasons.h"
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

#define SECOND 1000000000

static const char scenario[] = "perfgrid: 1\n"
			       "name: p\n"
			       "sweeps:\n"
			       "  - {name: s, suite: noop, vary: {first: [1, 2]}, repeat: 3, warmup: 1}\n";

/* What the rounds would tell the observer, one call at a time. */
struct stage {
	struct fake_world f;
	struct pg_plan *plan;
	struct pg_cell_buf *buf;
	struct pg_progress *p;
	const struct pg_observer *o;
	struct pg_outcome out;
};

static void open_stage(struct stage *s, enum pg_progress_mode mode, const char *text)
{
	struct pg_err err = {.msg = ""};

	memset(s, 0, sizeof(*s));
	fake_world_open(&s->f);
	s->f.width = 80;
	s->plan = fake_world_plan(text);
	s->buf = pg_cell_buf_new(s->plan);
	ck_assert_msg(pg_progress_new(&s->p, &s->f.world, s->plan, mode, &err) == 0, "%s", err.msg);
	s->o = pg_progress_observer(s->p);
}

static void close_stage(struct stage *s)
{
	pg_progress_free(s->p);
	pg_cell_buf_free(s->buf);
	pg_plan_free(s->plan);
	fake_world_close(&s->f);
}

/* One rep of a cell that takes `ns`. */
static void rep(struct stage *s, size_t cell, bool warmup, uint32_t n, int64_t ns)
{
	const struct pg_cell *c = pg_plan_cell(s->plan, cell, s->buf);
	struct pg_job job = {.cell = c, .rep = n, .warmup = warmup};
	struct pg_rep_record r = {.cell = cell, .rep = n, .warmup = warmup, .attempt = 1, .out = &s->out};
	struct pg_err err;

	ck_assert_int_eq(s->o->rep_start(s->o->ctx, &job), 0);
	s->f.now += ns;
	ck_assert_int_eq(s->o->rep_done(s->o->ctx, c, &r, &err), 0);
}

static void end(struct stage *s, size_t cell, enum pg_status status)
{
	struct pg_err err;

	ck_assert_int_eq(s->o->cell_done(s->o->ctx, pg_plan_cell(s->plan, cell, s->buf), PG_STOP_FIXED, status, &err),
			 0);
}

static const struct {
	unsigned width;
	const char *term;
	bool quiet;
	enum pg_progress_mode want;
} modes[] = {
	{80, "xterm", false, PG_PROGRESS_LIVE}, {0, "xterm", false, PG_PROGRESS_LINES},
	{80, "dumb", false, PG_PROGRESS_LINES}, {80, "", false, PG_PROGRESS_LINES},
	{80, NULL, false, PG_PROGRESS_LINES},	{80, "xterm", true, PG_PROGRESS_NONE},
	{0, "xterm", true, PG_PROGRESS_NONE},
};

START_TEST(test_mode)
{
	struct fake_world f;
	char term[32];
	char *environment[] = {term, NULL};

	fake_world_open(&f);
	f.width = modes[_i].width;
	snprintf(term, sizeof(term), "%s=%s", modes[_i].term ? "TERM" : "TERN", modes[_i].term ? modes[_i].term : "");
	f.world.environ = environment;
	ck_assert_int_eq(pg_progress_mode(&f.world, modes[_i].quiet), modes[_i].want);
	fake_world_close(&f);
}
END_TEST

START_TEST(test_left_comes_from_cells)
{
	struct stage s;

	open_stage(&s, PG_PROGRESS_NONE, scenario);
	ck_assert(pg_progress_left(s.p) < 0); /* nothing has run */
	rep(&s, 0, true, 1, SECOND);
	/* Three more of the first; four of the second are thought to be like it. */
	ck_assert_double_eq_tol(pg_progress_left(s.p), 3 + 4, 1e-3);
	rep(&s, 1, true, 1, 10LL * SECOND);
	/* Not 5.5 s each: every cell has its own pace. */
	ck_assert_double_eq_tol(pg_progress_left(s.p), 3 + 3 * 10, 1e-3);
	rep(&s, 0, false, 1, SECOND);
	ck_assert_double_eq_tol(pg_progress_left(s.p), 2 + 3 * 10, 1e-3);
	end(&s, 1, PG_ST_FAILED);
	ck_assert_double_eq_tol(pg_progress_left(s.p), 2, 1e-3);
	rep(&s, 0, false, 2, SECOND);
	rep(&s, 0, false, 3, SECOND);
	end(&s, 0, PG_ST_OK);
	ck_assert_double_eq_tol(pg_progress_left(s.p), 0, 1e-3);
	close_stage(&s);
}
END_TEST

START_TEST(test_time_of_a_rule_binds)
{
	struct stage s;

	open_stage(&s, PG_PROGRESS_NONE,
		   "perfgrid: 1\nname: p\nsweeps:\n"
		   "  - {name: s, suite: noop, repeat: {min: 2, max: 100, ci: 5%, time: 20s}, warmup: 0}\n");
	rep(&s, 0, false, 1, SECOND);
	ck_assert_double_eq_tol(pg_progress_left(s.p), 20, 1e-3);
	close_stage(&s);
}
END_TEST

START_TEST(test_budget_binds)
{
	struct stage s;

	open_stage(&s, PG_PROGRESS_NONE, scenario);
	pg_progress_until(s.p, s.f.now + 5LL * SECOND);
	ck_assert_double_eq_tol(pg_progress_left(s.p), 5, 1e-3); /* known before anything has run */
	rep(&s, 0, true, 1, SECOND);
	ck_assert_double_eq_tol(pg_progress_left(s.p), 4, 1e-3); /* not 7 */
	end(&s, 1, PG_ST_OK);
	ck_assert_double_eq_tol(pg_progress_left(s.p), 3, 1e-3); /* there is less to do than time */
	s.f.now += 9LL * SECOND;
	ck_assert_double_eq_tol(pg_progress_left(s.p), 0, 1e-3);
	close_stage(&s);
}
END_TEST

/* A rest is no rep's time, and what is done again was counted. */
START_TEST(test_rests_and_redone)
{
	struct stage s;
	struct pg_err err;
	const struct pg_cell *c;
	struct pg_rep_record r = {.rep = 1, .attempt = 1, .out = &s.out, .disturbed = true};

	open_stage(&s, PG_PROGRESS_NONE, scenario);
	end(&s, 1, PG_ST_OK);
	rep(&s, 0, true, 1, SECOND);
	s.f.now += 60LL * SECOND;
	pg_progress_rested(s.p);
	c = pg_plan_cell(s.plan, 0, s.buf);
	s.f.now += SECOND;
	ck_assert_int_eq(s.o->rep_done(s.o->ctx, c, &r, &err), 0);
	ck_assert_double_eq_tol(pg_progress_left(s.p), 2, 1e-3);
	r.disturbed = false;
	r.redo = true;
	s.f.now += SECOND;
	ck_assert_int_eq(s.o->rep_done(s.o->ctx, c, &r, &err), 0);
	ck_assert_double_eq_tol(pg_progress_left(s.p), 2, 1e-3);
	close_stage(&s);
}
END_TEST

static size_t count(const char *s, char c)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == c;
	return n;
}

START_TEST(test_live_line)
{
	struct stage s;

	open_stage(&s, PG_PROGRESS_LIVE, scenario);
	rep(&s, 0, true, 1, SECOND);
	rep(&s, 0, false, 2, SECOND);
	fake_world_sync(&s.f);
	ck_assert_ptr_nonnull(strstr(s.f.err, "\r0/2 cells, 0.0s: s first=1, warm-up 1"));
	ck_assert_ptr_nonnull(strstr(s.f.err, "\r0/2 cells, 1.0s, about 7.0s left: s first=1, rep 2"));
	ck_assert_uint_eq(count(s.f.err, '\n'), 0);
	ck_assert_uint_eq(count(s.f.err, '\x1b'), 0);
	end(&s, 0, PG_ST_OK);
	pg_progress_clear(s.p);
	fake_world_sync(&s.f);
	/* Blanks over what stood there, and the cursor at the start. */
	ck_assert_str_eq(s.f.err + s.f.n_err - 2, " \r");
	s.f.n_err = 0;
	pg_progress_clear(s.p); /* once is enough */
	fake_world_sync(&s.f);
	ck_assert_str_eq(s.f.err + strlen(s.f.err) - 2, " \r");
	close_stage(&s);
}
END_TEST

START_TEST(test_at_most_ten_a_second)
{
	struct stage s;

	open_stage(&s, PG_PROGRESS_LIVE, scenario);
	for (uint32_t i = 1; i <= 1000; i++)
		rep(&s, 0, false, i, 1000000); /* a second in all */
	fake_world_sync(&s.f);
	ck_assert_uint_ge(count(s.f.err, '\r'), 5);
	/* Twice per line where a shorter one wiped a longer one. */
	ck_assert_uint_le(count(s.f.err, '\r'), 20);
	close_stage(&s);
}
END_TEST

START_TEST(test_cut_to_the_width)
{
	struct stage s;

	open_stage(&s, PG_PROGRESS_LIVE,
		   "perfgrid: 1\nname: p\nsweeps:\n"
		   "  - {name: s, suite: noop, vary: {text: [\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9]}}\n");
	for (unsigned width = 1; width < 60; width++) {
		size_t from = s.f.n_err, column = 0, most = 0;

		s.f.width = width;
		rep(&s, 0, false, 1, SECOND);
		pg_progress_clear(s.p);
		fake_world_sync(&s.f);
		ck_assert_uint_gt(s.f.n_err, from);
		for (const char *c = s.f.err + from; *c; c++) {
			column = *c == '\r' ? 0 : column + (((unsigned char)*c & 0xc0) != 0x80);
			most = column > most ? column : most;
		}
		/* Never the last column, and no half of a character. */
		ck_assert_uint_le(most, (width > 1 ? width - 1 : 79));
		for (const char *c = s.f.err + from; *c; c += pg_utf8_len(c, strlen(c)))
			ck_assert_uint_gt(pg_utf8_len(c, strlen(c)), 0);
	}
	close_stage(&s);
}
END_TEST

START_TEST(test_lines)
{
	struct stage s;

	open_stage(&s, PG_PROGRESS_LINES, scenario);
	rep(&s, 0, false, 1, SECOND);
	end(&s, 0, PG_ST_OK);
	s.out.status = PG_ST_FAILED;
	strcpy(s.out.why, "exit status 3");
	rep(&s, 1, false, 1, SECOND);
	end(&s, 1, PG_ST_FAILED);
	pg_progress_clear(s.p);
	fake_world_sync(&s.f);
	ck_assert_str_eq(s.f.err, "perfgrid: [1/2] s first=1: ok\n"
				  "perfgrid: [2/2] s first=2: failed: exit status 3\n");
	ck_assert_uint_eq(pg_progress_reasons(s.p)->n, 1);
	ck_assert_str_eq(pg_progress_reasons(s.p)->v[0].text, "exit status 3");
	ck_assert_uint_eq(pg_progress_reasons(s.p)->v[0].count, 1);
	close_stage(&s);
}
END_TEST

START_TEST(test_quiet)
{
	struct stage s;

	open_stage(&s, PG_PROGRESS_NONE, scenario);
	rep(&s, 0, false, 1, SECOND);
	end(&s, 0, PG_ST_OK);
	pg_progress_clear(s.p);
	fake_world_sync(&s.f);
	ck_assert_uint_eq(s.f.n_err, 0);
	close_stage(&s);
}
END_TEST

/* A pair: both hear everything, the second nothing of what the first refused. */
struct heard {
	unsigned calls;
	int answer;
};

static int hear(void *ctx, struct pg_err *err)
{
	struct heard *h = ctx;

	(void)err;
	h->calls++;
	return h->answer;
}

START_TEST(test_pair)
{
	struct heard a = {.answer = 0}, b = {.answer = 0};
	struct pg_observer first = {.between = hear, .ctx = &a}, second = {.between = hear, .ctx = &b};
	struct pg_rep_record r = {.cell = 0};
	struct pg_pair pair;
	struct pg_err err;

	pg_pair_init(&pair, &first, &second);
	ck_assert_int_eq(pair.both.between(pair.both.ctx, &err), 0);
	ck_assert_uint_eq(a.calls, 1);
	ck_assert_uint_eq(b.calls, 1);
	a.answer = -1;
	ck_assert_int_eq(pair.both.between(pair.both.ctx, &err), -1);
	ck_assert_uint_eq(a.calls, 2);
	ck_assert_uint_eq(b.calls, 1);
	/* What neither has is no error. */
	ck_assert_int_eq(pair.both.rep_done(pair.both.ctx, NULL, &r, &err), 0);
	ck_assert_int_eq(pair.both.rep_start(pair.both.ctx, NULL), 0);
	ck_assert_int_eq(pair.both.calibrated(pair.both.ctx, NULL, 1, &err), 0);
	ck_assert_int_eq(pair.both.cell_done(pair.both.ctx, NULL, PG_STOP_CI, PG_ST_OK, &err), 0);
}
END_TEST

PG_TEST_MAIN("runner_progress", ((const struct pg_test[]){
					{test_mode, sizeof(modes) / sizeof(modes[0])},
					{test_left_comes_from_cells, 0},
					{test_time_of_a_rule_binds, 0},
					{test_budget_binds, 0},
					{test_rests_and_redone, 0},
					{test_live_line, 0},
					{test_at_most_ten_a_second, 0},
					{test_cut_to_the_width, 0},
					{test_lines, 0},
					{test_quiet, 0},
					{test_pair, 0},
					{NULL, 0},
				}))
