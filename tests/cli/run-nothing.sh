#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Exit status 2 means that nothing ran: no directory, not even results/.
cat >good.yaml <<'END'
perfgrid: 1
name: good
sweeps: [{name: s, suite: noop}]
END
cat >bad.yaml <<'END'
perfgrid: 1
name: bad
sweeps: [{name: s, suite: noop, repeats: 3}]
END
mkdir full && touch full/x
try() {
	"$PERFGRID" "$@"
	echo "exit $?"
}
try run --no-lock good.yaml bad.yaml
try run --no-lock absent.yaml
try run --no-lock -o full good.yaml
try run --no-lock -o good.yaml/run good.yaml
try run --no-lock --set nothing=1 good.yaml
try run --no-lock --resume full
try run --no-lock --label 'a b' good.yaml
try run --no-lock --only 'first ==' good.yaml
ls
