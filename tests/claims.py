#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""claims.py: docs/better-than.md has a line for every known weakness, each with what was wrong, what perfgrid does and a proof; what is named
as proof exists. Links and paths in the pages exist. Last line: N passed, N failed, N skipped."""
import glob, os, re, sys

os.chdir(os.path.dirname(os.path.realpath(__file__)) + "/..")
PAGE = "docs/better-than.md"
# The last number of each family of ids.
FAMILIES = {"X": 16, "W-A": 7, "W-B": 6, "W-C": 3, "W-D": 5, "W-E": 10, "W-F": 7, "W-I": 4, "W-K": 4, "W-N": 12, "W-P": 9, "W-U": 6}
passed = failed = 0


def check(ok, message):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print(message)


def read(path):
    return open(path, encoding="utf-8").read() if os.path.isfile(path) else ""


def proofs(text):
    """Files and the names of tests in them; (path, None) for a file as a whole."""
    path = None
    for part in re.sub(r"`[^`]*`|\([^()]*\)", "", text).split(";"):
        m = re.match(r"\s*(test_[a-z0-9_]+\.c): *(.*)", part)
        if m:
            for name in m.group(2).split(","):
                yield "tests/unit/" + m.group(1), name.strip()
        m = re.match(r"\s*(tests/[a-z0-9_/.-]+)\s*$", part)
        if m:
            yield m.group(1), None


def claims():
    seen = []
    for number, line in enumerate(read(PAGE).splitlines(), 1):
        if not line.startswith("|"):
            continue
        here = "%s:%d" % (PAGE, number)
        cells = [c.strip() for c in line.strip().strip("|").split(" | ")]
        if cells[0] in ("id", "---"):
            continue
        if len(cells) != 4 or not all(cells):
            check(False, "%s: %d parts; a line has id, what was wrong, what perfgrid does, proof" % (here, len(cells)))
            continue
        seen.append(cells[0])
        found = 0
        for path, name in proofs(cells[3]):
            found += 1
            ok = os.path.isfile(path) if name is None else "START_TEST(%s)" % name in read(path)
            check(ok, "%s: %s has no test %s" % (here, path, name))
        check(found, "%s: %s names no test" % (here, cells[0]))
    for family, last in FAMILIES.items():
        for i in range(1, last + 1):
            n = seen.count("%s%d" % (family, i))
            check(n == 1, "%s: %s%d stands %d times" % (PAGE, family, i, n))


def links():
    """Relative links of the pages, and the files and folders of this tree that they name."""
    for page in ["README.md"] + sorted(glob.glob("docs/*.md")):
        for number, line in enumerate(read(page).splitlines(), 1):
            for target in re.findall(r"\]\(([^)#: ]+)(?:#[^)]*)?\)", line):
                path = os.path.join(os.path.dirname(page), target)
                check(os.path.exists(path), "%s:%d: %s does not exist" % (page, number, target))
            for path in re.findall(r"(?<![\w/.-])((?:src|tests|scenarios|contrib|schema|docs)/[\w/.-]*\w)", line):
                if re.search("[A-Z]{3}", path):
                    continue  # NAME and the like
                ok = os.path.exists(path) or glob.glob(path + "*") or page == "docs/adding-a-bench.md" and "toy" in path
                check(ok, "%s:%d: %s does not exist" % (page, number, path))


claims()
links()
print("%d passed, %d failed, 0 skipped" % (passed, failed))
sys.exit(failed != 0)
