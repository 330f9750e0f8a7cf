#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# generated.sh PERFGRID: the committed schema and man page are what the rows give now.
set -u
perfgrid=$(realpath "$1") || exit 2
cd "$(dirname "$0")/.." || exit 2
passed=0 failed=0
same() {
	local file=$1
	shift
	if "$perfgrid" "$@" | cmp -s - "$file"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $file is not what \`perfgrid $*\` prints; run make generate"
	fi
}
same schema/perfgrid.schema.json schema
same docs/man/perfgrid.1 generate man
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
