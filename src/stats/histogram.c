/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The buckets of a log-linear histogram of times in ns: below SUB one a value, then SUB a power of two. */
#include "stats/tests.h"

#define SUB 128u /* buckets a power of two */

unsigned pg_bucket(uint64_t ns)
{
	unsigned e = 0;

	if (ns < SUB)
		return (unsigned)ns;
	while (ns >> e >= 2 * SUB)
		e++;
	if (SUB + SUB * e + SUB > PG_BUCKETS)
		return PG_BUCKETS - 1;
	return SUB + SUB * e + (unsigned)((ns >> e) - SUB);
}

uint64_t pg_bucket_lowest(unsigned index)
{
	unsigned e;

	if (index < SUB)
		return index;
	e = (index - SUB) / SUB;
	return (uint64_t)(SUB + (index - SUB) % SUB) << e;
}

uint64_t pg_bucket_highest(unsigned index)
{
	unsigned e = index < SUB ? 0 : (index - SUB) / SUB;

	return pg_bucket_lowest(index) + ((uint64_t)1 << e) - 1;
}
