/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranges as values of an axis. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "tests/support/valuekit.h"

static const struct sample ranges[] = {
	{GROUPS, "1..8", "1 2 3 4 5 6 7 8", ""},
	{GROUPS, "4..4", "4", ""},
	{GROUPS, "1 .. 3", "1 2 3", ""},
	{GROUPS, "1..100 by 25", "1 26 51 76", ""},
	{GROUPS, "1..101 by 25", "1 26 51 76 101", ""},
	{GROUPS, "1..64 x2", "1 2 4 8 16 32 64", ""},
	{GROUPS, "1..63 x 2", "1 2 4 8 16 32", ""},
	{GROUPS, "3..100 x10", "3 30", ""},
	{GROUPS, "4..9 x1.5", "4 6 9", ""},
	{GROUPS, "1..4*cpus x2", "1! 2! 4! 8! 16!", ""},
	{GROUPS, "cpus..2*cpus by cores", "4! 6! 8!", ""},
	{GROUPS, "[1..2, 5, 10..30 by 10]", "1 2 5 10 20 30", ""},
	{GROUPS, "99999..100000", "99999 100000", ""},
	{GROUPS, "[cpus..1, 3]", "3", "1:2: note: range cpus..1 is empty on this machine; dropped"},
	{GROUPS, "cpus..1", NULL,
	 "1:1: note: range cpus..1 is empty on this machine; dropped\n"
	 "1:1: groups has no value left on this machine; add one that does not depend on it"},
	{GROUPS, "1..100000*cpus x10", "1! 10! 100! 1000! 10000! 100000!", ""},
	{GROUPS, "50000..50000*cpus x2", "50000! 100000!",
	 "1:1: note: groups: 50000..50000*cpus x2: value 200000 is out of range; allowed: 1 to 100000; dropped 1 of "
	 "its values"},
	{GROUPS, "[cpus - 6..2*cpus by 5, 1]", "3! 8! 1",
	 "1:2: note: groups: cpus - 6..2*cpus by 5: value -2 is below 0; allowed: a number from 1 to 100000; dropped 1 "
	 "of its "
	 "values"},
	{GROUPS, "0..cpus", NULL, "1:1: groups: value 0 is out of range; allowed: 1 to 100000"},
	{GROUPS, "0..8", NULL, "1:1: groups: value 0 is out of range; allowed: 1 to 100000"},
	{GROUPS, "99999..100001", NULL, "1:1: groups: value 100001 is out of range; allowed: 1 to 100000"},
	{GROUPS, "1..150000 x2", NULL, "1:1: groups: value 131072 is out of range; allowed: 1 to 100000"},
	{GROUPS, "5..1", NULL,
	 "1:4: range 5..1 is empty, its end is below its start; values in another order stand in a list"},
	{GROUPS, "1..8 by 0", NULL, "1:9: range 1..8 by 0: a step of 0 never reaches the end; a step is above 0"},
	{GROUPS, "1..8 by -1", NULL,
	 "1:9: groups: step -1 goes down; a step is above 0, values in another order stand in a list"},
	{GROUPS, "1..8 by", NULL, "1:8: groups: a step is due after `by`, as in 0..100 by 25"},
	{GROUPS, "1..8 by 0.5", NULL,
	 "1:9: groups: '0.5' is no whole number (a fraction where a whole number is due)" COUNT_ALLOWED},
	{GROUPS, "1..8 x1", NULL,
	 "1:7: groups: factor 1 never reaches the end; a factor is above 1, a step is written `by`"},
	{GROUPS, "1..8 x1.0", NULL,
	 "1:7: groups: factor 1.0 never reaches the end; a factor is above 1, a step is written `by`"},
	{GROUPS, "1..8 x0", NULL,
	 "1:7: groups: factor 0 never reaches the end; a factor is above 1, a step is written `by`"},
	{GROUPS, "1..8 x-2", NULL,
	 "1:7: groups: factor -2 never reaches the end; a factor is above 1, a step is written `by`"},
	{GROUPS, "1..8 x", NULL, "1:7: groups: factor '' is no number (empty text); write a decimal above 1, as in x2"},
	{GROUPS, "1..8 x2y", NULL,
	 "1:7: groups: factor '2y' is no number (not a number); write a decimal above 1, as in x2"},
	{GROUPS, "0..8 x2", NULL,
	 "1:1: range 0..8 x2: no factor leads away from 0; start above 0 and list 0 apart, as in [0, 1..64 x2]"},
	{GROUPS, "1..10 x1.5", NULL,
	 "1:8: groups: range 1..10 x1.5 has the value 1.5, no whole number; use a whole factor, or list the values"},
	{GROUPS, "..8", NULL, "1:1: groups: a range needs a start and an end, as in 1..8"},
	{GROUPS, "1..", NULL, "1:4: groups: a range needs a start and an end, as in 1..8"},
	{GROUPS, "1..2..3", NULL, "1:4: groups: a second `..`; a range has one start and one end, as in 1..8"},
	{GROUPS, "1...8", NULL,
	 "1:4: groups: '.8' is no whole number (a fraction where a whole number is due)" COUNT_ALLOWED},
	{GROUPS, "1..64x2", NULL,
	 "1:4: groups: '64x2' is no whole number (not a number)" COUNT_ALLOWED
	 "; a blank stands before the factor, as in 1..64 x2"},
	{GROUPS, "1..64 *2", NULL, "1:4: groups: '64 *2' is no whole number (not a number)" COUNT_ALLOWED WORDS_ONLY},
	{GROUPS, "01..8", NULL, "1:1: groups: '01' is no whole number (leading zeros)" COUNT_ALLOWED},
	{GROUPS, "  [ 1, 3..x ]", NULL, "1:11: groups: 'x' is no whole number (not a number)" COUNT_ALLOWED},
	{GROUPS, "1..2*gropus*cpus", NULL, "1:6: unknown name gropus; did you mean cpus"},
	{GROUPS, "1..\n  01", NULL, "1:1: groups: '01' is no whole number (leading zeros)" COUNT_ALLOWED},
	{LOOPS, "1..100000", "#100000", ""},
	{LOOPS, "1..100001", NULL, "1:1: range 1..100001 has more than 100000 values; give a larger step or a factor"},
	{LOOPS, "1..1000000000000 x10",
	 "1 10 100 1000 10000 100000 1000000 10000000 100000000 1000000000 10000000000 100000000000 "
	 "1000000000000",
	 ""},
	{SIZE, "1KB..64KB x4", "1KB 4KB 16KB 64KB", ""},
	{SIZE, "1KB..3KB by 512B", "1KB 1536B 2KB 2560B 3KB", ""},
	{SIZE, "1..8 x2", "1B 2B 4B 8B", ""},
	{SIZE, "4KB..4KB*cpus x2", "4KB! 8KB! 16KB!", ""},
	{SIZE, "1KB..1.5KB by 0.25KB", "1KB 1280B 1536B", ""},
	{SIZE, "1..64KB x4", NULL, "1:1: size: 1 has no unit and its neighbour has one; write 1B or 1KB"},
	{SIZE, "1KB..64 x4", NULL, "1:6: size: 64 has no unit and its neighbour has one; write 64B or 64KB"},
	{SIZE, "1KB..8KB by 1", NULL, "1:13: size: 1 has no unit and its neighbour has one; write 1B or 1KB"},
	{SIZE, "1KB..16TB", NULL, "1:1: range 1KB..16TB has more than 100000 values; give a larger step or a factor"},
	{SIZE, "1B..9B x1.5", NULL,
	 "1:9: size: range 1B..9B x1.5 has the value 1.5, no whole number; use a whole factor, or list the values"},
	{RUNTIME, "1ms..10ms by 3ms", "1ms 4ms 7ms 10ms", ""},
	{RUNTIME, "1s..1min x2", "1s 2s 4s 8s 16s 32s", ""},
	{RUNTIME, "1..10ms by 1ms", NULL,
	 "1:1: runtime: '1' is no time (unit missing or unknown); allowed: a time with unit (ns, us, ms, s, min, h) "
	 "from 1ms to 24h"},
	{LEVEL, "0..1 by 0.1", "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1", ""},
	{LEVEL, "0..1 by 0.3", "0 0.3 0.6 0.9", ""},
	{LEVEL, "-1..1 by 0.5", "-1 -0.5 0 0.5 1", ""},
	{LEVEL, "1..2 x1.1", "1 1.1 1.21 1.331 1.4641 1.61051 1.771561 1.9487171", ""},
	{LEVEL, "0.001..1 x10", "0.001 0.01 0.1 1", ""},
	{LEVEL, "1..2 x1.01", NULL,
	 "1:7: range 1..2 x1.01 needs more than 18 digits; use a rounder step or factor, or list the values"},
	{LEVEL, "1..1000000000000000000 x1000000000", "1 1000000000 1000000000000000000", ""},
	{TEXT, "1..8", "1..8", ""},
	{TRANSPORT, "pipe..inet", NULL,
	 "1:1: transport: 'pipe..inet' is no value of transport, did you mean 'pipe'?; allowed: one of socket, pipe, "
	 "inet"},
};

START_TEST(range_values)
{
	check(&ranges[_i], false);
}
END_TEST

PG_TEST_MAIN("plan_range", ((const struct pg_test[]){
				   {range_values, sizeof(ranges) / sizeof(ranges[0])},
				   {NULL, 0},
			   }))
