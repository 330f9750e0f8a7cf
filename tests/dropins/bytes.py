#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bytes.py PERFGRID [-v] [REGEX]: the drop-ins beside the installed perf and hackbench, byte for byte: lists, usages, errors, result lines. Numbers are masked, and
sentences that are free (help, summaries, descriptions) too; options and benches of newer versions, which 6.1 has not, are taken out of ours. Standard output,
standard error and exit status of each command line are compared; a row that differs must say why (WHY below), a row that does not differ must not.
-v lists all differences. Exit 0: all as said; 77: neither original is installed. Last line: `N passed, N failed, N skipped`."""
import os, re, shutil, subprocess, sys

perfgrid = os.path.realpath(sys.argv[1])
words = [a for a in sys.argv[2:] if a != "-v"]
wanted = re.compile(words[0] if words else "")
os.environ["LC_ALL"] = "C"

# Options and benches that 6.1 does not have.
NEWER_OPTIONS = "buckets immutable nonblocking cgroups write-size page chunk".split()
NEWER_BENCHES = "seccomp-notify getpgid fork execve mmap pmu-scan uprobe".split()

# Reasons, by a short name.
WHY = {
    "status": "a failure never exits 0: unknown format, repeat 0, measurement that cannot be",
    "refused": "what made the original print inf, nan, a negative count or nothing is refused, with the range",
    "range": "a number outside 32 bits is refused or used, never cut",
    "early": "found before a function begins, so no line of a function stands in front",
    "unit": "sizes are taken in every spelling: K, KB, KiB, any case",
    "reason": "the reason goes to standard error",
    "operand": "a word that is ignored is named on standard error",
    "spaces": "the help of the option stands there in every spelling of the mistake (`--loop=x`, `--no-s`)",
    "repeat": "-r repeats: the original runs once",
    "simple": "-f simple is one number where the original ignores it",
    "functions": "the routines that are ours are listed too",
    "notes": "start-up, progress and notes of numa are no results and do not stand on standard output",
    "synopsis": "one synopsis for every usage of numa mem",
    "summary": "the summary of repeated runs goes to standard error",
    "negative": "negative counts are refused",
    "lax": "what the original passes over is taken as it takes it, with a warning on standard error",
    "verbose": "what perfgrid does not do is not said: no limit is set, no writer counts its rounds",
}

# tool, words, and where it differs: stdout, stderr, status -> a reason of WHY
ROWS = [
    # dispatch and lists
    ("perf", "", {}),
    ("perf", "-f simple", {}),
    ("perf", "-h", {}),
    ("perf", "--bogus", {}),
    ("perf", "-Q", {}),
    ("perf", "--list-opts", {}),
    ("perf", "nosuch", {}),
    ("perf", "sched", {}),
    ("perf", "sched -h", {}),
    ("perf", "sched --help", {}),
    ("perf", "syscall", {}),
    ("perf", "mem", {}),
    ("perf", "numa", {}),
    ("perf", "futex", {}),
    ("perf", "epoll", {}),
    ("perf", "internals", {}),
    ("perf", "breakpoint", {}),
    ("perf", "sched nosuch", {}),
    ("perf", "sched -r 3 pipe", {}),
    ("perf", "-r abc sched pipe", {}),
    ("perf", "-r -1 sched pipe", {}),
    ("perf", "-r", {}),
    ("perf", "-f", {}),
    ("perf", "-r 0 sched pipe", {"status": "status"}),
    ("perf", "-f foo sched pipe", {"status": "status"}),
    # usages
    ("perf", "sched messaging -h", {}),
    ("perf", "sched pipe -h", {}),
    ("perf", "sched pipe --help", {}),
    ("perf", "sched pipe --help-all", {}),
    ("perf", "syscall basic -h", {}),
    ("perf", "mem memcpy -h", {}),
    ("perf", "mem memset -h", {}),
    ("perf", "mem find_bit -h", {}),
    ("perf", "numa mem -h", {"stdout": "notes", "stderr": "synopsis"}),
    ("perf", "futex hash -h", {}),
    ("perf", "futex wake -h", {}),
    ("perf", "futex wake-parallel -h", {}),
    ("perf", "futex requeue -h", {}),
    ("perf", "futex lock-pi -h", {}),
    ("perf", "epoll wait -h", {}),
    ("perf", "epoll ctl -h", {}),
    ("perf", "internals synthesize -h", {}),
    ("perf", "internals kallsyms-parse -h", {}),
    ("perf", "internals inject-build-id -h", {}),
    ("perf", "internals evlist-open-close -h", {}),
    ("perf", "breakpoint thread -h", {}),
    ("perf", "breakpoint enable -h", {}),
    # the option grammar
    ("perf", "sched pipe -Q", {}),
    ("perf", "sched messaging -pQ", {}),
    ("perf", "sched messaging -ph", {}),
    ("perf", "sched messaging -p=1", {}),
    ("perf", "sched pipe --bogus", {}),
    ("perf", "sched pipe --no-bogus", {}),
    ("perf", "sched pipe --no-loop=3", {"stderr": "spaces"}),
    ("perf", "sched messaging --pipe=1", {"stderr": "spaces"}),
    ("perf", "sched pipe -l", {}),
    ("perf", "sched pipe --loop", {}),
    ("perf", "sched pipe -l x", {}),
    ("perf", "sched pipe -l 0x10", {}),
    ("perf", "sched pipe --loop=x", {"stderr": "spaces"}),
    ("perf", "sched messaging -l -1", {}),
    ("perf", "futex hash --s", {}),
    ("perf", "futex hash --no-s", {"stderr": "spaces"}),
    ("perf", "internals synthesize --m 3", {}),
    ("perf", "futex hash left", {}),
    ("perf", "mem find_bit left", {}),
    ("perf", "breakpoint thread left", {}),
    ("perf", "internals kallsyms-parse left", {}),
    ("perf", "epoll ctl left", {}),
    ("perf", "sched messaging --list-opts", {}),
    ("perf", "syscall basic --list-opts", {}),
    # results
    ("perf", "sched messaging -g 1 -l 5", {}),
    ("perf", "sched messaging -pg1 -l5", {}),
    ("perf", "sched messaging -t --gr 1 --nr_l=1", {}),
    ("perf", "sched messaging --no-p -g1 -l1", {}),
    ("perf", "-f simple sched messaging -g 1 -l 5", {}),
    ("perf", "sched pipe -l 200", {}),
    ("perf", "sched pipe -Tl200", {}),
    ("perf", "sched pipe --loop=+200 --thr", {}),
    ("perf", "-f simple sched pipe -l 200", {}),
    ("perf", "sched pipe -l 200 left over", {"stderr": "operand"}),
    ("perf", "syscall basic -l 10000", {}),
    ("perf", "-f simple syscall basic -l 10000", {}),
    ("perf", "mem memcpy -l 10", {}),
    ("perf", "mem memcpy -f default -s 4MB -l 3", {}),
    ("perf", "mem memset -f x86-64-stosq -l 10", {}),
    ("perf", "-f simple mem memset -l 10", {}),
    ("perf", "mem memcpy -f allxyz -l 10", {}),
    ("perf", "mem find_bit -i 2 -j 2", {}),
    ("perf", "futex hash -r 1 -f 4", {}),
    ("perf", "futex hash -r 1 -t 2 -f 1", {}),
    ("perf", "futex hash -sS -r 1", {}),
    ("perf", "-r 2 futex wake", {}),
    ("perf", "-r 2 futex wake -t 4 -w 2 -s", {}),
    ("perf", "-r 2 futex wake-parallel -t 4 -w 2", {}),
    ("perf", "-r 2 futex requeue -t 4", {}),
    ("perf", "-r 2 futex requeue -t 3 -p", {}),
    ("perf", "-r 2 futex requeue -Bt4", {}),
    ("perf", "futex lock-pi -r 1", {}),
    ("perf", "futex lock-pi -Mr1 -t 2", {}),
    ("perf", "epoll wait -r 1 -t 2", {}),
    ("perf", "epoll wait -r 1 -t 1 -f 1 -S", {}),
    ("perf", "epoll wait -r 1 -t 1 -nvm", {"stdout": "verbose"}),
    ("perf", "epoll ctl -r 1 -t 2", {}),
    ("perf", "epoll ctl -r 1 -t 1 -f 1", {}),
    ("perf", "internals synthesize -i 20", {}),
    ("perf", "internals synthesize -t -I 2 -M 2", {}),
    ("perf", "internals synthesize -st -i 5 -I 2 -m 2 -M 2", {}),
    ("perf", "internals kallsyms-parse -i 2", {}),
    ("perf", "internals evlist-open-close -i 3", {}),
    ("perf", "internals evlist-open-close -i 3 -n 2 -C 0", {}),
    ("perf", "-r 20 breakpoint thread", {}),
    ("perf", "-r 20 breakpoint thread -b 2 -p 2", {}),
    ("perf", "-f simple breakpoint thread", {}),
    ("perf", "-r 20 breakpoint enable -p 2", {}),
    ("perf", "-f simple breakpoint enable", {}),
    ("perf", "numa mem -p 1 -t 1 -P 8 -s 1", {"stdout": "notes"}),
    ("perf", "numa mem -p 1 -t 2 -P 8 -s 1 -q", {}),
    ("perf", "numa mem -p 2 -t 1 -P 8 -s 1 -mq", {}),
    # faults of the original that are gone
    ("perf", "-r 2 sched pipe -l 50", {"stdout": "repeat", "stderr": "summary"}),
    ("perf", "sched pipe -l 0", {"stdout": "refused", "stderr": "refused", "status": "refused"}),
    ("perf", "sched pipe -l -5", {"stdout": "negative", "stderr": "negative", "status": "negative"}),
    ("perf", "syscall basic -l 0", {"stdout": "refused", "stderr": "refused", "status": "refused"}),
    ("perf", "sched messaging -g 0", {"stdout": "refused", "stderr": "refused", "status": "refused"}),
    ("perf", "sched messaging -g 4294967297 -l 1", {"stdout": "range", "stderr": "range", "status": "range"}),
    ("perf", "mem memcpy -f nosuch", {"stdout": "functions", "stderr": "reason"}),
    ("perf", "mem memset -f help", {"stdout": "functions", "stderr": "reason"}),
    ("perf", "mem memcpy -s 0", {"stderr": "reason"}),
    ("perf", "mem memcpy -s abc", {"stderr": "reason"}),
    ("perf", "mem memcpy -s 1Mb -f default -l 5", {"stdout": "unit", "stderr": "unit", "status": "unit"}),
    ("perf", "mem memcpy -s 100TB -f default", {"stdout": "early", "stderr": "reason", "status": "status"}),
    ("perf", "mem memcpy -c -f default", {"stderr": "reason"}),
    ("perf", "futex hash -r 0", {"stdout": "refused", "stderr": "refused", "status": "refused"}),
    ("perf", "futex wake-parallel -t 4 -w 3", {"stderr": "reason"}),
    ("perf", "futex wake -w 0 -t 2", {}),
    ("perf", "internals synthesize -t -m 5 -M 2", {"stdout": "refused", "stderr": "refused", "status": "refused"}),
    ("perf", "breakpoint thread -t 0", {"stdout": "refused", "stderr": "refused", "status": "refused"}),
    ("perf", "epoll wait -f 0 -r 1", {"stdout": "refused", "stderr": "refused", "status": "refused"}),
    ("perf", "-f simple futex wake", {"stdout": "simple"}),
    ("perf", "-f simple internals kallsyms-parse -i 2", {"stdout": "simple"}),
    # hackbench
    ("hackbench", "-h", {}),
    ("hackbench", "--help", {}),
    ("hackbench", "-h -g 0", {}),
    ("hackbench", "-V", {}),
    ("hackbench", "--bogus", {}),
    ("hackbench", "-g", {}),
    ("hackbench", "--groups", {}),
    ("hackbench", "-g 0", {}),
    ("hackbench", "-g x", {}),
    ("hackbench", "-l 0", {}),
    ("hackbench", "-f 0", {}),
    ("hackbench", "-s 0", {}),
    ("hackbench", "-p -i", {}),
    ("hackbench", "-g 1 -l 5", {}),
    ("hackbench", "-pTl 5 -g1", {}),
    ("hackbench", "--groups 1 --loops 5 --pipe --threads", {}),
    ("hackbench", "-g 1 -l 5 -s 200 -f 4", {}),
    ("hackbench", "-g 1 -l 5 -i -f 2", {}),
    ("hackbench", "-F -g 1 -l 5", {}),
    ("hackbench", "--gr 1 --lo 5", {}),
    ("hackbench", "-g 1 -l 5 -T -P", {}),
    ("hackbench", "-g 1 -l 5 -P -T", {}),
    ("hackbench", "-g 1x -l 5", {"stderr": "lax"}),
    ("hackbench", "-g 1 -l 5 word", {"stderr": "lax"}),
]


def mask(text, tool):
    """Numbers, addresses, free sentences."""
    out = []
    skip = False
    for line in text.replace("\r", "\n").split("\n"):
        option = re.match(r"    (?:-(\S), |    )--(\S+?)( <[^>]*>)?(  +.*)?$", line)
        if option:
            skip = option.group(2) in NEWER_OPTIONS
            if not skip:
                out.append("    -%s, --%s%s  HELP" % (option.group(1), option.group(2), option.group(3) or ""))
            continue
        if tool == "hackbench":
            line = re.sub(r"^(-\S +--\S+) .*$", r"\1 HELP", line.replace(" (perfgrid 0.1.0)", ""))
        if line.startswith(" " * 26) and tool == "perf":
            continue
        listed = re.match(r"( *)([a-z][\w-]*): \S", line)
        if listed and len(listed.group(1)) + len(listed.group(2)) >= 14 and "Total time" not in line:
            if listed.group(2) not in NEWER_BENCHES:
                out.append("%14s: SUMMARY" % listed.group(2))
            continue
        line = re.sub(r"^(# function '[^']*') \(.*\)$", r"\1 (TEXT)", line)
        line = re.sub(r"^(\t\S+ \.\.\.) .*$", r"\1 TEXT", line)
        if re.match(r"(--\S+ )+$", line):
            line = " ".join(w for w in line.split(" ") if w[2:] not in NEWER_OPTIONS)
        line = re.sub(r"0x[0-9a-f]+", "ADDRESS", line)
        line = re.sub(r"\b([KMG]B|bytes)/sec", "xB/sec", line)
        line = re.sub(r" *(?<!\w)\d+(\.\d+)?", lambda m: " N." + "d" * (len(m.group(1)) - 1) if m.group(1) else " N", line)
        out.append(line)
    return "\n".join(out)


def run(cmd):
    try:
        r = subprocess.run(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    except subprocess.TimeoutExpired:
        return {"stdout": "no end", "stderr": "", "status": "timeout"}
    return {"stdout": r.stdout.decode(errors="replace"), "stderr": r.stderr.decode(errors="replace"), "status": r.returncode}


def commands(tool, words):
    if tool == "perf":
        return ["perf", "bench"] + words, [perfgrid, "bench"] + words
    return ["hackbench"] + words, [perfgrid, "hackbench"] + words


passed = failed = skipped = 0
reasons = {}
for tool, text, differs in ROWS:
    name = (tool + (" bench " if tool == "perf" else " ") + text).strip()
    if not wanted.search(name):
        continue
    if not shutil.which(tool):
        skipped += 1
        continue
    theirs, ours = (run(c) for c in commands(tool, text.split()))
    problems = []
    for part in ("stdout", "stderr", "status"):
        a, b = theirs[part], ours[part]
        if part != "status":
            a, b = mask(a, tool), mask(b, tool)
        if (a == b) == (part in differs):
            problems.append((part, a, b))
        if part in differs:
            reasons.setdefault(WHY[differs[part]], []).append("%s (%s)" % (name, part))
    if problems:
        failed += 1
        for part, a, b in problems:
            print("FAIL %s: %s %s\n--- original\n%s\n--- perfgrid\n%s" % (name, part, "is the same, though a reason says it is not" if a == b else "differs", a, b))
    else:
        passed += 1
if "-v" in sys.argv:
    for why, where in reasons.items():
        print("DIFFERENT %s: %s" % (why, "; ".join(where)))
print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
sys.exit(1 if failed else 77 if not passed else 0)
