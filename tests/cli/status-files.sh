#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One status file per distinct shape of table, whatever asks for the files: the run, `tables`, `tables --sweep`, another table.
cat >a.yaml <<'END'
perfgrid: 1
name: a
defaults: {repeat: 1, warmup: 0}
sweeps:
  - name: s
    suite: noop
    vary: {first: [1, 2], second: [1, 2, 3]}
    tables:
      - {rows: first, columns: second, value: time}
      - {rows: second, columns: first, value: rate}
      - {rows: first, columns: second, value: wall_time, name: x}
      - {rows: [first, second], columns: metric, value: [time, rate], name: y}
      - {rows: [first, second], value: cpu_time}
      - {rows: first, split: second, value: time}
END
"$PERFGRID" check a.yaml
shapes() {
	for f in "$1"/*.status.csv; do
		echo "$f: $(head -n 1 "$f")"
	done
}
"$PERFGRID" run -q --no-lock -o run a.yaml 2>/dev/null >/dev/null
shapes run
"$PERFGRID" tables run -o out >/dev/null
shapes out
rm run/*.status.csv
"$PERFGRID" tables run --sweep s >/dev/null
shapes run
# Another table without a name leaves the scenario's own alone; elsewhere it has its own.
"$PERFGRID" tables run --rows second --columns first --value system_time
head -n 1 run/s.status.csv
"$PERFGRID" tables run --rows second --columns first --value system_time -o new
shapes new
