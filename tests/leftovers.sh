#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints processes that tests left behind: those whose executable lies in this tree's build/, awaited for 2 s (an ended process may
# stay a zombie for a while: state Z does not count).
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
left() {
	local p exe state
	for p in /proc/[0-9]*; do
		exe=$(readlink "$p/exe" 2>/dev/null) || continue
		case $exe in
		"$top"/build/*) ;;
		*) continue ;;
		esac
		state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "$p/status" 2>/dev/null)
		[ "$state" = Z ] || [ -z "$state" ] || echo "${p#/proc/} $state $(tr '\0' ' ' <"$p/cmdline" 2>/dev/null)"
	done
}
for _ in 1 2 3 4 5 6 7 8 9 10; do
	out=$(left)
	[ -n "$out" ] || exit 0
	sleep 0.2
done
echo "$out"
