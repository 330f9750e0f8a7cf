#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What two sides must be to be compared, and what is said where they are not.
export HOME=$PWD
unset XDG_STATE_HOME
cat >a.yaml <<'YAML'
perfgrid: 1
name: a
sweeps: [{name: s, suite: noop, process: exec, vary: {first: [1, 2]}, repeat: 3, warmup: 0}]
YAML
cat >v.yaml <<'YAML'
perfgrid: 1
name: v
sweeps: [{name: s, suite: noop, process: exec, repeat: 3, warmup: 0, variants: [{label: a}, {label: b}]}]
YAML
run() {
	"$PERFGRID" run -q --no-lock "$@" >run.out 2>&1 || cat run.out
}
# Exit status, and what was said but for the report and what differs from machine to machine.
said() {
	"$PERFGRID" compare "$@" 2>&1 >report | sed -E "s,$(uname -r),HERE,; /also differs/d; s/ c[0-9a-f]{16} / ID /"
	echo "compare $*: ${PIPESTATUS[0]}"
}
run -o old a.yaml
run -o new a.yaml
said --differs '' old new
said --differs kernel,,cpu old new

# An arm against all arms.
run -o v1 v.yaml
run -o v2 v.yaml
said v1@a v2
said v1 v2@b
said v1@a v2@b
said v1@a new

# One side is one machine, whatever is meant to differ between two.
for i in 1 2; do
	run --label x -o "runs/x$i" a.yaml
	run --label y -o "runs/y$i" a.yaml
done
sed -i 's/"release": ".*"/"release": "6.99.0-next"/' runs/y2/env.json
said --differs kernel runs@x runs@y
said --differs kernel runs@x runs/y2

# A damaged neighbour keeps nobody from comparing the others.
run --label z -o runs/z1 a.yaml
run --label z -o runs/z2 a.yaml
echo '{' >runs/y1/run.json
sed -i '3s/.*/{/' runs/z1/journal.jsonl
said --format json runs@x runs@z
grep -o '"complete": false' report
sed -i '3s/.*/{/' runs/z2/journal.jsonl
said runs@x runs@z 2>&1 | tail -n 2

# More runs than descriptors, up to what may be had.
rm -r runs/y1 runs/z1 runs/z2
for i in {3..14}; do
	run --label x -o "runs/x$i" a.yaml
done
(ulimit -S -n 20 && said runs@x new)
(ulimit -n 20 && said runs@x new)

# Copies of the scenario that were changed after the run.
for change in 's/\[1, 2\]/[1, 3]/' 's/\[1, 2\]/[1, 2, 3]/' 's/\[1, 2\]/[1, x]/' 's/vary/varry/' 's/process: exec/process: fork/'; do
	rm -rf copy
	cp -a old copy
	sed -i "$change" copy/files/01-a.yaml
	said copy new
done
"$PERFGRID" run --resume copy
"$PERFGRID" tables copy >/dev/null

# Nothing is known of the machine.
for run in old new; do
	cp -a "$run" "$run-bare"
	rm "$run-bare/env.json"
done
said --gate old-bare new-bare
grep -c 'env: a machine is not known' report

# One layout for all programs of a run.
if setarch -R true 2>/dev/null; then
	setarch -R "$PERFGRID" run -q --no-lock -o fixed a.yaml >/dev/null
	said fixed new
	grep -c 'layout; one-layout' report
else # as in some containers
	printf '%s\n' 'compare fixed new: 0' 2
fi
