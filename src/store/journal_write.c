/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing of the journal: each record is formatted into a buffer that is kept, and goes out in one write. A record that
 * could not be written whole closes the journal for good: something after half a line would be damage, half a line at
 * the end is a torn tail that resuming cuts off.
 */
#include "store/journal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "store/fileio.h"
#include "store/json.h"

static const char *const state_names[] = {
	[PG_RUN_RUNNING] = "running",
	[PG_RUN_COMPLETE] = "complete",
	[PG_RUN_INTERRUPTED] = "interrupted",
};

const char *pg_run_state_name(enum pg_run_state s)
{
	return state_names[s];
}

int pg_run_state_find(const char *name)
{
	for (int i = 0; i < (int)(sizeof(state_names) / sizeof(*state_names)); i++)
		if (strcmp(state_names[i], name) == 0)
			return i;
	return -1;
}

static int put_line(struct pg_journal *j, struct pg_err *err)
{
	pg_str_addc(&j->line, '\n');
	if (j->line.failed)
		return pg_fail_nomem(err);
	if (j->broken)
		return pg_fail(err, PG_EWRITE,
			       "an earlier record could not be written to '%s'; make room, then --resume",
			       PG_JOURNAL_NAME);
	j->unsynced = true;
	if (pg_write_all(j->fd, j->line.s, j->line.len) == 0)
		return 0;
	j->broken = true;
	pg_fail_sys(err, "cannot write to '%s'; make room, then --resume", PG_JOURNAL_NAME);
	if (err)
		err->code = PG_EWRITE;
	return -1;
}

/* `{"key":` and so on; the buffer is begun anew. */
static struct pg_str *start(struct pg_journal *j, const char *text)
{
	pg_str_reset(&j->line);
	pg_str_adds(&j->line, text);
	return &j->line;
}

static void add_text(struct pg_str *l, const char *s)
{
	pg_json_quote(l, s, strlen(s));
}

/* A label needs no escapes: it is a name. */
static void add_cell(struct pg_str *l, const struct pg_cell *cell)
{
	char buf[PG_CELL_ID_BUF];

	pg_cell_id_format(buf, cell->id);
	pg_str_addc(l, '"');
	pg_str_adds(l, buf);
	pg_str_addc(l, '"');
	if (!cell->variant_label)
		return;
	pg_str_adds(l, ",\"v\":\"");
	pg_str_adds(l, cell->variant_label);
	pg_str_addc(l, '"');
}

int pg_journal_header(struct pg_journal *j, const struct pg_plan *p, const struct pg_run_info *info, struct pg_err *err)
{
	struct pg_str *l = start(j, "{\"perfgrid\":1,\"run\":");

	add_text(l, info->id);
	pg_str_addf(l, ",\"plan\":\"%016llx\",\"columns\":{", (unsigned long long)info->digest);
	for (size_t i = 0; i < pg_plan_sweeps(p); i++) {
		const struct pg_sweep *sw = pg_plan_sweep(p, i);
		const char *sep = "";

		pg_str_adds(l, i ? "," : "");
		add_text(l, sw->name);
		pg_str_adds(l, ":{\"m\":[");
		for (size_t m = 0; m < sw->n_metrics; m++) {
			if (sw->metrics[m].reduce == PG_RATIO)
				continue;
			pg_str_adds(l, sep);
			add_text(l, sw->metrics[m].name);
			sep = ",";
		}
		pg_str_adds(l, "],\"f\":[");
		for (int f = 0; f < PG_FACTS; f++) {
			pg_str_adds(l, f ? "," : "");
			add_text(l, pg_fact_name((enum pg_fact)f));
		}
		pg_str_adds(l, "]}");
	}
	pg_str_adds(l, "}}");
	return put_line(j, err);
}

int pg_journal_session(struct pg_journal *j, uint64_t number, uint32_t part, const char *boot,
		       const struct pg_clock *clock, struct pg_err *err)
{
	struct pg_str *l = start(j, "{\"session\":");

	pg_str_addu(l, number);
	if (part > 0) {
		pg_str_adds(l, ",\"part\":");
		pg_str_addu(l, part);
	}
	pg_str_adds(l, ",\"boot\":");
	add_text(l, boot);
	pg_str_adds(l, ",\"clock\":{\"t_wall\":");
	pg_str_addi(l, clock->wall(clock->ctx));
	pg_str_adds(l, ",\"t_mono\":");
	pg_str_addi(l, clock->mono(clock->ctx));
	pg_str_adds(l, "}}");
	return put_line(j, err);
}

int pg_journal_cal(struct pg_journal *j, const struct pg_cell *cell, uint64_t ops, struct pg_err *err)
{
	struct pg_str *l = start(j, "{\"cal\":");

	add_cell(l, cell);
	pg_str_adds(l, ",\"loops\":");
	pg_str_addu(l, ops);
	pg_str_addc(l, '}');
	return put_line(j, err);
}

static void add_sample(struct pg_str *l, const struct pg_sample *s, enum pg_unit unit)
{
	if (!s || s->missing) {
		pg_str_adds(l, "null");
	} else if (s->exp10 == pg_unit_exp(unit)) {
		pg_str_addi(l, s->raw);
	} else {
		pg_str_addc(l, '[');
		pg_str_addi(l, s->raw);
		pg_str_addc(l, ',');
		pg_str_addi(l, s->exp10);
		pg_str_addc(l, ']');
	}
}

static void add_outcome(struct pg_str *l, const struct pg_metric *metrics, const struct pg_outcome *o)
{
	size_t k = 0;
	bool first = true;

	pg_str_adds(l, ",\"m\":[");
	for (size_t m = 0; metrics[m].name; m++) {
		if (metrics[m].reduce == PG_RATIO)
			continue;
		if (!first)
			pg_str_addc(l, ',');
		first = false;
		while (k < o->n && o->s[k].metric < m)
			k++;
		add_sample(l, k < o->n && o->s[k].metric == m ? &o->s[k] : NULL, metrics[m].unit);
	}
	pg_str_adds(l, "],\"f\":[");
	for (int f = 0; f < PG_FACTS; f++) {
		if (f)
			pg_str_addc(l, ',');
		if (o->facts[f] == PG_FACT_ABSENT)
			pg_str_adds(l, "null");
		else
			pg_str_addi(l, o->facts[f]);
	}
	pg_str_addc(l, ']');
	if (o->why[0]) {
		pg_str_adds(l, ",\"why\":");
		pg_json_quote(l, o->why, strnlen(o->why, sizeof(o->why)));
	}
}

int pg_journal_rep(struct pg_journal *j, const struct pg_cell *cell, const struct pg_rep_record *r, struct pg_err *err)
{
	struct pg_str *l = start(j, "{\"n\":");

	pg_str_addu(l, j->n + 1);
	pg_str_adds(l, ",\"c\":");
	add_cell(l, cell);
	pg_str_adds(l, r->warmup ? ",\"p\":\"w\",\"k\":" : ",\"p\":\"m\",\"k\":");
	pg_str_addu(l, r->round);
	pg_str_adds(l, ",\"o\":");
	pg_str_addu(l, r->position);
	pg_str_adds(l, ",\"a\":");
	pg_str_addu(l, r->attempt);
	if (r->disturbed)
		pg_str_adds(l, ",\"d\":1");
	if (r->redo)
		pg_str_adds(l, ",\"r\":1");
	if (r->seeded) {
		pg_str_adds(l, ",\"seed\":\"");
		pg_str_addu(l, r->seed);
		pg_str_addc(l, '"');
	}
	pg_str_adds(l, ",\"s\":\"");
	pg_str_adds(l, pg_status_name(r->out->status));
	pg_str_addc(l, '"');
	add_outcome(l, cell->metrics, r->out);
	pg_str_addc(l, '}');
	if (put_line(j, err) != 0)
		return -1;
	j->n++;
	return 0;
}

int pg_journal_end(struct pg_journal *j, const struct pg_cell *cell, enum pg_stop stop, struct pg_err *err)
{
	struct pg_str *l = start(j, "{\"end\":");

	add_cell(l, cell);
	pg_str_adds(l, ",\"stop\":");
	add_text(l, pg_stop_name(stop));
	pg_str_addc(l, '}');
	return put_line(j, err);
}

int pg_journal_retry(struct pg_journal *j, const struct pg_cell *cell, struct pg_err *err)
{
	struct pg_str *l = start(j, "{\"retry\":");

	add_cell(l, cell);
	pg_str_addc(l, '}');
	return put_line(j, err);
}

int pg_journal_canary(struct pg_journal *j, const int64_t ns[PG_CANARIES], struct pg_err *err)
{
	struct pg_str *l = start(j, "{\"canary\":[");

	for (int i = 0; i < PG_CANARIES; i++) {
		pg_str_adds(l, i ? "," : "");
		pg_str_addi(l, ns[i]);
	}
	pg_str_adds(l, "]}");
	return put_line(j, err);
}

int pg_journal_state(struct pg_journal *j, enum pg_run_state state, struct pg_err *err)
{
	struct pg_str *l = start(j, "{\"state\":");

	add_text(l, pg_run_state_name(state));
	pg_str_addc(l, '}');
	return put_line(j, err);
}

int pg_journal_sync(struct pg_journal *j, struct pg_err *err)
{
	if (!j->unsynced)
		return 0;
	/* EINVAL, EROFS: a file system that cannot, such as a pipe in its place; nothing is lost by that. */
	if (fdatasync(j->fd) != 0 && errno != EINVAL && errno != EROFS) {
		pg_fail_sys(err, "cannot write '%s' to the disk", PG_JOURNAL_NAME);
		if (err)
			err->code = PG_EWRITE;
		return -1;
	}
	j->unsynced = false;
	return 0;
}
