/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of a drop-in's bench and its runs; dropin_ready.c has what lies between them. */
#include "runner/dropin.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/str.h"
#include "engine/crew.h"
#include "runner/world.h"

const struct pg_bench *pg_dropin_bench(const struct pg_world *w, const char *name)
{
	for (size_t i = 0; w->suites[i]; i++)
		for (size_t k = 0; w->suites[i]->benches[k]; k++)
			if (strcmp(w->suites[i]->benches[k]->name, name) == 0)
				return w->suites[i]->benches[k];
	return NULL;
}

int pg_dropin_open(struct pg_dropin *d, const struct pg_world *w, const char *bench, struct pg_err *err)
{
	memset(d, 0, sizeof(*d));
	d->world = w;
	pg_arena_init(&d->arena, false);
	d->bench = pg_dropin_bench(w, bench);
	if (!d->bench)
		return pg_fail(err, PG_EUNSUPPORTED, "there is no bench %s; `perfgrid list` shows what there is",
			       bench);
	d->n = pg_param_count(d->bench->params);
	d->vals = pg_arena_array(&d->arena, d->n, sizeof(*d->vals));
	d->given = pg_arena_array(&d->arena, d->n, sizeof(*d->given));
	d->clamped = pg_arena_array(&d->arena, d->n, sizeof(*d->clamped));
	d->conf = pg_arena_alloc(&d->arena, d->bench->conf_size);
	if (!d->vals || !d->given || !d->clamped || !d->conf)
		return pg_fail_nomem(err);
	return 0;
}

void pg_dropin_close(struct pg_dropin *d)
{
	pg_arena_release(&d->arena);
}

bool pg_dropin_has(const struct pg_dropin *d, const char *param)
{
	return pg_param_find(d->bench->params, param, NULL) != NULL;
}

static size_t index_of(const struct pg_dropin *d, const char *param)
{
	size_t i = 0;
	const struct pg_param *row = pg_param_find(d->bench->params, param, &i);

	assert(row);
	(void)row;
	return i;
}

int pg_dropin_set(struct pg_dropin *d, const char *param, const char *text, const char *option, struct pg_err *err)
{
	const size_t i = index_of(d, param);
	const struct pg_param *row = &d->bench->params[i];
	struct pg_value v = {.state = PG_V_UNSET, .type = (uint8_t)row->type};

	if (text && pg_value_parse(row, text, strlen(text), &d->arena, &v, err) != 0) {
		err->code = err->code == PG_EINPUT ? PG_EUSAGE : err->code;
		pg_err_wrap(err, "%s", option);
		return -1;
	}
	d->vals[i] = v;
	d->given[i] = true;
	return 0;
}

/* ranges end in the words of their row: "1 to 100 or `auto` or `all`" */
void pg_dropin_numbers_only(struct pg_err *err)
{
	char *word = strstr(err->msg, " or `");

	if (word)
		*word = '\0';
}

int pg_dropin_set_u64(struct pg_dropin *d, const char *param, uint64_t v, const char *option, struct pg_err *err)
{
	const enum pg_type type = d->bench->params[index_of(d, param)].type;
	char text[PG_NUM_BUF + 4];
	size_t n = pg_fmt_u64(text, v);

	if (type == PG_SIZE)
		snprintf(text + n, sizeof(text) - n, "B");
	else if (type == PG_TIME)
		snprintf(text + n, sizeof(text) - n, "ns");
	if (pg_dropin_set(d, param, text, option, err) == 0)
		return 0;
	pg_dropin_numbers_only(err);
	return -1;
}

void pg_dropin_reset(struct pg_dropin *d, const char *param)
{
	d->given[index_of(d, param)] = false;
}

void pg_dropin_clamp(struct pg_dropin *d, const char *param)
{
	d->clamped[index_of(d, param)] = true;
}

int64_t pg_dropin_value(const struct pg_dropin *d, const char *param)
{
	const size_t i = index_of(d, param);
	const enum pg_type type = d->bench->params[i].type;
	const bool text = type == PG_TEXT || type == PG_CPULIST || type == PG_NODELIST;

	return d->vals[i].state == PG_V_UNSET || (text && d->vals[i].state == PG_V_SET) ? 0 : d->vals[i].u.i;
}

const char *pg_dropin_text(const struct pg_dropin *d, const char *param)
{
	const size_t i = index_of(d, param);
	const struct pg_param *row = &d->bench->params[i];
	const struct pg_value *v = &d->vals[i];

	if (v->state == PG_V_UNSET)
		return NULL;
	if (v->state == PG_V_WORD || row->type == PG_ENUM)
		return row->choices[v->u.i].name;
	return row->type == PG_TEXT || row->type == PG_CPULIST || row->type == PG_NODELIST ? v->u.text : NULL;
}

static void new_page(struct pg_dropin *d, struct pg_rep_page *page)
{
	memset(page, 0, sizeof(*page));
	page->rep = ++d->runs;
	page->attempt = 1;
	page->log = d->log;
	if (d->log)
		d->log->n = 0;
}

static uint64_t seed_of(const struct pg_dropin *d)
{
	if (d->seed)
		return d->seed;
	return pg_mix64((uint64_t)pg_now_ns() ^ (uint64_t)getpid() << 32 ^ d->runs);
}

/* A page that a rep has filled: something was measured, and by the engine's own law its numbers are possible. */
static int judge(struct pg_dropin *d, struct pg_err *err)
{
	const struct pg_rep_page *page = &d->page;
	const struct pg_metric *rows = d->bench->metrics;

	if (page->failed) {
		*err = page->err;
		pg_dropin_name_limit(d, err);
		return -1;
	}
	for (uint32_t k = 0; k < page->n; k++)
		if (page->s[k].raw < 0)
			return pg_fail(err, PG_EFAILED, "%s came out as %lld, which cannot be; do less in one run",
				       rows[page->s[k].metric].name, (long long)page->s[k].raw);
	if (pg_samples_check(rows, pg_metric_count(rows), page->s, page->n, err)) {
		pg_err_wrap(err, "no result, run longer or more loops");
		return -1;
	}
	if (isnan(pg_dropin_number_at(d, pg_metric_main(rows, false))))
		return pg_fail(err, PG_EFAILED, "no result: %s was not measured; run longer or more loops",
			       rows[pg_metric_main(rows, false)].name);
	return 0;
}

int pg_dropin_run(struct pg_dropin *d, struct pg_err *err)
{
	new_page(d, &d->page);
	pg_rep_run(d->bench, d->conf, seed_of(d), d->world->root, &d->page);
	return judge(d, err);
}

/* The child. Handlers of this process are not for it. */
static void rep_child(struct pg_dropin *d, struct pg_rep_page *page, pid_t parent, const sigset_t *mask)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent)
		pg_exit_child(1);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	pg_exit_child(pg_rep_run(d->bench, d->conf, seed_of(d), d->world->root, page) ? 1 : 0);
}

static int child_end(pid_t pid, const struct pg_rep_page *page, struct pg_err *err)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return pg_fail_sys(err, "cannot wait for the child that measures");
	if (WIFSIGNALED(status))
		return pg_fail(err, PG_EFAILED,
			       "the child that measures was killed by signal %d (%s) in %s; see the kernel's log "
			       "(dmesg) for who did it",
			       WTERMSIG(status), strsignal(WTERMSIG(status)), pg_phase_name(page->phase));
	if (!page->done)
		return pg_fail(err, PG_EFAILED,
			       "the child that measures ended with status %d in %s, without a result; run it again",
			       WEXITSTATUS(status), pg_phase_name(page->phase));
	return 0;
}

int pg_dropin_run_child(struct pg_dropin *d, struct pg_err *err)
{
	struct pg_rep_page *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const pid_t self = getpid();
	sigset_t all, old;
	pid_t pid;
	int r;

	if (page == MAP_FAILED)
		return pg_fail_sys(err, "cannot map the page for a result");
	new_page(d, page);
	fflush(d->world->out);
	fflush(d->world->err);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0)
		rep_child(d, page, self, &old);
	r = pid < 0 ? pg_fail_sys(err, "cannot start the child that measures") : 0;
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (r == 0)
		r = child_end(pid, page, err);
	else
		pg_dropin_name_limit(d, err);
	d->page = *page;
	munmap(page, sizeof(*page));
	return r == 0 ? judge(d, err) : r;
}

static const struct pg_sample *sample_of(const struct pg_dropin *d, size_t metric)
{
	for (uint32_t k = 0; k < d->page.n; k++)
		if (d->page.s[k].metric == metric && !d->page.s[k].missing)
			return &d->page.s[k];
	return NULL;
}

static double plain(const struct pg_dropin *d, size_t metric)
{
	const struct pg_sample *s = sample_of(d, metric);

	return s ? pg_dec_to_double((struct pg_dec){s->raw, s->exp10}) : (double)NAN;
}

double pg_dropin_number_at(const struct pg_dropin *d, size_t metric)
{
	const struct pg_metric *m = &d->bench->metrics[metric];
	double den;

	if (m->reduce != PG_RATIO)
		return plain(d, metric);
	den = plain(d, m->den);
	return den > 0 ? plain(d, m->num) / den : (double)NAN;
}

double pg_dropin_number(const struct pg_dropin *d, const char *metric)
{
	size_t i = 0;
	const struct pg_metric *m = pg_metric_find(d->bench->metrics, metric, &i);

	return m ? pg_dropin_number_at(d, i) : (double)NAN;
}

bool pg_dropin_raw(const struct pg_dropin *d, const char *metric, int64_t *raw)
{
	size_t i = 0;
	const struct pg_metric *m = pg_metric_find(d->bench->metrics, metric, &i);
	const struct pg_sample *s = m ? sample_of(d, i) : NULL;

	if (s)
		*raw = s->raw;
	return s != NULL;
}

void pg_dropin_process_name(const char *name)
{
	prctl(PR_SET_NAME, name, 0, 0, 0);
}
