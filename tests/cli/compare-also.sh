#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What differs between two stored runs and no verdict asks for is named; nothing where nothing does.
export HOME=$PWD
unset XDG_STATE_HOME
cat >a.yaml <<'YAML'
perfgrid: 1
name: a
sweeps:
  - {name: s, suite: noop, process: exec, set: {duration: 1ms}, repeat: 3, warmup: 0}
YAML
for i in 1 2; do
	"$PERFGRID" run -q --no-lock -o run$i a.yaml >/dev/null
done
"$PERFGRID" compare run1 run2 >/dev/null
echo "alike: $?"
sed -i 's/"libc": .*/"libc": "glibc 9.99"/' run2/env.json
"$PERFGRID" compare run1 run2 >/dev/null
echo "another libc: $?"
# Of a machine that is not known that is said, no more.
rm run2/env.json
"$PERFGRID" compare run1 run2 >/dev/null
echo "no machine: $?"
