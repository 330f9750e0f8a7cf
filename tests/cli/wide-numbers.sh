#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Numbers beyond 32 bits, on their way from the scenario and from a program through journal and every CSV: each digit of them.
cat >a.yaml <<'YAML'
perfgrid: 1
name: a
sweeps:
  - name: s
    suite: noop
    set: {duration: 1us, amount: 4294967297B, interval: 4294967.297s}
    vary: {loops: [4294967297, 999999999999], first: [8589934593]}
    repeat: 1
    warmup: 0
    timeout: 720h
    tables: [{rows: loops, columns: first, value: time}]
  - name: x
    suite: exec
    command: [printf, 'size: %s\nspent: %s s\n', '{amount}', '{amount}']
    vary: {amount: [4294967297, 123456789012345]}
    metrics:
      - {name: size, pattern: 'size: ([0-9]+)', unit: B, better: lower}
      - {name: spent, pattern: 'spent: ([0-9]+)', unit: s, better: lower}
    repeat: 1
    warmup: 0
YAML
"$PERFGRID" run -q --no-lock --seed 18446744073709551615 -o run a.yaml >/dev/null
# show FILE COLUMN...: these columns, one line a row; of cells.csv the rows of the bench's own metrics.
show() {
	/usr/bin/python3 - "$@" <<'PY'
import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="")):
    if row.get("metric") in (None, "time", "size", "spent"):
        print(*("%s=%s" % (name, row[name]) for name in sys.argv[2:] if row.get(name)))
PY
}
everything() {
	show run/plan.csv sweep loops first amount interval
	show run/s.cells.csv loops first amount interval metric median min max
	show run/s.samples.csv loops first amount interval time_s
	show run/x.cells.csv amount metric median min max
	show run/x.samples.csv amount size_B spent_s
	cat run/s.time_s.median.csv
}
everything
# And back from the journal.
everything >before
"$PERFGRID" tables run >/dev/null
everything | cmp - before && echo "the same again"
grep -o '"seed": *"[0-9]*"' run/run.json
