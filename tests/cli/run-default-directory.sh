#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Without -o: results/NAME/STAMP-xxxx and the link to it; the next estimate knows how long a rep takes.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps: [{name: s, suite: noop, vary: {first: [1, 2]}, repeat: 2}]
END
"$PERFGRID" plan a.yaml >plan.csv || exit
"$PERFGRID" run -q --no-lock a.yaml || exit
test -d "results/a/$(readlink results/a/latest)" || exit
"$PERFGRID" plan a.yaml | cmp - plan.csv || exit
