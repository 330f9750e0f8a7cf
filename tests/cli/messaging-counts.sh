#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `fds` of sched/messaging counts: said by `describe`, the same number in every CSV; the drop-ins keep the lines of their ancestors, of
# which hackbench's doubles it.
"$PERFGRID" describe sched/messaging | grep -A 1 -e '^  groups' -e '^  fds'
cat >a.yaml <<'YAML'
perfgrid: 1
name: a
sweeps:
  - {name: s, suite: sched/messaging, set: {loops: 1}, vary: {groups: [2], fds: [3]}, repeat: 1, warmup: 0, tables: [{rows: groups, columns: fds, value: time}]}
YAML
"$PERFGRID" run -q --no-lock -o run a.yaml >/dev/null
# column NAME FILE: the values of a column, each once.
column() {
	/usr/bin/python3 - "$1" "$2" <<'PY'
import csv, sys
print(*sorted({row[sys.argv[1]] for row in csv.DictReader(open(sys.argv[2], newline=""))}))
PY
}
for f in run/plan.csv run/s.cells.csv run/s.samples.csv; do
	echo "${f#run/}: groups $(column groups $f), fds $(column fds $f)"
done
"$PERFGRID" hackbench -g 2 -f 3 -l 1 | head -n 1
"$PERFGRID" bench sched messaging -g 2 -l 1 | grep '^#'
