#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh BUILD_DIR: costs of the runner, each against something run beside it; Markdown rows on stdout, exit 1 when a limit is passed.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1
bad=0
echo '| what | measured | limit | result |'
echo '| --- | --- | --- | --- |'
for b in "$build"/bench/*; do
	[ -x "$b" ] || continue
	"$b" "$build/perfgrid" || bad=$((bad + 1))
done
for p in big-plan peers; do
	/usr/bin/python3 "tests/bench/$p.py" "$build/perfgrid" || bad=$((bad + 1))
done
[ "$bad" = 0 ]
