#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# full-disk.sh PERFGRID: a run in a small tmpfs of its own mount namespace fills it: exit 3, a journal that can be read, and, with room made,
# a run that goes on to its end.
set -eu
perfgrid=$(realpath "$1")
tmp=$(mktemp -d "${TMPDIR:-/tmp}/perfgrid-disk.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/s.yaml" <<'Y'
perfgrid: 1
name: disk
sweeps:
  - name: s
    suite: noop
    vary: {first: 1..200}
    repeat: 20
    tables: [{rows: first, value: time_per_op}]
Y
export perfgrid tmp
# shellcheck disable=SC2016
unshare --mount --propagation private bash -eu -c '
	mkdir "$tmp/m"
	mount -t tmpfs -o size=1m,mode=755 none "$tmp/m"
	status=0
	"$perfgrid" run -q --no-lock -o "$tmp/m/run" "$tmp/s.yaml" >/dev/null 2>"$tmp/err" || status=$?
	[ "$status" = 3 ] || { echo "full-disk: status $status"; cat "$tmp/err"; exit 1; }
	grep -q . "$tmp/err" || { echo "full-disk: no message"; exit 1; }
	finished=$(/usr/bin/python3 - "$tmp/m/run/journal.jsonl" <<P
import json, sys
lines = open(sys.argv[1], "rb").read().split(b"\n")
n = 0
for i, x in enumerate(lines):
    try:
        r = json.loads(x)
    except ValueError:
        assert i == len(lines) - 1, "damage before the last line"
        continue
    n += "c" in r and "n" in r
print(n)
P
)
	[ "$finished" -gt 0 ] || { echo "full-disk: nothing was written before"; exit 1; }
	mount -o remount,size=64m none "$tmp/m"
	"$perfgrid" run -q --no-lock --resume "$tmp/m/run" >/dev/null
	rows=$(wc -l <"$tmp/m/run/s.time_per_op_s.median.csv")
	[ "$rows" = 201 ] || { echo "full-disk: table has $rows lines after resume"; exit 1; }
	echo "| full disk (tmpfs of 1 MB) | exit 3, journal readable with $finished reps, resumed to the end after room was made | the same | ok |"
	umount "$tmp/m"
'
