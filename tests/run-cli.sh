#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run-cli.sh PERFGRID [full|san|tsan] [CASE...]: each tests/cli/CASE.sh runs in an empty directory with PERFGRID (the program) and TOP (the
# tree) set; its stdout, stderr and exit status must be those of CASE.out, CASE.err (missing = empty) and CASE.exit (missing = 0). A
# line of .out or .err that begins with ~ is a shell glob for the actual line; `~...` stands for any number of lines. A case that exits 77 is skipped.
set -u
perfgrid=$(realpath "$1") || exit 2
kind=${2:-full}
shift
[ $# = 0 ] || shift
cd "$(dirname "$0")/.." || exit 2
top=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/perfgrid-cli.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# matches EXPECTED ACTUAL: line by line.
matches() {
	awk -v exp_file="$1" '
	function glob(p,   r, i, c) {
		r = "^"
		for (i = 1; i <= length(p); i++) {
			c = substr(p, i, 1)
			if (c == "*") r = r ".*"
			else if (c == "?") r = r "."
			else if (c == "[") { r = r "["; }
			else if (c == "]") r = r "]"
			else if (c ~ /[a-zA-Z0-9 _,:;<>\/=!@#%&~"\x27-]/) r = r c
			else r = r "\\" c
		}
		return r "$"
	}
	BEGIN { n = 0; while ((getline line < exp_file) > 0) e[++n] = line }
	{ a[++m] = $0 }
	END {
		i = 1; j = 1; star = 0; mark = 0
		while (j <= m) {
			if (i <= n && e[i] == "~...") { star = i; mark = j; i++; continue }
			ok = 0
			if (i <= n) {
				if (substr(e[i], 1, 1) == "~") ok = (a[j] ~ glob(substr(e[i], 2)))
				else ok = (a[j] == e[i])
			}
			if (ok) { i++; j++ }
			else if (star) { i = star + 1; mark++; j = mark }
			else exit 1
		}
		while (i <= n && e[i] == "~...") i++
		exit i <= n
	}' "$2"
}

read -ra each <<<"${PERFGRID_EACH:-}"
cases=("$@")
[ ${#cases[@]} != 0 ] || for f in tests/cli/*.sh; do cases+=("$(basename "$f" .sh)"); done
for n in "${cases[@]}"; do
	c=$top/tests/cli/$n
	[ -e "$c.sh" ] || continue
	mkdir -p "$work/$n"
	(
		cd "$work/$n" || exit 2
		PERFGRID=$perfgrid TOP=$top KIND=$kind NO_COLOR=1 LC_ALL=C timeout 120 "${each[@]}" bash "$c.sh" >"$work/out" 2>"$work/err" </dev/null
	)
	status=$?
	if [ "$status" = 77 ]; then
		skipped=$((skipped + 1))
		echo "SKIP $n: $(tail -n 1 "$work/err")"
		continue
	fi
	want=0
	[ ! -e "$c.exit" ] || want=$(cat "$c.exit")
	why=""
	[ "$status" = "$want" ] || why="exit $status, expected $want"
	for s in out err; do
		e=$c.$s
		[ -e "$e" ] || e=/dev/null
		matches "$e" "$work/$s" || why="$why${why:+; }std$s differs"
	done
	if [ -z "$why" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $n: $why"
		for s in out err; do
			e=$c.$s
			[ -e "$e" ] || e=/dev/null
			diff "$e" "$work/$s" | head -n 20
		done
	fi
	rm -rf "${work:?}/$n"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
