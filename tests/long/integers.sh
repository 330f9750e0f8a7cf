#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# integers.sh [BUILD_DIR]: unit tests of the arithmetic (base, model, stats), built by clang with its check of conversions that change a value,
# and all of undefined behaviour. Not checked: wrap-around of unsigned numbers, which hashes and loops that count down to 0 do on purpose.
# Prints one Markdown row; exit 1 when a check spoke or a test failed.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build/integers}
checks="-fsanitize=implicit-conversion,undefined -fno-sanitize-recover=all"
make -s -j2 DIRS="base model stats" LINK_LIBS=shared B="$build" CC=clang CFLAGS="$checks -O1" LDFLAGS="$checks" unit-bins >&2 || exit 1
passed=0 bad=0
for t in "$build"/tests/test_{base,model,stats}_*; do
	[ -f "tests/unit/${t##*/}.c" ] || continue
	if "$t" >"$build/log" 2>&1; then
		passed=$((passed + 1))
	else
		bad=$((bad + 1))
		echo "${t##*/}:" >&2
		grep -aE 'runtime error|:[EF]:' "$build/log" | sort -u | head -n 20 >&2
	fi
done
result=FAILED
[ "$bad" != 0 ] || [ "$passed" -le 20 ] || result=met
echo "| integers: conversions that change a value, undefined behaviour, in unit tests | $passed programs good, $bad bad | 0 bad | $result |"
[ "$result" = met ]
