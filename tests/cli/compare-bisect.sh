#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `git bisect run` finds the commit that made a program dearer; one that does not run at all is skipped, a wrong command line is no bad
# commit.
command -v git >/dev/null || {
	echo "needs git" >&2
	exit 77
}
export HOME=$PWD GIT_CONFIG_NOSYSTEM=1
git init -q repo && cd repo || exit
git config user.name tester
git config user.email tester@example.org
# commit NAME COST [COMMAND]: the cost is printed, for a test that measures time would fail on a busy machine.
commit() {
	cat >work <<SH
#!/bin/sh
${3:-:}
echo "cost \$(($2 + \$1 % 3))"
SH
	chmod +x work
	git add work
	git commit -q -m "$1"
}
commit one 1000
cp work ../baseline
git tag good
commit two 1001
commit three 999
commit broken 1000 'exit 3'
commit four 1001
commit dearer 1200
commit six 1199
commit seven 1201
cat >../ab.yaml <<'YAML'
perfgrid: 1
name: ab
sweeps:
  - name: s
    suite: exec
    command: ["{program}", "{rep}"]
    metrics: [{name: cost, pattern: 'cost ([0-9]+)', unit: count, better: lower}]
    variants:
      - {label: good, program: ../baseline}
      - {label: now, program: ./work}
    tables: [{value: cost}]
    repeat: 8
    warmup: 0
YAML
cat >../try.sh <<'SH'
rm -rf ../run
"$PERFGRID" run -q --no-lock -o ../run ../ab.yaml >/dev/null
exec "$PERFGRID" compare --bisect ../run
SH
git bisect start HEAD good >/dev/null 2>&1
git bisect run bash ../try.sh >../log 2>&1
git log -1 --format='first bad: %s' refs/bisect/bad
git bisect log | sed -n 's/^# skip: \[.*\] /skipped: /p' | sort -u
git bisect reset >/dev/null 2>&1
"$PERFGRID" compare --bisect --no-such-option ../run
echo "wrong command line: $?"
