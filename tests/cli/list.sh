#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# list and describe.
"$PERFGRID" list | cut -d' ' -f1
"$PERFGRID" list metrics | grep -c '^sched/pipe '
"$PERFGRID" list functions | grep -E '^mem/memset +default ' | tr -s ' ' | cut -d' ' -f1-3
"$PERFGRID" describe syscall/basic | head -n 4
"$PERFGRID" describe mem | grep '^mem/'
"$PERFGRID" describe nothing
echo "exit $?"
