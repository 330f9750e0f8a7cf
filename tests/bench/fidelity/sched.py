# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of fidelity.py: sched messaging and pipe. Pipe on one CPU: left free it is bimodal, here as there."""


# Exits are in the time of both: the original's processes are larger, and take longer to end.
LARGER = "the exits of the original's larger processes are in its time"


def messaging(name, options, why=None, **params):
    r = dict(name="sched/messaging, " + name, perf=["perf", "bench", "sched", "messaging", "-g", "1", "-l", "1000"] + options.split(),
             number=r"Total time: ([0-9.]+) \[sec\]", scale=1, suite="sched/messaging", set=dict({"groups": "1", "loops": "1000"}, **params),
             metric="time", pin=None)
    if why:
        r["why"] = why
    return r


def pipe(name, options, pin, **params):
    return dict(name="sched/pipe, " + name, perf=["perf", "bench", "sched", "pipe", "-l", "100000"] + options.split(), number=r"([0-9.]+) usecs/op",
                scale=1e-6, suite="sched/pipe", set=dict({"loops": "100000"}, **params), metric="time_per_op", pin=pin)


ROWS = [
    messaging("sockets", "", LARGER),
    messaging("pipes", "-p", LARGER, transport="pipe"),
    messaging("threads", "-t", mode="thread"),
    messaging("threads, pipes", "-t -p", mode="thread", transport="pipe"),
    pipe("processes, one CPU", "", "0"),
    pipe("threads, one CPU", "-T", "0", mode="thread"),
]
