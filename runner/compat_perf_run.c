/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One call of one bench: rounds of steps of parts, each part a rep, and what is printed around them. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "runner/compat_perf_call.h"
#include "runner/report.h"
#include "runner/world.h"

#define FAILED	    1
#define PARTS	    10	       /* of a bench whose runs -r counts, without -r */
#define LOG_ENTRIES (1u << 18) /* six numbers of each of some ten thousand workers */
#define LOG_BYTES   (sizeof(struct pg_record_log) + LOG_ENTRIES * sizeof(struct pg_record_entry))

void pg_pb_open(struct pg_pb *p)
{
	p->set = (struct pg_fopts){.rows = p->bench->options, .synopsis = p->bench->synopsis};
	pg_str_init(&p->out);
}

void pg_pb_close(struct pg_pb *p)
{
	if (p->d.log)
		munmap(p->d.log, LOG_BYTES);
	pg_dropin_close(&p->d);
	pg_str_release(&p->out);
}

int pg_pb_write(struct pg_pb *p)
{
	return pg_stdout_text(p->world, &p->out) || pg_stdout_flush(p->world) ? -1 : 0;
}

/* Words that are no option. */
static int left_over(struct pg_pb *p, const struct pg_fopt_rest *rest)
{
	struct pg_str text;

	if (rest->n == 0)
		return 0;
	if (p->bench->words_ok) {
		pg_say(p->world, "%s/%s takes no operand; '%s' is ignored", p->bench->collection, p->bench->name,
		       rest->words[0]);
		return 0;
	}
	pg_str_init(&text);
	pg_fopts_usage(&p->set, &text);
	fputs(pg_str_text(&text), p->world->err);
	pg_str_release(&text);
	return PG_STATUS_USAGE;
}

static int parse(struct pg_pb *p, int argc, char **argv)
{
	struct pg_fopt_rest rest;
	struct pg_str text;
	int status = 0;

	pg_str_init(&text);
	switch (pg_fopts_parse(&p->set, argc, argv, p->opt, &rest, &text)) {
	case PG_FOPT_OK:
		status = left_over(p, &rest);
		break;
	case PG_FOPT_USAGE:
		fputs(pg_str_text(&text), p->world->err);
		status = PG_STATUS_USAGE;
		break;
	case PG_FOPT_LIST:
		pg_str_adds(&p->out, pg_str_text(&text));
		status = PG_STATUS_LIST;
		break;
	}
	pg_str_release(&text);
	return status;
}

/* What cannot run: in `all` it is passed over, alone it is a failure. */
static int refuse(struct pg_pb *p, const struct pg_err *err)
{
	const bool skip = p->in_all && err->code == PG_EUNSUPPORTED;
	int status = p->status ? p->status : skip ? 0 : FAILED;

	pg_pb_write(p);
	if (p->bench->refused)
		p->bench->refused(p, err);
	pg_pb_write(p);
	pg_say(p->world, "%s/%s%s%s: %s%s", p->bench->collection, p->bench->name, p->label[0] ? " " : "", p->label,
	       skip ? "skipped: " : "", err->msg);
	return status;
}

int pg_pb_options(struct pg_pb *p, int argc, char **argv)
{
	char name[64];
	struct pg_err err;
	int status;

	p->words = argv;
	p->n_words = argc;
	status = parse(p, argc, argv);
	if (status)
		return status;
	snprintf(name, sizeof(name), "%s/%s", p->bench->collection, p->bench->name);
	if (pg_dropin_open(&p->d, p->world, name, &err))
		return refuse(p, &err);
	return pg_pb_apply(p);
}

static bool shows(const struct pg_pb *p)
{
	return p->format == PG_PB_DEFAULT || (p->format == PG_PB_SIMPLE && p->bench->simple == PG_PB_HOOKS);
}

static void hook(struct pg_pb *p, void (*fn)(struct pg_pb *p))
{
	if (fn && shows(p))
		fn(p);
}

/* A rep among several is a process of its own; a single one is this process, as with the ancestor. */
static int run_part(struct pg_pb *p, struct pg_err *err)
{
	const bool single = p->rounds == 1 && p->parts == 1 && !p->bench->step && !p->in_all;

	p->weight = 0;
	if (p->bench->ready && (p->bench->ready(p, err) || pg_dropin_ready(&p->d, err)))
		return -1;
	if (single ? pg_dropin_run(&p->d, err) : pg_dropin_run_child(&p->d, err))
		return -1;
	pg_pb_add_part(p, &p->headline, pg_pb_number(p, p->bench->metric));
	if (p->format == PG_PB_JSON || p->format == PG_PB_CSV) {
		pg_pb_report_part(p);
	} else if (p->format == PG_PB_SIMPLE && p->bench->simple == PG_PB_SECONDS) {
		pg_pb_seconds(&p->out, pg_pb_number(p, "time"));
		pg_str_addc(&p->out, '\n');
	}
	hook(p, p->bench->each);
	return 0;
}

static void end_step(struct pg_pb *p)
{
	pg_pb_report_step(p);
	if (p->format == PG_PB_SIMPLE && p->bench->simple == PG_PB_NUMBER)
		pg_str_addf(&p->out, "%.*f\n", p->bench->decimals, p->headline.mean * p->bench->scale);
	hook(p, p->bench->after);
}

static int run_step(struct pg_pb *p, struct pg_err *err)
{
	if (pg_dropin_ready(&p->d, err))
		return -1;
	if (p->d.note[0])
		pg_say(p->world, "%s/%s: %s", p->bench->collection, p->bench->name, p->d.note);
	memset(p->sum, 0, sizeof(p->sum));
	memset(&p->headline, 0, sizeof(p->headline));
	if (!p->shown)
		hook(p, p->bench->head);
	if (p->out.len > 0)
		pg_pb_write(p); /* what follows may take long */
	p->shown = true;
	hook(p, p->bench->before);
	for (p->part = 0; p->part < p->parts; p->part++) {
		if (run_part(p, err))
			return -1;
		if (p->out.len > 0 && pg_pb_write(p))
			return 0; /* nobody reads it: the end of the program says so */
	}
	end_step(p);
	return 0;
}

/* -1: the error stays. */
static int leave_out(struct pg_pb *p, const struct pg_err *err)
{
	if (!p->bench->part_ok || err->code != PG_EUNSUPPORTED || p->left_out > 0)
		return -1;
	p->left_out++;
	pg_say(p->world, "%s/%s %s: left out: %s", p->bench->collection, p->bench->name, p->label, err->msg);
	return 0;
}

static int run_round(struct pg_pb *p, struct pg_err *err)
{
	p->shown = false;
	p->left_out = 0;
	memset(p->kept, 0, sizeof(p->kept));
	for (p->step = 0; !p->world->out_errno; p->step++) {
		const int more = p->bench->step ? p->bench->step(p, p->step, err) : p->step == 0;

		if (more < 0 || (more > 0 && run_step(p, err) && leave_out(p, err)))
			return -1;
		if (more == 0)
			break;
	}
	hook(p, p->bench->foot);
	return 0;
}

/* Memory for the numbers of single workers, only touched as far as it is used. */
static void open_log(struct pg_pb *p)
{
	void *map;

	if (!p->bench->singles || p->format != PG_PB_DEFAULT)
		return;
	map = mmap(NULL, LOG_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return; /* the lines of single workers are missing then */
	p->d.log = map;
	p->d.log->cap = LOG_ENTRIES;
}

static int set_repeat(struct pg_pb *p, struct pg_err *err)
{
	p->rounds = 1;
	p->parts = 1;
	switch (p->bench->by_repeat) {
	case PG_PB_ROUNDS:
		p->rounds = p->repeat_given ? p->repeat : 1;
		return 0;
	case PG_PB_PARTS:
		p->parts = p->repeat_given ? p->repeat : PARTS;
		return 0;
	case PG_PB_LOOPS:
		break;
	}
	if (!p->repeat_given || pg_dropin_set_u64(&p->d, "loops", p->repeat, "switch `r'", err) == 0)
		return 0;
	p->status = PG_STATUS_USAGE;
	return -1;
}

int pg_pb_rounds(struct pg_pb *p)
{
	struct pg_err err = {.code = PG_OK};
	int status = 0;

	open_log(p);
	if (set_repeat(p, &err) || (p->bench->begin && p->bench->begin(p, &err)))
		return refuse(p, &err);
	for (p->round = 0; p->round < p->rounds && status == 0 && !p->world->out_errno; p->round++) {
		if (run_round(p, &err))
			status = refuse(p, &err);
		else
			pg_pb_write(p);
	}
	pg_pb_report_end(p);
	return status;
}

int pg_pb_call(struct pg_pb *p, int argc, char **argv)
{
	char name[64];
	int status;

	pg_pb_open(p);
	snprintf(name, sizeof(name), "%s-%s", p->bench->collection, p->bench->name);
	pg_dropin_process_name(name);
	status = p->bench->instead ? p->bench->instead(p, argc, argv) : -1;
	if (status < 0) {
		status = pg_pb_options(p, argc, argv);
		if (status == 0 && p->d.bench)
			status = pg_pb_rounds(p);
	}
	pg_pb_write(p);
	pg_pb_close(p);
	return status;
}
