# SPDX-License-Identifier: GPL-2.0-or-later
"""numa/mem beside `perf bench numa mem`: the same number of passes over the same areas, bytes of all tasks over the time to the last process reaped."""

SPEED = r"([0-9.]+), GB/sec,\s+total-speed"


def row(name, options, pin=None, why=None, **params):
    # A task of the original takes all CPUs of the machine, whatever CPUs it was given (W-N7): only its own option holds it.
    perf = ["perf", "bench", "numa", "mem", "-s", "0"] + options + (["-C", pin] if pin else [])
    r = dict(name="numa/mem, " + name, perf=perf, number=SPEED, scale=1e9, suite="numa/mem", set=dict(params, runtime="1h"), metric="bandwidth", pin=pin, scatter=True)
    return dict(r, why=why) if why else r


# Proven by the same two calls put into perfgrid's loop: what was 1.07, 1.31, 1.17 and 1.08 became 1.00, 1.15, 0.94 and 1.01, each within the original's A/A.
CALLS = "W-N13: the original makes two system calls a loop inside its timed part (getcpu, and a prctl that is refused); they cost here 50 to 75 us of a loop, most of it translations of addresses that are lost"

ROWS = [
    row("one task, random, read and write", ["-l", "4000", "-P", "4"], pin="0", loops="4000", process_size="4MB", why=CALLS),
    row("two threads on an area of their process", ["-t", "2", "-l", "300", "-P", "8"], threads="2", loops="300", process_size="8MB"),
    row("two processes, areas of threads", ["-p", "2", "-l", "300", "-T", "8"], processes="2", loops="300", thread_size="8MB"),
    row("alternating directions", ["--no-data_rand_walk", "-l", "100", "-T", "4"], pin="0", pattern="alternating", loops="100", thread_size="4MB",
        why="W-N14: the original's walk once round an area has the same speed from 1 MB to 32 MB (8.3 to 8.7 GB/s), half of that of its own random walk inside a cache (16 GB/s): bound by its bookkeeping for each word, not by memory"),
    row("read only", ["--no-data_writes", "-l", "4000", "-T", "4"], pin="0", access="read", loops="4000", thread_size="4MB", why=CALLS),
    row("bzero of random chunks", ["-Z", "-l", "8000", "-T", "8"], pin="0", access="zero", loops="8000", thread_size="8MB", why=CALLS),
    row("bzero of all, zeroed before", ["-zZ", "--no-data_rand_walk", "-l", "8000", "-T", "8"], pin="0", access="zero", fill="zero", pattern="alternating", loops="8000", thread_size="8MB", why=CALLS),
    row("huge pages", ["--thp", "1", "-l", "100", "-P", "32"], pin="0", transparent_huge_pages="advise", loops="100", process_size="32MB"),
]
