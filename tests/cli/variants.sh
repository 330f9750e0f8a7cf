#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Arms of a comparison: one id, their own values and labels in plan, journal, CSVs and the program; the journal alone makes the same CSVs again.
cat >a.yaml <<'END'
perfgrid: 1
name: a
sweeps:
  - name: s
    suite: exec
    command: [sh, -c, 'echo "{variant} $PERFGRID_VARIANT {jobs} {amount} $COLOUR" >>seen; echo amount={amount}']
    metrics: [{name: found, pattern: 'amount=([0-9]+)', better: higher}]
    set: {amount: 5}
    env: {COLOUR: red}
    vary: {jobs: [1, 2]}
    add: [{jobs: 3}]
    skip: [{jobs: 2, variant: third, why: not this one}]
    variants:
      - {label: first}
      - {label: second, amount: 10}
      - {label: third, env: {COLOUR: blue}}
    repeat: 3
    warmup: 0
    tables:
      - {rows: jobs, columns: variant, value: found}
      - {name: ratio, rows: jobs, columns: variant, value: found, relative_to: {variant: first}}
      - {name: each, rows: jobs, value: found}
END
# columns FILE NAME...: these columns, each row once
columns() {
	awk -F, -v want="$2" 'NR == 1 { n = split(want, w, " "); for (i = 1; i <= NF; i++) at[$i] = i }
		{ line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? "," : "") $at[w[i]]; if (!seen[line]++) print line }' "$1"
}
"$PERFGRID" run -q --no-lock -o out a.yaml >/dev/null 2>&1 || echo "status $?"
columns out/plan.csv "jobs amount variant skip reason"
awk -F, 'NR > 1 { ids[$1]++ } END { for (i in ids) print ids[i] }' out/plan.csv
sort seen | uniq -c | sed 's/^ *//'
grep -c '"v":"second"' out/journal.jsonl
columns out/s.cells.csv "jobs amount variant status"
columns out/s.samples.csv "jobs amount variant status" | sort
cat out/s.found_count.median.csv out/s.ratio.found_ratio.median.csv out/s.each.second.found_count.median.csv
mkdir before && cp out/*.csv before/
"$PERFGRID" tables out >/dev/null 2>&1 || echo "status $?"
for f in before/*.csv; do cmp "$f" "out/${f#before/}"; done
# some of them
"$PERFGRID" plan --set variant=second a.yaml 2>/dev/null >p.csv && columns p.csv "jobs amount variant skip"
"$PERFGRID" plan --only "variant == 'third' and jobs < 3" a.yaml 2>/dev/null >p.csv && columns p.csv "jobs variant skip"
"$PERFGRID" plan --set amount=7 --vary variant=third,first a.yaml 2>/dev/null >p.csv && columns p.csv "jobs amount variant"
"$PERFGRID" plan --set variant=fourth a.yaml || echo "status $?"
