/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xoshiro256** (Blackman and Vigna, public domain) seeded through splitmix64: the same order from the same seed on
 * every machine. */
#include "stats/stats.h"

#include <assert.h>

#include "base/str.h"

static uint64_t rotate(uint64_t x, unsigned by)
{
	return (x << by) | (x >> (64 - by));
}

void pg_rng_seed(struct pg_rng *r, uint64_t seed)
{
	for (size_t i = 0; i < 4; i++)
		r->s[i] = pg_splitmix64(&seed);
}

uint64_t pg_rng_next(struct pg_rng *r)
{
	uint64_t *s = r->s, out = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return out;
}

/* a * b as 128 bits: returns the high half. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low)
{
	uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
	uint64_t mid = a1 * b0 + (a0 * b0 >> 32), mid2 = a0 * b1 + (mid & UINT32_MAX);

	*low = a * b;
	return a1 * b1 + (mid >> 32) + (mid2 >> 32);
}

/* 2^64 numbers fall on `bound` results: the first 2^64 mod bound of each result's share are drawn again, so all shares
 * are equal. */
uint64_t pg_rng_below(struct pg_rng *r, uint64_t bound)
{
	uint64_t low, high, odd;

	assert(bound >= 1);
	high = multiply(pg_rng_next(r), bound, &low);
	if (low >= bound)
		return high;
	odd = -bound % bound;
	while (low < odd)
		high = multiply(pg_rng_next(r), bound, &low);
	return high;
}

double pg_rng_unit(struct pg_rng *r)
{
	return (double)(pg_rng_next(r) >> 11) * 0x1p-53;
}

/* By inversion of one number strictly inside (0, 1): one draw, no state kept. */
double pg_rng_normal(struct pg_rng *r)
{
	return pg_qnorm(((double)(pg_rng_next(r) >> 12) + 0.5) * 0x1p-52);
}

void pg_shuffle_u32(struct pg_rng *r, uint32_t *a, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)pg_rng_below(r, i);
		uint32_t t = a[k];

		a[k] = a[i - 1];
		a[i - 1] = t;
	}
}
