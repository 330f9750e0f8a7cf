#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# coverage.sh BUILD_DIR (variant cov): runs all tests there and prints the line coverage of src/ and runner/; fails below 85 %.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$(realpath "$1") || exit 2
export PERFGRID_COUNTS=$build/counts
export PERFGRID_EACH=$PWD/tests/long/counted.sh
# What cannot be written is said there and not on the stderr of a program under test.
export GCOV_ERROR_FILE=$build/gcov-errors.log
# Where a test clears the environment the counts go beside the objects: no process is lost for that.
find "$build" -name '*.gcda' -delete
rm -rf "$PERFGRID_COUNTS"
mkdir -p "$PERFGRID_COUNTS/empty$build"
while read -r f; do
	for at in "$build" "$PERFGRID_COUNTS/empty$build"; do
		mkdir -p "$at/${f%/*}"
		: >"$at/${f%.gcno}.gcda"
		chmod 666 "$at/${f%.gcno}.gcda"
	done
done < <(cd "$build" && find . -path ./counts -prune -o -name '*.gcno' -printf '%P\n')
find "$PERFGRID_COUNTS" -type d -exec chmod 777 {} +
: >"$GCOV_ERROR_FILE"
chmod 666 "$GCOV_ERROR_FILE"

tests/run-all.sh "$build" >"$build/tests.log" 2>&1 || {
	tail -n 30 "$build/tests.log"
	exit 1
}

# add DIR: its counts to the sum. A file cut short takes itself out, not the others; how many is said below.
sum=$PERFGRID_COUNTS/sum lost=0
add() {
	local said=$PERFGRID_COUNTS/said cut
	find "$1" -name '*.gcda' -size 0 -delete
	while :; do
		rm -rf "$PERFGRID_COUNTS/next"
		gcov-tool merge -o "$PERFGRID_COUNTS/next" "$sum" "$1" >"$said" 2>&1 || break
		[ -s "$said" ] || break
		cut=$(grep -oE '\./[^ :]*\.gcda' "$said" | head -n 1)
		[ -n "$cut" ] && [ -e "$1/$cut" ] || break
		rm "$1/$cut"
		lost=$((lost + 1))
	done
	[ ! -s "$said" ] || {
		echo "gcov-tool: $1: $(head -n 1 "$said")"
		return 1
	}
	rm -rf "$sum"
	mv "$PERFGRID_COUNTS/next" "$sum"
}
mkdir -p "$sum" "$PERFGRID_COUNTS/run.beside$build"
(cd "$build" && find . -path ./counts -prune -o -name '*.gcda' -size +0 -exec cp --parents -t "$PERFGRID_COUNTS/run.beside$build" {} +)
for d in "$PERFGRID_COUNTS"/run.*; do
	add "$d" || exit 1
done
find "$build" -path "$PERFGRID_COUNTS" -prune -o -name '*.gcda' -exec rm {} +
cp -a "$sum$build/." "$build"
rm -rf "$PERFGRID_COUNTS"

gcovr --root . --object-directory "$build" --filter 'src/' --filter 'runner/' "$build" >"$build/coverage.txt" 2>"$build/coverage.err" || {
	tail -n 5 "$build/coverage.err"
	exit 1
}
cat "$build/coverage.txt" >&2
percent=$(awk '$1 == "TOTAL" {sub("%", "", $4); print $4}' "$build/coverage.txt")
echo "files of counts cut short by a test's kill and left out: $lost" >&2
echo "| line coverage of src/ and runner/ | $percent % | at least 85 % | $([ "${percent%.*}" -ge 85 ] && echo ok || echo FAILED) |"
[ "${percent%.*}" -ge 85 ]
