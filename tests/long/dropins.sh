#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# dropins.sh PERFGRID: the drop-ins beside the installed perf and hackbench: command lines with their patterns, every byte, every format.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0
row() {
	local what=$1 line status
	shift
	line=$("$@" 2>&1 | tee /dev/stderr | tail -n 1)
	status=${PIPESTATUS[0]}
	if [ "$status" = 77 ] || [[ $line != *" passed, 0 failed,"* ]]; then
		bad=$((bad + 1))
		echo "| $what | $line | 0 failed | FAILED |"
	else
		echo "| $what | $line | 0 failed | ok |"
	fi
}
row "command lines as people write them, beside the originals" tests/dropins/commands.py "$1"
row "every list, usage, error and result line, numbers masked, beside the originals" tests/dropins/bytes.py "$1"
row "every bench of \`perfgrid bench\` in every format" tests/dropins/perf-formats.py "$1"
[ "$bad" = 0 ]
