#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""trust.py PERFGRID [RUNS]: what the verdicts of a live comparison are worth on this machine.

A/A: ten real cells, each against itself, RUNS times (10): no cell differs, so every verdict but same, unclear and minor is false.
+10 %: a noop with uncounted loops and commands with a tenth more work: how many are found. A cell is quiet in a run when its smallest
detectable effect (mde) is at most twice its threshold. Rows of a Markdown table; exit 1 when more than one A/A cell is `regressed` or fewer
than 70 % of the quiet slower cells are found."""
import collections, csv, glob, os, subprocess, sys, tempfile, time

perfgrid = os.path.realpath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 10

SAME = """perfgrid: 1
name: same
defaults:
  variants: [{label: a}, {label: b}]
sweeps:
  - {name: pipe, suite: sched/pipe, vary: {mode: [process, thread]}}
  - {name: messaging, suite: sched/messaging, set: {groups: 1, loops: 20}, vary: {transport: [socket, pipe]}}
  - {name: copy, suite: mem/memcpy, vary: {size: [4KB, 1MB]}}
  - {name: call, suite: syscall/basic}
  - {name: hash, suite: futex/hash, set: {runtime: 50ms}}
  - {name: sort, suite: exec, command: [sort, -o, /dev/null, %(text)s]}
  - {name: awk, suite: exec, command: [awk, 'BEGIN {{for (i = 0; i < 400000; i++) s += i; print s}}']}
"""
# wall_time: noop computes its own time, and only a clock around it tells what its uncounted loops cost.
SLOWER = """perfgrid: 1
name: slower
sweeps:
  - name: noop
    suite: noop
    process: exec
    set: {elapse: spin, duration: 10us, loops: 10000}
    variants: [{label: base, uncounted_loops: 0}, {label: new, uncounted_loops: 1000}]
    tables: [{value: wall_time}]
  - name: short
    suite: noop
    process: exec
    set: {elapse: spin, duration: 10us, loops: 5000}
    variants: [{label: base, uncounted_loops: 0}, {label: new, uncounted_loops: 500}]
    tables: [{value: wall_time}]
  - name: awk
    suite: exec
    command: [awk, 'BEGIN {{for (i = 0; i < {count}; i++) s += i; print s}}']
    variants: [{label: base, count: 400000}, {label: new, count: 440000}]
  - name: shell
    suite: exec
    command: [bash, -c, 'for ((i = 0; i < {count}; i++)); do :; done']
    variants: [{label: base, count: 20000}, {label: new, count: 22000}]
"""


def measure(text, tmp, name):
    path = "%s/%s.yaml" % (tmp, name)
    open(path, "w").write(text)
    out = "%s/%s.%d" % (tmp, name, len(glob.glob(tmp + "/%s.*" % name)))
    r = subprocess.run([perfgrid, "run", "-q", "--no-lock", "-o", out, path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if r.returncode:
        sys.exit("trust: run of %s ended with %d" % (path, r.returncode))
    # Rows of the family have both lenses judged together; other metrics are exploration.
    rows = [c for c in csv.DictReader(open(out + "/all.compare.csv")) if c["verdict"] and "exploration" not in c["reason"]]
    for c in rows:
        print(*(c[k] for k in ("sweep", "cell", "verdict", "reason", "flags", "n", "change_pct", "interval", "p_adj", "mde")), sep="\t", file=sys.stderr, flush=True)
    return rows


def say(what, measured, limit, ok):
    print("| %s | %s | %s | %s |" % (what, measured, limit, "ok" if ok else "FAILED"), flush=True)
    return ok


with tempfile.TemporaryDirectory(prefix="perfgrid-trust.") as tmp:
    text = tmp + "/words"
    with open(text, "w") as f:
        for i in range(60000):
            f.write("%08d word\n" % (i * 7919 % 100003))
    ok, verdicts, cells, t = True, collections.Counter(), 0, time.time()
    for _ in range(runs):
        for row in measure(SAME % {"text": text}, tmp, "same"):
            verdicts[row["verdict"]] += 1
            cells += 1
    shown = ", ".join("%s %d" % v for v in verdicts.most_common())
    ok &= say("A/A: 10 real cells against themselves, %d times" % runs, "%d comparisons: %s (%.0f s a run)" % (cells, shown, (time.time() - t) / runs), "at most 1 `regressed`",
              verdicts["regressed"] <= 1 and cells == 10 * runs)
    found, quiet, total, t = collections.Counter(), collections.Counter(), collections.Counter(), time.time()
    quiet_found = collections.Counter()
    for _ in range(runs):
        for row in measure(SLOWER, tmp, "slower"):
            name, hit = row["sweep"], row["verdict"] == "regressed"
            total[name] += 1
            found[name] += hit
            if row["mde"] and float(row["mde"]) <= 2 * float(row["threshold"]):
                quiet[name] += 1
                quiet_found[name] += hit
    for name in total:
        say("a true +10 %%: %s" % name, "`regressed` in %d of %d, of %d quiet ones in %d" % (found[name], total[name], quiet[name], quiet_found[name]), "-", True)
    n, k = sum(quiet.values()), sum(quiet_found.values())
    ok &= say("a true +10 %, all quiet cells", "%d of %d found (%.0f s a run)" % (k, n, (time.time() - t) / runs), "at least 70 %", n > 0 and k >= 0.7 * n)
sys.exit(not ok)
