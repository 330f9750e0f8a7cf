/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may stand where a value stands: scalars, machine words, ranges, lists, `all`, and every way to get one wrong. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "base/arena.h"
#include "plan/range.h"
#include "plan/values.h"
#include "tests/support/plandiag.h"

static const struct pg_choice auto_word[] = {{"auto", NULL}, {NULL, NULL}};
static const struct pg_choice whole_word[] = {{"whole", NULL}, {NULL, NULL}};
static const struct pg_choice transports[] = {{"socket", NULL}, {"pipe", NULL}, {"inet", NULL}, {NULL, NULL}};
static const struct pg_choice routines[] = {{"default", NULL}, {"avx2", NULL}, {"avx512", NULL}, {NULL, NULL}};

enum row { GROUPS, LOOPS, SIZE, CHUNK, RUNTIME, LEVEL, TRANSPORT, ROUTINE, CPUS, SHARED, TEXT };
static const struct pg_param rows[] = {
	[GROUPS] = {.name = "groups", .type = PG_COUNT, .min = "1", .max = "100000"},
	[LOOPS] = {.name = "loops", .type = PG_COUNT, .min = "1", .max = "1000000000000", .choices = auto_word},
	[SIZE] = {.name = "size", .type = PG_SIZE, .min = "1B", .max = "16TB"},
	[CHUNK] = {.name = "chunk", .type = PG_SIZE, .min = "1B", .max = "size", .choices = whole_word},
	[RUNTIME] = {.name = "runtime", .type = PG_TIME, .min = "1ms", .max = "24h"},
	[LEVEL] = {.name = "level", .type = PG_REAL},
	[TRANSPORT] = {.name = "transport", .type = PG_ENUM, .choices = transports},
	[ROUTINE] = {.name = "function", .type = PG_ENUM, .choices = routines, .role = PG_ALL},
	[CPUS] = {.name = "cpu_set", .type = PG_CPULIST},
	[SHARED] = {.name = "shared", .type = PG_BOOL},
	[TEXT] = {.name = "text", .type = PG_TEXT},
};

static const char *const missing[] = {"mem/memset.function=avx2", "mem/memcpy.function=avx512"};
static const struct pg_machine machine = {{4, 2, 1, 1, 1}, missing, 2};

struct sample {
	enum row row;
	const char *yaml;
	const char *values; /* value, (text) where that differs, ! made by the machine, * labelled; NULL = an error */
	const char *messages;
};

#define COUNT_ALLOWED "; allowed: a number from 1 to 100000"
#define SIZE_ALLOWED  "; allowed: a size (100B, 4KB, 1.5MB) from 1B to 16TB"
#define WORDS_ONLY    "; arithmetic stands here only with a machine word (cpus, cores, llcs, sockets, nodes)"

static const struct sample axes[] = {
	/* lists */
	{GROUPS, "4", "4", ""},
	{GROUPS, "[1, 2, 16]", "1 2 16", ""},
	{GROUPS, "- 16\n- 2\n", "16 2", ""},
	{GROUPS, "['1', \"2\"]", "1 2", ""},
	{GROUPS, "[1, 2, 4..32 x2, cpus]", "1 2 4 8 16 32", "1:18: note: groups: cpus is there already; dropped"},
	{GROUPS, "[cpus, 4, 2]", "4 2", "1:2: note: groups: cpus is there already; dropped"},
	{GROUPS, "[1, cpus, 3*cpus]", "1 4(cpus)!* 12(3*cpus)!*", ""},
	{GROUPS, "[cpus, 2*cores]", "4(cpus)!*", "1:8: note: groups: 2*cores is there already; dropped"},
	{GROUPS, "[1, 2, 2]", NULL, "1:8: groups: value 2 stands here again, it is at line 1, column 5; keep one"},
	{GROUPS, "[1..4, 2..6]", NULL, "1:8: groups: value 2 stands here again, it is at line 1, column 2; keep one"},
	{GROUPS, "[1..cpus, 2..6]", "1! 2 3 4 5 6", "1:2: note: groups: 2 is there already; dropped"},
	{GROUPS, "[]", NULL, "1:1: groups: an empty list; write at least one value"},
	{GROUPS, "[1, [2]]", NULL,
	 "1:5: groups: a value is due here, not a list; write one value, or one list of values"},
	{GROUPS, "{a: 1}", NULL, "1:1: groups: a value is due here, not a map; write one value, or one list of values"},
	{GROUPS, "[1, ~]", NULL, "1:5: groups has no value here" COUNT_ALLOWED},
	{GROUPS, "- 1\n-\n", NULL, "2:2: groups has no value here" COUNT_ALLOWED},
	{GROUPS, "[x, 1, y]", NULL,
	 "1:2: groups: 'x' is no whole number (not a number)" COUNT_ALLOWED
	 "\n1:8: groups: 'y' is no whole number (not a number)" COUNT_ALLOWED},
	{GROUPS, "[max(1, cpus - 1), 4]", NULL,
	 "1:2: the comma inside [ ] ends this text; write the list with `- ` lines: - max(1, cpus - 1)"},
	{GROUPS, "- max(1, cpus - 1)\n- 9\n", "3(max(1, cpus - 1))!* 9", ""},
	/* numbers that are none */
	{GROUPS, "1.5", NULL,
	 "1:1: groups: '1.5' is no whole number (a fraction where a whole number is due)" COUNT_ALLOWED},
	{GROUPS, "010", NULL, "1:1: groups: '010' is no whole number (leading zeros)" COUNT_ALLOWED},
	{GROUPS, "0x10", NULL, "1:1: groups: '0x10' is no whole number (hex, octal or binary notation)" COUNT_ALLOWED},
	{GROUPS, "0o17", NULL, "1:1: groups: '0o17' is no whole number (hex, octal or binary notation)" COUNT_ALLOWED},
	{GROUPS, "1_000", NULL, "1:1: groups: '1_000' is no whole number (an underscore in a number)" COUNT_ALLOWED},
	{GROUPS, "12:30", NULL, "1:1: groups: '12:30' is no whole number (a colon in a number)" COUNT_ALLOWED},
	{GROUPS, "+5", NULL, "1:1: groups: '+5' is no whole number (a sign)" COUNT_ALLOWED},
	{GROUPS, "-5", NULL, "1:1: groups: '-5' is no whole number (a sign)" COUNT_ALLOWED},
	{GROUPS, "1e3", NULL, "1:1: groups: '1e3' is no whole number (an exponent)" COUNT_ALLOWED},
	{GROUPS, "10x", NULL, "1:1: groups: '10x' is no whole number (not a number)" COUNT_ALLOWED},
	{GROUPS, "100abc", NULL, "1:1: groups: '100abc' is no whole number (not a number)" COUNT_ALLOWED},
	{GROUPS, "9223372036854775807", NULL,
	 "1:1: groups: value 9223372036854775807 is out of range; allowed: 1 to 100000"},
	{GROUPS, "9223372036854775808", NULL,
	 "1:1: groups: '9223372036854775808' is no whole number (number too large)" COUNT_ALLOWED},
	{GROUPS, "18446744073709551616", NULL,
	 "1:1: groups: '18446744073709551616' is no whole number (number too large)" COUNT_ALLOWED},
	{GROUPS, "0", NULL, "1:1: groups: value 0 is out of range; allowed: 1 to 100000"},
	{GROUPS, "100000", "100000", ""},
	{GROUPS, "100001", NULL, "1:1: groups: value 100001 is out of range; allowed: 1 to 100000"},
	{GROUPS, "'cpus'", NULL,
	 "1:1: groups: 'cpus' is no whole number (not a number)" COUNT_ALLOWED "; quotes make it text: leave them off"},
	{GROUPS, "'1..8'", NULL,
	 "1:1: groups: '1..8' is no whole number (a fraction where a whole number is due)" COUNT_ALLOWED
	 "; quotes make it text: leave them off"},
	{GROUPS, "0-3", NULL,
	 "1:1: groups: '0-3' is no whole number (not a number)" COUNT_ALLOWED
	 "; a range is written with two dots, as in 0..3"},
	{GROUPS, "2*4", NULL, "1:1: groups: '2*4' is no whole number (not a number)" COUNT_ALLOWED WORDS_ONLY},
	{GROUPS, "2*cpu", NULL,
	 "1:1: groups: '2*cpu' is no whole number (not a number)" COUNT_ALLOWED "; did you mean cpus"},
	/* machine words */
	{GROUPS, "cpus", "4(cpus)!*", ""},
	{GROUPS, "cpus/nodes", "4(cpus/nodes)!*", ""},
	{GROUPS, "cpus / 3", "1(cpus / 3)!*",
	 "1:1: note: groups: cpus / 3 is cut to 1 here; multiply before dividing where that matters"},
	{GROUPS, "[cpus - 4, 1]", "1",
	 "1:2: note: groups: cpus - 4: value 0 is out of range; allowed: 1 to 100000; dropped"},
	{GROUPS, "[cpus - 5, 1]", "1",
	 "1:2: note: groups: cpus - 5: value -1 is below 0; allowed: a number from 1 to 100000; dropped"},
	{GROUPS, "200000*cpus", NULL,
	 "1:1: note: groups: 200000*cpus: value 800000 is out of range; allowed: 1 to 100000; dropped\n"
	 "1:1: groups has no value left on this machine; add one that does not depend on it"},
	{GROUPS, "cpus / (nodes - 1)", NULL,
	 "1:6: division by zero; test the divisor first, as in `x != 0 and ...`, or keep 0 out of the axis"},
	{GROUPS, "[1, cpus + gropus]", NULL, "1:12: unknown name gropus; did you mean cpus"},
	{GROUPS, "cpus * 0.3", NULL, "1:1: groups: the result 1.2 is no whole number; `/` of whole numbers cuts"},
	{GROUPS, "1KB * cpus", NULL,
	 "1:1: groups: the result is a size, groups takes another kind; divide by a unit, as in size / "
	 "1KB" COUNT_ALLOWED},
	{GROUPS, "cpus > 2", NULL, "1:1: groups: the result is a condition, groups takes another kind" COUNT_ALLOWED},
	{SIZE, "cpus", NULL,
	 "1:1: size: the result is a number, size takes another kind; multiply by a unit, as in 4KB * "
	 "cpus" SIZE_ALLOWED},
	{SIZE, "[4KB*cpus, 1MB / nodes]", "16KB(4KB*cpus)!* 1MB(1MB / nodes)!*", ""},
	{SIZE, "cpus * 0.1B", NULL,
	 "1:8: 0.1B: no whole number of the smallest unit; write a plain number, or one with unit (B KB "
	 "MB GB TB, ns us ms s min h)"},
	{RUNTIME, "cpus * 1.5ms", "6ms(cpus * 1.5ms)!*", ""},
	{LEVEL, "cpus * 0.3", "1.2(cpus * 0.3)!*", ""},
	/* words of the row */
	{LOOPS, "[auto, 100, cpus]", "auto 100 4(cpus)!*", ""},
	{LOOPS, "'auto'", NULL,
	 "1:1: loops: 'auto' is text; allowed: a number from 1 to 1000000000000 or `auto`; quotes make it text: leave "
	 "them off "
	 "the word"},
	{LOOPS, "atuo", NULL,
	 "1:1: loops: 'atuo' is no whole number (not a number); allowed: a number from 1 to 1000000000000 or `auto`; "
	 "did you mean "
	 "auto"},
	{LOOPS, "[auto, auto]", NULL, "1:8: loops: value auto stands here again, it is at line 1, column 2; keep one"},
	{LOOPS, "1..auto", NULL, "1:4: loops: a range runs between numbers; list the word apart, as in [1..8, auto]"},
	{CHUNK, "[whole, 16TB]", "whole 16TB", ""},
	/* sizes, times, decimals */
	{SIZE, "[100B, 4k, 1.5KiB, 1mb]", "100B 4KB(4k) 1536B(1.5KiB) 1MB(1mb)", ""},
	{SIZE, "[4KB, 4096B]", NULL, "1:7: size: value 4096B stands here again, it is at line 1, column 2; keep one"},
	{SIZE, "1.5B", NULL, "1:1: size: '1.5B' is no size (no whole number of the smallest unit)" SIZE_ALLOWED},
	{SIZE, "4XB", NULL, "1:1: size: '4XB' is no size (unit missing or unknown)" SIZE_ALLOWED},
	{SIZE, "17TB", NULL, "1:1: size: value 17TB is out of range; allowed: 1B to 16TB"},
	{RUNTIME, "[1ms, 1.5s, 90s, 2h]", "1ms 1500ms(1.5s) 90s 2h", ""},
	{RUNTIME, "5", NULL,
	 "1:1: runtime: '5' is no time (unit missing or unknown); allowed: a time with unit (ns, us, ms, s, min, h) "
	 "from 1ms to 24h"},
	{LEVEL, "[0.5, -1, 2.50]", "0.5 -1 2.5(2.50)", ""},
	{LEVEL, "[0.5, 0.50]", NULL, "1:7: level: value 0.50 stands here again, it is at line 1, column 2; keep one"},
	/* choices */
	{TRANSPORT, "[pipe, 'socket']", "pipe socket", ""},
	{TRANSPORT, "pip", NULL,
	 "1:1: transport: 'pip' is no value of transport, did you mean 'pipe'?; allowed: one of socket, pipe, inet"},
	{TRANSPORT, "all", NULL, "1:1: transport: 'all' is no value of transport; allowed: one of socket, pipe, inet"},
	{ROUTINE, "all", "default! avx2!", ""},
	{ROUTINE, "[avx2, all]", "avx2 default!", "1:8: note: function: avx2 is there already; dropped"},
	{ROUTINE, "[avx512]", "avx512", ""},
	{ROUTINE, "'all'", NULL, "1:1: function: 'all' is no value of function; allowed: one of default, avx2, avx512"},
	{SHARED, "[yes, off]", "true(yes) false(off)", ""},
	{SHARED, "[true, on]", NULL, "1:8: shared: value on stands here again, it is at line 1, column 2; keep one"},
	{SHARED, "1", NULL, "1:1: shared: '1' is no truth value; allowed: one of true, false, yes, no, on, off"},
	/* lists of CPUs */
	{CPUS, "['0-3,8', \"0\"]", "0-3,8 0", ""},
	{CPUS, "['0-1', '1,0']", NULL,
	 "1:9: cpu_set: value 1,0 stands here again, it is at line 1, column 2; keep one"},
	{CPUS, "[0-3,8]", NULL,
	 "1:2: cpu_set: a list of CPUs stands in quotes, YAML takes these as separate items; write \"0-3,8\" for one "
	 "list"},
	{CPUS, "0-3", NULL, "1:1: cpu_set: a list of CPUs stands in quotes; write \"0-3\""},
	{CPUS, "- '0'\n- 1\n", NULL, "2:3: cpu_set: a list of CPUs stands in quotes; write \"1\""},
	/* text */
	{TEXT, "[no, 010, '', 1..8, cpus]", "no 010  1..8 cpus", ""},
	{TEXT, "[a, a]", NULL, "1:5: text: value a stands here again, it is at line 1, column 2; keep one"},
	{TEXT, "{x}", NULL, "1:1: {x} without quotes is a map to YAML; write \"{x}\""},
};

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

static const struct sample singles[] = {
	{GROUPS, "4", "4", ""},
	{GROUPS, "cpus", "4(cpus)!*", ""},
	{GROUPS, "1..8", NULL,
	 "1:1: groups: '1..8' is no whole number (a fraction where a whole number is due)" COUNT_ALLOWED
	 "; this is a range: several values stand in `vary`"},
	{GROUPS, "[1]", NULL, "1:1: groups takes one value here, not a list; several values stand in `vary`"},
	{GROUPS, "{a: 1}", NULL, "1:1: groups takes one value here, not a map; several values stand in `vary`"},
	{GROUPS, "200000*cpus", NULL, "1:1: groups: 200000*cpus: value 800000 is out of range; allowed: 1 to 100000"},
	{GROUPS, "cpus - 9", NULL, "1:1: groups: cpus - 9: value -5 is below 0; allowed: a number from 1 to 100000"},
	{GROUPS, "0", NULL, "1:1: groups: value 0 is out of range; allowed: 1 to 100000"},
	{ROUTINE, "all", NULL, "1:1: function: `all` stands for several values; it belongs in `vary`"},
	{ROUTINE, "avx2", "avx2", ""},
	{LOOPS, "auto", "auto", ""},
	{TEXT, "''", "", ""},
	{TEXT, "all", "all", ""},
	{CPUS, "'3,0-1'", "0-1,3(3,0-1)", ""},
};

static void show(const struct pg_param *row, const struct pg_item *it, size_t n, struct pg_str *out)
{
	struct pg_str v;

	if (n > 1000) {
		pg_str_addf(out, "#%zu", n);
		return;
	}
	pg_str_init(&v);
	for (size_t i = 0; i < n; i++) {
		pg_str_reset(&v);
		pg_value_format(row, &it[i].v, &v);
		pg_str_addf(out, "%s%s", i ? " " : "", pg_str_text(&v));
		if (!pg_streq(pg_str_text(&v), it[i].text))
			pg_str_addf(out, "(%s)", it[i].text);
		pg_str_adds(out, it[i].machine ? "!" : "");
		pg_str_adds(out, it[i].from_word ? "*" : "");
	}
	pg_str_release(&v);
}

static void check(const struct sample *c, bool one)
{
	struct pg_arena a;
	struct pg_told told;
	struct pg_values_ctx ctx = {&machine, "mem/memcpy", &a, &told.d};
	struct pg_item single, *items = &single;
	struct pg_node *node;
	struct pg_str values;
	size_t n = 1;
	int rc;

	pg_arena_init(&a, false);
	pg_told_init(&told);
	pg_str_init(&values);
	node = pg_yaml_parse("f", c->yaml, strlen(c->yaml), &a, &told.d);
	ck_assert_msg(node != NULL, "%s", pg_told_text(&told));
	rc = one ? pg_values_one(&ctx, &rows[c->row], node, &single)
		 : pg_values_axis(&ctx, &rows[c->row], node, &items, &n);
	if (rc == 0)
		show(&rows[c->row], items, n, &values);
	ck_assert_msg((rc == 0) == (c->values != NULL), "%s: %s", c->yaml, pg_told_text(&told));
	ck_assert_str_eq(pg_told_text(&told), c->messages);
	ck_assert_str_eq(pg_str_text(&values), c->values ? c->values : "");
	pg_str_release(&values);
	pg_told_release(&told);
	pg_arena_release(&a);
}

START_TEST(axis_values)
{
	check(&axes[_i], false);
}
END_TEST

START_TEST(range_values)
{
	check(&ranges[_i], false);
}
END_TEST

START_TEST(single_values)
{
	check(&singles[_i], true);
}
END_TEST

/* Ten ranges of 100,000 are as many values as a plan has cells; one more is refused before they are compared. */
START_TEST(axis_limit)
{
	struct sample c = {LOOPS, NULL, "#200000", ""};
	struct pg_str s;

	pg_str_init(&s);
	for (int i = 0; i < 10; i++) {
		pg_str_addf(&s, "- %d..%d\n", 100000 * i + 1, 100000 * i + 100000);
		c.yaml = pg_str_text(&s);
		if (i == 1)
			check(&c, false);
	}
	pg_str_adds(&s, "- 1000001\n");
	c.yaml = pg_str_text(&s);
	c.values = NULL;
	c.messages = "11:3: loops has more than 1000000 values; a plan has no more cells";
	check(&c, false);
	pg_str_release(&s);
}
END_TEST

/* Each repeated place is told once, at most twenty errors in all. */
START_TEST(repeats_do_not_flood)
{
	struct pg_arena a;
	struct pg_told told;
	struct pg_values_ctx ctx = {&machine, "x", &a, &told.d};
	struct pg_item *items;
	struct pg_str s;
	size_t n;

	pg_arena_init(&a, false);
	pg_told_init(&told);
	pg_str_init(&s);
	pg_str_adds(&s, "[1..1000");
	for (int i = 0; i < 100; i++)
		pg_str_adds(&s, ", 1..1000");
	pg_str_addc(&s, ']');
	ck_assert_int_eq(pg_values_axis(&ctx, &rows[GROUPS], pg_yaml_parse("f", s.s, s.len, &a, &told.d), &items, &n),
			 -1);
	ck_assert_uint_eq(told.d.errors, PG_DIAG_LIMIT);
	pg_str_release(&s);
	pg_told_release(&told);
	pg_arena_release(&a);
}
END_TEST

START_TEST(guesses)
{
	static const struct {
		const char *yaml;
		enum pg_type type;
	} cases[] = {
		{"1", PG_COUNT},
		{"010", PG_COUNT},
		{"1.5", PG_REAL},
		{"[1, 2.5]", PG_REAL},
		{"[1, x]", PG_TEXT},
		{"4KB", PG_TEXT},
		{"[4KB, 8KB]", PG_TEXT},
		{"1KB..4KB x2", PG_SIZE},
		{"1ms..4ms x2", PG_TIME},
		{"[1KB..4KB x2, 1ms..4ms x2]", PG_TEXT},
		{"1..4*cpus x2", PG_COUNT},
		{"cpus", PG_COUNT},
		{"[1, cpus]", PG_COUNT},
		{"per-cpus", PG_TEXT},
		{"../cpus", PG_TEXT},
		{"../x", PG_TEXT},
		{"'1'", PG_TEXT},
		{"[1, '2']", PG_TEXT},
		{"-1", PG_TEXT},
		{"0x10", PG_TEXT},
		{"1..4 x1.5", PG_REAL},
		{"0..1 by 0.1", PG_REAL},
		{"[1..8, 4KB]", PG_TEXT},
		{"{a: 1}", PG_TEXT},
		{"4KB*cpus", PG_SIZE},
		{"a b", PG_TEXT},
		{"~", PG_TEXT},
		{"8..1", PG_COUNT},
		{"[0.5, cpus]", PG_REAL},
		{"-O2", PG_TEXT},
		{"[1..8, 16]", PG_COUNT},
		{"[]", PG_TEXT},
		{"cpus nodes", PG_TEXT},
		{"true", PG_TEXT},
		{"cpus > 2", PG_TEXT},
		{"12:30", PG_TEXT},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_arena a;
		struct pg_diag d = {NULL, NULL, 0, 0};
		enum pg_type t;

		pg_arena_init(&a, false);
		t = pg_values_guess(pg_yaml_parse("f", cases[i].yaml, strlen(cases[i].yaml), &a, &d));
		ck_assert_msg(t == cases[i].type, "%s: %d", cases[i].yaml, (int)t);
		pg_arena_release(&a);
	}
	ck_assert_int_eq(pg_values_guess_both(PG_COUNT, PG_REAL), PG_REAL);
	ck_assert_int_eq(pg_values_guess_both(PG_REAL, PG_COUNT), PG_REAL);
	ck_assert_int_eq(pg_values_guess_both(PG_SIZE, PG_COUNT), PG_TEXT);
	ck_assert_int_eq(pg_values_guess_both(PG_TIME, PG_TIME), PG_TIME);
}
END_TEST

START_TEST(command_line)
{
	static const struct {
		const char *text, *tree;
	} cases[] = {
		{"4", "4"},
		{"1,2,4..8", "[1, 2, 4..8]"},
		{" socket , pipe ", "[socket, pipe]"},
		{"'a,b',c", "['a,b', c]"},
		{"\"a,b\"", "'a,b'"},
		{"'it''s'", "'it''s'"},
		{"'open", "'open"},
		{"max(1, cpus - 1),4", "[max(1, cpus - 1), 4]"},
		{"1,", "[1, ]"},
		{"", ""},
		{",", "[, ]"},
		{"0-3,8", "[0-3, 8]"},
		{")(,1", "[)(, 1]"},
	};
	struct pg_loc loc = {"--vary", 0, 0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_arena a;
		struct pg_node *n;
		struct pg_str s;

		pg_arena_init(&a, false);
		pg_str_init(&s);
		n = pg_values_cli(cases[i].text, &loc, &a);
		ck_assert_ptr_nonnull(n);
		ck_assert(n->cli);
		ck_assert_str_eq(n->loc.file, "--vary");
		pg_tree_text(n, false, &s);
		ck_assert_str_eq(pg_str_text(&s), cases[i].tree);
		pg_str_release(&s);
		pg_arena_release(&a);
	}
}
END_TEST

/* On the command line quotes are the shell's: CPU lists need none, commas of a single text are its own. */
START_TEST(command_line_values)
{
	static const struct {
		enum row row;
		const char *text, *one, *axis;
	} cases[] = {
		{CPUS, "0-3,8", "0-3,8", "0-3 8"},
		{TEXT, "a,b", "a,b", "a b"},
		{GROUPS, "cpus", "4(cpus)!*", "4(cpus)!*"},
		{GROUPS, "1,2", NULL, "1 2"},
		{GROUPS, "1,1", NULL, NULL},
		{GROUPS, "1,", NULL, NULL},
		{TRANSPORT, "pipe", "pipe", "pipe"},
	};
	struct pg_loc loc = {"--set", 0, 0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_arena a;
		struct pg_told told;
		struct pg_values_ctx ctx = {&machine, "x", &a, &told.d};
		struct pg_item one, *items;
		struct pg_node *node;
		struct pg_str s;
		size_t n;

		pg_arena_init(&a, false);
		pg_told_init(&told);
		pg_str_init(&s);
		node = pg_values_cli(cases[i].text, &loc, &a);
		ck_assert_int_eq(pg_values_one(&ctx, &rows[cases[i].row], node, &one), cases[i].one ? 0 : -1);
		if (cases[i].one) {
			show(&rows[cases[i].row], &one, 1, &s);
			ck_assert_str_eq(pg_str_text(&s), cases[i].one);
		}
		ck_assert_int_eq(pg_values_axis(&ctx, &rows[cases[i].row], node, &items, &n), cases[i].axis ? 0 : -1);
		ck_assert_msg(cases[i].axis || told.d.errors, "%s: no message", cases[i].text);
		if (cases[i].axis) {
			pg_str_reset(&s);
			show(&rows[cases[i].row], items, n, &s);
			ck_assert_str_eq(pg_str_text(&s), cases[i].axis);
		}
		pg_str_release(&s);
		pg_told_release(&told);
		pg_arena_release(&a);
	}
}
END_TEST

/* Values of rows to expression values and back. */
START_TEST(to_and_from_expressions)
{
	static const struct {
		enum row row;
		const char *text;
		enum pg_ekind kind;
	} cases[] = {
		{GROUPS, "7", PG_E_NUM},      {LOOPS, "auto", PG_E_TEXT},  {SIZE, "4KB", PG_E_SIZE},
		{RUNTIME, "50ms", PG_E_TIME}, {LEVEL, "-0.25", PG_E_NUM},  {TRANSPORT, "inet", PG_E_TEXT},
		{CPUS, "0-3", PG_E_TEXT},     {SHARED, "true", PG_E_BOOL}, {TEXT, "free", PG_E_TEXT},
		{SHARED, "no", PG_E_BOOL},
	};
	struct pg_loc loc = {"f", 3, 4};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pg_param *row = &rows[cases[i].row];
		struct pg_value v, back;
		struct pg_evalue e;
		struct pg_arena a;
		struct pg_err err;

		pg_arena_init(&a, false);
		ck_assert_int_eq(pg_value_parse(row, cases[i].text, strlen(cases[i].text), &a, &v, &err), 0);
		pg_values_to_expr(row, &v, &e);
		ck_assert_int_eq(e.kind, cases[i].kind);
		ck_assert_msg(pg_values_from_expr(row, &e, &loc, &back, &err) == 0, "%s: %s", cases[i].text, err.msg);
		ck_assert_msg(pg_value_equal(&v, &back), "%s", cases[i].text);
		memset(&v, 0, sizeof(v));
		pg_values_to_expr(row, &v, &e);
		ck_assert_int_eq(e.kind, PG_E_NONE);
		pg_arena_release(&a);
	}
}
END_TEST

START_TEST(results_that_do_not_fit)
{
	static const struct {
		enum row row;
		struct pg_evalue e;
		const char *message;
	} cases[] = {
		{GROUPS, {PG_E_NUM, {0, 0}, NULL}, "groups: value 0 is out of range; allowed: 1 to 100000"},
		{GROUPS, {PG_E_NUM, {-3, 0}, NULL}, "groups: value -3 is below 0; allowed: a number from 1 to 100000"},
		{GROUPS,
		 {PG_E_NUM, {15, -1}, NULL},
		 "groups: the result 1.5 is no whole number; `/` of whole numbers cuts"},
		{SIZE,
		 {PG_E_SIZE, {5, -1}, NULL},
		 "size: the result 0.5 is no whole number of bytes; `/` of whole numbers cuts"},
		{RUNTIME,
		 {PG_E_TIME, {5, -1}, NULL},
		 "runtime: the result 0.5 is no whole number of nanoseconds; `/` of whole numbers cuts"},
		{SIZE, {PG_E_SIZE, {-4096, 0}, NULL}, "size: value -4KB is below 0; allowed: a size"},
		{SIZE,
		 {PG_E_NUM, {5, 0}, NULL},
		 "size: the result is a number, size takes another kind; multiply by a unit"},
		{RUNTIME,
		 {PG_E_NUM, {5, 0}, NULL},
		 "runtime: the result is a number, runtime takes another kind; multiply by a unit"},
		{GROUPS,
		 {PG_E_TIME, {5, 0}, NULL},
		 "groups: the result is a time, groups takes another kind; divide by a unit"},
		{GROUPS, {PG_E_TEXT, {0, 0}, "auto"}, "groups: the result is text, groups takes another kind; allowed"},
		{GROUPS,
		 {PG_E_NONE, {0, 0}, NULL},
		 "groups: the result is nothing (unset), groups takes another kind; allowed"},
		{SHARED,
		 {PG_E_NUM, {1, 0}, NULL},
		 "shared: the result is a number, shared takes another kind; allowed"},
		{TRANSPORT,
		 {PG_E_TEXT, {0, 0}, "pip"},
		 "transport: 'pip' is no value of transport, did you mean 'pipe'?"},
		{CPUS, {PG_E_TEXT, {0, 0}, "1,0"}, "cpu_set: write this list as '0-1'"},
		{CPUS, {PG_E_TEXT, {0, 0}, "x"}, "cpu_set: 'x' is no CPU list"},
	};
	struct pg_loc loc = {"f", 3, 4};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_value v;
		struct pg_err err;

		ck_assert_int_eq(pg_values_from_expr(&rows[cases[i].row], &cases[i].e, &loc, &v, &err), -1);
		ck_assert_msg(pg_startswith(err.msg, cases[i].message), "%s", err.msg);
		ck_assert_uint_eq(err.loc.line, 3);
		ck_assert_uint_eq(err.loc.col, 4);
		ck_assert_int_eq(pg_values_from_expr(&rows[cases[i].row], &cases[i].e, &loc, &v, NULL), -1);
	}
}
END_TEST

PG_TEST_MAIN("plan_values", ((const struct pg_test[]){
				    {axis_values, sizeof(axes) / sizeof(axes[0])},
				    {range_values, sizeof(ranges) / sizeof(ranges[0])},
				    {single_values, sizeof(singles) / sizeof(singles[0])},
				    {axis_limit, 0},
				    {repeats_do_not_flood, 0},
				    {guesses, 0},
				    {command_line, 0},
				    {command_line_values, 0},
				    {to_and_from_expressions, 0},
				    {results_that_do_not_fit, 0},
				    {NULL, 0},
			    }))
