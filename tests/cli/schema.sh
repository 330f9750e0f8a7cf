#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The schema is JSON, and it is the one that is committed.
"$PERFGRID" schema >schema.json || exit
jq -r '."$schema", .title' schema.json
cmp schema.json "$TOP/schema/perfgrid.schema.json"
