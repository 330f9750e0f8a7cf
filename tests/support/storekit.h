/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of src/store: a plan from text, a run directory below a temporary one, reps made up, files read back. A
 * header, for only tests of store can link it.
 */
#ifndef PG_TESTS_STOREKIT_H
#define PG_TESTS_STOREKIT_H

#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "plan/plan.h"
#include "registry/registry.h"
#include "store/store.h"

#define KIT_FILE "lab/kit.yaml"
#define KIT_WALL 1764000000000000000

struct kit {
	char top[64]; /* temporary; all is below */
	char run[96]; /* the run directory */
	char notes[4096];
	struct pg_plan *plan;
	struct pg_store *store;
	struct pg_run_info info;
	struct pg_store_opts opts;
	struct pg_clock clock;
	int64_t now;
	const char *text;
	char errors[4096]; /* of the plan */
};

static inline int64_t kit_mono(void *ctx)
{
	return ((struct kit *)ctx)->now;
}

static inline int64_t kit_wall(void *ctx)
{
	return KIT_WALL + ((struct kit *)ctx)->now;
}

static inline void kit_sleep(void *ctx, int64_t ns)
{
	((struct kit *)ctx)->now += ns;
}

static inline int kit_read(void *ctx, const char *path, struct pg_str *out, struct pg_err *err)
{
	struct kit *k = ctx;

	if (strcmp(path, KIT_FILE) != 0)
		return pg_fail(err, PG_EINPUT, "no such file '%s'", path);
	pg_str_adds(out, k->text);
	return 0;
}

static inline void kit_report(void *ctx, const struct pg_err *e, bool note)
{
	struct kit *k = ctx;
	size_t n = strlen(k->errors);

	snprintf(k->errors + n, sizeof(k->errors) - n, "%s%u:%u: %s\n", note ? "note " : "", e->loc.line, e->loc.col,
		 e->msg);
}

static inline void kit_note(void *ctx, const char *text)
{
	struct kit *k = ctx;
	size_t n = strlen(k->notes);

	snprintf(k->notes + n, sizeof(k->notes) - n, "%s\n", text);
}

/* A plan from scenario text; NULL after errors, which then stand in k->errors. */
static inline struct pg_plan *kit_try_plan(struct kit *k, const char *text)
{
	struct pg_diag d = {.report = kit_report, .ctx = k};
	struct pg_plan_input in = {
		.file = KIT_FILE,
		.read = kit_read,
		.read_ctx = k,
		.suites = pg_suites,
		.machine = &k->info.machine,
		.opts = &k->info.opts,
		.version = "1.2.3",
	};
	struct pg_plan *p = NULL;

	k->text = text;
	return pg_plan_load(&in, &p, &d) == 0 ? p : NULL;
}

static inline void kit_init(struct kit *k, const char *text)
{
	static const uint64_t words[PG_MACHINE_WORDS] = {8, 4, 2, 2, 1};

	memset(k, 0, sizeof(*k));
	snprintf(k->top, sizeof(k->top), "%s/pg-store-XXXXXX", getenv("TMPDIR") ? "." : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(k->top));
	snprintf(k->run, sizeof(k->run), "%s/run", k->top);
	k->clock = (struct pg_clock){kit_mono, kit_wall, kit_sleep, k};
	memcpy(k->info.machine.word, words, sizeof(words));
	k->info.label = "";
	k->info.version = "1.2.3";
	k->info.build = "abc";
	k->info.seed = UINT64_C(18446744073709551615);
	k->info.scenario = KIT_FILE;
	k->opts = (struct pg_store_opts){
		.dir = k->run, .root = "", .clock = &k->clock, .info = &k->info, .note = kit_note, .note_ctx = k};
	k->plan = kit_try_plan(k, text);
	ck_assert_msg(k->plan, "%s", k->errors);
}

static inline void kit_ok(int result, const struct pg_err *err)
{
	ck_assert_msg(result == 0, "%s", err->msg);
}

static inline void kit_create(struct kit *k)
{
	struct pg_err err;

	kit_ok(pg_store_create(&k->opts, k->plan, &k->store, &err), &err);
	kit_ok(pg_store_session(k->store, &err), &err);
}

/* The plan is made again, as another process would. */
static inline int kit_open(struct kit *k, bool for_writing, struct pg_err *err)
{
	if (k->store)
		pg_store_close(k->store);
	k->store = NULL;
	pg_plan_free(k->plan);
	k->plan = kit_try_plan(k, k->text);
	ck_assert_ptr_nonnull(k->plan);
	return pg_store_open(&k->opts, k->plan, for_writing, &k->store, err);
}

static inline void kit_reopen(struct kit *k, bool for_writing)
{
	struct pg_err err;

	kit_ok(kit_open(k, for_writing, &err), &err);
	kit_ok(pg_store_replay(k->store, NULL, &err), &err);
}

static inline int kit_unlink(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void kit_end(struct kit *k)
{
	if (k->store)
		pg_store_close(k->store);
	pg_plan_free(k->plan);
	nftw(k->top, kit_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

/* What a rep brings: every raw time is `ns`, every other raw number `count`. */
struct kit_rep {
	size_t cell;
	enum pg_status status;
	bool warmup;
	uint32_t round, position, attempt;
	int64_t ns, count;
	const char *why;
	uint64_t seed; /* 0 = a record that does not tell */
};

static inline void kit_outcome(const struct pg_cell *c, const struct kit_rep *r, struct pg_outcome *o)
{
	memset(o, 0, sizeof(*o));
	o->status = r->status;
	snprintf(o->why, sizeof(o->why), "%s", r->why ? r->why : "");
	for (int f = 0; f < PG_FACTS; f++)
		o->facts[f] = PG_FACT_ABSENT;
	o->facts[PG_F_T_MONO] = 1500000000;
	o->facts[PG_F_T_WALL] = KIT_WALL;
	o->facts[PG_F_STEAL] = 3;
	for (size_t m = 0; m < c->n_metrics; m++) {
		bool time = c->metrics[m].unit == PG_U_S;

		if (c->metrics[m].reduce != PG_RATIO && r->status == PG_ST_OK)
			o->s[o->n++] = (struct pg_sample){.raw = time ? r->ns : r->count,
							  .metric = (uint32_t)m,
							  .exp10 = (int8_t)pg_unit_exp(c->metrics[m].unit)};
	}
}

static inline int kit_try_rep(struct kit *k, const struct kit_rep *r, struct pg_err *err)
{
	const struct pg_observer *obs = pg_store_observer(k->store);
	struct pg_cell_buf *buf = pg_cell_buf_new(k->plan);
	const struct pg_cell *c = pg_plan_cell(k->plan, r->cell, buf);
	struct pg_outcome o;
	struct pg_rep_record rec = {
		.cell = r->cell - pg_plan_sweep(k->plan, c->sweep)->first_cell,
		.cell_id = c->id,
		.warmup = r->warmup,
		.round = r->warmup  ? 0
			 : r->round ? r->round
				    : 1,
		.position = r->position,
		.attempt = r->attempt ? r->attempt : 1,
		.seeded = r->seed != 0,
		.seed = r->seed,
		.rep = r->round ? r->round : 1,
		.out = &o,
	};
	int result;

	kit_outcome(c, r, &o);
	result = obs->rep_done(obs->ctx, c, &rec, err);
	pg_cell_buf_free(buf);
	return result;
}

static inline void kit_rep(struct kit *k, struct kit_rep r)
{
	struct pg_err err;

	kit_ok(kit_try_rep(k, &r, &err), &err);
}

static inline void kit_done(struct kit *k, size_t cell, enum pg_stop stop)
{
	const struct pg_observer *obs = pg_store_observer(k->store);
	struct pg_cell_buf *buf = pg_cell_buf_new(k->plan);
	struct pg_err err;

	kit_ok(obs->cell_done(obs->ctx, pg_plan_cell(k->plan, cell, buf), stop, PG_ST_OK, &err), &err);
	pg_cell_buf_free(buf);
}

/* A file below the run directory as malloc'ed text; NULL = not there. */
static inline char *kit_file(const struct kit *k, const char *name)
{
	char path[512], *s;
	struct stat st;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", k->run, name);
	f = fopen(path, "rb");
	if (!f)
		return NULL;
	ck_assert_int_eq(fstat(fileno(f), &st), 0);
	s = malloc((size_t)st.st_size + 1);
	ck_assert_ptr_nonnull(s);
	n = fread(s, 1, (size_t)st.st_size, f);
	s[n] = '\0';
	fclose(f);
	return s;
}

static inline void kit_append(const struct kit *k, const char *name, const char *bytes, size_t n)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", k->run, name);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

/* The file is exactly this text. */
#define kit_is(k, name, expected)                                                                                      \
	do {                                                                                                           \
		char *kit_text = kit_file(k, name);                                                                    \
		ck_assert_msg(kit_text != NULL, "%s is not there", name);                                              \
		ck_assert_str_eq(kit_text, expected);                                                                  \
		free(kit_text);                                                                                        \
	} while (0)

#define kit_has(k, name, part)                                                                                         \
	do {                                                                                                           \
		char *kit_text = kit_file(k, name);                                                                    \
		ck_assert_msg(kit_text != NULL, "%s is not there", name);                                              \
		ck_assert_msg(strstr(kit_text, part) != NULL, "%s has no %s:\n%s", name, part, kit_text);              \
		free(kit_text);                                                                                        \
	} while (0)

#endif
