#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Cells that differ only by the run keys of a bundle are told apart by its labels, in every CSV.
cat >a.yaml <<'END'
perfgrid: 1
name: a
defaults: {repeat: 1, warmup: 0}
sweeps:
  - name: s
    suite: noop
    vary: {prio: [{label: high, nice: 0}, {label: low, nice: 9}], first: [1, 2]}
  - name: t
    suite: exec
    command: ["true", "{prio}"]
    vary: {prio: [3], load: [{label: light, size: 1}, {label: heavy, size: 8}]}
END
dir=out
"$PERFGRID" run -q --no-lock -o "$dir" a.yaml >/dev/null
# columns FILE NAME...: these columns, each row once
columns() {
	awk -F, -v want="$2" 'NR == 1 { n = split(want, w, " "); for (i = 1; i <= NF; i++) at[$i] = i }
		{ line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? "," : "") $at[w[i]]; if (!seen[line]++) print line }' "$1"
}
columns "$dir/plan.csv" "sweep prio load first size"
columns "$dir/s.cells.csv" "prio first status"
columns "$dir/s.samples.csv" "prio first status" | sort
columns "$dir/t.cells.csv" "prio load size status"
