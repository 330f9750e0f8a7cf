# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of fidelity.py: internals evlist-open-close. Most of the time the kernel waits for all CPUs: figures spread widely on both sides.

Seen from outside (strace): between mmap and munmap of each operation the original's heap grows by 156 KiB and shrinks again; on a machine with dear page faults
that is a third of the time."""


def row(name, options, **params):
    return dict(name="internals/evlist-open-close, " + name, perf=["perf", "bench", "internals", "evlist-open-close", "-i", "100"] + options.split(),
                number=r"open-close took: ([0-9.]+) usec", scale=1e-6, suite="internals/evlist-open-close",
                set=dict({"loops": "100"}, **params), metric="time_per_op", pin=None,
                why="W-I4a: in its timed part the original also makes, zeroes and gives back 64 KiB of bookkeeping for each CPU")


ROWS = [
    row("1 event", ""),
    row("4 copies", "-n 4", event_copies="4"),
    row("2 names", "-e cpu-clock,page-faults", events="cpu-clock,page-faults"),
    row("1 CPU", "-C 0", event_cpus="0"),
]
