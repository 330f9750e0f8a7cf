#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two kernels: sessions of each side under a label, the machines as env.json tells them, what is meant to differ, and what one side lacks.
# shellcheck source=tests/support/compare-kit.sh
. "$TOP/tests/support/compare-kit.sh"
more='warmup: 0
tables: [{rows: first, value: time}]'
noop a.yaml "[1, 2]" 5 "$more"
noop b.yaml "[2, 3]" 5 "$more"
for i in 1 2 3 4 5; do
	run_of $i runs/old$i a.yaml --label old >/dev/null
	run_of 2$i runs/new$i a.yaml --label new >/dev/null
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
run_of 3 lacks b.yaml >/dev/null
"$PERFGRID" compare --gate runs/old1 lacks | calm
echo "missing cells: ${PIPESTATUS[0]}"
"$PERFGRID" compare --gate --missing pass runs/old1 lacks >/dev/null 2>&1
echo "missing cells that pass: $?"
