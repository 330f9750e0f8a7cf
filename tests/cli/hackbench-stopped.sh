#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs that do not come to their end: main stopped by a signal, a worker killed. No time, a reason, a status, no process left.
ln -s "$PERFGRID" hackbench
[ "$KIND" != tsan ] || { # it has a thread of its own among those counted here
	echo "the thread sanitizer has a thread of its own, which would be counted" >&2
	exit 77
}
# workers PID: how many processes it has started
workers() {
	local list=()
	read -ra list <"/proc/$1/task/$1/children"
	echo "${#list[@]}"
}
threads() {
	sed -n 's/^Threads:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null | grep . || echo 0
}
left() {
	for _ in $(seq 200); do
		pgrep -g "$1" >/dev/null || break
		sleep 0.05
	done
	pgrep -g "$1" | wc -l
}
stop() {
	local sig=$1
	shift
	env --default-signal=QUIT setsid ./hackbench "$@" >out &
	local pid=$!
	until [ "$(workers $pid)" = 8 ] || grep -qs Threads:.9 /proc/$pid/status; do sleep 0.02; done
	kill -s "$sig" $pid
	wait $pid 2>/dev/null
	echo "$sig $*: exit $?, $(grep -c Time: out) times, $(left $pid) left"
}
for sig in TERM INT QUIT KILL; do
	stop $sig -g 2 -f 2 -l -1
	stop $sig -T -g 2 -f 2 -l 10000000000
done
# A sender that is killed: receivers see the end of file; a receiver: senders see the broken pipe.
for nth in 1 8; do
	setsid ./hackbench -g 2 -f 2 -l -1 >out &
	pid=$!
	until [ "$(workers $pid)" = 8 ]; do sleep 0.02; done
	read -ra list <"/proc/$pid/task/$pid/children"
	kill -KILL "${list[$((nth - 1))]}"
	wait $pid
	echo "worker $nth killed: exit $?, $(grep -c Time: out) times, $(left $pid) left"
done
