#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# other-libc.sh: src/ and runner/ with another C library than glibc, musl: everything compiles, and the small hackbench, which needs no further
# library, is linked and measures. Says so where musl-gcc (Debian: musl-tools) is not there, and ends with 0: nobody needs it for anything else.
set -u
cd "$(dirname "$0")/.." || exit 2
if ! command -v musl-gcc >/dev/null 2>&1; then
	echo "other-libc: NOT CHECKED: no musl-gcc here; apt-get install musl-tools"
	exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/perfgrid-libc.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# What musl does not bring: headers of the kernel and of the four libraries, and nothing else of /usr/include.
mkdir "$work/include"
arch=/usr/include/$(gcc -print-multiarch 2>/dev/null)
for h in linux asm asm-generic; do
	for d in "$arch" /usr/include; do
		[ ! -e "$d/$h" ] || ln -sf "$d/$h" "$work/include/$h"
	done
done
for lib in yaml-0.1 jansson libRmath; do
	read -ra dirs < <(pkg-config --cflags-only-I "$lib" | sed 's/-I//g')
	for d in "${dirs[@]}" "$arch" /usr/include; do
		for h in yaml.h jansson.h jansson_config.h Rmath.h csv.h; do
			[ ! -e "$d/$h" ] || ln -sf "$d/$h" "$work/include/$h"
		done
	done
done

# Conversions are checked with glibc; ioctl() takes an int here.
export flags="-std=c11 -D_GNU_SOURCE -O0 -Wall -Wextra -Werror -Isrc -I. -isystem $work/include -ffp-contract=off -fno-common -pthread" work
compile() {
	local f
	for f; do
		# shellcheck disable=SC2086
		musl-gcc $flags -c -o "$work/$(echo "$f" | tr / _).o" "$f" || exit 255
	done
}
export -f compile
mapfile -t sources < <(printf '%s\n' src/*/*.c runner/*.c runner/front/*.c)
if ! printf '%s\0' "${sources[@]}" | xargs -0 -P 2 -n 12 bash -c 'compile "$@"' compile; then
	echo "other-libc: does not compile with musl"
	exit 1
fi
ar rcs "$work/lib.a" "$work"/src_*.o
front=()
for f in front/hackbench compat_hackbench compat_hackbench_options dropin dropin_ready dropin_signal report world; do
	front+=("$work/runner_$(echo "$f" | tr / _).c.o")
done
# shellcheck disable=SC2086
if ! musl-gcc -static $flags -o "$work/hackbench" "${front[@]}" "$work/lib.a" -lm; then
	echo "other-libc: hackbench does not link with musl"
	exit 1
fi
for mode in -P -T -p -i; do
	if ! timeout 60 "$work/hackbench" -g 1 -f 3 -l 20 $mode | grep -q '^Time: [0-9]'; then
		echo "other-libc: hackbench $mode with musl measures nothing"
		exit 1
	fi
done
echo "other-libc: musl: ${#sources[@]} files, hackbench measures"
