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

# one_case NAME: its verdict, one line and details, goes to $work/NAME.log; the word before it is PASS, FAIL or SKIP.
one_case() {
	local n=$1 c=$top/tests/cli/$1 each status want=0 why="" s e
	local out=$work/$n.stdout err=$work/$n.stderr
	read -ra each <<<"${PERFGRID_EACH:-}"
	mkdir -p "$work/$n"
	(
		cd "$work/$n" || exit 2
		PERFGRID=$perfgrid TOP=$top KIND=$kind NO_COLOR=1 LC_ALL=C timeout 120 "${each[@]}" bash "$c.sh" >"$out" 2>"$err" </dev/null
	)
	status=$?
	rm -rf "${work:?}/$n"
	if [ "$status" = 77 ]; then
		echo "SKIP $n: $(tail -n 1 "$err")" >"$work/$n.log"
		return
	fi
	[ ! -e "$c.exit" ] || want=$(cat "$c.exit")
	[ "$status" = "$want" ] || why="exit $status, expected $want"
	for s in out err; do
		e=$c.$s
		[ -e "$e" ] || e=/dev/null
		matches "$e" "$work/$n.std$s" || why="$why${why:+; }std$s differs"
	done
	[ -n "$why" ] || {
		echo "PASS $n" >"$work/$n.log"
		return
	}
	echo "FAIL $n: $why" >"$work/$n.log"
	for s in out err; do
		e=$c.$s
		[ -e "$e" ] || e=/dev/null
		diff "$e" "$work/$n.std$s" | head -n 20
	done >>"$work/$n.log"
}
export -f one_case matches
export perfgrid kind top work

cases=("$@")
[ ${#cases[@]} != 0 ] || for f in tests/cli/*.sh; do cases+=("$(basename "$f" .sh)"); done
# Under a sanitizer two at a time: what they take is computing.
streams=1
[ "$kind" = full ] || streams=2
for n in "${cases[@]}"; do
	[ ! -e "tests/cli/$n.sh" ] || echo "$n"
done | xargs -r -P "$streams" -I{} bash -c 'one_case {}'
for n in "${cases[@]}"; do
	[ -e "tests/cli/$n.sh" ] || continue
	case $(head -c 4 "$work/$n.log" 2>/dev/null) in
	PASS) passed=$((passed + 1)) ;;
	SKIP)
		skipped=$((skipped + 1))
		cat "$work/$n.log"
		;;
	*)
		failed=$((failed + 1))
		cat "$work/$n.log"
		;;
	esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
