#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A run that ended after its first sweep passes no gate; gone on with, it does. What was left out on purpose does not count. Nor is a run whole whose journal is cut.
cat >a.yaml <<'YAML'
perfgrid: 1
name: a
defaults: {repeat: 12, warmup: 0, process: exec, compare: {looks: none}}
sweeps:
  - name: a
    suite: noop
    set: {noise: normal, noise_level: 0.01, duration: 1ms}
    variants: [{label: old}, {label: new}]
    tables: [{rows: variant, value: time}]
  - name: b
    suite: noop
    set: {noise: normal, noise_level: 0.01, duration: 1ms}
    vary: {first: [1, 2]}
    skip: [{first: 2, why: not this one}]
    variants: [{label: old}, {label: new}]
    tables: [{rows: first, columns: variant, value: time}]
YAML
"$PERFGRID" run -q --no-lock --seed 7 -o run a.yaml >/dev/null
id=$(awk -F, '$2 == "b" { print $1; exit }' run/plan.csv)
sed -i "/$id/,\$d" run/journal.jsonl
sed -i 's/"state": "complete"/"state": "interrupted"/' run/run.json
"$PERFGRID" compare --gate run 2>&1
echo "gate: $?"
"$PERFGRID" compare --bisect run >/dev/null 2>&1
echo "bisect: $?"
"$PERFGRID" compare --gate --inconclusive=pass run >/dev/null 2>&1
echo "inconclusive passes: $?"
"$PERFGRID" compare --format markdown run 2>/dev/null | grep 'not reached'
"$PERFGRID" compare --format json run 2>/dev/null | grep '"complete"\|"gate"\|"unreached":'
"$PERFGRID" compare --format csv run 2>/dev/null | cut -d , -f 1 | sort | uniq -c | sed 's/^ *//' | head -n 1
"$PERFGRID" run -q --no-lock --resume run >/dev/null
"$PERFGRID" compare --gate run >/dev/null
echo "gate after going on: $?"
# A journal that ends at the end of a line, before the end that run.json tells of: no complete run.
for lines in 1 2 8 "$(($(wc -l <run/journal.jsonl) - 1))"; do
	rm -rf cut
	cp -R run cut
	head -n "$lines" run/journal.jsonl >cut/journal.jsonl
	"$PERFGRID" compare --format json cut 2>cut.err | grep '"complete"'
	"$PERFGRID" tables cut 2>>cut.err >/dev/null
	sort cut.err | uniq -c | sed 's/^ *//'
done
"$PERFGRID" run -q --no-lock --resume cut >/dev/null
"$PERFGRID" compare --format json cut 2>&1 | grep '"complete"\|perfgrid:'
"$PERFGRID" run -q --no-lock --only "first == 1" -o some a.yaml >/dev/null 2>&1
"$PERFGRID" compare --gate some >/dev/null
echo "gate with --only: $?"
