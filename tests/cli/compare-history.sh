#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A history that cannot be read is left out of the comparison, which does without.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps: [{name: s, suite: noop, process: exec, repeat: 3, warmup: 0}]
END
for run in old new; do "$PERFGRID" run -q --no-lock --seed 1 -o $run a.yaml >/dev/null; done
mkdir -p state/perfgrid/history.jsonl
XDG_STATE_HOME=$PWD/state "$PERFGRID" compare old new --format csv 2>err | cut -d, -f1 | head -n 1
echo "exit ${PIPESTATUS[0]}"
sed "s,$PWD,DIR," err | grep history
