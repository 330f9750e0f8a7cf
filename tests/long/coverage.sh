#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# coverage.sh BUILD_DIR (variant cov): runs all tests there and prints the line coverage of src/ and runner/; fails below 85 %.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1
find "$build" -name '*.gcda' -delete
# A process that a test kills while it writes its counts may leave a file that others cannot add to: they say so there and not on their stderr, and
# the counts of that file are lacking below.
export GCOV_ERROR_FILE=$PWD/$build/gcov-errors.log
rm -f "$GCOV_ERROR_FILE"
tests/run-all.sh "$build" >"$build/tests.log" 2>&1 || {
	tail -n 30 "$build/tests.log"
	exit 1
}
gcovr --root . --object-directory "$build" --filter 'src/' --filter 'runner/' --gcov-ignore-parse-errors "$build" >"$build/coverage.txt" 2>"$build/coverage.err" || {
	tail -n 5 "$build/coverage.err"
	exit 1
}
cat "$build/coverage.txt" >&2
percent=$(awk '$1 == "TOTAL" {sub("%", "", $4); print $4}' "$build/coverage.txt")
echo "| line coverage of src/ and runner/ | $percent % | at least 85 % | $([ "${percent%.*}" -ge 85 ] && echo ok || echo FAILED) |"
[ "${percent%.*}" -ge 85 ]
