#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# valgrind.sh PERFGRID BUILD_DIR: memcheck over the commands and over the unit tests that fork few tasks. Any error or definite leak fails.
set -u
cd "$(dirname "$0")/../.." || exit 2
perfgrid=$(realpath "$1")
build=$2
tmp=$(mktemp -d "${TMPDIR:-/tmp}/perfgrid-valgrind.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
vg=(valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=99 --child-silent-after-fork=yes)
bad=0 n=0
try() {
	n=$((n + 1))
	"$@" >"$tmp/out" 2>"$tmp/err"
	local s=$?
	if [ "$s" = 99 ] || grep -q '^==[0-9]*==' "$tmp/err"; then
		bad=$((bad + 1))
		echo "valgrind: $*" >&2
		grep '^==' "$tmp/err" | head -n 20 >&2
	fi
}
for s in scenarios/*.yaml tests/corpus/good/*.yaml; do try "${vg[@]}" "$perfgrid" check "$s"; done
for s in tests/corpus/bad/*.yaml; do try "${vg[@]}" "$perfgrid" check "$s"; done
try "${vg[@]}" "$perfgrid" plan scenarios/noop.yaml
try "${vg[@]}" "$perfgrid" run -q --no-lock --quick -o "$tmp/run" scenarios/noop.yaml
try "${vg[@]}" "$perfgrid" tables "$tmp/run" --show
try "${vg[@]}" "$perfgrid" schema
try "${vg[@]}" "$perfgrid" describe sched/messaging
try "${vg[@]}" "$perfgrid" list
for t in "$build"/tests/test_base_* "$build"/tests/test_model_* "$build"/tests/test_plan_* "$build"/tests/test_store_* "$build"/tests/test_stats_*; do
	if [ ! -x "$t" ] || [ ! -f "$t" ]; then
		continue
	fi
	n=$((n + 1))
	CK_FORK=no timeout 600 "${vg[@]}" "$t" >"$tmp/out" 2>"$tmp/err"
	if [ $? = 99 ]; then
		# check's own runner and tests that jump out leave memory: only errors that are no leak count here
		if grep '^==' "$tmp/err" | grep -qE 'Invalid|uninitialised|overlap|Mismatched'; then
			bad=$((bad + 1))
			echo "valgrind: $t" >&2
			grep '^==' "$tmp/err" | head -n 20 >&2
		fi
	fi
done
echo "| valgrind memcheck, $n programs | $bad with errors or definite leaks | 0 | $([ "$bad" = 0 ] && echo ok || echo FAILED) |"
[ "$bad" = 0 ]
