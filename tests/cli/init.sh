#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `init` prints passes `check` and runs, in its quick form; with its commented sweep it has variants, which run as well.
set -e
"$PERFGRID" init >first.yaml
"$PERFGRID" check first.yaml
"$PERFGRID" run -q --no-lock --quick --repeat 2 -o run first.yaml
sed 's/^#  /  /' first.yaml >second.yaml
if cmp -s first.yaml second.yaml; then echo "no sweep was commented"; fi
"$PERFGRID" check second.yaml
"$PERFGRID" run -q --no-lock --quick --repeat 2 --only 'lines == 100' -o arms second.yaml | grep sort
