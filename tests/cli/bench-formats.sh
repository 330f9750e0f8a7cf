#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One number, JSON and CSV, and repeated runs with their summary: JSON and CSV are read back by programs that know them.
t() {
	"$PERFGRID" bench "$@" 2>err
	echo "status $?" >>err
}
t -f simple sched pipe -l 100 | grep -cE '^[0-9]+\.[0-9]{3}$'
cat err
t -r 3 -f simple syscall basic -l 1000 | grep -cE '^[0-9]+\.[0-9]{3}$'
sed -E 's/(median|mean|min|max|sd) [0-9.e+-]+/\1 N/g' err
t -f simple -r 2 futex wake -t 2 | grep -cE '^[0-9]+\.[0-9]{4}$'
cat err
t -f json -r 2 mem memset -s 4KB >out.json
cat err
python3 - <<'PY'
import json

rows = json.load(open("out.json"))
print([(r["bench"], r["run"], r["params"]["function"], r["params"]["size"], r["metrics"]["bandwidth_B_per_s"] > 0) for r in rows])
PY
t -f csv sched pipe -l 10 >out.csv
cat err
python3 - <<'PY'
import csv

rows = list(csv.DictReader(open("out.csv")))
print(sorted({r["metric"] for r in rows}), {r["bench"] for r in rows}, {r["params"].split()[0] for r in rows}, all(float(r["value"]) > 0 for r in rows))
PY
t -f json sched nosuch
cat err
t -f json sched pipe -l 0 2>&1 | python3 -c 'import json, sys; print(json.load(sys.stdin))'
tail -n 1 err
