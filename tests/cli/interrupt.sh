#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGINT: the rep in progress ends, tables are written, 128 + 2; then the run goes on to its end.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps:
  - {name: s, suite: noop, vary: {first: [1, 2]}, set: {duration: 20ms, elapse: sleep}, repeat: 30, warmup: 0}
END
# A child in the background of a script ignores SIGINT unless it is told otherwise.
env --default-signal=INT "$PERFGRID" run -q --no-lock -o run a.yaml >out &
pid=$!
until [ -e run/journal.jsonl ] && [ "$(wc -l <run/journal.jsonl)" -gt 5 ]; do sleep 0.02; done
kill -INT $pid
wait $pid
echo "exit $?"
cat out
grep -o '"state": "[a-z]*"' run/run.json
before=$(grep -c '"p":"m"' run/journal.jsonl)
[ "$before" -lt 60 ] || echo "not interrupted"
"$PERFGRID" run -q --no-lock --resume run
echo "exit $?"
grep -o '"state": "[a-z]*"' run/run.json
"$PERFGRID" tables run --rows first --statistic n
cat run/s.time_per_op_s.n.csv
