#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `tables` where the run directory, or the one that -o names, cannot be written: the way out is said, nothing is left behind.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps: [{name: s, suite: noop, vary: {first: [1, 2]}, repeat: 1, warmup: 0}]
END
# Root writes anywhere: without its capabilities it is as others.
plain() { "$@"; }
if [ "$(id -u)" = 0 ]; then
	command -v setpriv >/dev/null || {
		echo "needs setpriv" >&2
		exit 77
	}
	plain() { setpriv --bounding-set=-all --inh-caps=-all "$@"; }
fi
"$PERFGRID" run -q --no-lock -o run a.yaml
mkdir shut
chmod 555 run shut
before=$(cat run/*.csv | cksum)
plain "$PERFGRID" tables run
echo "exit $?"
plain "$PERFGRID" tables run --rows first --name x
echo "exit $?"
plain "$PERFGRID" tables run -o shut
echo "exit $?"
plain "$PERFGRID" tables run -o shut/new
echo "exit $?"
plain "$PERFGRID" tables run -o no/new
echo "exit $?"
plain "$PERFGRID" tables run -o new
echo "exit $?"
[ "$before" = "$(cat run/*.csv | cksum)" ] && echo same
ls -A shut
chmod 755 run shut
