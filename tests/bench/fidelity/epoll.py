# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of fidelity.py: epoll wait and ctl. One second a run: the original divides by whole seconds."""


def row(name, options, suite, number, metric, why=None, **params):
    r = dict(name=name, perf=["perf", "bench", "epoll"] + options.split(), number=number, scale=1, suite=suite,
             set=dict({"runtime": "1s"}, **params), metric=metric, pin=None)
    if why:
        r["why"] = why
    return r


def wait(name, options, why=None, **params):
    return row("epoll/wait, " + name, "wait -r 1 " + options, "epoll/wait", r"Averaged ([0-9]+) operations/sec", "thread_rate", why, **params)


def ctl(name, options, kind, metric, **params):
    return row("epoll/ctl, " + name, "ctl -r 1 " + options, "epoll/ctl", r"Averaged ([0-9]+) %s operations" % kind, metric, **params)


ROWS = [
    wait("1 thread", "-t 1", threads="1"),
    wait("2 threads", "-t 2", threads="2"),
    wait("2 threads, 8 eventfds", "-t 2 -f 8", threads="2", fds="8"),
    wait("2 threads, random writes", "-t 2 -R", threads="2", pattern="random"),
    wait("2 threads, an instance each", "-t 2 -m", threads="2", queue="per-thread"),
    wait("2 threads, not pinned", "-t 2 -n", threads="2", placement="free"),
    wait("2 threads, nested", "-t 2 -N 2", threads="2", nesting="2"),
    wait("2 threads, oneshot", "-t 2 -S", threads="2", trigger="oneshot"),
    wait("2 threads, edge", "-t 2 -E", threads="2", trigger="edge", why="the original tries to add the descriptor again after each event, which fails"),
    wait("1 thread, time-out 0", "-t 1 -B", threads="1", wait="poll", why="the original counts returns without event, with the data of the last one"),
    ctl("1 thread", "-t 1", "ADD", "thread_adds_count", threads="1"),
    ctl("2 threads", "-t 2", "MOD", "thread_modifies_count", threads="2"),
    ctl("2 threads, 1 eventfd", "-t 2 -f 1", "DEL", "thread_deletes_count", threads="2", fds="1"),
    ctl("1 thread, random", "-t 1 -R", "ADD", "thread_adds_count", threads="1", pattern="random"),
]
