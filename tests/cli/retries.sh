#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `retry`: each try is a row with its number and its own status; a cell is what its last try was; one that never came to an end makes the exit
# status 1, however often it was tried.
cat >a.yaml <<'YAML'
perfgrid: 1
name: a
sweeps:
  - name: s
    suite: exec
    command: [sh, -c, 'echo x >>tries-$1; [ "$(wc -l <tries-$1)" -ge "$1" ]', sh, '{good}']
    vary: {good: [1, 3, 9]}
    retry: 4
    repeat: 1
    warmup: 0
    order: in-file
    working_directory: .
YAML
"$PERFGRID" run -q --no-lock -o run a.yaml >/dev/null
echo "exit $?"
/usr/bin/python3 - <<'PY'
import csv
for row in csv.DictReader(open("run/s.samples.csv", newline="")):
    print("good=%(good)s round=%(round)s attempt=%(attempt)s %(status)s" % row)
for row in csv.DictReader(open("run/s.cells.csv", newline="")):
    if row["metric"] == "wall_time":
        print("good=%s: %s, n=%s, n_failed=%s, %s" % (row["good"], row["status"], row["n"], row["n_failed"], "a median" if row["median"] else "no median"))
PY
for n in 1 3 9; do echo "good=$n: $(wc -l <tries-$n) tries"; done
