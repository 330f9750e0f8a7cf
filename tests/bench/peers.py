#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""peers.py PERFGRID: 100 cells of one rep of /bin/true, whole program from start to CSV, beside what people use today: a bash loop that stamps
with EPOCHREALTIME and appends CSV rows, GNU parallel -j1 --results, JUBE. Blocks interleaved, order shuffled, medians. Then 1,000 reps of
/bin/true in one cell against hyperfine -N: median of the reps. Prints Markdown rows; exit 1 when a limit is passed."""
import csv, glob, json, os, random, shutil, statistics, subprocess, sys, tempfile, time

perfgrid = os.path.realpath(sys.argv[1])
rnd = random.Random(3)
fails = 0
null = subprocess.DEVNULL


def timed(cmd, cwd, **kw):
    t = time.monotonic()
    subprocess.run(cmd, cwd=cwd, stdin=null, stdout=null, stderr=null, check=True, **kw)
    return time.monotonic() - t


def median(x):
    return statistics.median(x)


with tempfile.TemporaryDirectory(prefix="perfgrid-peers.") as tmp:
    open(tmp + "/p.yaml", "w").write("""perfgrid: 1
name: p
defaults: {repeat: 1, warmup: 0}
sweeps:
  - name: t
    suite: exec
    command: [/bin/true, "{a}", "{b}"]
    vary: {a: 1..10, b: 1..10}
""")
    open(tmp + "/loop.sh", "w").write("""for a in 1 2 3 4 5 6 7 8 9 10; do for b in 1 2 3 4 5 6 7 8 9 10; do
s=$EPOCHREALTIME; /bin/true $a $b; e=$EPOCHREALTIME
echo "$a,$b,$((${e/./} - ${s/./}))" >> out.csv
done; done
""")
    a10 = ",".join(str(i) for i in range(1, 11))
    open(tmp + "/jube.yaml", "w").write("""name: j
outpath: jube_out
benchmark:
  name: j
  outpath: jube_out
  parameterset:
    name: p
    parameter:
      - {name: a, type: int, _: "%s"}
      - {name: b, type: int, _: "%s"}
  step:
    name: run
    use: p
    do: /bin/true $a $b
""" % (a10, a10))
    peers = {
        "perfgrid run": lambda d: timed([perfgrid, "run", "-q", "--no-lock", "-o", d + "/r", tmp + "/p.yaml"], d),
        "bash loop": lambda d: timed(["bash", tmp + "/loop.sh"], d),
        "GNU parallel": lambda d: timed(["parallel", "--will-cite", "-j1", "--results", "out.csv", "/bin/true", ":::"] + [str(i) for i in range(1, 11)]
                                        + [":::"] + [str(i) for i in range(1, 11)], d),
        "JUBE": lambda d: timed(["jube", "run", tmp + "/jube.yaml"], d),
    }
    times = {k: [] for k in peers}
    for block in range(int(os.environ.get("BLOCKS", "30"))):
        names = list(peers)
        rnd.shuffle(names)
        for n in names:
            d = tempfile.mkdtemp(dir=tmp)
            times[n].append(peers[n](d))
            shutil.rmtree(d)
    own = median(times["perfgrid run"])
    for n in peers:
        m = median(times[n])
        ok = n == "perfgrid run" or own < m
        fails += not ok
        print("| 100 cells of one rep of /bin/true, %d blocks: %s | %.0f ms, %.2f ms a cell (%.2f x perfgrid) | perfgrid below | %s |"
              % (len(times[n]), n, m * 1e3, m * 10, m / own, "ok" if ok else "FAILED"))

    open(tmp + "/h.yaml", "w").write("""perfgrid: 1
name: h
sweeps:
  - {name: t, suite: exec, command: [/bin/true], repeat: %d, warmup: 0}
""" % 1000)
    ratios, ours, theirs = [], [], []
    for block in range(int(os.environ.get("HYPER_BLOCKS", "30"))):
        pair = {}
        order = ["p", "h"]
        rnd.shuffle(order)
        for w in order:
            d = tempfile.mkdtemp(dir=tmp)
            if w == "p":
                subprocess.run([perfgrid, "run", "-q", "--no-lock", "-o", d + "/r", tmp + "/h.yaml"], check=True, stdin=null, stdout=null)
                rows = list(csv.DictReader(open(d + "/r/t.samples.csv")))
                pair[w] = median([float(r["wall_time_s"]) for r in rows if r["phase"] == "measure" and r["status"] == "ok"])
            else:
                subprocess.run(["hyperfine", "-N", "--warmup", "0", "--runs", "1000", "--export-json", d + "/h.json", "/bin/true"], check=True,
                               stdin=null, stdout=null, stderr=null)
                pair[w] = json.load(open(d + "/h.json"))["results"][0]["median"]
            shutil.rmtree(d)
        ratios.append(pair["p"] / pair["h"])
        ours.append(pair["p"])
        theirs.append(pair["h"])
    r = median(ratios)
    fails += r > 1.05
    print("| 1,000 reps of /bin/true against hyperfine -N, %d interleaved pairs | median %.0f us against %.0f us, median ratio %.3f | at most 1.05 | %s |"
          % (len(ratios), median(ours) * 1e6, median(theirs) * 1e6, r, "ok" if r <= 1.05 else "FAILED"))
sys.exit(fails != 0)
