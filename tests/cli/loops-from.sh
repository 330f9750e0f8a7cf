#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A run with the counts of a stored one: compare finds no difference of loops, also after the run went on without the other.
export HOME=$PWD
unset XDG_STATE_HOME
cat >a.yaml <<'YAML'
perfgrid: 1
name: a
defaults: {repeat: 3, sample_time: 2ms}
sweeps:
  - name: n
    suite: noop
    process: exec
    set: {loops: auto, duration: 10us}
    tables: [{value: time_per_op}]
  - name: s
    suite: syscall/basic
    process: exec
    tables: [{value: time_per_op}]
YAML
counts() {
	grep '^{"cal":' "$1/journal.jsonl" | sort
}
reasons() {
	if "$PERFGRID" compare --format csv old "$1" 2>&1 | grep -q 'loops-differ\|env:'; then
		echo "loops or machine differ"
	else
		echo "no difference of loops or machine"
	fi
}
"$PERFGRID" run -q --no-lock --seed 1 -o old a.yaml >/dev/null
counts old >old.counts
echo "$(wc -l <old.counts) calibrated"
"$PERFGRID" run --no-lock --seed 2 -o new --loops-from old a.yaml 2>err >/dev/null
grep calibrated err
counts new | cmp - old.counts && echo "the same counts"
reasons new
# The second sweep had not begun.
sed -i '/"n":4/,$d' new/journal.jsonl
mv old away
"$PERFGRID" run -q --no-lock --resume new >/dev/null
counts new | cmp - old.counts && echo "the same counts after going on"
mv away old
reasons new
# Another count is one more reason.
sed '/^{"cal":/s/"loops":/&1/' -i new/journal.jsonl
reasons new
sed 's/name: s$/name: t/' a.yaml >b.yaml
"$PERFGRID" run --no-lock --seed 3 -o more --loops-from old b.yaml 2>err >/dev/null
grep calibrated err
"$PERFGRID" run --no-lock -o no --loops-from . a.yaml
echo "no run: $?"
"$PERFGRID" run --no-lock --resume new --loops-from old
echo "with --resume: $?"
[ ! -e no ] && echo "nothing made"
