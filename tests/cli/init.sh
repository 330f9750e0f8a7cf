#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `init` prints passes `check` and runs, in its quick form.
set -e
"$PERFGRID" init >first.yaml
"$PERFGRID" check first.yaml
"$PERFGRID" run -q --no-lock --quick --repeat 2 -o run first.yaml
