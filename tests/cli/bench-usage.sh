#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Usages and mistakes of a bench: the heading goes to standard output, the rest to standard error, status 129; nothing runs.
t() {
	"$PERFGRID" bench "$@" 2>&1
	echo "status $?"
}
t sched pipe -h
t futex requeue --help
t sched pipe -l
t sched pipe -l 0
t sched pipe --loop=-7
t sched messaging -g 100001
t futex hash -r 0
t futex hash --s
t futex hash word
t mem find_bit -i 0
t mem memcpy -s 1X
t mem memset -f help
t mem memcpy -c
t numa mem --no-data_reads --no-data_writes
t futex wake-parallel -t 4 -w 3
t internals synthesize -t -m 5 -M 2
t -r 9000000000000 breakpoint enable
