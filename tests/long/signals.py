#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""signals.py PERFGRID: INT and TERM (also HUP, QUIT) at random moments: 128 + n, nothing new starts, what is finished is tabulated."""
import csv, glob, json, os, random, signal, subprocess, sys, tempfile, time

perfgrid = os.path.realpath(sys.argv[1])
rnd = random.Random(11)
SCENARIO = """perfgrid: 1
name: signals
sweeps:
  - name: s
    suite: noop
    set: {elapse: sleep, duration: 5ms}
    vary: {first: 1..20}
    repeat: 20
    tables: [{rows: first, value: time_per_op, statistic: [median, n]}]
"""
done = 0
for ignored in (signal.SIGHUP, signal.SIGQUIT):  # as nohup and background shells leave them
    signal.signal(ignored, signal.SIG_DFL)
with tempfile.TemporaryDirectory(prefix="perfgrid-signals.") as tmp:
    scenario = os.path.join(tmp, "s.yaml")
    open(scenario, "w").write(SCENARIO)
    for i in range(24):
        sig = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT][i % 4]
        d = os.path.join(tmp, "r%d" % i)
        p = subprocess.Popen([perfgrid, "run", "-q", "--no-lock", "-o", d, scenario], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        while not os.path.exists(d + "/journal.jsonl"):
            time.sleep(0.005)
        time.sleep(rnd.uniform(0.05, 1.0))
        if i % 3 == 0:
            os.killpg(p.pid, sig)  # as Ctrl-C does: guardian and runner both
        else:
            os.kill(p.pid, sig)
        out, err = p.communicate(timeout=20)
        if p.returncode != 128 + sig:
            sys.exit("signals: %s gave status %d: %s" % (sig, p.returncode, err.decode()))
        run = json.load(open(d + "/run.json"))
        assert run["state"] == "interrupted", run["state"]
        recs = [json.loads(x) for x in open(d + "/journal.jsonl")]
        n = sum(1 for r in recs if r.get("p") == "m" and r.get("s") == "ok")
        table = list(csv.reader(open(glob.glob(d + "/s.*.n.csv")[0])))
        assert sum(int(r[1] or 0) for r in table[1:]) == n, (n, table)
        mono = [r for r in recs if "c" in r and "n" in r]
        assert [r["n"] for r in mono] == sorted(set(r["n"] for r in mono))
        done += 1
print("| INT, TERM, HUP, QUIT at random moments (%d) | status 128 + n, state interrupted, every finished rep tabulated | the same | ok |" % done)
