#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh SECONDS [NAME...]: every fuzzer, or those named, the seconds shared among them, seeds from tests/fuzz/corpus/NAME; new inputs stay in
# build/fuzz-corpus.
set -u
cd "$(dirname "$0")/../.." || exit 2
total=$1
shift
bins=(build/fuzz/fuzz_*)
[ $# = 0 ] || bins=("${@/#/build/fuzz/fuzz_}")
n=0
for b in "${bins[@]}"; do [ -x "$b" ] && [ ! -d "$b" ] && n=$((n + 1)); done
[ "$n" -gt 0 ] || {
	echo "no fuzzer was built"
	exit 1
}
each=$((total / n))
[ "$each" -ge 1 ] || each=1
bad=0
for b in "${bins[@]}"; do
	if [ ! -x "$b" ] || [ -d "$b" ]; then
		continue
	fi
	name=${b##*/fuzz_}
	mkdir -p "build/fuzz-corpus/$name" build/fuzz-crashes
	seeds=tests/fuzz/corpus/$name
	args=("build/fuzz-corpus/$name")
	[ ! -d "$seeds" ] || args+=("$seeds")
	"$b" -max_total_time="$each" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 -artifact_prefix="build/fuzz-crashes/$name-" "${args[@]}" >"build/fuzz-corpus/$name.log" 2>&1
	status=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz-corpus/$name.log")
	if [ "$status" = 0 ] && [ "${runs:-0}" -gt 0 ]; then
		echo "fuzz $name: clean, $runs inputs in ${each} s"
	else
		bad=$((bad + 1))
		echo "fuzz $name: FAILED (status $status); input in build/fuzz-crashes"
		tail -n 40 "build/fuzz-corpus/$name.log"
	fi
done
[ "$bad" = 0 ]
