/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the values of a drop-in to a conf that can run. Topology, limits and memory of the machine are looked at only
 * where the values call for it: a small run costs no file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "base/num.h"
#include "base/str.h"
#include "base/topo.h"
#include "engine/cgroup.h"
#include "engine/place.h"
#include "engine/preflight.h"
#include "plan/expr.h"
#include "plan/values.h"
#include "runner/dropin.h"
#include "runner/world.h"

/* Needs below these are met anywhere, and where they are not, the bench itself says so at once. */
#define SMALL_TASKS	512
#define SMALL_BYTES	(UINT64_C(256) << 20)
#define SMALL_PIPES	64
#define OWN_DESCRIPTORS 3
#define LEAN_TASKS	64 /* to start more takes far longer than to read what their control group leaves */

struct machine {
	struct pg_dropin *d;
	struct pg_topo topo;
	bool loaded;
};

static int load(struct machine *m, struct pg_err *err)
{
	if (m->loaded)
		return 0;
	if (pg_topo_load(m->d->world->root, NULL, &m->topo, err) != 0)
		return -1;
	m->loaded = true;
	return 0;
}

/* Slots of expressions: machine words, then rows. */
static int find_slot(void *ctx, const char *name, size_t n, size_t *slot, unsigned *kinds)
{
	const struct machine *m = ctx;
	const struct pg_param *rows = m->d->bench->params;
	const int word = pg_machine_word(name, n);

	*kinds = word >= 0 ? 1u << PG_E_NUM : (1u << (PG_E_NONE + 1)) - 1;
	if (word >= 0) {
		*slot = (size_t)word;
		return 0;
	}
	for (size_t i = 0; i < m->d->n; i++) {
		if (strlen(rows[i].name) != n || memcmp(rows[i].name, name, n) != 0)
			continue;
		*slot = PG_MACHINE_WORDS + i;
		return 0;
	}
	return -1;
}

static int get_slot(void *ctx, size_t slot, struct pg_evalue *out)
{
	static const enum pg_domain domains[PG_MACHINE_WORDS] = {PG_DOMAIN_CPU, PG_DOMAIN_CORE, PG_DOMAIN_CACHE,
								 PG_DOMAIN_SOCKET, PG_DOMAIN_NODE};
	struct machine *m = ctx;
	struct pg_err err;

	if (slot >= PG_MACHINE_WORDS) {
		slot -= PG_MACHINE_WORDS;
		pg_values_to_expr(&m->d->bench->params[slot], &m->d->vals[slot], out);
		return 0;
	}
	if (load(m, &err) != 0)
		return -1;
	*out = (struct pg_evalue){.kind = PG_E_NUM, .num = pg_dec_int((int64_t)m->topo.domain[domains[slot]].n)};
	return 0;
}

static int evaluate(struct machine *m, const char *text, struct pg_evalue *out, struct pg_err *err)
{
	const struct pg_scope scope = {.find = find_slot, .ctx = m};
	const struct pg_cellview view = {.get = get_slot, .ctx = m};
	const struct pg_loc none = {.file = NULL};
	struct pg_diag diag = {.report = NULL};
	struct pg_expr *e;

	if (pg_expr_parse(text, strlen(text), &none, &scope, &m->d->arena, &e, &diag) ||
	    pg_expr_eval(e, &view, out, NULL, err))
		return pg_fail(err, PG_EFAILED, "`%s` has no value on this machine; give a number", text);
	return 0;
}

/* First the defaults that are values, then those made of them, in row order. */
static int resolve(struct machine *m, struct pg_err *err)
{
	static const struct pg_loc none = {.file = NULL};
	struct pg_dropin *d = m->d;
	bool *later = pg_arena_array(&d->arena, d->n, sizeof(*later));

	if (!later)
		return pg_fail_nomem(err);
	for (size_t i = 0; i < d->n; i++) {
		const struct pg_param *row = &d->bench->params[i];

		if (d->given[i])
			continue;
		d->vals[i] = (struct pg_value){.state = PG_V_UNSET, .type = (uint8_t)row->type};
		later[i] =
			row->def && pg_value_parse_any(row, row->def, strlen(row->def), &d->arena, &d->vals[i], NULL);
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct pg_param *row = &d->bench->params[i];
		struct pg_evalue v;

		if (!later[i])
			continue;
		if (evaluate(m, row->def, &v, err) || pg_values_from_expr(row, &v, &none, &d->vals[i], err)) {
			pg_err_wrap(err, "default of %s", row->name);
			return -1;
		}
	}
	return 0;
}

/* Limits that other rows or the machine give; plain ones were checked as the value was read. Cuts where asked to. */
static int check_limit(struct machine *m, size_t i, const char *text, bool is_max, struct pg_err *err)
{
	const struct pg_param *row = &m->d->bench->params[i];
	struct pg_value *v = &m->d->vals[i];
	static const struct pg_loc none = {.file = NULL};
	struct pg_evalue own, limit;
	struct pg_value number;
	int cmp;

	if (!text || !m->d->given[i] || v->state != PG_V_SET ||
	    pg_value_parse_any(row, text, strlen(text), &m->d->arena, &number, NULL) == 0)
		return 0;
	if (evaluate(m, text, &limit, err))
		return -1;
	pg_values_to_expr(row, v, &own);
	if (own.kind != limit.kind)
		return 0;
	cmp = pg_dec_cmp(own.num, limit.num);
	if (is_max ? cmp <= 0 : cmp >= 0)
		return 0;
	if (is_max && m->d->clamped[i])
		return pg_values_from_expr(row, &limit, &none, v, err);
	return pg_fail(err, PG_EUSAGE, "%s is out of range; allowed: at %s `%s`", row->name, is_max ? "most" : "least",
		       text);
}

static int check_limits(struct machine *m, struct pg_err *err)
{
	for (size_t i = 0; i < m->d->n; i++) {
		const struct pg_param *row = &m->d->bench->params[i];

		if (check_limit(m, i, row->min, false, err) || check_limit(m, i, row->max, true, err))
			return -1;
	}
	return 0;
}

/* Whose probe looks at the topology: all but those that say that they do not. */
static bool wants_topology(const struct pg_dropin *d)
{
	static const char *const without[] = {"sched/", "syscall/", "mem/"};

	if (pg_startswith(d->bench->name, "numa/"))
		return true; /* binding by its own params */
	if (pg_dropin_has(d, "placement"))
		return pg_dropin_value(d, "placement") != PG_PLACE_FREE;
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (pg_startswith(d->bench->name, without[i]))
			return false;
	return true;
}

/* The user's tasks are not asked for, which takes a walk through /proc: they are no more than the machine's. */
static bool near_user_limit(uint64_t tasks)
{
	struct sysinfo s;
	struct rlimit l;

	if (getuid() == 0 || getrlimit(RLIMIT_NPROC, &l) != 0 || l.rlim_cur == RLIM_INFINITY)
		return false;
	return sysinfo(&s) != 0 || s.procs + tasks >= l.rlim_cur;
}

/* Of version 2, and of the controller of version 1. */
static bool near_group_limit(const char *root, uint64_t tasks)
{
	static const char *const controllers[] = {NULL, "pids"};
	struct pg_cgroup_place place;

	for (size_t i = 0; i < sizeof(controllers) / sizeof(controllers[0]); i++)
		if (pg_cgroup_locate(root, controllers[i], &place) == 0 &&
		    pg_cgroup_limit(&place, "pids.max", "pids.current") <= tasks)
			return true;
	return false;
}

static bool near_task_limit(const struct pg_dropin *d, uint64_t tasks)
{
	if (tasks == 0)
		return false;
	if (near_user_limit(tasks))
		return true;
	return !(d->lean && tasks <= LEAN_TASKS) && near_group_limit(d->world->root, tasks);
}

static bool is_small(const struct pg_dropin *d, const struct pg_need *need)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) != 0 || need->descriptors + OWN_DESCRIPTORS > l.rlim_cur)
		return false;
	return need->tasks <= SMALL_TASKS && need->bytes <= SMALL_BYTES && need->pipes <= SMALL_PIPES &&
	       need->caps == 0 && !near_task_limit(d, need->tasks);
}

static int barred(struct pg_dropin *d, struct pg_err *err)
{
	err->code = PG_EUNSUPPORTED;
	d->bar = PG_BAR_BENCH;
	return -1;
}

static int check_big(struct machine *m, struct pg_err *err)
{
	static const struct pg_runkeys keys = {.pin = NULL};
	struct pg_dropin *d = m->d;
	const struct pg_cell cell = {
		.bench = d->bench,
		.params = d->bench->params,
		.n_params = d->n,
		.vals = d->vals,
		.keys = &keys,
	};
	struct pg_need need = {.descriptors = 0};
	struct pg_limits l;
	void *scratch = pg_arena_alloc(&d->arena, d->bench->conf_size);

	if (!scratch)
		return pg_fail_nomem(err);
	if (load(m, err) || pg_limits_read(d->world->root, &m->topo, &l, err))
		return -1;
	if (d->bench->probe(d->conf, &l.env, &need, err))
		return barred(d, err);
	if (l.rt_priority > 0)
		l.caps |= PG_CAP_NICE; /* the lowest real-time priority is all that benches ask for */
	if (l.pipes_soft > 0 && need.pipes > l.pipes_soft)
		snprintf(d->note, sizeof(d->note),
			 "%" PRIu64 " pipes are more than the %" PRIu64
			 " that fs.pipe-user-pages-soft gives this user at full size; the others are smaller",
			 need.pipes, l.pipes_soft);
	l.pipes_soft = 0; /* the ancestors run, and so does this */
	if (l.tasks > 0)
		l.tasks++; /* the rep is this process, which was counted among the living */
	if (pg_preflight(&cell, &l, scratch, err) == 0)
		return 0;
	d->bar = l.memory > 0 && need.bytes > l.memory ? PG_BAR_MEMORY : PG_BAR_LIMIT;
	return -1;
}

static int probe(struct machine *m, struct pg_err *err)
{
	struct pg_dropin *d = m->d;
	const struct pg_probe_env env = {.root = d->world->root, .topo = &m->topo};
	struct pg_need need = {.descriptors = 0};

	if (!d->bench->probe)
		return 0;
	if (wants_topology(d))
		return check_big(m, err);
	if (d->bench->probe(d->conf, &env, &need, err))
		return barred(d, err);
	return is_small(d, &need) ? 0 : check_big(m, err);
}

void pg_dropin_name_limit(struct pg_dropin *d, struct pg_err *err)
{
	struct machine m = {.d = d};
	struct pg_err why;

	if (err->sys != EAGAIN || !d->bench->probe)
		return;
	if (check_big(&m, &why) && d->bar == PG_BAR_LIMIT)
		*err = why;
	if (m.loaded)
		pg_topo_release(&m.topo);
}

int pg_dropin_ready(struct pg_dropin *d, struct pg_err *err)
{
	struct machine m = {.d = d};
	int r;

	d->note[0] = '\0';
	d->bar = PG_BAR_NONE;
	r = resolve(&m, err);
	if (r == 0)
		r = check_limits(&m, err);
	if (r == 0) {
		memset(d->conf, 0, d->bench->conf_size);
		pg_conf_bind(d->bench->params, d->vals, 1, d->conf);
		if (d->bench->check)
			r = d->bench->check(d->conf, err);
	}
	if (r == 0)
		r = probe(&m, err);
	if (m.loaded)
		pg_topo_release(&m.topo);
	return r;
}
