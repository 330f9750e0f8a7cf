#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For the cases that compare runs; each sources it in its own empty directory.
export HOME=$PWD # no history of this machine has a say
unset XDG_STATE_HOME

# noop FILE AXIS REPEAT [MORE]: a scenario of one sweep `s` of reps of about 1 ms over AXIS; MORE: further lines of the sweep.
noop() {
	cat >"$1" <<-YAML
		perfgrid: 1
		name: a
		sweeps:
		  - name: s
		    suite: noop
		    process: exec
		    set: {noise: normal, noise_level: 0.01, duration: 1ms}
		    vary: {first: $2}
		    repeat: $3
	YAML
	[ $# -lt 4 ] || while read -r; do echo "    $REPLY"; done <<<"$4" >>"$1"
}

# run_of SEED DIR FILE [OPTION...]
run_of() {
	"$PERFGRID" run -q --no-lock --seed "$1" -o "$2" "${@:4}" "$3"
}

# What disturbed differs from machine to machine.
calm() {
	sed -E 's/(; )?(spiky|short|noisy|[a-z-]+:[0-9]+%)( (spiky|short|noisy|[a-z-]+:[0-9]+%))*//; /^ *$/d'
}
