# SPDX-License-Identifier: GPL-2.0-or-later
# Only the first number of set bits of each length can be compared: the original's later averages contain the earlier ones (W-E8).
PERF = ["perf", "bench", "mem", "find_bit", "-i", "1", "-j", "10000"]


def row(bits, function, words):
    return dict(name="mem/find_bit, %s, 1 of %d" % (function, bits), perf=PERF, scale=1e-6, pin="0",
                number=r"operations 1 bits set of %d bits\n(?:.*for_each_set_bit took.*\n)?\s+Average %s took:\s+([0-9.]+) usec" % (bits, words),
                suite="mem/find_bit", set={"bits": str(bits), "set_bits": "1", "loops": "10000", "function": function}, metric="time")


# find_next_bit of short bitmaps takes 5 ns, a clock reading of the original is 1 us: only the longest has enough to compare.
ROWS = [row(2048, "find_next_bit", "for_each_set_bit"), row(64, "test_bit", "test_bit loop"), row(2048, "test_bit", "test_bit loop")]
