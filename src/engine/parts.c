/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the rounds of a run. */
#include "engine/parts.h"

uint32_t pg_part_end(uint32_t most, uint32_t number, uint32_t parts)
{
	if (parts == 0)
		return most;
	return (uint32_t)(((uint64_t)most * number + parts - 1) / parts);
}

uint32_t pg_part_of(uint32_t most, uint32_t round, uint32_t parts)
{
	uint64_t number;

	if (round == 0 || most == 0 || parts == 0)
		return 1;
	/* The first whose end is not before the round. */
	number = ((uint64_t)round - 1) * parts / most + 1;
	return number < parts ? (uint32_t)number : parts;
}
