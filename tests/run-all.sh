#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run-all.sh BUILD_DIR [san|tsan]: every test of a build; ends with one line `perfgrid: N passed, N failed, N skipped`.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
kind=${2:-full}
passed=0 failed=0 skipped=0
failures=()
export CK_DEFAULT_TIMEOUT=${CK_DEFAULT_TIMEOUT:-60}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1}
log=$(mktemp -d "${TMPDIR:-/tmp}/perfgrid-test.XXXXXX") || exit 2
trap 'rm -rf "$log"' EXIT

# PERFGRID_EACH is a command before each test program and case: coverage keeps their counts apart with it.
# Unit tests: one program a module. check's closing line is "100%: Checks: 11, Failures: 0, Errors: 0". Those that only compute run two at a time, those that
# start processes one after the other.
export log
run_test() {
	local name=${1##*/} start=$EPOCHREALTIME
	${PERFGRID_EACH:-} "$1" >"$log/$name" 2>&1
	echo $? >"$log/$name.status"
	echo $(((${EPOCHREALTIME/./} - ${start/./}) / 1000)) >"$log/$name.ms"
}
export -f run_test
list() {
	local t
	for t in "$build"/tests/test_*; do
		[ -x "$t" ] && [ -f "tests/unit/${t##*/}.c" ] && echo "$t"
	done
}
pure='/test_(base|model|stats|plan)_[^/]*$'
# Under a sanitizer all of them: what they take is computing. Those of uprobes stay apart, for they look at a switch of the whole machine.
[ "$kind" = full ] || pure='/test_(base|model|stats|plan|store|runner|engine|registry)_[^/]*$|/test_suites_[a-t][^/]*$'
list | grep -E "$pure" | xargs -r -P 2 -I{} bash -c 'run_test {}'
while read -r t; do
	run_test "$t" </dev/null
done < <(list | grep -vE "$pure")
for t in $(list); do
	name=${t##*/}
	status=$(cat "$log/$name.status")
	line=$(grep -aE '^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+' "$log/$name" | tail -n 1)
	read -r checks bad < <(echo "$line" | sed -nE 's/^[0-9]+%: Checks: ([0-9]+), Failures: ([0-9]+), Errors: ([0-9]+).*/\1 \2 \3/p' |
		awk '{print $1, $2 + $3}')
	checks=${checks:-0} bad=${bad:-0}
	if [ "$status" != 0 ] && [ "$bad" = 0 ]; then
		bad=1
	fi
	if [ "$checks" = 0 ] && [ "$bad" = 0 ]; then
		bad=1
	fi
	passed=$((passed + (checks > bad ? checks - bad : 0)))
	failed=$((failed + bad))
	echo "  UNIT  $name: $checks checks, $bad failed ($(cat "$log/$name.ms") ms)"
	if [ "$bad" != 0 ]; then
		failures+=("$name")
		grep -aE ':[EF]:|ERROR|runtime error|SUMMARY|WARNING: Thread' "$log/$name" | head -n 40
		[ -n "$line" ] || tail -n 30 "$log/$name"
	fi
done

# The cases of `cli` have their own.
each() {
	[ "$1" = cli ] || echo "${PERFGRID_EACH:-}"
}

# A script that prints "N passed, N failed, N skipped" as its last line and details before.
part() {
	local name=$1 out p f s start=$EPOCHREALTIME
	shift
	$(each "$name") "$@" >"$log/$name" 2>&1
	local status=$?
	out=$(tail -n 1 "$log/$name")
	p=$(echo "$out" | sed -nE 's/^([0-9]+) passed.*/\1/p')
	f=$(echo "$out" | sed -nE 's/.* ([0-9]+) failed.*/\1/p')
	s=$(echo "$out" | sed -nE 's/.* ([0-9]+) skipped.*/\1/p')
	if [ -z "$p" ] || { [ "$status" != 0 ] && [ "${f:-0}" = 0 ]; }; then
		f=$((${f:-0} + 1))
	fi
	passed=$((passed + ${p:-0}))
	failed=$((failed + ${f:-0}))
	skipped=$((skipped + ${s:-0}))
	echo "  PART  $name: ${p:-0} passed, ${f:-0} failed, ${s:-0} skipped ($(((${EPOCHREALTIME/./} - ${start/./}) / 1000)) ms)"
	if [ "${f:-0}" != 0 ]; then
		failures+=("$name")
		head -n 200 "$log/$name"
	fi
}
[ "$kind" = tsan ] || part corpus tests/run-corpus.sh "$build/perfgrid" # `check` has one thread
part cli tests/run-cli.sh "$build/perfgrid" "$kind"
if [ "$kind" = full ]; then
	STOCK=0 part dropin-commands /usr/bin/python3 tests/dropins/commands.py "$build/perfgrid"
	part perf-shim tests/dropins/perf-shim.sh "$build/perfgrid"
	part toy-bench tests/toy-bench.sh "$build"
	part claims /usr/bin/python3 tests/claims.py
	part generated tests/generated.sh "$build/perfgrid"
	part schema /usr/bin/python3 tests/schema-check.py schema/perfgrid.schema.json
fi
left=$(tests/leftovers.sh)
if [ -n "$left" ]; then
	failed=$((failed + 1))
	failures+=("leftovers")
	echo "left behind:"
	echo "$left"
fi
[ ${#failures[@]} = 0 ] || echo "failed in: ${failures[*]}"
echo "perfgrid: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
