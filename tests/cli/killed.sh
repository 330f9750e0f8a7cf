#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 of the runner: no process stays, at most the rep in progress is lost, the run goes on.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps:
  - {name: s, suite: noop, vary: {first: [1, 2]}, set: {duration: 20ms, elapse: sleep}, repeat: 10, warmup: 0}
END
"$PERFGRID" run -q --no-lock -o run a.yaml >out 2>err &
guardian=$!
until [ -e run/journal.jsonl ] && [ "$(grep -c '"p":"m"' run/journal.jsonl)" -ge 4 ]; do sleep 0.02; done
read -r runner <"/proc/$guardian/task/$guardian/children"
kill -9 "$runner"
wait $guardian
echo "exit $?"
cat out err
before=$(grep -c '"p":"m"' run/journal.jsonl)
"$PERFGRID" run -q --no-lock --resume run
echo "exit $?"
after=$(grep -c '"p":"m"' run/journal.jsonl)
[ "$before" -ge 4 ] && [ "$before" -lt 20 ] && [ "$after" = 20 ] || echo "$before reps, then $after"
