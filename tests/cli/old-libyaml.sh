#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Releases of libyaml before 0.2.5 overflow. The set-up takes such a one as missing, and the program says which one it has.
echo 'ID=none' >release
mkdir bin
# A pkg-config that knows every library, in the version VERSION where one is asked for.
cat >bin/pkg-config <<'SH'
#!/bin/sh
for word; do
	case $word in
	*'>='*) [ "$(printf '%s\n%s\n' "${word##*>= }" "$VERSION" | sort -V | head -n 1)" = "${word##*>= }" ] || exit 1 ;;
	esac
done
exit 0
SH
chmod +x bin/pkg-config
for VERSION in 0.1.6 0.2.4 0.2.5 0.2.10; do
	export VERSION
	PATH=$PWD/bin:$PATH OS_RELEASE=$PWD/release "$TOP/contrib/deps.sh" build >out 2>&1
	echo "$VERSION: $? ($(head -n 1 out))"
done
has=$("$PERFGRID" --version | sed -nE 's/.*libyaml ([0-9.]+).*/\1/p')
[ "$(printf '0.2.5\n%s\n' "$has" | sort -V | head -n 1)" = 0.2.5 ] && echo "this one has 0.2.5 or newer"
