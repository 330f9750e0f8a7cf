#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Options of hackbench that are refused: a line on standard error, the usage on standard output, status 1. The usage is shown once.
ln -s "$PERFGRID" hackbench
try() {
	echo "hackbench $*" >&2
	./hackbench "$@" >usage
	echo "$* -> exit $?, $(head -n 3 usage | tail -n 1), $(wc -l <usage) lines"
}
./hackbench -h
echo "exit $?"
try -V
try --version
try --foo
try -g
try --groups
try --f 3
try --pipe=3
try -g 0
try -l ''
try -s abc
try -f -1
try -g 200000
try -f 99999999999999999999
try -p -i
try -pTq
try -pipe 0
try -pipe 3 fork
"$PERFGRID" hackbench -x >usage
echo "exit $?"
