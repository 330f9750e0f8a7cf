#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Several FILEs are several runs; the exit status is the first that is not 0.
for n in a b c; do
	cat >$n.yaml <<END
perfgrid: 1
name: $n
sweeps: [{name: s, suite: exec, command: [sh, -c, "exit \$([ $n = b ] && echo 3 || echo 0)"], repeat: 2, warmup: 0}]
END
done
"$PERFGRID" run -q --no-lock a.yaml b.yaml c.yaml
echo "exit $?"
ls results
