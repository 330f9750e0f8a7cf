/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of the journal to a record. A rep record in exactly the form that is written goes through a scanner of its
 * own (journal_scan.c); whatever has another form goes through jansson.
 */
#include "store/journal.h"

#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "store/json.h"

bool pg_record_status(const char *t, size_t n, enum pg_status *out)
{
	char name[16];
	int v;

	if (n >= sizeof(name))
		return false;
	memcpy(name, t, n);
	name[n] = '\0';
	v = pg_status_find(name);
	if (v < 0 || v > PG_ST_INVALID)
		return false;
	*out = (enum pg_status)v;
	return true;
}

static int bad(struct pg_err *err, const char *what)
{
	return pg_fail(err, PG_EINPUT, "%s", what);
}

static bool cell_member(const struct json_t *j, const char *key, uint64_t *id)
{
	const char *s = pg_json_text(j, key);

	return s && pg_cell_id_parse(s, id) == 0;
}

/* Absent and empty are none. */
static bool variant_member(const struct json_t *j, struct pg_record *r)
{
	const char *s = pg_json_text(j, "v");
	size_t n = s ? strlen(s) : 0;

	r->variant[0] = '\0';
	if (!s)
		return !pg_json_get(j, "v");
	if (n >= sizeof(r->variant))
		return false;
	memcpy(r->variant, s, n + 1);
	return true;
}

static bool mark_member(const struct json_t *j, const char *key, bool *out)
{
	int64_t v = 0;

	if (!pg_json_get(j, key) || (pg_json_int(j, key, &v) && (v == 0 || v == 1))) {
		*out = v == 1;
		return true;
	}
	return false;
}

static bool u32_member(const struct json_t *j, const char *key, uint32_t *out)
{
	int64_t v;

	if (!pg_json_int(j, key, &v) || v < 0 || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

static bool raw_value(const struct json_t *j, struct pg_raw *v)
{
	int64_t e = 0;

	memset(v, 0, sizeof(*v));
	if (pg_json_as_int(j, &v->raw)) {
		v->plain = true;
		return true;
	}
	if (pg_json_is_array(j)) {
		if (pg_json_len(j) != 2 || !pg_json_as_int(pg_json_at(j, 0), &v->raw) ||
		    !pg_json_as_int(pg_json_at(j, 1), &e) || e < INT8_MIN || e > INT8_MAX)
			return false;
		v->exp10 = (int8_t)e;
		return true;
	}
	v->missing = true;
	return pg_json_is_null(j);
}

static bool arrays(const struct json_t *j, struct pg_record *r)
{
	const struct json_t *m = pg_json_get(j, "m"), *f = pg_json_get(j, "f");

	r->n_m = pg_json_len(m);
	r->n_f = pg_json_len(f);
	if (!pg_json_is_array(m) || !pg_json_is_array(f) || r->n_m > PG_OUT_SAMPLES || r->n_f > PG_RECORD_FACTS)
		return false;
	for (size_t i = 0; i < r->n_m; i++)
		if (!raw_value(pg_json_at(m, i), &r->m[i]))
			return false;
	for (size_t i = 0; i < r->n_f; i++) {
		struct pg_raw v;

		if (!raw_value(pg_json_at(f, i), &v) || (!v.missing && !v.plain))
			return false;
		r->f[i] = v.missing ? PG_FACT_ABSENT : v.raw;
	}
	return true;
}

static bool seed_member(const struct json_t *j, struct pg_record *r)
{
	const char *s = pg_json_text(j, "seed");

	r->seed = 0;
	r->seeded = s != NULL;
	return s ? pg_parse_u64(s, strlen(s), &r->seed) == PG_NUM_OK : !pg_json_get(j, "seed");
}

static int rep(const struct json_t *j, struct pg_record *r, struct pg_err *err)
{
	const char *phase = pg_json_text(j, "p"), *status = pg_json_text(j, "s"), *why = pg_json_text(j, "why");
	int64_t n;

	r->kind = PG_REC_REP;
	if (!pg_json_int(j, "n", &n) || n < 1)
		return bad(err, "'n' is no number from 1 on");
	r->n = (uint64_t)n;
	if (!cell_member(j, "c", &r->cell))
		return bad(err, "'c' is no cell id");
	if (!variant_member(j, r))
		return bad(err, "'v' is no label of a variant");
	if (!phase || (strcmp(phase, "w") != 0 && strcmp(phase, "m") != 0))
		return bad(err, "'p' is neither w nor m");
	r->warmup = *phase == 'w';
	if (!u32_member(j, "k", &r->round) || !u32_member(j, "o", &r->position) || !u32_member(j, "a", &r->attempt))
		return bad(err, "'k', 'o' or 'a' is no number");
	if (!mark_member(j, "d", &r->disturbed) || !mark_member(j, "r", &r->redo))
		return bad(err, "'d' or 'r' is neither 0 nor 1");
	if (!seed_member(j, r))
		return bad(err, "'seed' is no number in quotes");
	if (!status || !pg_record_status(status, strlen(status), &r->status))
		return bad(err, "'s' is no status of a rep");
	if (!arrays(j, r))
		return bad(err, "'m' or 'f' is no list of numbers");
	r->why[0] = '\0';
	if (why) {
		size_t len = pg_utf8_cut(why, strnlen(why, sizeof(r->why) - 1));

		memcpy(r->why, why, len);
		r->why[len] = '\0';
	}
	return 0;
}

static int session(const struct json_t *j, struct pg_record *r, struct pg_err *err)
{
	const char *boot = pg_json_text(j, "boot");
	int64_t part = 0;

	r->kind = PG_REC_SESSION;
	if (pg_json_get(j, "part") && (!pg_json_int(j, "part", &part) || part < 1 || part > UINT32_MAX))
		return bad(err, "'part' is no number from 1 on");
	r->part = (uint32_t)part;
	if (!boot || strlen(boot) >= sizeof(r->boot))
		return bad(err, "'boot' is no boot id");
	memcpy(r->boot, boot, strlen(boot) + 1);
	return 0;
}

static int calibration(const struct json_t *j, struct pg_record *r, struct pg_err *err)
{
	int64_t ops;

	r->kind = PG_REC_CAL;
	if (!cell_member(j, "cal", &r->cell) || !variant_member(j, r) || !pg_json_int(j, "loops", &ops) || ops < 1)
		return bad(err, "'cal' is no cell id or 'loops' no number from 1 on");
	r->ops = (uint64_t)ops;
	return 0;
}

static int ending(const struct json_t *j, struct pg_record *r, struct pg_err *err)
{
	const char *name = pg_json_text(j, "stop");
	int stop = name ? pg_stop_find(name) : -1;

	r->kind = PG_REC_END;
	if (!cell_member(j, "end", &r->cell) || !variant_member(j, r) || stop <= PG_STOP_NONE)
		return bad(err, "'end' is no cell id or 'stop' no reason to stop");
	r->stop = (enum pg_stop)stop;
	return 0;
}

static int state(const struct json_t *j, struct pg_record *r, struct pg_err *err)
{
	const char *name = pg_json_text(j, "state");
	int v = name ? pg_run_state_find(name) : -1;

	r->kind = PG_REC_STATE;
	if (v < 0)
		return bad(err, "'state' is no state of a run");
	r->state = (enum pg_run_state)v;
	return 0;
}

static int retry(const struct json_t *j, struct pg_record *r, struct pg_err *err)
{
	r->kind = PG_REC_RETRY;
	return cell_member(j, "retry", &r->cell) && variant_member(j, r) ? 0 : bad(err, "'retry' is no cell id");
}

/* More than these are of a later version. */
static int canary(const struct json_t *j, struct pg_record *r, struct pg_err *err)
{
	const struct json_t *ns = pg_json_get(j, "canary");
	size_t n = pg_json_is_array(ns) ? pg_json_len(ns) : 0;

	r->kind = PG_REC_CANARY;
	for (size_t i = 0; i < PG_CANARIES; i++)
		if (i >= n || !pg_json_as_int(pg_json_at(ns, i), &r->canary[i]) || r->canary[i] < 0)
			return bad(err, "'canary' is no list of times in ns");
	return 0;
}

static int header(const struct json_t *j, struct pg_record *r, struct pg_err *err)
{
	int64_t version;

	r->kind = PG_REC_HEADER;
	if (!pg_json_int(j, "perfgrid", &version) || version != 1)
		return bad(err, "a journal of another version of perfgrid; use that version");
	return 0;
}

int pg_record_slow(const char *line, size_t n, struct pg_record *r, struct pg_err *err)
{
	static const struct {
		const char *key;
		int (*read)(const struct json_t *j, struct pg_record *r, struct pg_err *err);
	} kinds[] = {
		{"n", rep},	  {"cal", calibration}, {"end", ending},    {"session", session},
		{"state", state}, {"retry", retry},	{"canary", canary}, {"perfgrid", header},
	};
	struct json_t *j = pg_json_parse(line, n, err);
	int result = -1;
	size_t k = 0;

	r->header = NULL;
	if (!j)
		return -1;
	while (k < sizeof(kinds) / sizeof(*kinds) && !pg_json_get(j, kinds[k].key))
		k++;
	if (k == sizeof(kinds) / sizeof(*kinds))
		bad(err, "no record of a journal");
	else
		result = kinds[k].read(j, r, err);
	if (result == 0 && r->kind == PG_REC_HEADER)
		r->header = j;
	else
		pg_json_free(j);
	return result;
}

int pg_record_parse(const char *line, size_t n, struct pg_record *r, struct pg_err *err)
{
	if (pg_record_fast(line, n, r))
		return 0;
	return pg_record_slow(line, n, r, err);
}

void pg_record_drop(struct pg_record *r)
{
	pg_json_free(r->header);
	r->header = NULL;
}
