#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# toy-bench.sh BUILD_DIR: the bench of docs/adding-a-bench.md as that page says: one new file, one line. Built against the objects of the build, described,
# measured. Last line: N passed, N failed, N skipped.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
passed=0 failed=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/perfgrid-toy.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
ok() {
	if "${@:2}"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "failed: $1"
	fi
}
block() {
	awk -v lang="$1" '$0 == "```" lang {on = 1; next} $0 == "```" && on {exit} on' docs/adding-a-bench.md
}
block c >"$tmp/toy.c"
block yaml >"$tmp/toy.yaml"
line=$(grep -m 1 '^	X(toy)' docs/adding-a-bench.md)
awk -v line="$line" '{print} /^#define PG_SUITES/ {print line}' src/registry/registry.c >"$tmp/registry.c"
ok "the page holds file, line and scenario" test -s "$tmp/toy.c" -a -s "$tmp/toy.yaml" -a -n "$line"
ok "one line differs" test "$(diff src/registry/registry.c "$tmp/registry.c" | grep -c '^[<>]')" = 1
read -ra libs < <(pkg-config --libs yaml-0.1 jansson 2>/dev/null)
# A build that counts lines needs the same to be linked.
flags=()
[ ! -e "$build/runner/main.gcno" ] || flags=(--coverage)
build_it() {
	${CC:-cc} "${flags[@]}" -std=c11 -O1 -D_GNU_SOURCE -Wall -Wextra -Werror -Isrc -I. -o "$tmp/perfgrid" "$build"/runner/*.o "$tmp/toy.c" "$tmp/registry.c" "$build/libperfgrid.a" \
		"${libs[@]}" -lRmath -lcsv -lm -pthread
}
ok "it builds" build_it
described() {
	"$tmp/perfgrid" describe toy/malloc | grep -q 'blocks allocated and freed'
}
ok "describe shows its rows" described
run_it() {
	"$tmp/perfgrid" run -q --no-lock --quick -o "$tmp/run" "$tmp/toy.yaml" >/dev/null
}
ok "it is measured" run_it
matrix() {
	[ "$(wc -l <"$tmp/run/blocks.time_per_op_ns.median.csv")" = 6 ] && ! grep -q ',$' "$tmp/run/blocks.time_per_op_ns.median.csv"
}
ok "the matrix is there" matrix
refused() {
	sed 's/16B.*}/0B}/' "$tmp/toy.yaml" >"$tmp/bad.yaml"
	! "$tmp/perfgrid" check "$tmp/bad.yaml" 2>"$tmp/err" && grep -q 'size: value 0B is out of range; allowed: 1B to 1GB' "$tmp/err"
}
ok "its range is checked" refused
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
