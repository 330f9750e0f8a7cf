#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# side-by-side.sh PERFGRID: the tables of docs/fidelity.md: benches beside perf bench, drop-ins beside perf bench and hackbench. On a quiet machine; half an
# hour. Writes build/fidelity.md; one row a table on stdout; exit 1 when a row differs.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0
one() {
	local what=$1 rows status
	shift
	"$@" >build/fidelity.part
	status=$?
	cat build/fidelity.part >>build/fidelity.md
	echo >>build/fidelity.md
	rows=$(grep -c '^| ' build/fidelity.part)
	[ "$status" = 0 ] || bad=$((bad + 1))
	echo "| $what | $((rows - 2)) rows | none differs without a cause | $([ "$status" = 0 ] && echo ok || echo FAILED) |"
}
: >build/fidelity.md
one "benches beside perf bench" tests/bench/fidelity.py "$1"
one "drop-ins beside perf bench and hackbench" tests/bench/dropins.py "$1"
[ "$bad" = 0 ]
