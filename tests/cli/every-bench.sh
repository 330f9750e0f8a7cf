#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One scenario that runs every bench with little work ends 0, as root and as an ordinary user; what is skipped has a reason of the kinds that
# machines and users differ by. `suite: all` reaches every bench.
[ "$KIND" = full ] || { # the sanitizers see each bench in its own unit tests
	cat "$TOP/tests/cli/every-bench.out"
	exit 0
}
umask 022
cp "$PERFGRID" pg && chmod 755 pg "$PWD"
reasons() {
	/usr/bin/python3 - "$1" <<'P'
import csv, glob, re, sys
known = r"more bits set than|no core PMU|injector inside perf|CAP_PERFMON|io_uring|huge pages|reserved|single node|one node|perf_event_paranoid|breakpoint|kptr_restrict"
seen = measured = 0
for f in glob.glob(sys.argv[1] + "/*.cells.csv"):
    for r in csv.DictReader(open(f)):
        seen += 1
        measured += r["status"] == "ok"
        if r["status"] != "ok" and not (r["status"] == "skipped" and re.search(known, r["reason"])):
            print(f, r["status"], r["reason"])
print("all accounted for" if seen and measured > seen / 2 else "only %d of %d rows measured" % (measured, seen))
P
}
./pg run --quick -q --no-lock -o root "$TOP/scenarios/perf-bench-defaults.yaml" >/dev/null
echo "exit $?"
reasons root
if [ "$(id -u)" = 0 ]; then
	mkdir -m 777 user
	cp "$TOP/scenarios/perf-bench-defaults.yaml" user/
	setpriv --reuid 65534 --regid 65534 --clear-groups ./pg run --quick -q --no-lock -o user/run user/perf-bench-defaults.yaml >/dev/null
	echo "exit $?"
	reasons user/run
else
	printf 'exit 0\nall accounted for\n'
fi
printf 'perfgrid: 1\nname: a\nsweeps: [{name: s, suite: all}]\n' >all.yaml
diff <(./pg plan all.yaml 2>/dev/null | tail -n +2 | cut -d, -f3 | sort -u) <(./pg list | tail -n +2 | cut -d' ' -f1 | grep -vx -e exec -e noop | sort) && echo "suite all has every bench"
