#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Options that shape the plan, as `plan` and `run -n` show them.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps:
  - name: s
    suite: noop
    vary: {first: [1, 2, 3]}
    quick: {vary: {first: [1]}, repeat: 2}
  - name: t
    suite: noop
END
count() { "$PERFGRID" "$@" a.yaml | tail -n +2 | wc -l; }
count plan
count run -n
count plan --quick
count plan --vary second=1,2
count plan --set s.first=2
count plan --only 'first == 2'
count plan --max-cells 3
