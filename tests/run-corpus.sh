#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run-corpus.sh PERFGRID: `check` takes every good scenario and every shipped one, and refuses every bad one with exactly the
# messages of its .err file, exit status 2.
set -u
perfgrid=$(realpath "$1") || exit 2
cd "$(dirname "$0")/.." || exit 2
passed=0 failed=0
tmp=$(mktemp "${TMPDIR:-/tmp}/perfgrid-corpus.XXXXXX") || exit 2
trap 'rm -f "$tmp"' EXIT
for f in tests/corpus/good/*.yaml scenarios/*.yaml; do
	[ -e "$f" ] || continue
	if timeout 60 "$perfgrid" check "$f" >/dev/null 2>"$tmp"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $f: should be accepted"
		head -n 5 "$tmp"
	fi
done
for e in tests/corpus/bad/*.err; do
	n=$(basename "$e" .err)
	(cd tests/corpus/bad && timeout 60 "$perfgrid" check "$n.yaml" >/dev/null 2>"$tmp" </dev/null)
	status=$?
	if [ "$status" = 2 ] && cmp -s "$e" "$tmp"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $n: exit $status"
		diff "$e" "$tmp" | head -n 10
	fi
done
for f in tests/corpus/bad/*.yaml; do
	case $f in
	*/part-*) continue ;; # included by others
	esac
	if [ ! -e "${f%.yaml}.err" ]; then
		failed=$((failed + 1))
		echo "FAIL $f: no expectation (.err)"
	fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
