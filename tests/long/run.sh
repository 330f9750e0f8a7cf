#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh BUILD_DIR: the long proofs. Writes build/proofs.md (a table; docs/proofs.md is a copy) and exits 1 when one failed.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1
bad=0
out=build/proofs.md
{
	echo "# Proofs"
	echo
	echo "Made by \`make check-long\` on $(date -u +%Y-%m-%d), $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1), $(nproc) CPUs, Linux $(uname -r)."
	echo "Costs are medians of paired, interleaved blocks; \`make bench\` repeats that part."
	echo
	echo '| what | measured | limit | result |'
	echo '| --- | --- | --- | --- |'
} >"$out"
step() {
	echo "== $* ($(date +%H:%M:%S))" >&2
	"$@" >build/proof.part
	local status=$?
	grep '^| ' build/proof.part | grep -v -e '^| what ' -e '^| ---' >>"$out"
	[ "$status" = 0 ] || {
		bad=$((bad + 1))
		echo "FAILED: $*" >&2
		echo "| $* | failed with status $status | | FAILED |" >>"$out"
	}
}
[ $# -gt 1 ] && only=$2
want() {
	[ -z "${only:-}" ] || [ "$only" = "$1" ]
}
want kills && step tests/long/kills.py "$build/perfgrid" 200
want signals && step tests/long/signals.py "$build/perfgrid"
if want full-disk; then
	if unshare --mount true 2>/dev/null; then
		step tests/long/full-disk.sh "$build/perfgrid"
	else
		echo "| full disk | not run: needs the right to make a mount namespace | | skipped |" >>"$out"
	fi
fi
want dropin-kills && step tests/long/dropin-kills.py "$build/perfgrid" 100
want dropins && step tests/long/dropins.sh "$build/perfgrid"
want spreadsheet && step tests/long/spreadsheet.sh "$build/perfgrid"
for b in "$build"/long/*; do
	want "$(basename "$b")" && [ -x "$b" ] && step "$b"
done
want bench && step tests/bench/run.sh "$build"
want fidelity && step tests/bench/side-by-side.sh "$build/perfgrid"
want valgrind && step tests/long/valgrind.sh "$build/perfgrid" "$build"
want coverage && step make --no-print-directory coverage
want integers && step tests/long/integers.sh
want other-libc && step tests/other-libc.sh
want trust && step tests/long/trust.py "$build/perfgrid"
want fuzz && step tests/long/fuzz.sh "${LONG_FUZZ_TIME:-600}"
cat "$out"
[ "$bad" = 0 ]
