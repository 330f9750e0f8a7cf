#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perf-formats.py PERFGRID [REGEX]: every bench of the `perf bench` drop-in in every format, twice by -r: simple is numbers and nothing else (but mem's comment
lines), JSON and CSV are read back and agree on what they hold, no number is missing, zero or not finite where it cannot be. A bench that cannot run here says
why and exits 1. Last line: `N passed, N failed, N skipped`."""
import csv, io, json, math, os, re, subprocess, sys

perfgrid = os.path.realpath(sys.argv[1])
wanted = re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
os.environ["LC_ALL"] = "C"
# bench: words, results of one round (steps; in futex the runs are counted by -r themselves), headline
BENCHES = {
    "sched messaging": ("-g 1 -l 5", 1, "time_s"),
    "sched pipe": ("-l 50", 1, "time_per_op_s"),
    "sched seccomp-notify": ("-l 50", 1, "time_per_op_s"),
    "syscall basic": ("-l 1000", 1, "time_per_op_s"),
    "syscall getpgid": ("-l 1000", 1, "time_per_op_s"),
    "syscall fork": ("-l 3", 1, "time_per_op_s"),
    "syscall execve": ("-l 2", 1, "time_per_op_s"),
    "mem memcpy": ("-s 64KB", 4, "bandwidth_B_per_s"),
    "mem memset": ("-s 64KB -f default", 1, "bandwidth_B_per_s"),
    "mem find_bit": ("-i 1 -j 10", 156, "time_s"),
    "mem mmap": ("-t 2", 2, "thread_bandwidth_B_per_s"),
    "numa mem": ("-p 1 -t 2 -P 4 -s 1", 1, "bandwidth_B_per_s"),
    "futex hash": ("-r 1", 1, "thread_rate_per_s"),
    "futex wake": ("-t 2", 1, "time_s"),
    "futex wake-parallel": ("-t 2", 1, "thread_time_s"),
    "futex requeue": ("-t 2", 1, "time_s"),
    "futex lock-pi": ("-r 1", 1, "thread_rate_per_s"),
    "epoll wait": ("-r 1", 1, "thread_rate_per_s"),
    "epoll ctl": ("-r 1", 1, "rate_per_s"),
    "internals synthesize": ("-i 20", 2, "time_per_op_s"),
    "internals kallsyms-parse": ("-i 1", 1, "time_per_op_s"),
    "internals inject-build-id": ("-i 1", 2, "time_per_op_s"),
    "internals evlist-open-close": ("-i 2", 1, "time_per_op_s"),
    "internals pmu-scan": ("-i 2", None, "time_per_op_s"),
    "breakpoint thread": ("", 1, "time_per_op_s"),
    "breakpoint enable": ("", 1, "time_per_op_s"),
    "uprobe baseline": ("-l 20", 1, "time_per_op_s"),
    "uprobe empty": ("-l 20", 1, "time_per_op_s"),
    "uprobe trace_printk": ("-l 20", 1, "time_per_op_s"),
    "uprobe empty_ret": ("-l 20", 1, "time_per_op_s"),
    "uprobe trace_printk_ret": ("-l 20", 1, "time_per_op_s"),
}
ONE_NUMBER = ("futex wake", "futex wake-parallel", "futex requeue")  # of all runs together
LOOPS = ("breakpoint thread", "breakpoint enable")  # -r is the number of operations


def run(fmt, bench, words):
    r = subprocess.run([perfgrid, "bench", "-r", "2", "-f", fmt] + bench.split() + words.split(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return r.returncode, r.stdout, r.stderr


def check_simple(bench, out, results):
    lines = [s for s in out.splitlines() if not s.startswith("# function '")]
    n = 2 * results if results else len(lines)
    if bench in ONE_NUMBER or bench in LOOPS:
        n //= 2
    if bench == "mem find_bit":
        n = 2
    assert lines and len(lines) == n, "simple: %d lines, expected %d" % (len(lines), n)
    assert all(re.fullmatch(r"[0-9]+(\.[0-9]+)?", s) for s in lines), "simple: %r" % lines[:3]


def check_json(bench, out, results, headline):
    rows = json.loads(out)
    n = (1 if bench in LOOPS else 2) * results if results else len(rows)
    assert rows and len(rows) == n, "json: %d results, expected %d" % (len(rows), n)
    for r in rows:
        assert r["bench"] == bench.replace(" ", "/") and r["params"], "json: %r" % r
        assert r["metrics"][headline] > 0, "json: %s is %r" % (headline, r["metrics"][headline])
        assert all(math.isfinite(v) for v in r["metrics"].values()), "json: %r" % r["metrics"]
    return {k for r in rows for k in r["metrics"]}


def check_csv(bench, out, keys):
    rows = list(csv.DictReader(io.StringIO(out)))
    assert rows and list(rows[0]) == ["bench", "run", "params", "metric", "unit", "value"], "csv: %r" % rows[:1]
    assert all(r["bench"] == bench.replace(" ", "/") and math.isfinite(float(r["value"])) for r in rows), "csv: a row is odd"
    suffix = {"s": "s", "B": "B", "B/s": "B_per_s", "1/s": "per_s", "count": "count"}
    have = {r["metric"] + "_" + suffix[r["unit"]] for r in rows}
    assert have == keys, "csv and json differ: %r" % (have ^ keys)


def check(bench, words, results, headline):
    outs = {}
    for fmt in ("default", "simple", "json", "csv"):
        rc, out, err = run(fmt, bench, words)
        if rc == 1 and re.search(r"^perfgrid: \S+( \S+)?: .", err, re.M) and fmt == "default":
            return "cannot run here: " + err.strip().splitlines()[-1]
        assert rc == 0, "%s: exit %d: %s" % (fmt, rc, err)
        outs[fmt] = out
    assert outs["default"].startswith("# Running '%s' benchmark:\n" % bench.replace(" ", "/")), "default: no heading"
    for fmt in ("default", "simple"):
        assert not re.search(r"\b(nan|inf)\b|-nan", outs[fmt]), "%s: %s" % (fmt, outs[fmt])
    check_simple(bench, outs["simple"], results)
    check_csv(bench, outs["csv"], check_json(bench, outs["json"], results, headline))
    return None


passed = failed = skipped = 0
for bench, (words, results, headline) in BENCHES.items():
    if not wanted.search(bench):
        continue
    try:
        why = check(bench, words, results, headline)
    except (AssertionError, ValueError, KeyError, subprocess.TimeoutExpired) as e:
        failed += 1
        print("FAIL %s: %s" % (bench, e))
        continue
    if why:
        skipped += 1
        print("SKIP %s: %s" % (bench, why))
    else:
        passed += 1
print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
sys.exit(1 if failed else 0)
