#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A log that the shell has opened keeps what it holds, whatever name a report is sent to it by.
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
echo first >log
ln -s log link
compare() {
	"$PERFGRID" compare -o "$1" run1 run2
}
{
	compare /dev/stdout
	compare link
	compare /dev/fd/7 7>>log
	compare /dev/stderr 2>&1
	echo last
} >>log
sed -n '1p;$p' log
grep -c '^cell ' log
[ -L link ] && echo still a link
