#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A file-size limit is a full disk: exit 3 with a message, no death by signal; the run goes on once there is room.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps:
  - {name: s, suite: noop, vary: {first: 1..50}, repeat: 20}
END
(ulimit -f 64 && exec "$PERFGRID" run -q --no-lock -o run a.yaml >/dev/null)
echo "exit $?"
"$PERFGRID" run -q --no-lock --resume run >/dev/null
echo "exit $?"
grep -c '"p":"m"' run/journal.jsonl
