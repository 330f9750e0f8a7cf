#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tables for reading: with `run --show` and `tables --show`, in every style.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps:
  - name: s
    suite: noop
    vary: {loops: [1, 100], choice: [red, blue]}
    set: {duration: 1500us}
    repeat: 2
    skip: [{loops: 100, choice: blue, why: "too long, too blue"}]
    tables: [{rows: loops, columns: choice, value: time, unit: ms}]
END
"$PERFGRID" run -q --no-lock --show -o run a.yaml
for style in rfc4180 excel excel-eu tsv; do
	"$PERFGRID" tables run --style $style --show -o "$style"
done
"$PERFGRID" tables run --rows choice --columns loops --name turned --show
cat run/s.turned.time_per_op_s.median.csv
"$PERFGRID" tables run --rows loops --columns choice --value time --unit ms
echo "exit $?"
