#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Another plan on --resume: exit status 2 and nothing touched.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps: [{name: s, suite: noop, vary: {first: [1, 2]}, repeat: 2}]
END
"$PERFGRID" run -q --no-lock -o run a.yaml >/dev/null || exit
find run -type f -exec sha256sum {} + | sort >before
sed 's/\[1, 2\]/[1, 3]/' a.yaml >b.yaml
for words in "b.yaml" "--set first=1" "--quick --only first==1" "--seed 3" "-o x"; do
	# shellcheck disable=SC2086 # the words are meant to be split
	"$PERFGRID" run --no-lock --resume run $words
	echo "exit $?"
done
find run -type f -exec sha256sum {} + | sort | cmp - before
"$PERFGRID" run -q --no-lock --resume run a.yaml
echo "exit $?"
