#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The program without a scenario: help, version, and what is no command.
"$PERFGRID" --version | sed 's/build [0-9a-f]*/build ID/; s/libyaml [0-9.]*/libyaml N/'
"$PERFGRID" --help | head -n 3
"$PERFGRID" run --help | head -n 3
for words in "" "rum" "--nonsense" "run" "run --repet 3 x" "plan a b"; do
	# shellcheck disable=SC2086 # the words are meant to be split
	"$PERFGRID" $words
	echo "exit $?"
done
