# SPDX-License-Identifier: GPL-2.0-or-later
# What perf does inside, beside our equivalents. Records of the whole machine are the same number on both sides, give or take processes.
SYSTEM = ["perf", "bench", "internals", "synthesize", "-t", "-m", "1", "-M", "1", "-I", "20"]
ROWS = [
    dict(name="internals/kallsyms-parse", perf=["perf", "bench", "internals", "kallsyms-parse", "-i", "10"], number=r"took: ([0-9.]+) ms", scale=1e-3,
         suite="internals/kallsyms-parse", set={"loops": "10"}, metric="time_per_op", pin=None),
    dict(name="internals/synthesize, target system", perf=SYSTEM, number=r"synthesis took: ([0-9.]+) usec", scale=1e-6,
         suite="internals/synthesize", set={"loops": "20", "target": "system"}, metric="time_per_op", pin="0"),
    dict(name="internals/synthesize, target system, per record", perf=SYSTEM, number=r"time per event ([0-9.]+) usec", scale=1e-6,
         suite="internals/synthesize", set={"loops": "20", "target": "system"}, metric="time_per_event", pin="0",
         why="W-I1: the figure depends on what runs; perfgrid's guardian and runner are two more processes, whose few mappings are cheap records"),
    dict(name="internals/synthesize, target self, per record", perf=["perf", "bench", "internals", "synthesize", "-i", "1000"],
         number=r"time per event ([0-9.]+) usec", scale=1e-6, suite="internals/synthesize", set={"loops": "1000"}, metric="time_per_event", pin="0",
         why="W-I1: the figure depends on the program's own mappings; perf has 31 records to spread the three files over, perfgrid 8"),
]
