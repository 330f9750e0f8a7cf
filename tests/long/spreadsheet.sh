#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# spreadsheet.sh PERFGRID: the CSVs of quick.yaml load in LibreOffice Calc (headless conversion to CSV again) and in python's csv, with the
# declared shape and the same numbers.
set -eu
perfgrid=$(realpath "$1")
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d "${TMPDIR:-/tmp}/perfgrid-calc.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
"$perfgrid" run -q --no-lock --repeat 2 -o "$tmp/run" scenarios/quick.yaml >"$tmp/paths"
mkdir "$tmp/out"
HOME=$tmp soffice --headless --convert-to ods --outdir "$tmp/ods" "$tmp"/run/*.csv >/dev/null 2>&1
HOME=$tmp soffice --headless --convert-to csv --outdir "$tmp/out" "$tmp"/ods/*.ods >/dev/null 2>&1
/usr/bin/python3 - "$tmp/run" "$tmp/out" <<'P'
import csv, glob, os, sys
run, out = sys.argv[1:]
shapes = {"messaging.time_ms.median.csv": (4, 3), "memcpy.bandwidth_GiB_per_s.median.csv": (5, 5), "pipe.round_trip_us.median.csv": (3, 2)}
files = sorted(glob.glob(run + "/*.csv"))
for f in files:
    n = os.path.basename(f)
    a = list(csv.reader(open(f, newline="", encoding="utf-8")))
    assert len(set(map(len, a))) == 1, (n, "ragged")
    if n in shapes:
        assert (len(a), len(a[0])) == shapes.pop(n), (n, len(a), len(a[0]))
    b = list(csv.reader(open(os.path.join(out, n), newline="", encoding="utf-8")))
    assert len(a) == len(b) and len(a[0]) == len(b[0]), (n, "shape in Calc", len(b), len(b[0]))
    assert a[0] == b[0], (n, "header in Calc")
    for x, y in zip(a[1:], b[1:]):
        for p, q in zip(x, y):
            try:
                u = float(p)
            except ValueError:
                continue
            v = float(q)
            assert abs(u - v) <= 1e-2 * abs(u) + 1e-2, (n, p, q)
assert not shapes, ("missing", shapes)
print("| CSVs of quick.yaml in LibreOffice Calc and python's csv | %d files, declared shapes, same headers and numbers | the same | ok |" % len(files))
P
