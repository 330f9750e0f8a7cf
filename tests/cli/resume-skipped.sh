#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A cell that preflight skipped when the run was made stays skipped when the run goes on.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps:
  - name: s
    suite: noop
    vary: {outcome: [succeed, unsupported], first: [1, 2]}
    repeat: 2
    tables: [{rows: first, columns: outcome, value: time_per_op}]
END
"$PERFGRID" run -q --no-lock -o run a.yaml >/dev/null || echo "exit $?"
# A start of the runner times the machine anew.
before=$(grep -vc '^{"canary"' run/journal.jsonl)
sed -i '/"n":4,/,$d' run/journal.jsonl
"$PERFGRID" run -q --no-lock --resume run >/dev/null || echo "exit $?"
after=$(grep -vc '^{"canary"' run/journal.jsonl)
[ "$after" = $((before + 1)) ] || echo "$before lines, then $after: a session line and nothing else was due"
cat run/s.status.csv
