#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Canaries: a run has them, and stored runs of a machine that ran at another speed are flagged in each format, with the same verdicts.
# shellcheck source=tests/support/compare-kit.sh
. "$TOP/tests/support/compare-kit.sh"
noop a.yaml "[1, 2]" 5 'warmup: 1
tables: [{rows: first, value: time}]'
for side in old new; do
	run_of 1 $side a.yaml >/dev/null
	# After a measured rep, with two times.
	grep -B 1 '^{"canary":\[[1-9][0-9]*,[1-9][0-9]*\]}$' $side/journal.jsonl | grep -q '"p":"m"' || echo "$side has no canary"
	sed -i '/^{"canary"/d' $side/journal.jsonl
done
# canary SIDE ALU COPY: the session of SIDE has three of them.
canary() {
	sed -i "/^{\"session\"/a {\"canary\":[$2,$3]}\n{\"canary\":[$2,$3]}\n{\"canary\":[$2,$3],\"later\":1}" "$1"/journal.jsonl
}
"$PERFGRID" compare --format csv old new >without.csv
canary old 500000 60000
"$PERFGRID" compare --format csv old new | cmp - without.csv && echo "canaries of one side tell nothing"
cp -r new alike
canary alike 509000 59100
"$PERFGRID" compare --format csv old alike | cmp - without.csv && echo "up to 2 % nothing is said"
canary new 530000 60300
"$PERFGRID" compare old new | grep '^env-shift'
"$PERFGRID" compare --format markdown old new | grep '^- env-shift'
"$PERFGRID" compare --format csv old new | sed 's/env-shift \?//' | cmp - without.csv && echo "csv: the flag and nothing else"
rows=$(($(wc -l <without.csv) - 1))
[ "$("$PERFGRID" compare --format csv old new | grep -c env-shift)" = $rows ] && echo "csv: on every row"
[ "$("$PERFGRID" compare --format json old new | grep -c '"flags": "env-shift')" = $rows ] && echo "json: on every row"
