#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A failing cell: the sweep goes on, exit status 1, the reason at the end; --retry-failed after the cause is gone.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps:
  - name: s
    suite: exec
    command: [test, -e, "{file}"]
    vary: {file: [present, absent]}
    repeat: 3
    warmup: 0
END
touch present
"$PERFGRID" run --no-lock --seed 1 -o run a.yaml
echo "exit $?"
cut -d, -f1-6 run/s.status.csv
touch absent
"$PERFGRID" run -q --no-lock --resume run
echo "exit $?"
"$PERFGRID" run -q --no-lock --resume run --retry-failed
echo "exit $?"
