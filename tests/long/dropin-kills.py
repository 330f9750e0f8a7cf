#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dropin-kills.py PERFGRID [N] [REGEX]: the drop-ins stopped at N random moments in each mode (100).

Main gets KILL, QUIT, TERM or INT, alone or with its whole group, at any moment of its start-up or its run: it ends by that signal
within 2 s, with no result and with no process left. In modes with worker processes a worker gets
KILL, SEGV or TERM in a fifth of the cases: main ends by itself within 2 s with a status that is not 0 and a reason. This process is the
reaper of whatever loses its parent, so nothing is missed. Prints one Markdown row; exit 1 when anything differs."""
import ctypes, os, random, re, shutil, signal, subprocess, sys, tempfile, time

perfgrid = os.path.realpath(sys.argv[1])
hackbench = os.path.dirname(perfgrid) + "/hackbench"  # the small program of that name
if not os.path.isfile(hackbench) or os.path.islink(hackbench):
    hackbench = tempfile.mkdtemp(prefix="perfgrid-dropins.") + "/hackbench"
    os.symlink(perfgrid, hackbench)
want = int(sys.argv[2]) if len(sys.argv) > 2 else 100
wanted = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
SEED = int(os.environ.get("PROOF_SEED", "20261130"))
LIMIT = float(os.environ.get("LIMIT", "2"))
rnd = random.Random(SEED)
BIG = "1000000000"
ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER

# words, workers that are processes, pattern of a result (must not appear)
MODES = [
    ("hackbench -g 2 -f 3 -l -1", True),
    ("hackbench -p -g 2 -f 3 -l -1", True),
    ("hackbench -i -g 1 -f 3 -l -1", True),
    ("hackbench -T -g 2 -f 3 -l -1", False),
    ("hackbench -T -p -g 2 -f 3 -l -1", False),
    ("hackbench -T -i -g 1 -f 3 -l -1", False),
    ("hackbench -g 20 -f 5 -l -1", True),
    ("hackbench -pipe 1 process " + BIG, True),
    ("bench sched messaging -g 1 -l " + BIG, True),
    ("bench sched messaging -t -p -g 1 -l " + BIG, False),
    ("bench sched pipe -l " + BIG, True),
    ("bench sched pipe -T -l " + BIG, False),
    ("bench syscall basic -l 100000000000", False),
    ("bench mem memcpy -s 64MB -l 100000000", False),
    ("bench futex hash -t 2 -r 100", False),
    ("bench epoll wait -t 2 -r 100", False),
    ("bench numa mem -p 2 -t 2 -P 4 -T 4 -s 100 -q", True),
    ("bench -r 5 sched messaging -g 1 -l " + BIG, True),
    ("bench -f simple sched pipe -l " + BIG, True),
    ("bench sched all", True),
]


def children(pid):
    out = []
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/children" % (pid, task)) as f:
                out += [int(x) for x in f.read().split()]
    except OSError:
        pass
    return out


def tree(pid):
    return [c for k in children(pid) for c in [k] + tree(k)]


def reap_rest(deadline):
    """Everything that is left becomes a child of this process; returns how many do not end in time."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 0
        if pid == 0:
            if time.monotonic() > deadline:
                left = tree(os.getpid())
                for p in left:
                    os.kill(p, signal.SIGKILL)
                return len(left)
            time.sleep(0.002)


def wait_end(p, deadline):
    while True:
        pid, status = os.waitpid(p.pid, os.WNOHANG)
        if pid:
            return status
        if time.monotonic() > deadline:
            return None
        time.sleep(0.002)


def start(words, out, err):
    argv = words.split()
    # In a group of its own, with the signals at their default: a background job of a script has INT and QUIT ignored.
    def before():
        os.setpgid(0, 0)
        for s in (signal.SIGINT, signal.SIGQUIT):
            signal.signal(s, signal.SIG_DFL)
    return subprocess.Popen(([hackbench] + argv[1:] if argv[0] == "hackbench" else [perfgrid] + argv), stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=before)


def one(words, processes):
    """One try; returns (what went wrong or None, seconds from the signal to the end of everything)."""
    with open("/tmp/perfgrid-dropin-kills.%d" % os.getpid(), "w+b") as out:
        p = start(words, out, out)
        victim, sig = p.pid, rnd.choice([signal.SIGKILL, signal.SIGQUIT, signal.SIGTERM, signal.SIGINT])
        group = rnd.random() < 0.25
        delay = rnd.uniform(0, 0.05) if rnd.random() < 0.5 else rnd.uniform(0.05, 0.4)
        time.sleep(delay)
        worker = processes and rnd.random() < 0.2
        if worker:
            for _ in range(1000):
                below = tree(p.pid)
                if below or p.pid not in children(os.getpid()):
                    break
                time.sleep(0.005)
            if not below:
                worker = False
            else:
                victim, sig, group = rnd.choice(below), rnd.choice([signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM]), False
        at = time.monotonic()
        try:
            (os.killpg if group else os.kill)(victim, sig)
        except ProcessLookupError:
            worker, victim, sig = False, p.pid, signal.SIGKILL
            p.kill()
        status = wait_end(p, at + 10)
        if status is None:
            p.kill()
            os.waitpid(p.pid, 0)
        ended = time.monotonic() - at
        left = reap_rest(time.monotonic() + LIMIT)
        took = time.monotonic() - at
        p.returncode = 0
        out.seek(0)
        text = out.read().decode(errors="replace")
    what = "%s to %s after %.0f ms" % (sig.name, "a worker" if worker else "the group" if group else "main", delay * 1e3)
    if status is None:
        return "%s: no end in 10 s" % what, took
    if left:
        return "%s: %d processes left" % (what, left), took
    if took > LIMIT:
        return "%s: it took %.1f s" % (what, took), took
    if re.search(r"^(Time: | +Total time:|[0-9.]+$)", text, re.M) and "all" not in words.split():
        return "%s: a result all the same: %r" % (what, text[-200:]), took
    if not worker and not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == sig):
        return "%s: main ended with %#x" % (what, status), took
    # A worker that ends before main knows of it is still a worker; `all` goes on with the next bench.
    if worker and (status == 0 or not os.WIFEXITED(status)):
        return "%s: main ended with %#x" % (what, status), took
    if worker and "signal" not in text and "ended" not in text and "end of file" not in text:
        return "%s: no reason: %r" % (what, text[-200:]), took
    return None, took


bad, tries, modes, worst = 0, 0, 0, 0.0
benches = subprocess.run([perfgrid, "list"], capture_output=True, text=True).stdout
for words, processes in MODES:
    w = words.split()
    if not wanted.search(words):
        continue
    name = "/".join([x for x in w if re.fullmatch("[a-z-]+", x) and x not in ("bench", "simple") and x[0] != "-"][:2])
    if w[0] == "bench" and "all" not in w and not re.search(r"^%s\b" % re.escape(name), benches, re.M):
        print("dropin-kills: no bench %s here" % name, file=sys.stderr)
        continue
    modes += 1
    for _ in range(want):
        # Under `all` a dead worker spoils one bench of several, and the run goes on: only main is stopped there.
        why, took = one(words, processes and "all" not in w)
        tries += 1
        worst = max(worst, took)
        if why:
            bad += 1
            print("dropin-kills: %s: %s" % (words, why), file=sys.stderr)
os.unlink("/tmp/perfgrid-dropin-kills.%d" % os.getpid())
if os.path.islink(hackbench):
    shutil.rmtree(os.path.dirname(hackbench))
print("| drop-ins stopped at random moments | %d times in %d modes; nothing left, longest end %.0f ms | 0 processes, %.0f s | %s |"
      % (tries, modes, worst * 1e3, LIMIT, "ok" if not bad else "%d FAILED" % bad))
sys.exit(1 if bad or not tries else 0)
