/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order in which a task visits an area, and the visits. The random numbers are xorshift64*: never 0, and no run of
 * small ones at the start, unlike the ancestor's shift register that began at the worker's number.
 */
#include "suites/numa.h"

#include <string.h>

uint64_t pg_numa_seed(uint64_t seed, uint64_t i)
{
	const uint64_t x = pg_mix64(seed + (i + 1) * PG_GOLDEN64);

	return x ? x : 1; /* 0 would stay 0 */
}

uint64_t pg_numa_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * UINT64_C(0x2545f4914f6cdd1d);
}

void pg_numa_walk_begin(struct pg_numa_walk *k, const struct pg_numa_conf *conf, uint64_t words,
			const struct pg_numa_turn *turn)
{
	*k = (struct pg_numa_walk){.words = words, .left = words};
	if (conf->pattern == PG_NUMA_RANDOM) {
		k->random = true;
		k->most = PG_NUMA_CHUNK;
	} else if (conf->access == PG_NUMA_ZERO) {
		k->most = PG_NUMA_ZEROED;
	} else {
		k->most = PG_NUMA_SLICE;
		/* Workers begin apart, and each one elsewhere every time. */
		k->at = words / turn->workers * ((turn->worker + turn->pass) % turn->workers);
		k->back = conf->pattern == PG_NUMA_ALTERNATING && (turn->worker + turn->pass) % 2 == 0;
	}
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

bool pg_numa_walk_next(struct pg_numa_walk *k, uint64_t *random, struct pg_numa_span *out)
{
	if (k->left == 0)
		return false;
	if (k->random) {
		out->nominal = least(k->most, k->left);
		out->first = pg_numa_random(random) % k->words;
		out->words = least(out->nominal, k->words - out->first);
	} else if (k->back) {
		if (k->at == 0)
			k->at = k->words;
		out->nominal = out->words = least(least(k->most, k->left), k->at);
		k->at -= out->words;
		out->first = k->at;
	} else {
		out->nominal = out->words = least(least(k->most, k->left), k->words - k->at);
		out->first = k->at;
		k->at += out->words;
		if (k->at == k->words)
			k->at = 0;
	}
	k->left -= out->nominal;
	return true;
}

/*
 * Relaxed atomics: tasks that share an area visit the same words at the same time; on every machine they are plain
 * loads and stores.
 */
static inline __attribute__((always_inline)) uint64_t visit_word(_Atomic uint64_t *word, int access, uint64_t value)
{
	if (access != PG_NUMA_WRITE)
		value += atomic_load_explicit(word, memory_order_relaxed);
	if (access != PG_NUMA_READ)
		atomic_store_explicit(word, value + 1, memory_order_relaxed);
	return value;
}

static inline __attribute__((always_inline)) uint64_t visit_words(_Atomic uint64_t *p, uint64_t n, bool back,
								  int access, uint64_t value)
{
	if (back)
		for (uint64_t i = n; i-- > 0;)
			value = visit_word(&p[i], access, value);
	else
		for (uint64_t i = 0; i < n; i++)
			value = visit_word(&p[i], access, value);
	return value;
}

/* Reading alone has two sums: with one of them the additions bound the walk, one word a cycle, and not the memory. */
static uint64_t read_words(_Atomic uint64_t *p, uint64_t n, bool back, uint64_t value)
{
	uint64_t other = 0, i = back ? n : 0;

	if (n % 2 == 1)
		value = visit_word(&p[back ? --i : i++], PG_NUMA_READ, value);
	if (back)
		for (; i > 0; i -= 2) {
			value = visit_word(&p[i - 1], PG_NUMA_READ, value);
			other = visit_word(&p[i - 2], PG_NUMA_READ, other);
		}
	else
		for (; i < n; i += 2) {
			value = visit_word(&p[i], PG_NUMA_READ, value);
			other = visit_word(&p[i + 1], PG_NUMA_READ, other);
		}
	return value + other;
}

uint64_t pg_numa_visit(_Atomic uint64_t *p, uint64_t n, bool back, int access, uint64_t value)
{
	switch ((enum pg_numa_access)access) {
	case PG_NUMA_READ_WRITE:
		return visit_words(p, n, back, PG_NUMA_READ_WRITE, value);
	case PG_NUMA_READ:
		return read_words(p, n, back, value);
	case PG_NUMA_WRITE:
		return visit_words(p, n, back, PG_NUMA_WRITE, value);
	case PG_NUMA_ZERO:
		memset((void *)(uintptr_t)p, 0, n * sizeof(*p));
		return value;
	}
	return value;
}
