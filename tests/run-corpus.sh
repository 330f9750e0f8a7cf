#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run-corpus.sh PERFGRID: `check` takes every good scenario and every shipped one, and refuses every bad one with exactly the
# messages of its .err file, exit status 2.
set -u
perfgrid=$(realpath "$1") || exit 2
cd "$(dirname "$0")/.." || exit 2
export perfgrid
tmp=$(mktemp -d "${TMPDIR:-/tmp}/perfgrid-corpus.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
export tmp

# Each prints one line that is "ok", or what is wrong.
try_good() {
	if timeout 60 "$perfgrid" check "$1" >/dev/null 2>"$tmp/$BASHPID"; then
		echo ok
	else
		echo "FAIL $1: should be accepted: $(head -n 3 "$tmp/$BASHPID" | tr '\n' ' ')"
	fi
}
try_bad() {
	local n status
	n=$(basename "$1" .err)
	(cd tests/corpus/bad && timeout 60 "$perfgrid" check "$n.yaml" >/dev/null 2>"$tmp/$n" </dev/null)
	status=$?
	if [ "$status" = 2 ] && cmp -s "$1" "$tmp/$n"; then
		echo ok
	else
		echo "FAIL $n: exit $status: $(diff "$1" "$tmp/$n" | head -n 6 | tr '\n' ' ')"
	fi
}
export -f try_good try_bad
{
	for f in tests/corpus/good/*.yaml scenarios/*.yaml; do
		[ ! -e "$f" ] || echo "try_good $f"
	done
	for e in tests/corpus/bad/*.err; do
		echo "try_bad $e"
	done
} | xargs -P 2 -I{} bash -c '{}' >"$tmp/all"
grep '^FAIL' "$tmp/all"
passed=$(grep -c '^ok$' "$tmp/all")
failed=$(grep -vc '^ok$' "$tmp/all")
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
