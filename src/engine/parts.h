/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sessions: k` of a scenario splits the rounds of a run into k parts with rests between. Which rounds are of which
 * part, for those who measure them and for those who compare them.
 */
#ifndef PG_ENGINE_PARTS_H
#define PG_ENGINE_PARTS_H

#include <stdint.h>

/* Between two parts. What comes sooner after another is the same weather measured twice. */
#define PG_REST_NS INT64_C(60000000000)

/* The last round of part `number`, 1-based, of `parts`, of `most` rounds in all. Here and below 0 parts are one. */
uint32_t pg_part_end(uint32_t most, uint32_t number, uint32_t parts);
/* The part that a round, 1-based, is of. Rounds beyond the most, those of cells that are tried again, are of the last.
 */
uint32_t pg_part_of(uint32_t most, uint32_t round, uint32_t parts);

#endif
