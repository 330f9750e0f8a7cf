#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The lists of `perf bench`, words that name nothing, formats and repeats that are none: what is printed and the status of each.
t() {
	"$PERFGRID" bench "$@" 2>&1
	echo "status $?"
}
t
t -f json breakpoint
t nosuch
t sched nosuch
t sched -r 3 pipe
t -f foo sched pipe
t -r 0 sched pipe
t -r -1 sched
t --bogus
t --list-opts
t --help
t all --help
t sched all -h
ln -s "$PERFGRID" perf-bench
./perf-bench syscall 2>&1
