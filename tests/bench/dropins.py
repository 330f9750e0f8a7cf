#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dropins.py PERFGRID [ROW-REGEX]: the drop-ins beside the installed hackbench and perf bench, the same work, as whole programs. The
drop-ins are the programs hackbench and perf-bench beside PERFGRID, else links to it.

A block runs the original twice and the drop-in once, in shuffled order; ratios are taken within the block. Per row: median of
drop-in / original with its interval by order statistics (exact binomial, at least 95 %) for the figure that both print, for the
processor time of all their processes per operation (RUSAGE of wait4), and for the whole time of the program. A row fails when the
interval of a ratio lies above its limit and above the interval of original / original. BLOCKS=N (default 15). Prints Markdown rows;
exit 1 when a row fails, 77 when neither original is installed."""
import math, os, random, re, shutil, statistics, sys, tempfile, time

perfgrid = os.path.realpath(sys.argv[1])
wanted = re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
blocks = int(os.environ.get("BLOCKS", "15"))
rnd = random.Random(11)
LIMIT = 1.03
os.environ["LC_ALL"] = "C"


def row(name, words, number, scale=1.0, ops=1, limits=(LIMIT, LIMIT, LIMIT), pin=None, n=1):
    return dict(name=name, words=words.split(), number=number, scale=scale, ops=ops, limits=limits, pin=pin, n=n)


ROWS = []
for transport, t in (("socket", ""), ("pipe", "-p ")):
    for mode, m in (("process", ""), ("thread", "-T ")):
        for groups in (1, 4, 10):
            loops = 400 // groups
            ROWS.append(row("hackbench %s, %s, %d groups" % (transport, mode, groups), "hackbench %s%s-g %d -l %d" % (t, m, groups, loops),
                            r"^Time: ([0-9.]+)$", ops=groups * 400 * loops))
ROWS += [
    row("perf bench sched messaging", "perf bench sched messaging -g 4 -l 100", r"Total time: ([0-9.]+)", ops=4 * 400 * 100),
    row("perf bench sched messaging, threads, pipes", "perf bench sched messaging -t -p -g 4 -l 100", r"Total time: ([0-9.]+)", ops=4 * 400 * 100),
    row("perf bench sched pipe, one CPU", "perf bench sched pipe -l 20000", r"([0-9.]+) usecs/op", 1e-6, ops=20000, pin="0"),
    row("perf bench syscall basic", "perf bench syscall basic -l 1000000", r"([0-9.]+) usecs/op", 1e-6, ops=1000000, pin="0"),
    row("perf bench mem memcpy", "perf bench mem memcpy -f default -s 64MB -l 20", r"([0-9.]+) GB/sec", -1, ops=20, pin="0"),
    # Start and end of the program are all of it: the whole time must be below the original's.
    row("smallest hackbench", "hackbench -g 1 -f 1 -l 1", None, limits=(None, 1.0, 1.0), n=10),
    row("smallest hackbench -T -p", "hackbench -T -p -g 1 -f 1 -l 1", None, limits=(None, 1.0, 1.0), n=10),
    row("hackbench -h", "hackbench -h", None, limits=(None, 1.0, 1.0), n=10),
    row("smallest perf bench sched pipe", "perf bench sched pipe -l 1", None, limits=(None, 1.0, 1.0), n=10),
    row("smallest perf bench syscall basic", "perf bench syscall basic -l 1", None, limits=(None, 1.0, 1.0), n=10),
]


def interval(values):
    """Median with the narrowest symmetric pair of order statistics that holds it with at least 95 %."""
    x, n = sorted(values), len(values)
    best = 0
    for k in range(1, n // 2 + 1):
        if 2 * sum(math.comb(n, i) for i in range(k)) / 2**n <= 0.05:
            best = k
    return statistics.median(x), x[max(best, 1) - 1], x[n - max(best, 1)]


def once(argv, number, scale, out):
    out.seek(0)
    out.truncate()
    null = os.open("/dev/null", os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    t = time.monotonic()
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=actions)
    _, status, ru = os.wait4(pid, 0)
    whole = time.monotonic() - t
    os.close(null)
    figure = None
    if number:
        out.seek(0)
        text = out.read().decode()
        m = re.search(number, text, re.M)
        if not m:
            sys.exit("dropins: %s printed no %s: %s" % (" ".join(argv), number, text[-300:]))
        # A bandwidth becomes a time, so that lower is better everywhere.
        figure = float(m[1]) * scale if scale > 0 else 1 / float(m[1])
    if status:
        sys.exit("dropins: %s ended with %#x" % (" ".join(argv), status))
    return figure, ru.ru_utime + ru.ru_stime, whole


def sample(argv, r, out):
    got = [once(argv, r["number"], r["scale"], out) for _ in range(r["n"])]
    return [None if g[0] is None else statistics.median(g) for g in zip(*got)]


def ratio(a, b):
    return None if a is None or not b else a / b


fails = shown = 0
with tempfile.TemporaryDirectory(prefix="perfgrid-dropins.") as links, tempfile.TemporaryFile() as out:
    for name in ("hackbench", "perf-bench"):
        own = os.path.dirname(perfgrid) + "/" + name
        os.symlink(own if os.path.isfile(own) else perfgrid, links + "/" + name)
    for r in ROWS:
        tool = shutil.which(r["words"][0])
        if not wanted.search(r["name"]) or not tool:
            continue
        pin = [shutil.which("taskset"), "-c", r["pin"]] if r["pin"] else []
        theirs = pin + [tool] + r["words"][1:]
        ours = pin + ([links + "/perf-bench"] + r["words"][2:] if r["words"][0] == "perf" else [links + "/hackbench"] + r["words"][1:])
        ratios = ([], [], [])
        same = ([], [], [])
        for _ in range(blocks):
            order = ["a", "b", "x"]
            rnd.shuffle(order)
            got = {k: sample(ours if k == "x" else theirs, r, out) for k in order}
            for i in range(3):
                for k in (("x", "a"), ("x", "b")):
                    v = ratio(got[k[0]][i], got[k[1]][i])
                    if v is not None:
                        ratios[i].append(v)
                v = ratio(got["a"][i], got["b"][i])
                if v is not None:
                    same[i].extend([v, 1 / v])
        parts, bad = [], False
        for i, what in enumerate(("figure", "CPU time per operation", "whole time")):
            if not ratios[i]:
                continue
            # The two pairs of a block share a run: the interval counts blocks, not pairs.
            pairs = ratios[i]
            m, lo, hi = interval([(pairs[j] + pairs[j + 1]) / 2 for j in range(0, len(pairs) - 1, 2)])
            _, _, aa = interval([same[i][j] for j in range(0, len(same[i]), 2)])
            bad |= r["limits"][i] is not None and lo > max(r["limits"][i], aa)
            parts.append("%s %.3f (%.3f to %.3f)" % (what, m, lo, hi))
        fails, shown = fails + bad, shown + 1
        print("| %s: drop-in / original | %s | %s | %s |" % (r["name"], ", ".join(parts), " ".join("-" if l is None else "%.2f" % l for l in r["limits"]),
                                                            "FAILED" if bad else "ok"), flush=True)
sys.exit(1 if fails else 0 if shown else 77)
