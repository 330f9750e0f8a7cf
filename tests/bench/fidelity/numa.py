# SPDX-License-Identifier: GPL-2.0-or-later
"""numa/mem beside `perf bench numa mem`: the same number of passes over the same areas, bytes of all tasks over the time to the last process reaped."""

SPEED = r"([0-9.]+), GB/sec,\s+total-speed"


def row(name, options, pin=None, why=None, **params):
    # A task of the original takes all CPUs of the machine, whatever CPUs it was given (W-N7): only its own option holds it.
    perf = ["perf", "bench", "numa", "mem", "-s", "0"] + options + (["-C", pin] if pin else [])
    r = dict(name="numa/mem, " + name, perf=perf, number=SPEED, scale=1e9, suite="numa/mem", set=dict(params, runtime="1h"), metric="bandwidth", pin=pin, scatter=True)
    return dict(r, why=why) if why else r


ROWS = [
    row("one task, random, read and write", ["-l", "500", "-P", "4"], pin="0", loops="500", process_size="4MB"),
    row("two threads on an area of their process", ["-t", "2", "-l", "300", "-P", "8"], threads="2", loops="300", process_size="8MB"),
    row("two processes, areas of threads", ["-p", "2", "-l", "300", "-T", "8"], processes="2", loops="300", thread_size="8MB"),
    row("alternating directions", ["--no-data_rand_walk", "-l", "100", "-T", "4"], pin="0", pattern="alternating", loops="100", thread_size="4MB",
        why="the original's walk once round an area has the same speed from 1 MB to 32 MB (8.3 to 8.7 GB/s), half of that of its own random walk inside a cache (16 GB/s): bound by its bookkeeping for each word, not by memory"),
    row("read only", ["--no-data_writes", "-l", "500", "-T", "4"], pin="0", access="read", loops="500", thread_size="4MB"),
    row("bzero of random chunks", ["-Z", "-l", "2000", "-T", "8"], pin="0", access="zero", loops="2000", thread_size="8MB"),
    row("bzero of all, zeroed before", ["-zZ", "--no-data_rand_walk", "-l", "2000", "-T", "8"], pin="0", access="zero", fill="zero", pattern="alternating", loops="2000", thread_size="8MB"),
    row("huge pages", ["--thp", "1", "-l", "100", "-P", "32"], pin="0", transparent_huge_pages="advise", loops="100", process_size="32MB"),
]
