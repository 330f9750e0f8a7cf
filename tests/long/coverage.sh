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

sum=$PERFGRID_COUNTS/sum next=$PERFGRID_COUNTS/next alone=$PERFGRID_COUNTS/alone said=$PERFGRID_COUNTS/said lost=0
# merged A B: A and B to `next`; false where gcov-tool has anything to say.
merged() {
	rm -rf "$next"
	gcov-tool merge -o "$next" "$1" "$2" >"$said" 2>&1 && [ ! -s "$said" ] && [ -d "$next" ]
}

# add DIR: its counts to the sum. Files cut short take themselves out, not the others; how many is said at the end.
add() {
	local with=$sum f
	find "$1" -name '*.gcda' -size 0 -delete
	[ -n "$(find "$1" -name '*.gcda' -print -quit)" ] || return 0
	# Nothing cannot be added to; the first one is counted twice, which makes no line of it covered.
	[ -d "$sum" ] || with=$1
	if ! merged "$with" "$1"; then
		while read -r f; do
			rm -rf "$alone"
			mkdir "$alone"
			cp "$f" "$alone"
			merged "$alone" "$alone" || { rm "$f" && lost=$((lost + 1)); }
		done < <(find "$1" -name '*.gcda')
		merged "$with" "$1" || {
			echo "gcov-tool: $1: $(head -n 1 "$said")"
			return 1
		}
	fi
	rm -rf "$sum"
	mv "$next" "$sum"
}
mkdir -p "$PERFGRID_COUNTS/run.beside$build"
(cd "$build" && find . -path ./counts -prune -o -name '*.gcda' -size +0 -exec cp --parents -t "$PERFGRID_COUNTS/run.beside$build" {} +)
for d in "$PERFGRID_COUNTS"/run.*; do
	add "$d" || exit 1
done
find "$build" -path "$PERFGRID_COUNTS" -prune -o -name '*.gcda' -exec rm {} +
cp -a "$sum$build/." "$build"
rm -rf "$PERFGRID_COUNTS"

gcovr --root . --object-directory "$build" --filter 'src/' --filter 'runner/' --gcov-ignore-parse-errors "$build" >"$build/coverage.txt" 2>"$build/coverage.err" || {
	tail -n 5 "$build/coverage.err"
	exit 1
}
cat "$build/coverage.txt" >&2
percent=$(awk '$1 == "TOTAL" {sub("%", "", $4); print $4}' "$build/coverage.txt")
echo "files of counts cut short by a test's kill and left out: $lost" >&2
echo "| line coverage of src/ and runner/ | $percent % | at least 85 % | $([ "${percent%.*}" -ge 85 ] && echo ok || echo FAILED) |"
[ "${percent%.*}" -ge 85 ]
