#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""claims.py: what docs/better-than.md says is proved has a test of that name. Last line: N passed, N failed, N skipped."""
import os, re, sys

os.chdir(os.path.dirname(os.path.realpath(__file__)) + "/..")
passed = failed = 0
for number, line in enumerate(open("docs/better-than.md"), 1):
    cells = [c.strip() for c in line.strip().strip("|").split(" | ")]
    if len(cells) != 3 or cells[0] in ("weakness", "---"):
        continue
    found = 0
    for part in cells[2].split(";"):
        m = re.match(r"\s*(test_[a-z0-9_]+\.c): *(.*)", part)
        if not m:
            continue
        path = "tests/unit/" + m.group(1)
        text = open(path).read() if os.path.exists(path) else ""
        for name in re.sub(r"\([^()]*\)", "", m.group(2)).split(","):
            name = name.strip()
            if re.fullmatch(r"[a-z0-9_]+", name):
                ok = "START_TEST(%s)" % name in text
                passed += ok
                failed += not ok
                found += 1
                if not ok:
                    print("docs/better-than.md:%d: %s has no test %s" % (number, path, name))
    if not found:
        failed += 1
        print("docs/better-than.md:%d: %s names no test" % (number, cells[0]))
print("%d passed, %d failed, 0 skipped" % (passed, failed))
sys.exit(failed != 0)
