#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lint.sh BUILD_DIR: the rules that a compiler does not keep: direction of includes, one foreign header one file, no globals, format, shell
# scripts, headers of files, words that must not stand in the tree.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
bad=0
fail() {
	bad=$((bad + 1))
	echo "LINT $*"
}

# Layers: a file may include from its own layer and those listed after it.
declare -A below=(
	[base]="base"
	[model]="model base"
	[stats]="stats model base"
	[engine]="engine model stats base"
	[suites]="suites"
	[registry]="registry model base"
	[plan]="plan registry model stats base engine"
	[store]="store plan registry model stats base engine"
)
for d in "${!below[@]}"; do
	while IFS=: read -r f _ inc; do
		inc=$(echo "$inc" | sed -nE 's/.*"([^"]+)".*/\1/p')
		case $inc in
		pg_bench.h)
			case $d in
			suites) continue ;;
			esac
			fail "$f includes $inc: only suites do"
			continue
			;;
		*/*) ;;
		*)
			[ -e "src/$d/$inc" ] || fail "$f includes \"$inc\": no such file beside it"
			continue
			;;
		esac
		layer=${inc%%/*}
		case " ${below[$d]} " in
		*" $layer "*) ;;
		*) fail "$f includes \"$inc\": layer $d may include ${below[$d]}" ;;
		esac
	done < <(grep -nE '^#[[:space:]]*include[[:space:]]*"' src/"$d"/*.[ch])
done

# A header of src/suites is its family's: HEADER may be included by files that match one of the patterns. Others of the same
# stem (epoll_wait.h: epoll_wait*) need no line. What more than one family needs belongs into src/engine or src/model.
declare -A family=(
	[numa_parts.h]="numa*"
	[perf_event.h]="perf_* breakpoint* evlist* pmu_scan* uprobe*" # shared: perf_event_open and the PMUs of /sys
	[synth.h]="synth_* internals_synthesize*"
)
for h in src/suites/*.h; do
	h=${h##*/}
	read -ra patterns <<<"${family[$h]:-"${h%.h}*"}"
	while read -r f; do
		ok=0
		for pattern in "${patterns[@]}"; do
			# shellcheck disable=SC2254
			case ${f##*/} in $pattern) ok=1 ;; esac
		done
		[ "$ok" = 1 ] || fail "$f includes $h: that is for ${patterns[*]}"
	done < <(grep -lE "^#[[:space:]]*include[[:space:]]*\"(suites/)?$h\"" src/suites/*.[ch])
done

# One foreign header, one place.
only() {
	local header=$1 allowed=$2 f
	while read -r f; do
		# shellcheck disable=SC2254
		case $f in
		$allowed) ;;
		*) fail "$f includes <$header>; only $allowed may" ;;
		esac
	done < <(grep -lE "^#[[:space:]]*include[[:space:]]*<$header>" -r src runner tests --include='*.[ch]')
}
only yaml.h 'src/plan/yaml_tree.c'
only csv.h 'src/store/csv_*.c'
only jansson.h 'src/store/json.c'
only Rmath.h 'src/stats/dist.c'
only check.h 'tests/*'

# No state: .data and .bss of every src/ object are empty.
for o in $(find "$build/src" -name '*.o' | sort); do
	size -A "$o" | awk -v o="$o" '($1 == ".data" || $1 == ".bss" || $1 ~ /^\.data\.[^r]/ || $1 ~ /^\.bss\./) && $2 > 0 {print o ": " $1 " holds " $2 " bytes"; e = 1} END {exit e}' ||
		fail "$o has state"
done

# Every file says its licence; sizes by habit.
mapfile -t sources < <(git ls-files -co --exclude-standard '*.c' '*.h' | while read -r f; do [ ! -e "$f" ] || echo "$f"; done)
while read -r f why; do
	fail "$f: $why"
done < <(awk '
	FNR == 1 && !/SPDX-License-Identifier: GPL-2.0-or-later/ {print FILENAME, "first line is no SPDX line"}
	FNR == 501 {print FILENAME, "over 500 lines; split it"}' "${sources[@]}")

if command -v clang-format >/dev/null && ! printf '%s\n' "${sources[@]}" | xargs -P 2 -n 20 clang-format --dry-run -Werror >/dev/null 2>&1; then
	for f in "${sources[@]}"; do
		clang-format --dry-run -Werror "$f" >/dev/null 2>&1 || fail "$f: clang-format -i $f"
	done
fi
mapfile -t scripts < <({ git ls-files -co --exclude-standard '*.sh' '.ci/run'; echo contrib/perf-shim; } | while read -r f; do [ ! -e "$f" ] || echo "$f"; done)
shellcheck -x "${scripts[@]}" || fail "shellcheck"
# Put together, so that this file is searched like the others.
marks="\\b(TO""DO|FIX""ME|X""XX)\\b|not (yet )?imple""mented"
if git grep --untracked -nIE "$marks" -- '*.c' '*.h' '*.sh' '*.py' '*.mk' Makefile; then
	fail "marks of unfinished work"
fi
if git grep -nIE '^[[:space:]]+[^/* ].*\b(rand|strtok|sprintf|gets|strcpy|strcat|atoi|atof)\(' -- 'src/*.c' 'runner/*.c'; then
	fail "functions that this project does not use"
fi
# What only glibc has; and which libc it is, is no question that a version answers.
headers='<(argp|argz|envz|error|execinfo|fts|mcheck|obstack|printf|gnu/libc-version|sys/cdefs)\.h>'
names='__GLIBC_PREREQ|__GLIBC_MINOR__|gnu_get_libc_version|backtrace|mallinfo2?|mallopt|malloc_trim|malloc_info|TEMP_FAILURE_RETRY|comparison_fn_t'
names+='|strerror(name|desc)_np|sig(abbrev|descr)_np|pthread_(clockjoin|attr_[gs]etaffinity|getattr_default)_np|posix_spawn_file_actions_addclosefrom_np'
names+='|canonicalize_file_name|rawmemchr|fcloseall|dlmopen|on_exit|getdents64|close_range|pidfd_(open|getfd|send_signal)|(get|set|make|swap)context'
names+='|FNM_EXTMATCH|GLOB_ALTDIRFUNC|random_r|drand48_r|twalk_r|[A-Z_]+_INITIALIZER_NP'
if git grep --untracked -nE "#[[:space:]]*include[[:space:]]*$headers|\b($names)\b|__GLIBC__[[:space:]]*[<>=]" -- 'src/*.[ch]' 'runner/*.[ch]' |
	grep -vE '^[^:]+:[0-9]+:[[:space:]]*(/\*|\*)'; then
	fail "what only glibc has; take what every libc has, or the system call"
fi
# Sections of docs/statistics.md that are cited exist: a heading, or a numbered point of one. A citation may go on in the next line.
mapfile -t citing < <(git ls-files -co --exclude-standard '*.c' '*.h' '*.sh' '*.py' '*.yaml' '*.md' | while read -r f; do [ ! -e "$f" ] || echo "$f"; done)
while read -r f; do
	fail "$f"
done < <(awk '
	FILENAME == "docs/statistics.md" && pass == 1 {
		if (/^##+ [0-9]/) {section = $2; sub(/\.$/, "", section); known[section] = 1}
		else if (/^[0-9]+\. /) known[section "." $1 + 0] = 1
		next
	}
	FNR == 1 {held = ""}
	{
		line = $0
		sub(/^[ \t]*(\*|\/\/|#)[ \t]*/, "", line)
		line = held line
		held = ""
		while (match(line, /statistics\.md\)?,?/)) {
			line = substr(line, RSTART + RLENGTH)
			if (line ~ /^[ \t]*$/) {held = "statistics.md "; break}
			if (!match(line, /^ [0-9]+(\.[0-9]+)?((,| and| to) [0-9]+(\.[0-9]+)?)*/)) continue
			n = split(substr(line, 1, RLENGTH), word, /[ ,]+/)
			for (i = 1; i <= n; i++)
				if (word[i] ~ /^[0-9]/ && !(word[i] in known))
					print FILENAME ":" FNR ": docs/statistics.md has no section " word[i]
		}
	}' pass=1 docs/statistics.md pass=2 "${citing[@]}")
[ "$bad" = 0 ] && echo "lint: clean"
[ "$bad" = 0 ]
