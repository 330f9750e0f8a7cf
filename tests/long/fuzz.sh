#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fuzz.sh SECONDS: YAML, scenarios and expressions at once, each for that long; then the other fuzzers, a tenth of it together. One row.
set -u
cd "$(dirname "$0")/../.." || exit 2
make --no-print-directory -j2 VARIANT=fuzz fuzz-bins >build/fuzz.log 2>&1 || {
	cat build/fuzz.log >&2
	exit 1
}
status=0
for name in yaml scenario expr; do
	tests/fuzz/run.sh "$1" "$name" >"build/fuzz-$name.log" 2>&1 &
done
for job in $(jobs -p); do wait "$job" || status=1; done
cat build/fuzz-{yaml,scenario,expr}.log >build/fuzz.log
tests/fuzz/run.sh "$(($1 / 10))" checks csv journal values >>build/fuzz.log 2>&1 || status=1
cat build/fuzz.log >&2
runs=$(sed -nE 's/^fuzz ([a-z_]+): clean, ([0-9]+) inputs in ([0-9]+) s/\1 \2 in \3 s/p' build/fuzz.log | paste -sd, | sed 's/,/, /g')
echo "| fuzzing of every parser | $runs | no crash, leak or hang | $([ "$status" = 0 ] && echo ok || echo FAILED) |"
exit "$status"
