#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Standard output that is full, closed, or has no reader any more.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps: [{name: s, suite: noop, vary: {first: 1..20000}, repeat: 1, warmup: 0}]
END
"$PERFGRID" plan a.yaml >/dev/full
echo "full: exit $?"
"$PERFGRID" plan a.yaml >&-
echo "closed: exit $?"
"$PERFGRID" run --no-lock -o run a.yaml >&-
echo "closed: exit $?"
"$PERFGRID" check a.yaml >&-
echo "closed, not needed: exit $?"
"$PERFGRID" plan a.yaml 2>err | head -n 1 | cut -c1-10
echo "reader gone: exit ${PIPESTATUS[0]}"
cat err
"$PERFGRID" run -q --no-lock -o run --vary first=1 a.yaml >/dev/full
echo "full: exit $?"
ls run/s.time_per_op_s.median.csv
"$PERFGRID" run --no-lock -o run2 --vary first=1,2 a.yaml 2>&1 >/dev/null | true
ls run2/s.time_per_op_s.median.csv
