#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# deps.sh build|check|lint|long: installs the packages that this level needs and that are missing, as root or through sudo;
# otherwise prints the one line to type and stops with status 1. Does nothing, fast, when all is there.
set -eu

level=${1:-build}
family=""
for f in "${OS_RELEASE:-/etc/os-release}" /usr/lib/os-release; do
	[ -r "$f" ] || continue
	# shellcheck disable=SC1090
	ids=$(. "$f"; echo "${ID:-} ${ID_LIKE:-}")
	for id in $ids; do
		case $id in
		debian | ubuntu) family=debian ;;
		fedora | rhel | centos) family=fedora ;;
		opensuse* | suse | sles) family=suse ;;
		arch) family=arch ;;
		esac
		[ -z "$family" ] || break
	done
	break
done

# Is it there? One word a need: cc, a tool (on PATH), pc:NAME (pkg-config), header:NAME, py:MODULE, clang-rt, pkg-only names below.
have() {
	case $1 in
	cc) command -v gcc >/dev/null 2>&1 || command -v cc >/dev/null 2>&1 ;;
	pc:yaml-0.1) command -v pkg-config >/dev/null 2>&1 && pkg-config --exists 'yaml-0.1 >= 0.2.5' ;; # older ones have overflows
	pc:*) command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "${1#pc:}" ;;
	header:*) echo "#include <${1#header:}>" | "${CC:-cc}" -E -x c - >/dev/null 2>&1 ;;
	py:*) /usr/bin/python3 -c "import ${1#py:}" >/dev/null 2>&1 ;;
	libfuzzer) compgen -G '/usr/lib*/llvm*/lib/clang/*/lib/linux/libclang_rt.fuzzer*' >/dev/null ||
		compgen -G '/usr/lib*/clang/*/lib/*/libclang_rt.fuzzer*' >/dev/null ;;
	*) command -v "$1" >/dev/null 2>&1 ;;
	esac
}

# need -> package, by family. "-" = no package of that name is known there.
table='
cc               gcc                fedora:gcc                     suse:gcc                 arch:gcc
make             make               fedora:make                    suse:make                arch:make
pkg-config       pkg-config         fedora:pkgconf-pkg-config      suse:pkg-config          arch:pkgconf
header:stdio.h   libc6-dev          fedora:glibc-devel             suse:glibc-devel         arch:glibc
pc:yaml-0.1      libyaml-dev        fedora:libyaml-devel           suse:libyaml-devel       arch:libyaml
header:csv.h     libcsv-dev         fedora:libcsv-devel            suse:libcsv-devel        arch:libcsv
pc:jansson       libjansson-dev     fedora:jansson-devel           suse:libjansson-devel    arch:jansson
pc:libRmath      r-mathlib          fedora:libRmath-devel          suse:R-core-devel        arch:r
pc:check         check              fedora:check-devel             suse:check-devel         arch:check
git              git                fedora:git                     suse:git                 arch:git
py:yaml          python3-yaml       fedora:python3-pyyaml          suse:python3-PyYAML      arch:python-yaml
py:jsonschema    python3-jsonschema fedora:python3-jsonschema      suse:python3-jsonschema  arch:python-jsonschema
clang            clang              fedora:clang                   suse:clang               arch:clang
libfuzzer        libclang-rt-14-dev fedora:compiler-rt             suse:clang               arch:compiler-rt
clang-format     clang-format       fedora:clang-tools-extra       suse:clang               arch:clang
shellcheck       shellcheck         fedora:ShellCheck              suse:ShellCheck          arch:shellcheck
valgrind         valgrind           fedora:valgrind                suse:valgrind            arch:valgrind
gcovr            gcovr              fedora:gcovr                   suse:gcovr               arch:gcovr
hyperfine        hyperfine          fedora:hyperfine               suse:hyperfine           arch:hyperfine
parallel         parallel           fedora:parallel                suse:gnu_parallel        arch:parallel
jube             jube               fedora:-                       suse:-                   arch:-
soffice          libreoffice-calc-nogui fedora:libreoffice-calc    suse:libreoffice-calc    arch:libreoffice-fresh
unshare          util-linux         fedora:util-linux              suse:util-linux          arch:util-linux
'
needs="cc make pkg-config header:stdio.h pc:yaml-0.1 header:csv.h pc:jansson pc:libRmath"
case $level in
build) ;;
check) needs="$needs pc:check git py:yaml py:jsonschema" ;;
lint) needs="$needs pc:check git py:yaml py:jsonschema clang libfuzzer clang-format shellcheck" ;;
long) needs="$needs pc:check git py:yaml py:jsonschema valgrind gcovr hyperfine parallel jube soffice unshare" ;;
*)
	echo "deps.sh: unknown level '$level'; build, check, lint or long" >&2
	exit 2
	;;
esac

packages=""
missing=""
for n in $needs; do
	have "$n" && continue
	missing="$missing $n"
	line=$(echo "$table" | awk -v n="$n" '$1 == n')
	case $family in
	debian) p=$(echo "$line" | awk '{print $2}') ;;
	*) p=$(echo "$line" | tr -s ' ' '\n' | sed -n "s/^$family://p") ;;
	esac
	if [ -n "$p" ] && [ "$p" != - ]; then
		packages="$packages $p"
	fi
done
[ -n "$missing" ] || exit 0
packages=${packages# }

case $family in
debian) install="apt-get install -y --no-install-recommends $packages" ;;
fedora) install="dnf install -y $packages" ;;
suse) install="zypper --non-interactive install $packages" ;;
arch) install="pacman -S --needed --noconfirm $packages" ;;
*)
	echo "perfgrid needs what is missing here:$missing" >&2
	echo "the package names of this distribution are not known; install these by hand, then try again" >&2
	exit 1
	;;
esac

if [ "$(id -u)" = 0 ]; then
	sudo=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	sudo="sudo"
elif command -v sudo >/dev/null 2>&1 && [ -t 0 ]; then
	sudo="sudo"
else
	echo "missing:$missing" >&2
	echo "type this as root, then try again:" >&2
	[ "$family" != debian ] || echo "  apt-get update && $install" >&2
	[ "$family" = debian ] || echo "  $install" >&2
	exit 1
fi
echo "installing: $packages" >&2
if [ "$family" = debian ]; then
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 update -qq >&2
	# shellcheck disable=SC2086
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends $packages >&2
else
	# shellcheck disable=SC2086
	$sudo $install >&2
fi
for n in $missing; do
	have "$n" || {
		echo "still missing after the installation: $n" >&2
		exit 1
	}
done
