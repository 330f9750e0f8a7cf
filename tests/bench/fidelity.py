#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fidelity.py PERFGRID [ROW-REGEX]: each bench beside the one of the installed `perf bench`, same parameters, pinned alike.

A block runs the original twice and perfgrid once, in shuffled order, each as a whole program with one rep; ratios are taken within the block.
Printed per row: median of perfgrid / original and of original / original (A/A) over the blocks, each with the interval of the median by order
statistics (exact binomial, at least 95 %). Rows with `scatter` run in scattered physical pages. A row is ok when the interval lies within 0.95 to 1.05 or overlaps the A/A interval; else it needs a
`why`: the cause, a named fault of the original. Rows: tests/bench/fidelity/*.py. BLOCKS=N (default 15). Exit 1: a row differs without a cause."""
import csv, glob, json, math, mmap, os, random, re, runpy, shutil, statistics, subprocess, sys, tempfile

perfgrid = os.path.realpath(sys.argv[1])
wanted = re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
blocks = int(os.environ.get("BLOCKS", "15"))
here = os.path.dirname(os.path.realpath(__file__))
rnd = random.Random(5)


def interval(values):
    """Median with the narrowest symmetric pair of order statistics that holds it with at least 95 %."""
    x, n = sorted(values), len(values)
    best = 0
    for k in range(1, n // 2 + 1):
        tail = sum(math.comb(n, i) for i in range(k)) / 2**n
        if 2 * tail <= 0.05:
            best = k
    return statistics.median(x), x[max(best, 1) - 1], x[n - max(best, 1)]


def original(row):
    cmd = (["chrt", "-f", "1"] if row.get("fifo") else []) + (["taskset", "-c", row["pin"]] if row.get("pin") else []) + row["perf"]
    r = subprocess.run(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    numbers = re.findall(row["number"], r.stdout)
    if r.returncode or not numbers:
        sys.exit("fidelity: %s: no number in:\n%s" % (" ".join(cmd), r.stdout))
    return float(numbers[row.get("which", 0)]) * row["scale"]


def ours(row, tmp):
    # Words stay without quotes: in quotes they would be text.
    given = ", ".join("%s: %s" % (k, v if re.fullmatch(r"[a-z][a-z-]*", v) else json.dumps(v)) for k, v in row["set"].items())
    pin = (", pin: '%s'" % row["pin"] if row.get("pin") else "") + (", policy: 'fifo:1'" if row.get("fifo") else "")
    open(tmp + "/s.yaml", "w").write("perfgrid: 1\nname: fidelity\nsweeps: [{name: t, suite: %s, repeat: 1, warmup: 0%s, set: {%s}}]\n" % (row["suite"], pin, given))
    subprocess.run([perfgrid, "run", "-q", "--no-lock", "-o", tmp + "/run", tmp + "/s.yaml"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    rows = list(csv.DictReader(open(tmp + "/run/t.samples.csv")))
    column = next(c for c in rows[0] if re.fullmatch(re.escape(row["metric"]) + r"(_s|_B|_per_s|_B_per_s|_count)?", c))
    shutil.rmtree(tmp + "/run")
    if rows[0]["status"] != "ok":
        sys.exit("fidelity: %s: %s" % (row["name"], rows[0]))
    return float(rows[0][column])


def scattered_pages():
    """Half of 64 MiB, page by page, stays taken while a program runs, and it gets the other half: which physical pages a program's memory lies in makes
    tens of percent here, and two runs of one program mostly get the same ones, so that it would look like a difference between programs."""
    m = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    pages = list(range(0, 64 << 20, 4096))
    for at in pages:
        m[at] = 1
    rnd.shuffle(pages)
    for at in pages[: len(pages) // 2]:
        m.madvise(mmap.MADV_DONTNEED, at, 4096)
    return m


def compare(row, tmp):
    ratio, again = [], []
    for _ in range(blocks):
        order = ["a", "b", "g"]
        rnd.shuffle(order)
        v = {}
        for k in order:
            held = scattered_pages() if row.get("scatter") else None
            v[k] = ours(row, tmp) if k == "g" else original(row)
            if held:
                held.close()
        ratio.append(v["g"] / v["a"])
        again.append(v["b"] / v["a"])
    m, lo, hi = interval(ratio)
    am, alo, ahi = interval(again)
    inside = 0.95 <= lo and hi <= 1.05
    overlaps = lo <= ahi and alo <= hi
    verdict = "within 0.95 to 1.05" if inside else "overlaps A/A" if overlaps else row.get("why", "DIFFERS")
    print("| %s | %s | `%s` | %.3f (%.3f to %.3f) | %.3f (%.3f to %.3f) | %s |" % (row["name"], row["metric"], " ".join(row["perf"]), m, lo, hi, am, alo, ahi, verdict),
          flush=True)
    return inside or overlaps or "why" in row


bad = 0
print("| bench | metric | original | perfgrid / original | original / original | verdict |\n| --- | --- | --- | --- | --- | --- |")
with tempfile.TemporaryDirectory(prefix="perfgrid-fidelity.") as tmp:
    for path in sorted(glob.glob(here + "/fidelity/*.py")):
        for row in runpy.run_path(path)["ROWS"]:
            if wanted.search(row["name"]):
                bad += not compare(row, tmp)
sys.exit(bad != 0)
