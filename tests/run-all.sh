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
# Under a sanitizer a fork for each test costs more than the tests of what only computes; those that leave something behind in their process keep theirs.
export log kind
run_test() {
	local name=${1##*/} start=$EPOCHREALTIME fork=
	[ "$kind" = full ] || [[ ! $name =~ ^test_(base|model|stats|plan|store|runner)_ ]] ||
		[[ $name =~ ^test_(store_lock|store_rundir|runner_claims|runner_dropin_stop)$ ]] || fork=no
	CK_FORK=$fork ${PERFGRID_EACH:-} "$1" >"$log/$name" 2>&1
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
# Under a sanitizer all of them: what they take is computing. Those of uprobes are alone, for they look at a switch of the whole machine.
[ "$kind" = full ] || pure='/test_(base|model|stats|plan|store|runner|engine|registry)_[^/]*$|/test_suites_[a-t][^/]*$'
list | grep -E "$pure" | xargs -r -P 2 -I{} bash -c 'run_test {}'
alone='/test_suites_uprobe[^/]*$'
one_by_one() {
	local t
	while read -r t; do
		run_test "$t" </dev/null
	done
}
list | grep -E "$alone" | one_by_one

# launch NAME COMMAND: a script that prints "N passed, N failed, N skipped" as its last line and details before. The cases of `cli` have a PERFGRID_EACH of their own.
launch() {
	local name=$1 each=${PERFGRID_EACH:-} start=$EPOCHREALTIME
	shift
	[ "$name" != cli ] || each=
	$each "$@" >"$log/$name" 2>&1
	echo $? >"$log/$name.status"
	echo $(((${EPOCHREALTIME/./} - ${start/./}) / 1000)) >"$log/$name.ms"
}

# Beside the others: what reads files, and runs that are compared by their words.
{
	[ "$kind" = tsan ] || launch corpus tests/run-corpus.sh "$build/perfgrid"
	[ "$kind" != full ] || STOCK=0 launch dropin-commands /usr/bin/python3 tests/dropins/commands.py "$build/perfgrid"
} &
beside=$!
list | grep -vE "$pure|$alone" | one_by_one
details() {
	grep -aE ':[EF]:|ERROR|runtime error|SUMMARY|WARNING: Thread|^not ok|^FAIL' "$log/$1" | head -n 40
}
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
		details "$name"
		[ -n "$line" ] || tail -n 30 "$log/$name"
	fi
done

# What was launched under that name.
part() {
	local name=$1 out p f s
	out=$(tail -n 1 "$log/$name")
	p=$(echo "$out" | sed -nE 's/^([0-9]+) passed.*/\1/p')
	f=$(echo "$out" | sed -nE 's/.* ([0-9]+) failed.*/\1/p')
	s=$(echo "$out" | sed -nE 's/.* ([0-9]+) skipped.*/\1/p')
	if [ -z "$p" ] || { [ "$(cat "$log/$name.status")" != 0 ] && [ "${f:-0}" = 0 ]; }; then
		f=$((${f:-0} + 1))
	fi
	passed=$((passed + ${p:-0}))
	failed=$((failed + ${f:-0}))
	skipped=$((skipped + ${s:-0}))
	echo "  PART  $name: ${p:-0} passed, ${f:-0} failed, ${s:-0} skipped ($(cat "$log/$name.ms") ms)"
	if [ "${f:-0}" != 0 ]; then
		failures+=("$name")
		head -n 200 "$log/$name"
	fi
}
launch cli tests/run-cli.sh "$build/perfgrid" "$kind"
wait "$beside"
parts=(cli)
[ "$kind" = tsan ] || parts+=(corpus) # `check` has one thread
if [ "$kind" = full ]; then
	launch perf-shim tests/dropins/perf-shim.sh "$build/perfgrid"
	launch toy-bench tests/toy-bench.sh "$build"
	launch claims /usr/bin/python3 tests/claims.py
	launch generated tests/generated.sh "$build/perfgrid"
	launch schema /usr/bin/python3 tests/schema-check.py schema/perfgrid.schema.json
	parts+=(dropin-commands perf-shim toy-bench claims generated schema)
fi
for name in "${parts[@]}"; do
	part "$name"
done
left=$(tests/leftovers.sh)
if [ -n "$left" ]; then
	failed=$((failed + 1))
	failures+=("leftovers")
	echo "left behind:"
	echo "$left"
fi
if [ ${#failures[@]} != 0 ]; then
	echo "failed in: ${failures[*]}"
	# Once more: of a long output often only the end is kept.
	for name in "${failures[@]}"; do
		[ ! -e "$log/$name" ] || details "$name"
	done
fi
echo "perfgrid: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
