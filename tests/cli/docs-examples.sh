#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The scenarios in README.md and docs/ are good ones: whole files as they stand; sweeps (`  - name:`) and parts of a sweep (four blanks) in a
# file around them, the parts in scenario.md as one sweep of sched/messaging, those of other pages each as one. adding-a-bench.md has its own test.
/usr/bin/python3 - "$TOP" <<'PY'
import glob, os, re, sys

top = sys.argv[1]
head = "perfgrid: 1\nname: docs\nsweeps:\n"
parts = "  - name: parts\n    suite: sched/messaging\n"
for page in [top + "/README.md"] + sorted(glob.glob(top + "/docs/*.md")):
    name = os.path.basename(page)[:-3]
    if name == "adding-a-bench":
        continue
    together = parts
    for n, block in enumerate(re.findall(r"^```yaml\n(.*?)^```", open(page, encoding="utf-8").read(), re.M | re.S)):
        text = None
        if re.match(r"(#.*\n)?perfgrid:", block):
            text = block
        elif block.startswith("  - name:"):
            text = head + block
        elif block.startswith("    ") and name == "scenario":
            together += block
        elif block.startswith("    "):
            text = head + parts + block
        if text:
            open("%s-%d.yaml" % (name, n), "w").write(text)
    if together != parts:
        open(name + "-parts.yaml", "w").write(head + together)
PY
good=0
for f in *.yaml; do
	if "$PERFGRID" check "$f" >out 2>err; then
		good=$((good + 1))
	else
		cat "$f" err
	fi
done
[ "$good" -ge 4 ] && echo "all that were found, four at least, are good"
