#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""kills.py PERFGRID [N]: SIGKILL of runner or guardian at N random moments (200), each followed at once by --resume.

Shows: every finished rep is in the journal once, tables are those of an undisturbed run, no process is left, also with a rep
whose grandchild sits in its own session. Prints one Markdown row; exit 1 when anything differs."""
import glob, json, os, random, signal, subprocess, sys, tempfile, time

perfgrid = os.path.realpath(sys.argv[1])
want = int(sys.argv[2]) if len(sys.argv) > 2 else 200
SEED = int(os.environ.get("PROOF_SEED", "20261130"))
rnd = random.Random(SEED)
MARK = "sleep 86399.%d" % os.getpid()
SCENARIO = """perfgrid: 1
name: kills
defaults: {warmup: 1}
sweeps:
  - name: plain
    suite: noop
    set: {elapse: sleep, noise: normal, noise_level: 0.1}
    vary: {duration: [1ms, 2ms, 3ms], first: 1..8}
    repeat: 12
    tables: [{rows: first, columns: duration, value: time_per_op}]
  - name: image
    suite: noop
    process: exec
    set: {noise: normal, noise_level: 0.2}
    vary: {first: 1..4, grandchild: [none, new-session]}
    repeat: 8
    tables: [{rows: first, columns: grandchild, value: [time_per_op, score]}]
  - name: program
    suite: exec
    command: [sh, -c, "setsid %s & echo {i}"]
    vary: {i: 1..6}
    metrics: [{name: out, pattern: '^([0-9]+)$'}]
    repeat: 8
    tables: [{rows: i, value: out}]
""" % MARK


def state(pid):
    try:
        with open("/proc/%s/status" % pid) as f:
            for line in f:
                if line.startswith("State:"):
                    return line.split()[1]
    except OSError:
        pass
    return None


def ours():
    """Living processes of this proof: the program itself, and the marked sleepers."""
    out = []
    for p in glob.glob("/proc/[0-9]*"):
        pid = p[6:]
        try:
            cmd = open(p + "/cmdline", "rb").read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
            exe = os.readlink(p + "/exe")
        except OSError:
            continue
        if int(pid) != os.getpid() and (MARK in cmd or exe == perfgrid) and state(pid) not in ("Z", "X", None):
            out.append((pid, cmd))
    return out


def await_none(what):
    end = time.monotonic() + 12
    while time.monotonic() < end:
        left = ours()
        if not left:
            return
        time.sleep(0.01)
    sys.exit("kills: left behind after %s: %s" % (what, left))


def records(d):
    out = []
    with open(os.path.join(d, "journal.jsonl"), encoding="utf-8") as f:
        for line in f:
            out.append(json.loads(line))
    return out


def tables(d):
    out = {}
    for f in sorted(glob.glob(d + "/*.csv")):
        n = os.path.basename(f)
        if n.endswith((".samples.csv", ".cells.csv")) or n == "plan.csv":
            continue
        out[n] = open(f, "rb").read()
    return out


def start(args):
    return subprocess.Popen([perfgrid, "run", "-q", "--no-lock"] + args, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def children(pid):
    try:
        return [int(x) for x in open("/proc/%d/task/%d/children" % (pid, pid)).read().split()]
    except OSError:
        return []


with tempfile.TemporaryDirectory(prefix="perfgrid-kills.") as tmp:
    scenario = os.path.join(tmp, "kills.yaml")
    open(scenario, "w").write(SCENARIO)
    calm = os.path.join(tmp, "calm")
    t0 = time.monotonic()
    p = start(["--seed", "7", "-o", calm, scenario])
    err = p.communicate()[1]
    assert p.returncode == 0, (p.returncode, err)
    calm_s = time.monotonic() - t0
    await_none("the undisturbed run")
    ref = tables(calm)
    ref_reps = sorted((r["c"], r["p"], r["k"], r["o"], r["a"]) for r in records(calm) if "n" in r and "c" in r)
    kills = {"runner": 0, "guardian": 0}
    runs = 0
    while sum(kills.values()) < want:
        d = os.path.join(tmp, "run%d" % runs)
        runs += 1
        args = ["--seed", "7", "-o", d, scenario]
        while True:
            p = start(args)
            target = "runner" if rnd.random() < 0.5 else "guardian"
            delay = rnd.uniform(0, calm_s / 8) if sum(kills.values()) < want else 3600
            try:
                p.wait(timeout=delay)
            except subprocess.TimeoutExpired:
                pass
            if p.poll() is None:
                if target == "guardian":
                    pids = [p.pid]
                else:
                    pids = children(p.pid)
                for k in pids:
                    try:
                        os.kill(k, signal.SIGKILL)
                        kills[target] += 1
                    except OSError:
                        pass
                if target == "guardian":
                    p.wait()  # the runner below cleans up by itself; --resume waits for the directory
                else:
                    p.wait()
            err = p.stderr.read()
            p.stderr.close()
            if p.returncode == 0:
                break
            if p.returncode not in (-9, 137, 2):
                sys.exit("kills: unexpected status %s: %s" % (p.returncode, err.decode()))
            if not os.path.exists(d + "/journal.jsonl") or not os.path.exists(d + "/run.json"):
                # killed before the directory was complete: a new start takes a new directory
                await_none("a kill before the first record")
                d = os.path.join(tmp, "run%d" % runs)
                runs += 1
                args = ["--seed", "7", "-o", d, scenario]
                continue
            args = ["--resume", d]
        await_none("run %d" % runs)
        reps = [(r["c"], r["p"], r["k"], r["o"], r["a"]) for r in records(d) if "n" in r and "c" in r]
        if len(reps) != len(set(reps)):
            sys.exit("kills: a rep stands twice in the journal of %s" % d)
        if sorted(reps) != ref_reps:
            sys.exit("kills: other reps than in an undisturbed run: %d against %d" % (len(reps), len(ref_reps)))
        got = tables(d)
        if got != ref:
            for k in sorted(set(got) | set(ref)):
                if got.get(k) != ref.get(k):
                    print(k, ref.get(k), got.get(k), sep="\n")
            sys.exit("kills: tables differ from an undisturbed run")
    print("| SIGKILL of runner (%d) and guardian (%d) at random moments, each followed at once by `--resume` | %d runs, every rep once "
          "(%d a run), tables byte for byte those of an undisturbed run, no process left | the same | ok |"
          % (kills["runner"], kills["guardian"], runs, len(ref_reps)))
