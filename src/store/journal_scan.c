/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rep record in exactly the form that is written: a hundred thousand of them are read at once.
 */
#include "store/journal.h"

#include <string.h>

#include "base/num.h"

struct scan {
	const char *p, *end;
	bool ok;
};

static void literal(struct scan *s, const char *text, size_t n)
{
	s->ok = s->ok && (size_t)(s->end - s->p) >= n && memcmp(s->p, text, n) == 0;
	if (s->ok)
		s->p += n;
}
#define LITERAL(s, text) literal(s, text, sizeof(text) - 1)

static bool peek(const struct scan *s, char c)
{
	return s->ok && s->p < s->end && *s->p == c;
}

static int64_t integer(struct scan *s)
{
	bool minus = peek(s, '-');
	const char *start;
	uint64_t v = 0;
	size_t n;

	s->p += minus;
	start = s->p;
	/* 19 digits fit 64 bits without a sign; more are left to jansson. */
	while (s->ok && s->p < s->end && *s->p >= '0' && *s->p <= '9' && s->p - start < 20)
		v = v * 10 + (uint64_t)(*s->p++ - '0');
	n = (size_t)(s->p - start);
	s->ok = s->ok && n > 0 && n < 20 && v <= INT64_MAX && (*start != '0' || n == 1);
	if (!s->ok)
		return 0;
	return minus ? -(int64_t)v : (int64_t)v;
}

static uint32_t small(struct scan *s)
{
	int64_t v = integer(s);

	s->ok = s->ok && v >= 0 && v <= UINT32_MAX;
	return s->ok ? (uint32_t)v : 0;
}

/* Text up to the closing quote, which is passed over; text with escapes is left to jansson. */
static size_t text(struct scan *s, const char **out)
{
	const char *start = s->p;

	while (s->ok && s->p < s->end && *s->p != '"' && *s->p != '\\' && (unsigned char)*s->p >= 0x20)
		s->p++;
	*out = start;
	s->ok = s->ok && s->p < s->end && *s->p == '"';
	if (!s->ok)
		return 0;
	s->p++;
	return (size_t)(s->p - 1 - start);
}

static void scan_raw(struct scan *s, struct pg_raw *v)
{
	int64_t e = 0;

	v->raw = 0;
	v->exp10 = 0;
	v->plain = v->missing = false;
	if (peek(s, 'n')) {
		LITERAL(s, "null");
		v->missing = true;
	} else if (peek(s, '[')) {
		s->p++;
		v->raw = integer(s);
		LITERAL(s, ",");
		e = integer(s);
		LITERAL(s, "]");
		s->ok = s->ok && e >= INT8_MIN && e <= INT8_MAX;
		v->exp10 = (int8_t)(s->ok ? e : 0);
	} else {
		v->raw = integer(s);
		v->plain = true;
	}
}

/* The elements of an array, the opening bracket already passed over. */
static void scan_metrics(struct scan *s, struct pg_record *r)
{
	r->n_m = 0;
	while (s->ok && !peek(s, ']')) {
		if (r->n_m)
			LITERAL(s, ",");
		if (r->n_m == PG_OUT_SAMPLES)
			s->ok = false;
		else
			scan_raw(s, &r->m[r->n_m++]);
	}
	LITERAL(s, "]");
}

static void scan_facts(struct scan *s, struct pg_record *r)
{
	struct pg_raw v;

	r->n_f = 0;
	while (s->ok && !peek(s, ']')) {
		if (r->n_f)
			LITERAL(s, ",");
		scan_raw(s, &v);
		if (r->n_f == PG_RECORD_FACTS || (!v.missing && !v.plain))
			s->ok = false;
		else
			r->f[r->n_f++] = v.missing ? PG_FACT_ABSENT : v.raw;
	}
	LITERAL(s, "]");
}

static void scan_cell(struct scan *s, uint64_t *id)
{
	char buf[PG_CELL_ID_BUF];
	const char *t;

	if (text(s, &t) != sizeof(buf) - 1)
		s->ok = false;
	if (!s->ok)
		return;
	memcpy(buf, t, sizeof(buf) - 1);
	buf[sizeof(buf) - 1] = '\0';
	s->ok = pg_cell_id_parse(buf, id) == 0;
}

/* `,"v":"LABEL"`, where there are variants. */
static void scan_variant(struct scan *s, struct pg_record *r)
{
	const char *t;
	size_t n;

	r->variant[0] = '\0';
	if (!s->ok || s->end - s->p < 5 || memcmp(s->p, ",\"v\":", 5) != 0)
		return;
	LITERAL(s, ",\"v\":\"");
	n = text(s, &t);
	s->ok = s->ok && n < sizeof(r->variant);
	if (!s->ok)
		return;
	memcpy(r->variant, t, n);
	r->variant[n] = '\0';
}

/* `,"d":1`: a mark, which stands only where it is true. */
static bool scan_mark(struct scan *s, char name)
{
	if (!s->ok || s->end - s->p < 6 || s->p[0] != ',' || s->p[1] != '"' || s->p[2] != name)
		return false;
	s->p += 3;
	LITERAL(s, "\":1");
	return s->ok;
}

/* Text, for it may need 64 bits, which JSON readers do not all have. Journals of before it was kept have none. */
static void scan_seed(struct scan *s, struct pg_record *r)
{
	const char *t;
	size_t n;

	r->seeded = s->ok && s->end - s->p > 8 && memcmp(s->p, ",\"seed\":", 8) == 0;
	r->seed = 0;
	if (!r->seeded)
		return;
	LITERAL(s, ",\"seed\":\"");
	n = text(s, &t);
	s->ok = s->ok && pg_parse_u64(t, n, &r->seed) == PG_NUM_OK;
}

static void scan_why(struct scan *s, struct pg_record *r)
{
	const char *t;
	size_t n;

	r->why[0] = '\0';
	if (!peek(s, ','))
		return;
	LITERAL(s, ",\"why\":\"");
	n = text(s, &t);
	/* Longer or of other encoding than anything that is written: jansson decides. */
	for (size_t i = 0; s->ok && i < n;) {
		size_t k = pg_utf8_len(t + i, n - i);

		s->ok = k > 0;
		i += k;
	}
	if (n >= sizeof(r->why))
		s->ok = false;
	if (!s->ok)
		return;
	memcpy(r->why, t, n);
	r->why[n] = '\0';
}

bool pg_record_fast(const char *line, size_t n, struct pg_record *r)
{
	struct scan s = {line, line + n, true};
	const char *t;
	size_t len;
	int64_t v;

	LITERAL(&s, "{\"n\":");
	v = integer(&s);
	LITERAL(&s, ",\"c\":\"");
	scan_cell(&s, &r->cell);
	scan_variant(&s, r);
	LITERAL(&s, ",\"p\":\"");
	if (!s.ok || v < 1 || s.p == s.end || (*s.p != 'w' && *s.p != 'm'))
		return false;
	r->n = (uint64_t)v;
	r->warmup = *s.p++ == 'w';
	LITERAL(&s, "\",\"k\":");
	r->round = small(&s);
	LITERAL(&s, ",\"o\":");
	r->position = small(&s);
	LITERAL(&s, ",\"a\":");
	r->attempt = small(&s);
	r->disturbed = scan_mark(&s, 'd');
	r->redo = scan_mark(&s, 'r');
	scan_seed(&s, r);
	LITERAL(&s, ",\"s\":\"");
	len = text(&s, &t);
	if (!s.ok || !pg_record_status(t, len, &r->status))
		return false;
	LITERAL(&s, ",\"m\":[");
	scan_metrics(&s, r);
	LITERAL(&s, ",\"f\":[");
	scan_facts(&s, r);
	scan_why(&s, r);
	LITERAL(&s, "}");
	r->kind = PG_REC_REP;
	r->header = NULL;
	return s.ok && s.p == s.end;
}
