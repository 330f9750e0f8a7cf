#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""commands.py PERFGRID [REGEX]: command lines as people write them, each with the pattern that a script greps for.

Rows: ROWS of tests/dropins/*_rows.py, dicts of
  line     the command line, `perf bench ...` or `hackbench ...`, in shell quotes
  pattern  regular expression (MULTILINE) that a script searches standard output for
  status   exit status, 0 unless given
  stored   what the original prints, as far as the pattern needs it: checked against the pattern always, so that the table is right
           where the original is not installed
  stock    False: the installed original cannot run this line (newer, or faulty: `why` says so). Otherwise it is run too, and the pattern and
           the status must hold for it
  err      regular expression for standard error of ours
  why      reason of stock=False, or of a status that differs (`stock_status`)
  needs    name of a bench: the row is skipped where `perfgrid list` does not have it
Ours is started through links named hackbench and perf-bench, or the program hackbench beside PERFGRID where there is one. Every line ends within 60 s. STOCK=0: the originals are not run.
Last line: `N passed, N failed, N skipped`."""
import glob, os, re, runpy, shlex, shutil, subprocess, sys, tempfile

perfgrid = os.path.realpath(sys.argv[1])
wanted = re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
here = os.path.dirname(os.path.realpath(__file__))
os.environ["LC_ALL"] = "C"
KEYS = {"line", "pattern", "status", "stored", "stock", "stock_status", "err", "why", "needs"}


def run(argv):
    """Its own process group, so that whatever an original leaves behind can be ended."""
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    try:
        out, err = p.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, 9)
        p.communicate()
        return "", "ran for more than 60 s", -1
    return out, err, p.returncode


def check(row, what, got, status, err=None):
    out, text, rc = got
    bad = []
    if rc != status:
        bad.append(f"{what}: exit {rc}, expected {status}")
    if not re.search(row["pattern"], out, re.M):
        bad.append(f"{what}: {row['pattern']!r} is not in its output: {out[-400:]!r}")
    if err and not re.search(err, text, re.M):
        bad.append(f"{what}: {err!r} is not in its standard error")
    return [b + (f" (stderr {text[-300:]!r})" if text else "") for b in bad]


def try_row(row, links):
    words = shlex.split(row["line"])
    if set(row) - KEYS:
        return [f"unknown keys {set(row) - KEYS}"]
    if (row.get("stock") is False or "stock_status" in row) and not row.get("why"):
        return ["a row that the original does not share must say why"]
    bad = []
    if "stored" in row and not re.search(row["pattern"], row["stored"], re.M):
        bad.append("stored: the pattern does not hold")
    ours = [f"{links}/perf-bench"] + words[2:] if words[0] == "perf" else [f"{links}/hackbench"] + words[1:]
    bad += check(row, "perfgrid", run(ours), row.get("status", 0), row.get("err"))
    if row.get("stock", True) and os.environ.get("STOCK") != "0" and shutil.which(words[0]):
        bad += check(row, "original", run([shutil.which(words[0])] + words[1:]), row.get("stock_status", row.get("status", 0)))
    return bad


passed = failed = skipped = 0
benches = subprocess.run([perfgrid, "list"], capture_output=True, text=True).stdout
with tempfile.TemporaryDirectory(prefix="perfgrid-dropins.") as links:
    for name in ("hackbench", "perf-bench"):
        own = f"{os.path.dirname(perfgrid)}/{name}"
        os.symlink(own if os.path.isfile(own) else perfgrid, f"{links}/{name}")
    for path in sorted(glob.glob(f"{here}/*_rows.py")):
        for row in runpy.run_path(path)["ROWS"]:
            if not wanted.search(row["line"]):
                continue
            if row.get("needs") and not re.search(rf"^{re.escape(row['needs'])}\b", benches, re.M):
                skipped += 1
                print(f"SKIP {row['line']}: no bench {row['needs']}")
                continue
            bad = try_row(row, links)
            passed, failed = passed + (not bad), failed + bool(bad)
            for b in bad:
                print(f"FAIL {row['line']}: {b}")
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed else 0)
