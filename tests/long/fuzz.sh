#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fuzz.sh SECONDS: all fuzzers for that long in all, as one row.
set -u
cd "$(dirname "$0")/../.." || exit 2
make --no-print-directory fuzz FUZZ_TIME="$1" >build/fuzz.log 2>&1
status=$?
cat build/fuzz.log >&2
runs=$(sed -nE 's/^fuzz ([a-z_]+): clean, ([0-9]+) inputs in ([0-9]+) s/\1 \2 in \3 s/p' build/fuzz.log | paste -sd, | sed 's/,/, /g')
echo "| fuzzing of every parser, $1 s | $runs | no crash, leak or hang | $([ "$status" = 0 ] && echo ok || echo FAILED) |"
exit "$status"
