#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verdicts.py PERFGRID [RUNS]: what hyperfine and perfgrid say of the same pairs of commands, RUNS times (8) in turn.

Pairs are A/A (the same command twice) and +5 % (a twentieth more work). hyperfine -N with a warm-up prints `A ran r ± s times faster than B`;
a reader takes that for a difference when r - s is above 1, and so it is counted here. perfgrid runs the pair as variants with its defaults;
`regressed`, `improved` and the minor ones count as a difference, `same` and `unclear` do not. Prints a Markdown table with the measuring times."""
import collections, csv, json, os, shutil, subprocess, sys, tempfile, time

perfgrid = os.path.realpath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 8


def commands(tmp):
    """name -> (command, the same with 5 % more work)"""
    for name, n in (("base", 40000), ("more", 42000)):
        with open("%s/%s" % (tmp, name), "w") as f:
            for i in range(n):
                f.write("%08d some words of a line\n" % (i * 7919 % 100003))
    loop, count = "BEGIN {for (i = 0; i < %d; i++) s += i; print s}", "for ((i = 0; i < %d; i++)); do :; done"
    return {
        "awk": (["awk", loop % 400000], ["awk", loop % 420000]),
        "bash": (["bash", "-c", count % 20000], ["bash", "-c", count % 21000]),
        "sort": (["sort", "-o", "/dev/null", tmp + "/base"], ["sort", "-o", "/dev/null", tmp + "/more"]),
        "gzip": (["gzip", "-c", tmp + "/base"], ["gzip", "-c", tmp + "/more"]),
    }


def by_hyperfine(a, b, tmp):
    subprocess.run(["hyperfine", "-N", "-w", "1", "--export-json", tmp + "/h.json", "--style", "none"] + [" ".join("'%s'" % w for w in c) for c in (a, b)],
                   check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    x, y = json.load(open(tmp + "/h.json"))["results"]
    slow, fast = (x, y) if x["mean"] > y["mean"] else (y, x)
    ratio = slow["mean"] / fast["mean"]
    sd = ratio * ((slow["stddev"] / slow["mean"]) ** 2 + (fast["stddev"] / fast["mean"]) ** 2) ** 0.5
    if ratio - sd <= 1:
        return "none"
    return "slower" if slow is y else "faster"


def by_perfgrid(a, b, tmp):
    # Words that differ between the arms come from params.
    words, arms = [], ["label: a", "label: b"]
    for i, pair in enumerate(zip(a, b)):
        if pair[0] == pair[1]:
            words.append(pair[0].replace("{", "{{").replace("}", "}}"))
            continue
        words.append("{w%d}" % i)
        arms = [arm + ", w%d: %s" % (i, json.dumps(w)) for arm, w in zip(arms, pair)]
    with open(tmp + "/s.yaml", "w") as f:
        f.write("perfgrid: 1\nname: pair\nsweeps:\n  - name: pair\n    suite: exec\n    command: %s\n    variants: [{%s}, {%s}]\n" % ((json.dumps(words),) + tuple(arms)))
    shutil.rmtree(tmp + "/run", ignore_errors=True)
    subprocess.run([perfgrid, "run", "-q", "--no-lock", "-o", tmp + "/run", tmp + "/s.yaml"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    row = next(r for r in csv.DictReader(open(tmp + "/run/all.compare.csv")) if r["verdict"] and "exploration" not in r["reason"])
    return {"regressed": "slower", "minor+": "slower", "improved": "faster", "minor-": "faster"}.get(row["verdict"], "none")


with tempfile.TemporaryDirectory(prefix="perfgrid-verdicts.") as tmp:
    said, spent = collections.Counter(), collections.Counter()
    pairs = commands(tmp)
    for _ in range(runs):
        for name, (base, more) in pairs.items():
            for kind, other in (("A/A", base), ("+5 %", more)):
                for tool, fn in (("hyperfine", by_hyperfine), ("perfgrid", by_perfgrid)):
                    t = time.time()
                    said[tool, kind, fn(base, other, tmp)] += 1
                    spent[tool, kind] += time.time() - t
    n = runs * len(pairs)
    print("| pairs | tool | said slower | said faster | said nothing | time a pair |\n| --- | --- | --- | --- | --- | --- |")
    for kind in ("A/A", "+5 %"):
        for tool in ("hyperfine", "perfgrid"):
            print("| %d x %s | %s | %d | %d | %d | %.1f s |" % ((n, kind, tool) + tuple(said[tool, kind, s] for s in ("slower", "faster", "none")) + (spent[tool, kind] / n,)))
