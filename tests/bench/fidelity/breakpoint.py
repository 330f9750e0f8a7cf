# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of fidelity.py: breakpoint thread and enable."""


def thread(name, options, batches, pin="0", **params):
    return dict(name="breakpoint/thread, " + name, perf=["perf", "bench", "-r", str(batches), "breakpoint", "thread"] + options.split(),
                number=r"([0-9.]+) usecs/op\n", scale=1e-6, suite="breakpoint/thread", set=dict({"loops": str(batches)}, **params),
                metric="time_per_op", pin=pin)


def enable(name, options, pairs, pin="0", **params):
    return dict(name="breakpoint/enable, " + name, perf=["perf", "bench", "-r", str(pairs), "breakpoint", "enable"] + options.split(),
                number=r"([0-9.]+) usecs/op", scale=1e-6, suite="breakpoint/enable", set=dict({"loops": str(pairs)}, **params),
                metric="time_per_op", pin=pin)


ROWS = [
    thread("1 thread", "", 3000),
    thread("no breakpoint", "-b 0", 3000, breakpoints="0"),
    thread("4 breakpoints", "-b 4", 2000, breakpoints="4"),
    thread("2 creators of 2 threads", "-p 2 -t 2", 2000, pin=None, creators="2", threads="2"),
    enable("no threads", "", 20000),
    enable("4 sleeping", "-p 4", 10000, blocked_threads="4"),
    enable("1 spinning", "-a 1", 1000, pin=None, spinning_threads="1"),
]
