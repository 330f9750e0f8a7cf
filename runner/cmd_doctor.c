/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `doctor`: what makes this machine noisy and what to type against it; with --self-check, what it can tell apart. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "engine/guardian.h"
#include "runner/commands.h"
#include "runner/doctor.h"
#include "runner/json_out.h"
#include "runner/planning.h"
#include "runner/report.h"
#include "runner/selfcheck.h"
#include "runner/terminal.h"
#include "runner/world.h"
#include "store/store.h"

#define WATCH_NS 1000000000

/* clang-format off */
const struct pg_option pg_doctor_options[] = {
	{.name = "json", .doc = "the same as JSON", PG_OPT_AT(struct pg_doctor_opts, json)},
	{.name = "self-check", .doc = "measure cells against themselves, by default a small set of benches",
	 PG_OPT_AT(struct pg_doctor_opts, self_check)},
	{.name = "rounds", .arg = "N", .doc = "rounds of the self-check, at least 6 (default 20)", .min = 6, .max = 1000,
	 PG_OPT_AT(struct pg_doctor_opts, rounds)},
	{.name = "seed", .arg = "N", .doc = "seed of the self-check (default: drawn)", PG_OPT_AT(struct pg_doctor_opts, seed)},
	{.name = "output", .opt = 'o', .arg = "DIR", .doc = "keep what the self-check measured as a run directory",
	 PG_OPT_AT(struct pg_doctor_opts, output)},
	{.name = NULL},
};
/* clang-format on */

static size_t count(const struct pg_doctor *d, enum pg_noise state)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += d->v[i].state == state;
	return n;
}

/* ---- text ---- */

static void add_row(struct pg_grid *g, const char *state, const char *what, const char *here)
{
	pg_grid_add(g, state);
	pg_grid_add(g, what);
	pg_grid_add(g, here);
	pg_grid_end_row(g);
}

static void add_table(struct pg_str *out, const struct pg_doctor *d)
{
	struct pg_grid g;

	pg_grid_init(&g);
	add_row(&g, "state", "what", "here");
	for (size_t i = 0; i < d->n; i++) {
		const struct pg_finding *f = &d->v[i];

		add_row(&g, pg_noise_name(f->state), f->name, f->state == PG_NOISE_UNKNOWN ? f->why : f->here);
	}
	pg_grid_print(&g, out);
	out->failed = out->failed || g.failed;
	pg_grid_release(&g);
}

/* What one line helps against stands together. */
static bool is_said(const struct pg_doctor *d, size_t i)
{
	for (size_t k = 0; k < i && d->v[i].command[0]; k++)
		if (d->v[k].state == PG_NOISE_FOUND && strcmp(d->v[k].command, d->v[i].command) == 0)
			return true;
	return false;
}

static void add_noisy(struct pg_str *out, const struct pg_doctor *d)
{
	if (count(d, PG_NOISE_FOUND) == 0)
		return;
	pg_str_adds(out, "\nnoisy, and what to type (settings last until the next boot):\n");
	for (size_t i = 0; i < d->n; i++) {
		const struct pg_finding *f = &d->v[i];

		if (f->state != PG_NOISE_FOUND || is_said(d, i))
			continue;
		for (size_t k = i; k < d->n; k++)
			if (d->v[k].state == PG_NOISE_FOUND && strcmp(d->v[k].command, f->command) == 0)
				pg_str_addf(out, "  %s: %s\n", d->v[k].name, d->v[k].why);
		pg_str_addf(out, "      %s\n", f->command);
		if (f->undo[0])
			pg_str_addf(out, "      undo: %s\n", f->undo);
	}
}

static void add_notes(struct pg_str *out, const struct pg_doctor *d)
{
	if (count(d, PG_NOISE_NOTE) == 0)
		return;
	pg_str_adds(out, "\nnote:\n");
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].state == PG_NOISE_NOTE)
			pg_str_addf(out, "  %s: %s\n", d->v[i].name, d->v[i].why);
}

static void add_sum(struct pg_str *out, const struct pg_doctor *d)
{
	static const enum pg_noise order[] = {PG_NOISE_FOUND, PG_NOISE_NOTE, PG_NOISE_NONE, PG_NOISE_UNKNOWN};

	pg_str_addc(out, '\n');
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		pg_str_addf(out, "%s%zu %s", i ? ", " : "", count(d, order[i]), pg_noise_name(order[i]));
	pg_str_adds(out, "\nnext: perfgrid doctor --self-check   # which changes can be told apart here\n");
}

static void add_text(struct pg_str *out, const struct pg_doctor *d, const struct pg_clock_figures *c)
{
	char batch[PG_NUM_BUF];

	pg_time_format(batch, pg_clock_batch_ns(c));
	pg_str_addf(out, "clock: %s, a read costs %lld ns, steps of %lld ns; what is timed should last %s\n\n",
		    pg_clock_name(), (long long)c->cost_ns, (long long)c->step_ns, batch);
	add_table(out, d);
	add_noisy(out, d);
	add_notes(out, d);
	add_sum(out, d);
}

/* ---- JSON ---- */

static void add_json(struct pg_str *out, const struct pg_doctor *d, const struct pg_clock_figures *c)
{
	struct pg_jout j;

	pg_jout_init(&j, out);
	pg_jout_object(&j, NULL);
	pg_jout_object(&j, "clock");
	pg_jout_text(&j, "source", pg_clock_name());
	pg_jout_int(&j, "cost_ns", c->cost_ns);
	pg_jout_int(&j, "step_ns", c->step_ns);
	pg_jout_int(&j, "res_ns", c->res_ns);
	pg_jout_int(&j, "batch_ns", pg_clock_batch_ns(c));
	pg_jout_close(&j);
	pg_jout_int(&j, "noisy", (int64_t)count(d, PG_NOISE_FOUND));
	pg_jout_array(&j, "findings");
	for (size_t i = 0; i < d->n; i++) {
		const struct pg_finding *f = &d->v[i];

		pg_jout_object(&j, NULL);
		pg_jout_text(&j, "name", f->name);
		pg_jout_text(&j, "state", pg_noise_name(f->state));
		pg_jout_text(&j, "here", f->here);
		pg_jout_text(&j, "why", f->why);
		pg_jout_text(&j, "command", f->command);
		pg_jout_text(&j, "undo", f->undo);
		pg_jout_close(&j);
	}
	pg_jout_close(&j);
	pg_jout_close(&j);
}

static int look(struct pg_world *w, const struct pg_here *here, bool json)
{
	struct pg_doctor d = {.root = w->root, .topo = &here->topo};
	struct pg_clock_figures clock;
	struct pg_str text;
	struct pg_err err;

	if (pg_clock_measure(&clock, &err) != 0)
		return pg_fail_status(w, &err);
	pg_doctor_settings(&d);
	pg_doctor_watch(&d, w, WATCH_NS);
	pg_str_init(&text);
	if (json)
		add_json(&text, &d, &clock);
	else
		add_text(&text, &d, &clock);
	pg_stdout_text(w, &text);
	pg_str_release(&text);
	return pg_stdout_done(w, PG_EXIT_OK);
}

/* ---- the self-check ---- */

static int report(struct pg_world *w, const struct pg_selfcheck *s, bool json)
{
	struct pg_str text;
	struct pg_jout j;

	pg_str_init(&text);
	if (json) {
		pg_jout_init(&j, &text);
		pg_jout_object(&j, NULL);
		pg_selfcheck_json(s, &j);
		pg_jout_close(&j);
	} else {
		pg_selfcheck_text(s, &text);
	}
	pg_stdout_text(w, &text);
	pg_str_release(&text);
	return pg_stdout_done(w, pg_selfcheck_status(s));
}

static int check(struct pg_world *w, const struct pg_doctor_opts *o, const char *scenario,
		 const volatile sig_atomic_t *stop)
{
	struct pg_selfcheck s;
	struct pg_here here;
	struct pg_err err;
	int status;

	if (pg_here_open(&here, w, &err) != 0)
		return pg_fail_status(w, &err);
	status = pg_selfcheck_measure(w, &here, o, scenario, stop, &s);
	if (status == 0)
		status = report(w, &s, o->json);
	pg_selfcheck_release(&s);
	pg_here_close(&here);
	return status;
}

/* Below the guardian: what is known of the machine is left out of forked processes. */
static int locked_check(struct pg_world *w, const struct pg_doctor_opts *o, const char *scenario, int lock,
			const volatile sig_atomic_t *stop)
{
	struct pg_err err = {.code = PG_OK};

	if (pg_lock_take(lock, 0, w->clock, &err) != 0)
		return pg_fail_status(w, &err);
	if (err.msg[0])
		pg_report(w, &err, true);
	return check(w, o, scenario, stop);
}

/* As a run: a guardian above, and no other run beside. */
static int guarded_check(struct pg_world *w, const struct pg_doctor_opts *o, const char *scenario)
{
	volatile sig_atomic_t stop = 0;
	struct pg_err err;
	int lock, status = 0, role = 0;

	pg_lock_open(w->lock_path, &lock);
	if (w->guard)
		role = pg_guardian_start(&stop, &status, &err);
	if (role < 0)
		status = pg_fail_status(w, &err);
	else if (role == 0)
		status = locked_check(w, o, scenario, lock, &stop);
	if (lock >= 0)
		close(lock);
	return status;
}

static int check_options(const struct pg_doctor_opts *o, const struct pg_args *args, struct pg_err *err)
{
	if (o->self_check && args->n && !*args->operand[0])
		return pg_fail(err, PG_EUSAGE,
			       "'' names nothing; give a SCENARIO, or leave it out for a small set of benches");
	if (o->self_check || (args->n == 0 && !o->rounds.given && !o->seed.given && !o->output))
		return 0;
	return pg_fail(err, PG_EUSAGE, "%s belongs to --self-check; give that as well",
		       args->n		 ? "a SCENARIO"
		       : o->rounds.given ? "--rounds"
		       : o->seed.given	 ? "--seed"
					 : "-o");
}

int pg_cmd_doctor(struct pg_world *w, const void *options, const struct pg_args *args)
{
	const struct pg_doctor_opts *o = options;
	struct pg_here here;
	struct pg_err err;
	int status;

	if (check_options(o, args, &err) != 0)
		return pg_fail_status(w, &err);
	if (o->self_check)
		return guarded_check(w, o, args->n ? args->operand[0] : NULL);
	if (pg_here_open(&here, w, &err) != 0)
		return pg_fail_status(w, &err);
	status = look(w, &here, o->json);
	pg_here_close(&here);
	return status;
}
