#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A run directory that something is missing from or wrong in: what, where, and what to do; never a table made of half of it.
cat >a.yaml <<'END'
perfgrid: 1
name: a
defaults: {repeat: 1, warmup: 0}
sweeps: [{name: s, suite: noop, vary: {first: [1, 2]}}]
END
"$PERFGRID" run -q --no-lock -o good a.yaml >/dev/null
# try WHAT-IS-DONE-TO-IT: in a copy, `tables` and `run --resume`
try() {
	echo "$1"
	echo "$1" >&2
	rm -rf run
	cp -a good run
	(cd run && eval "$1")
	timeout 20 "$PERFGRID" tables run
	echo "exit $?"
	timeout 20 "$PERFGRID" run -q --no-lock --resume run
	echo "exit $?"
}
try ': >plan.csv'
try "sed -i '\$d' plan.csv"
try 'rm plan.csv'
try 'rm journal.jsonl'
try 'rm -r files'
try 'sed -i 1d journal.jsonl'
try 'rm run.json && mkfifo run.json'
try 'cd .. && rm -r run'
rm -rf run
try "sed -i 's/\"vary\": \[/\"earlier_repeats\": 5, &/' run.json"
# What is wrong with an option of now is no change of the files.
for bad in '--set first=x' '--set nothing=1' '--max-cells 1' '--only first==nope'; do
	echo "$bad" >&2
	# shellcheck disable=SC2086
	timeout 20 "$PERFGRID" run -q --no-lock --resume good $bad
	echo "exit $?"
done
rm -rf run
# A report is not written over what it is made from.
"$PERFGRID" run -q --no-lock -o run a.yaml >/dev/null
cp -a run kept
ln -s run/journal.jsonl link
for to in run/journal.jsonl run/files/01-a.yaml link; do
	"$PERFGRID" compare -o "$to" run good
	echo "exit $?"
done
diff -r run kept && echo untouched
"$PERFGRID" compare --format csv -o /dev/stdout good run | head -c 6
echo
# A pipe without a writer is no reason to wait.
mkfifo pipe
timeout 20 "$PERFGRID" check pipe
echo "exit $?"
timeout 20 "$PERFGRID" check <(sleep 0.1 && cat a.yaml)
echo "exit $?"
