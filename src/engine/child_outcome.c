/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an ended process to a status, a reason in words, and samples.
 */
#include "engine/child_priv.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/num.h"
#include "model/suite.h"

#define WHY_MAX		500 /* what a reason may take; docs say so */
#define LINE_MAX_IN_WHY 400

void pg_outcome_clear(struct pg_outcome *out)
{
	out->status = PG_ST_OK;
	out->why[0] = '\0';
	out->n = 0;
	out->once_ns = 0;
	for (int i = 0; i < PG_FACTS; i++)
		out->facts[i] = PG_FACT_ABSENT;
}

void pg_outcome_fail(struct pg_outcome *out, enum pg_status status, const char *text)
{
	struct pg_str clean;

	pg_str_init(&clean);
	pg_clean_text(text, strlen(text), WHY_MAX, &clean);
	snprintf(out->why, sizeof(out->why), "%s", clean.len ? pg_str_text(&clean) : "failed without a reason");
	out->status = status;
	out->n = 0;
	pg_str_release(&clean);
}

/* Names as signal(7) has them for every architecture's own number. */
static const char *signal_name(int sig)
{
	static const struct {
		int sig;
		const char *name;
	} names[] = {
		{SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
		{SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},	  {SIGFPE, "SIGFPE"},
		{SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
		{SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
		{SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].sig == sig)
			return names[i].name;
	}
	return NULL;
}

void pg_end_describe(int status, struct pg_str *out)
{
	const char *name;

	if (!WIFSIGNALED(status)) {
		pg_str_addf(out, "exit status %d", WEXITSTATUS(status));
		return;
	}
	name = signal_name(WTERMSIG(status));
	if (name)
		pg_str_addf(out, "killed by %s", name);
	else
		pg_str_addf(out, "killed by signal %d", WTERMSIG(status));
}

/* ": the last line that it printed", stderr before stdout. */
static void add_last_line(const struct pg_child *c, struct pg_str *why)
{
	struct pg_str line;

	pg_str_init(&line);
	if (pg_drain_last_line(&c->err, LINE_MAX_IN_WHY, &line) || pg_drain_last_line(&c->out, LINE_MAX_IN_WHY, &line))
		pg_str_addf(why, ": %s", pg_str_text(&line));
	pg_str_release(&line);
}

static void fail(struct pg_outcome *out, enum pg_status status, struct pg_str *why)
{
	pg_outcome_fail(out, status, pg_str_text(why));
	pg_str_release(why);
}

/* Ends that are not the process's own doing. True: *out is filled. */
static bool forced_end(struct pg_child *c, const struct pg_end *end, int64_t timeout_ns, const char *phase,
		       struct pg_outcome *out)
{
	char limit[PG_NUM_BUF] = "";
	struct pg_str why;

	if (end->cause == PG_END_OWN)
		return false;
	pg_str_init(&why);
	if (timeout_ns >= 0)
		pg_time_format(limit, timeout_ns);
	switch (end->cause) {
	case PG_END_OWN:
		break;
	case PG_END_STOP:
		pg_str_adds(&why, "stopped by the user");
		fail(out, PG_ST_NOT_RUN, &why);
		break;
	case PG_END_DEADLINE:
		pg_str_addf(&why, "no end within %s%s%s", limit, *phase ? " in " : "", phase);
		add_last_line(c, &why);
		fail(out, PG_ST_TIMEOUT, &why);
		break;
	case PG_END_LOST:
		pg_str_adds(&why, "cannot be killed, it hangs in the kernel");
		fail(out, PG_ST_TIMEOUT, &why);
		break;
	case PG_END_BACKGROUND:
		pg_str_adds(&why, "the background program ended before the rep");
		fail(out, PG_ST_FAILED, &why);
		break;
	}
	return true;
}

void pg_outcome_helper(struct pg_child *c, const char *what, const struct pg_end *end, int64_t timeout_ns,
		       struct pg_outcome *out)
{
	struct pg_outcome own;
	struct pg_str why;

	if (end->cause == PG_END_OWN && end->status == 0)
		return;
	pg_str_init(&why);
	pg_str_addf(&why, "%s: ", what);
	if (forced_end(c, end, timeout_ns, "", &own)) {
		pg_str_adds(&why, own.why);
		fail(out, own.status == PG_ST_TIMEOUT ? PG_ST_FAILED : own.status, &why);
		return;
	}
	pg_end_describe(end->status, &why);
	add_last_line(c, &why);
	fail(out, PG_ST_FAILED, &why);
}

static void add_sample(struct pg_outcome *out, const struct pg_cell *cell, size_t metric, int64_t raw)
{
	const struct pg_metric *row = &cell->metrics[metric];

	if (out->n < PG_OUT_SAMPLES && metric < cell->n_metrics)
		out->s[out->n++] = (struct pg_sample){
			.raw = raw,
			.metric = (uint32_t)metric,
			.exp10 = (int8_t)(row->flags & PG_M_FLOOR ? PG_FLOOR_EXP : pg_unit_exp(row->unit)),
		};
}

/* peak_bytes -1: cannot be told. */
static void add_engine_samples(struct pg_outcome *out, const struct pg_cell *cell, const struct pg_end *end,
			       int64_t peak_bytes)
{
	size_t base = cell->n_bench_metrics;
	int64_t user = pg_timeval_ns(end->ru.ru_utime), system = pg_timeval_ns(end->ru.ru_stime);

	add_sample(out, cell, base + PG_E_WALL_TIME, pg_since(end->t1, end->t0));
	add_sample(out, cell, base + PG_E_CPU_TIME, user + system);
	add_sample(out, cell, base + PG_E_USER_TIME, user);
	add_sample(out, cell, base + PG_E_SYSTEM_TIME, system);
	add_sample(out, cell, base + PG_E_PEAK_MEMORY, peak_bytes);
	if (peak_bytes < 0)
		out->s[out->n - 1] = (struct pg_sample){.metric = out->s[out->n - 1].metric, .missing = true};
	add_sample(out, cell, base + PG_E_VOLUNTARY_SWITCHES, end->ru.ru_nvcsw);
	add_sample(out, cell, base + PG_E_INVOLUNTARY_SWITCHES, end->ru.ru_nivcsw);
	add_sample(out, cell, base + PG_E_MINOR_FAULTS, end->ru.ru_minflt);
	add_sample(out, cell, base + PG_E_MAJOR_FAULTS, end->ru.ru_majflt);
}

/*
 * Most resident memory of a program. exec counts the size of whoever called it (here the runner, whose memory the new
 * process shared) into ru_maxrss: a program that stayed below the runner cannot be told from it.
 */
static int64_t program_peak(const struct pg_end *end)
{
	struct rusage self;

	getrusage(RUSAGE_SELF, &self);
	return end->ru.ru_maxrss > self.ru_maxrss ? end->ru.ru_maxrss * 1024 : -1;
}

/* What cannot be as a time or a rate makes the rep invalid. */
static void check_samples(const struct pg_cell *cell, struct pg_outcome *out)
{
	struct pg_err err;

	if (pg_samples_check(cell->metrics, cell->n_metrics, out->s, out->n, &err))
		pg_outcome_fail(out, PG_ST_INVALID, err.msg);
}

/* The page was written by a process that may have run wild: nothing in it is trusted. */
static void take_page(const struct pg_rep_page *page, const struct pg_cell *cell, struct pg_outcome *out)
{
	uint32_t n = page->n < PG_RUN_SAMPLES ? page->n : PG_RUN_SAMPLES;

	for (uint32_t i = 0; i < n; i++) {
		struct pg_sample s = page->s[i];
		bool ascending = out->n == 0 || s.metric > out->s[out->n - 1].metric;

		if (s.metric < cell->n_bench_metrics && ascending && cell->metrics[s.metric].reduce != PG_RATIO)
			add_sample(out, cell, s.metric, s.raw);
	}
	out->once_ns = page->once_ns > 0 ? page->once_ns : 0;
}

static void take_facts(const struct pg_rep_page *page, int64_t *facts)
{
	if (page->n_batches > 0 && page->batch_ns >= 0) {
		facts[PG_F_BATCHES] = page->n_batches;
		facts[PG_F_BATCH_TIME] = page->batch_ns;
	}
	if (page->khz[0] > 0 && page->khz[1] > 0) {
		facts[PG_F_FREQUENCY_START] = page->khz[0];
		facts[PG_F_FREQUENCY_END] = page->khz[1];
	}
}

static void fail_page(struct pg_child *c, const struct pg_end *end, bool done, struct pg_outcome *out)
{
	const char *phase = pg_phase_name(c->page->phase);
	struct pg_str why;

	pg_str_init(&why);
	if (done && c->page->failed && WIFEXITED(end->status)) {
		c->page->err.msg[PG_ERR_MSG - 1] = '\0';
		pg_str_adds(&why, c->page->err.msg);
		fail(out, PG_ST_FAILED, &why);
		return;
	}
	pg_end_describe(end->status, &why);
	if (!done && end->status == 0)
		pg_str_adds(&why, " without a result");
	pg_str_addf(&why, " in %s", phase);
	add_last_line(c, &why);
	fail(out, PG_ST_FAILED, &why);
}

void pg_outcome_bench(struct pg_child *c, const struct pg_job *job, const struct pg_end *end, struct pg_outcome *out)
{
	bool done = atomic_load_explicit(&c->page->done, memory_order_acquire) == 1;
	int64_t peak = c->page->peak_bytes;

	if (forced_end(c, end, job->cell->rules->timeout_ns, pg_phase_name(c->page->phase), out))
		return;
	if (!done || c->page->failed || end->status != 0) {
		fail_page(c, end, done, out);
		return;
	}
	take_page(c->page, job->cell, out);
	take_facts(c->page, out->facts);
	add_engine_samples(out, job->cell, end, peak > 0 ? peak : end->ru.ru_maxrss * INT64_C(1024));
	check_samples(job->cell, out);
}

static bool accepted(const struct pg_program *program, int status)
{
	if (WIFSIGNALED(status))
		return false;
	if (program->any_exit)
		return true;
	for (size_t i = 0; i < program->n_exits; i++) {
		if (program->exits[i] == WEXITSTATUS(status))
			return true;
	}
	return program->n_exits == 0 && WEXITSTATUS(status) == 0;
}

static void add_captures(const struct pg_child *c, struct pg_outcome *out)
{
	struct pg_str why;

	pg_str_init(&why);
	for (size_t i = 0; i < c->captures.n && out->n < PG_OUT_SAMPLES; i++) {
		enum pg_status status = pg_captures_sample(&c->captures, i, &out->s[out->n], &why);

		if (status != PG_ST_OK) {
			fail(out, status, &why);
			return;
		}
		out->n++;
	}
	for (size_t i = 1; i < out->n; i++) { /* ascending by metric, whatever the order of declaration */
		struct pg_sample s = out->s[i];
		size_t k = i;

		for (; k > 0 && out->s[k - 1].metric > s.metric; k--)
			out->s[k] = out->s[k - 1];
		out->s[k] = s;
	}
}

void pg_outcome_program(struct pg_child *c, const struct pg_job *job, const struct pg_end *end, struct pg_outcome *out)
{
	const struct pg_program *program = job->cell->program;
	struct pg_str why;

	if (forced_end(c, end, job->cell->rules->timeout_ns, "", out))
		return;
	out->facts[PG_F_EXIT] = WIFSIGNALED(end->status) ? 128 + WTERMSIG(end->status) : WEXITSTATUS(end->status);
	if (!accepted(program, end->status)) {
		pg_str_init(&why);
		pg_end_describe(end->status, &why);
		add_last_line(c, &why);
		fail(out, PG_ST_FAILED, &why);
		return;
	}
	out->once_ns = pg_since(end->t1, end->t0);
	add_engine_samples(out, job->cell, end, program_peak(end));
	add_captures(c, out);
	if (out->status == PG_ST_OK)
		check_samples(job->cell, out);
}
