#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# counted.sh COMMAND...: runs COMMAND with its line counts in a directory of their own below $PERFGRID_COUNTS (coverage.sh makes it). A process that a test kills,
# or stops at a file-size limit, while it writes its counts leaves files that nobody can add to: so only this command's are lost. The files are there
# before, and open to all, for commands that go on as another user.
own=$(mktemp -d "$PERFGRID_COUNTS/run.XXXXXX") || exit 2
chmod 755 "$own"
cp -a "$PERFGRID_COUNTS/empty/." "$own"
GCOV_PREFIX=$own exec "$@"
