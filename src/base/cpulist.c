/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU sets and their list text. The bits lie as the kernel's affinity masks do: arrays of unsigned long.
 */
#include "base/cpulist.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

#define BITS (sizeof(unsigned long) * CHAR_BIT)

void pg_cpuset_init(struct pg_cpuset *s)
{
	s->bits = NULL;
	s->words = 0;
}

void pg_cpuset_release(struct pg_cpuset *s)
{
	free(s->bits);
	pg_cpuset_init(s);
}

static int reserve(struct pg_cpuset *s, size_t words)
{
	unsigned long *p;

	if (words <= s->words)
		return 0;
	p = realloc(s->bits, words * sizeof(*p));
	if (!p)
		return -1;
	memset(p + s->words, 0, (words - s->words) * sizeof(*p));
	s->bits = p;
	s->words = words;
	return 0;
}

int pg_cpuset_add(struct pg_cpuset *s, unsigned cpu)
{
	if (cpu >= PG_CPU_MAX || reserve(s, cpu / BITS + 1) < 0)
		return -1;
	s->bits[cpu / BITS] |= 1UL << cpu % BITS;
	return 0;
}

void pg_cpuset_del(struct pg_cpuset *s, unsigned cpu)
{
	if (cpu / BITS < s->words)
		s->bits[cpu / BITS] &= ~(1UL << cpu % BITS);
}

bool pg_cpuset_has(const struct pg_cpuset *s, unsigned cpu)
{
	return cpu / BITS < s->words && (s->bits[cpu / BITS] >> cpu % BITS & 1);
}

size_t pg_cpuset_count(const struct pg_cpuset *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->words; i++)
		n += (size_t)__builtin_popcountl(s->bits[i]);
	return n;
}

int pg_cpuset_next(const struct pg_cpuset *s, int after)
{
	size_t from = after < 0 ? 0 : (size_t)after + 1;

	for (size_t w = from / BITS; w < s->words; w++) {
		unsigned long bits = s->bits[w];

		if (w == from / BITS)
			bits &= ~0UL << from % BITS;
		if (bits)
			return (int)(w * BITS + (size_t)__builtin_ctzl(bits));
	}
	return -1;
}

int pg_cpuset_nth(const struct pg_cpuset *s, size_t i)
{
	for (size_t w = 0; w < s->words; w++) {
		unsigned long bits = s->bits[w];
		size_t n = (size_t)__builtin_popcountl(bits);

		if (i >= n) {
			i -= n;
			continue;
		}
		for (; i; i--)
			bits &= bits - 1;
		return (int)(w * BITS + (size_t)__builtin_ctzl(bits));
	}
	return -1;
}

int pg_cpuset_copy(struct pg_cpuset *to, const struct pg_cpuset *from)
{
	if (to == from)
		return 0;
	if (reserve(to, from->words) < 0)
		return -1;
	if (from->words)
		memcpy(to->bits, from->bits, from->words * sizeof(*to->bits));
	if (to->words > from->words)
		memset(to->bits + from->words, 0, (to->words - from->words) * sizeof(*to->bits));
	return 0;
}

static unsigned long word(const struct pg_cpuset *s, size_t i)
{
	return i < s->words ? s->bits[i] : 0;
}

int pg_cpuset_and(struct pg_cpuset *to, const struct pg_cpuset *with)
{
	for (size_t i = 0; i < to->words; i++)
		to->bits[i] &= word(with, i);
	return 0;
}

bool pg_cpuset_equal(const struct pg_cpuset *a, const struct pg_cpuset *b)
{
	size_t n = a->words > b->words ? a->words : b->words;

	for (size_t i = 0; i < n; i++) {
		if (word(a, i) != word(b, i))
			return false;
	}
	return true;
}

bool pg_cpuset_subset(const struct pg_cpuset *a, const struct pg_cpuset *of)
{
	for (size_t i = 0; i < a->words; i++) {
		if (a->bits[i] & ~word(of, i))
			return false;
	}
	return true;
}

/* A text may name the same CPUs again and again; the work stops at this many names. */
#define MEMBER_LIMIT ((uint64_t)16 * PG_CPU_MAX)

struct parser {
	const char *s;
	size_t n, i;
	uint64_t members;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool accept(struct parser *p, char c)
{
	if (p->i >= p->n || p->s[p->i] != c)
		return false;
	p->i++;
	return true;
}

/* Bytes of the character at hand, for messages. */
static int char_len(const struct parser *p)
{
	size_t n = pg_utf8_len(p->s + p->i, p->n - p->i);

	return n ? (int)n : 1;
}

static int parse_number(struct parser *p, unsigned *out, struct pg_err *err)
{
	size_t start = p->i;
	unsigned v = 0;

	if (p->i == p->n)
		return pg_fail(err, PG_EINPUT, "the list ends where a number is due; allowed: a list like 0-3,8");
	if (!is_digit(p->s[p->i]))
		return pg_fail(err, PG_EINPUT, "a number is due, not '%.*s'; allowed: a list like 0-3,8", char_len(p),
			       p->s + p->i);
	for (; p->i < p->n && is_digit(p->s[p->i]); p->i++) {
		v = v * 10 + (unsigned)(p->s[p->i] - '0');
		if (v >= PG_CPU_MAX) {
			p->i = start;
			return pg_fail(err, PG_EINPUT, "number too large; allowed: 0 to %u", PG_CPU_MAX - 1);
		}
	}
	if (p->i - start > 1 && p->s[start] == '0') {
		p->i = start;
		return pg_fail(err, PG_EINPUT, "leading zeros; write the number without them");
	}
	*out = v;
	return 0;
}

/* N, N-M or N-M:STRIDE */
static int parse_range(struct parser *p, struct pg_cpuset *out, struct pg_err *err)
{
	size_t start = p->i, at;
	unsigned first, last, stride = 1;

	if (parse_number(p, &first, err) < 0)
		return -1;
	last = first;
	if (accept(p, '-')) {
		at = p->i;
		if (parse_number(p, &last, err) < 0)
			return -1;
		if (last < first) {
			p->i = at;
			return pg_fail(err, PG_EINPUT, "range %u-%u runs backwards; write %u-%u", first, last, last,
				       first);
		}
		at = p->i + 1;
		if (accept(p, ':') && parse_number(p, &stride, err) < 0)
			return -1;
		if (stride == 0) {
			p->i = at;
			return pg_fail(err, PG_EINPUT, "stride 0 never ends; allowed: 1 or more");
		}
	}
	p->members += (last - first) / stride + 1;
	if (p->members > MEMBER_LIMIT) {
		p->i = start;
		return pg_fail(err, PG_EINPUT, "the list names the same numbers too often; name each one once");
	}
	if (reserve(out, last / BITS + 1) < 0)
		return pg_fail_nomem(err);
	for (unsigned cpu = first; cpu <= last; cpu += stride)
		out->bits[cpu / BITS] |= 1UL << cpu % BITS;
	return 0;
}

static int parse_list(struct parser *p, struct pg_cpuset *out, struct pg_err *err)
{
	if (p->n == 0)
		return 0;
	do {
		if (parse_range(p, out, err) < 0)
			return -1;
	} while (accept(p, ','));
	if (p->i < p->n)
		return pg_fail(err, PG_EINPUT, "unexpected '%.*s'; allowed: a list like 0-3,8", char_len(p),
			       p->s + p->i);
	return 0;
}

int pg_cpulist_parse(const char *s, size_t n, struct pg_cpuset *out, size_t *pos, struct pg_err *err)
{
	struct parser p = {s, n, 0, 0};

	pg_cpuset_init(out);
	while (p.n && (s[p.n - 1] == '\n' || s[p.n - 1] == '\0'))
		p.n--;
	if (parse_list(&p, out, err) < 0) {
		pg_cpuset_release(out);
		if (pos)
			*pos = p.i;
		return -1;
	}
	return 0;
}

void pg_cpulist_format(const struct pg_cpuset *s, struct pg_str *out)
{
	int first = pg_cpuset_next(s, -1);
	bool more = false;

	while (first >= 0) {
		int last = first, next = pg_cpuset_next(s, first);

		while (next == last + 1) {
			last = next;
			next = pg_cpuset_next(s, last);
		}
		if (more)
			pg_str_addc(out, ',');
		more = true;
		pg_str_addu(out, (uint64_t)first);
		if (last > first) {
			pg_str_addc(out, '-');
			pg_str_addu(out, (uint64_t)last);
		}
		first = next;
	}
}
