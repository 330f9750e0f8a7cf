#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# hackbench stopped before all of its workers are there, at each of many moments: no time is told, no process is left. And in a process
# group with others, which are none of its business.
ln -s "$PERFGRID" hackbench
[ "$KIND" != tsan ] || {
	echo "the thread sanitizer makes every start-up last as long as all of these" >&2
	exit 77
}
bad=0
for sig in INT TERM; do
	for delay in 0 0.002 0.004 0.008 0.016 0.032; do
		env --default-signal=INT,TERM setsid ./hackbench -g 10 -l -1 >out 2>err &
		pid=$!
		# What is no hackbench so far ignores INT, as all in the background of a script does.
		until read -r comm <"/proc/$pid/comm" && [ "$comm" = hackbench ]; do :; done
		sleep $delay
		kill -s $sig $pid
		# The shell takes ended ones away at once, and keeps their status.
		for _ in $(seq 400); do
			[ -e "/proc/$pid" ] || break
			sleep 0.02
		done
		[ ! -e "/proc/$pid" ] || kill -KILL $pid # and a status that is wrong
		wait $pid 2>/dev/null
		status=$?
		for _ in $(seq 200); do
			pgrep -g $pid >/dev/null || break
			sleep 0.05
		done
		want=143
		[ $sig = TERM ] || want=130
		if [ $status != $want ] || grep -q Time: out || pgrep -g $pid >/dev/null; then
			bad=$((bad + 1))
			echo "$sig after $delay s: exit $status, $(grep -c Time: out) times, $(pgrep -g $pid | wc -l) left"
		fi
	done
done
echo "stopped early: $bad bad"
sleep 1000 &
other=$!
env --default-signal=TERM ./hackbench -g 2 -l -1 >out 2>err &
pid=$!
list=()
until [ ${#list[@]} = 80 ]; do
	sleep 0.02
	read -ra list <"/proc/$pid/task/$pid/children" # ends without a newline
done
kill -TERM $pid
wait $pid
echo "in a group with others: exit $?"
kill -0 $other && echo "the other one lives, and so does the script"
kill $other
