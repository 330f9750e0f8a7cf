#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf-shim.sh PERFGRID: contrib/perf-shim as `perf` in front of another perf: `bench` goes to perfgrid, the rest there; copies and links of the shim are
# passed over; without another perf, or without a perfgrid, it says so. Last line: `N passed, N failed, N skipped`.
set -u
perfgrid=$(realpath "$1") || exit 2
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/perfgrid-shim.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
mkdir "$work/front" "$work/copy" "$work/link" "$work/real" "$work/other" "$work/dir with blanks"
cp "$top/contrib/perf-shim" "$work/front/perf"
cp "$top/contrib/perf-shim" "$work/copy/perf"
ln -s "$work/front/perf" "$work/link/perf"
cp "$top/contrib/perf-shim" "$work/dir with blanks/perf"
ln -s "$perfgrid" "$work/front/perfgrid"
ln -s "$perfgrid" "$work/other/perfgrid"
mkdir "$work/link/sub" "$work/real/perf.d"
# shellcheck disable=SC2016
printf '#!/bin/sh\nprintf "real:"\nprintf " <%%s>" "$@"\necho\nexit 7\n' >"$work/real/perf"
chmod +x "$work/real/perf"

# expect NAME STATUS TEXT COMMAND...: the status, and the text somewhere in what is printed.
expect() {
	local name=$1 status=$2 text=$3 out rc
	shift 3
	out=$("$@" 2>&1)
	rc=$?
	if [ "$rc" = "$status" ] && [[ $out == *"$text"* ]]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $name: exit $rc, expected $status; printed: $out"
	fi
}
try() {
	local path=$1
	shift
	env -u PERFGRID PATH="$path" "$@"
}
sh=$(command -v sh)
all=$work/front:$work/copy:$work/link:$work/real
expect "bench is perfgrid's" 1 "Unknown collection: 'nosuch'" try "$all" perf bench nosuch
expect "a result" 0 "ops/sec" try "$all" perf bench syscall basic -l 100
expect "the rest is the real one's, words as they are" 7 "real: <stat> <-e> <a b> <>" try "$all" perf stat -e "a b" ""
expect "no words" 7 "real:" try "$all" perf
expect "a link in front" 7 "real: <list>" try "$work/link:$all" perf list
expect "bench through a link: perfgrid on PATH" 1 "Unknown collection" try "$work/link:$work/other:$work/real" perf bench nosuch
expect "blanks in PATH" 7 "real: <top>" try "$work/dir with blanks:$work/real" perf top
expect "no other perf" 127 "there is no other perf on PATH" try "$work/front:$work/copy" "$sh" "$work/front/perf" stat
expect "bench without another perf" 1 "Unknown collection" try "$work/front" "$sh" "$work/front/perf" bench nosuch
expect "no perfgrid" 127 "no perfgrid" try "$work/copy:$work/real" "$sh" "$work/copy/perf" bench nosuch
expect "PERFGRID" 1 "Unknown collection" env PERFGRID="$perfgrid" PATH="$work/copy:$work/real" "$sh" "$work/copy/perf" bench nosuch
expect "status of the real one" 7 "real: <--version>" try "$work/front:$work/real" perf --version
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
