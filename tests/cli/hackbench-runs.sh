#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs of hackbench: all of standard output but the time, and the notes on standard error.
ln -s "$PERFGRID" hackbench
run() {
	./hackbench "$@" | sed -E 's/^(Time: )[0-9]+\.[0-9]{3}$/\1N/'
	echo "exit ${PIPESTATUS[0]}"
}
run -g1 -f1 -l1
run -pTg 2 --fd 3 --loop=4
run --inet -g 1 -f 2 -l 3 -s 5000
run -g 1 -f 2 -l 3 8
run "-g 1 -f 2 -l 3" -f 1 -l 1
run -P -T -P -g1 -f1 -l1
run 1 process 2
run -pipe 1 thread 2
"$PERFGRID" hackbench -g1 -f1 -l1 | tail -n 1 | grep -c '^Time: [0-9]*\.[0-9][0-9][0-9]$'
# Without any stream, as a background job, and as the only reader of its output leaves.
./hackbench -g1 -f1 -l1 <&- >&- 2>&-
echo "exit $?"
./hackbench -g1 -f1 -l1 >job &
wait $!
echo "exit $?, $(wc -l <job) lines"
./hackbench -g1 -f1 -l1 >/dev/full
echo "exit $?"
