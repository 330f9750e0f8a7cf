#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `compare` of a run with variants: the report in its formats, compare.csv, the exit statuses of the gate.
# shellcheck source=tests/support/compare-kit.sh
. "$TOP/tests/support/compare-kit.sh"
noop a.yaml "[1, 2]" 12 'skip: [{first: 2, variant: slow, why: known to be slow}]
variants:
  - {label: old}
  - {label: same}
  - {label: slow, duration: 1300us}
compare: {looks: none}
warmup: 0
tables: [{rows: first, columns: variant, value: time}]'
run_of 7 run a.yaml
"$PERFGRID" compare run | calm
"$PERFGRID" compare --gate run >/dev/null
echo "gate: $?"
"$PERFGRID" compare --gate --threshold 50% run >/dev/null
echo "gate with 50%: $?"
"$PERFGRID" compare --bisect run >/dev/null
echo "bisect: $?"
"$PERFGRID" compare --format markdown run | calm
"$PERFGRID" compare --format csv run | cut -d , -f 1 | sort -u
cut -d , -f 2- <run/all.compare.csv | cmp - run/s.compare.csv && echo "all is s"
# Made again from the journal it is the same.
cp run/s.compare.csv before
"$PERFGRID" tables run >/dev/null && cmp before run/s.compare.csv && echo "the same"
