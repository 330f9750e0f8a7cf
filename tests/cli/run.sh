#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A run with known numbers: the table, byte for byte, and every file of the run directory.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps:
  - name: grid
    suite: noop
    vary: {loops: [1, 10], duration: [1us, 2ms]}
    repeat: 3
    tables:
      - {rows: loops, columns: duration, value: time}
END
"$PERFGRID" run --no-lock --seed 7 -o run a.yaml || exit
cat run/grid.time_s.median.csv
ls run run/files
