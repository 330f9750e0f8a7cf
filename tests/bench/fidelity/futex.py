# SPDX-License-Identifier: GPL-2.0-or-later
# Rows of the fidelity comparison, suite futex: the same work by `perf bench` and by perfgrid, the ancestor's figure of each.
# wake, wake-parallel, requeue: the tenth run of the original, as its first ones are cold, against one round after the untimed
# one.
RUN = r"\[Run 10\][^\n]* in ([0-9.]+) ms"
RATE = r"Averaged ([0-9]+) operations/sec"


def row(name, options, number, scale, metric, params, pin=None, why=None, fifo=False):
    bench = name.split(",")[0]
    perf = ["perf", "bench"] + (["-r", "10"] if "loops" in params else [])
    r = dict(name=name, perf=perf + ["futex", bench.split("/")[1]] + options.split(), number=number, scale=scale,
             suite=bench, set=params, metric=metric, pin=pin, fifo=fifo)
    if why:
        r["why"] = why
    return r


# The original's threads go to the CPUs that are online, one after the other, whatever CPUs it was given (X7), so these rows are not
# pinned. With the normal policy a woken thread that sits on the waker's CPU takes it at once and, in the original, ends inside the
# timed loop (W-F5: every run makes its threads anew); here it blocks again. Under a real-time policy no thread can do so: there the
# two agree, which shows that this is the cause.
ENDS = "W-F5: threads are made for each run and, where they take the waker's CPU, end inside its timed loop; here they block again. Under FIFO, where they cannot, see the row below"

ROWS = [
    row("futex/hash, 2 threads", "-t 2 -r 1", RATE, 1, "thread_rate", {"threads": "2", "runtime": "1s"}),
    row("futex/hash, one thread, one word", "-t 1 -f 1 -r 1", RATE, 1, "thread_rate",
        {"threads": "1", "futexes": "1", "runtime": "1s"}),
    row("futex/hash, shared", "-t 2 -r 1 -S", RATE, 1, "thread_rate",
        {"threads": "2", "shared": "true", "runtime": "1s"},
        why="shared futexes of the original lie in private memory and cannot be used between processes; here they lie in "
            "shared memory, where the kernel looks up the inode"),
    row("futex/wake, 2 threads", "-t 2", RUN, 1e-3, "time", {"threads": "2", "loops": "1"}, why=ENDS),
    row("futex/wake, 2 threads, FIFO", "-t 2", RUN, 1e-3, "time", {"threads": "2", "loops": "1"}, fifo=True),
    row("futex/wake, 16 threads, 4 a call", "-t 16 -w 4", RUN, 1e-3, "time",
        {"threads": "16", "waiters_per_call": "4", "loops": "1"}, why=ENDS),
    row("futex/wake, 16 threads, 4 a call, FIFO", "-t 16 -w 4", RUN, 1e-3, "time",
        {"threads": "16", "waiters_per_call": "4", "loops": "1"}, fifo=True),
    row("futex/wake-parallel, 8 threads, 2 wakers", "-t 8 -w 2", RUN, 1e-3, "thread_time",
        {"threads": "8", "wakers": "2", "loops": "1"},
        why="the original's wakers are woken one after another by their barrier, so that their calls seldom overlap; here "
            "all are awake before it opens"),
    row("futex/requeue, 8 threads", "-t 8", RUN, 1e-3, "time", {"threads": "8", "loops": "1"}),
    row("futex/requeue, 8 threads, broadcast", "-t 8 -B", RUN, 1e-3, "time",
        {"threads": "8", "waiters_per_call": "broadcast", "loops": "1"}),
    row("futex/requeue, 8 threads, pi", "-t 8 -p", RUN, 1e-3, "time",
        {"threads": "8", "priority_inheritance": "true", "loops": "1"}),
    row("futex/lock-pi, 2 threads", "-t 2 -r 1", RATE, 1, "thread_rate", {"threads": "2", "runtime": "1s"}),
    row("futex/lock-pi, 2 threads, own locks", "-t 2 -r 1 -M", RATE, 1, "thread_rate",
        {"threads": "2", "lock": "per-thread", "runtime": "1s"}),
]
