#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What makes this machine noisy, whatever it is: every finding has a state, what cannot be read says why, and the way on is named.
"$PERFGRID" doctor >text
echo "text: $?"
head -n 1 text
tail -n 2 text
awk '$1 == "n/a" && NF < 3 { print "no reason:", $0 }' text
"$PERFGRID" doctor --json >json
echo "json: $?"
[ "$(grep -c '"state": ' json)" = "$(grep -c '"command": ' json)" ] && grep -q '"undo": ' json && echo "each has a command and what undoes it"
"$PERFGRID" doctor --self-check --rounds 5
echo "too few rounds: $?"
