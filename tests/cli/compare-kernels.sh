#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two kernels: sessions of each side under a label, the machines as env.json tells them, what is meant to differ, and what one side lacks.
# No history of this machine has a say.
export HOME=$PWD
unset XDG_STATE_HOME
# What disturbed differs from machine to machine.
calm() {
	sed -E 's/(; )?(spiky|short|noisy|[a-z-]+:[0-9]+%)( (spiky|short|noisy|[a-z-]+:[0-9]+%))*//; /^ *$/d'
}
cat >a.yaml <<'YAML'
perfgrid: 1
name: a
sweeps:
  - name: s
    suite: noop
    process: exec
    set: {noise: normal, noise_level: 0.01, duration: 1ms}
    vary: {first: [1, 2]}
    repeat: 5
    warmup: 0
    tables: [{rows: first, value: time}]
YAML
sed 's/first: \[1, 2\]/first: [2, 3]/' a.yaml >b.yaml
for i in 1 2 3 4 5; do
	"$PERFGRID" run -q --no-lock --seed $i --label old -o runs/old$i a.yaml >/dev/null
	"$PERFGRID" run -q --no-lock --seed 2$i --label new -o runs/new$i a.yaml >/dev/null
	sed -i 's/"release": ".*"/"release": "6.99.0-next"/' runs/new$i/env.json
done
# Nor has the speed of this machine.
sed -i '/^{"canary"/d' runs/*/journal.jsonl
"$PERFGRID" compare --gate runs@old runs@new | sed "s,$(uname -r),HERE," | calm
echo "without --differs: ${PIPESTATUS[0]}"
"$PERFGRID" compare --gate --differs kernel runs@old runs@new | calm
echo "with --differs kernel: ${PIPESTATUS[0]}"
"$PERFGRID" compare --gate --differs kernel runs/old1 runs/new1 | calm
echo "single runs: ${PIPESTATUS[0]}"
"$PERFGRID" run -q --no-lock --seed 3 -o lacks b.yaml >/dev/null
"$PERFGRID" compare --gate runs/old1 lacks | calm
echo "missing cells: ${PIPESTATUS[0]}"
"$PERFGRID" compare --gate --missing pass runs/old1 lacks >/dev/null 2>&1
echo "missing cells that pass: $?"
