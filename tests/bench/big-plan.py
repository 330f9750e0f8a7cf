#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""big-plan.py PERFGRID: `plan` of 1,000,000 cells, start to last byte of CSV (into a pipe's reader that only counts): median of 7 and peak memory."""
import os, resource, statistics, subprocess, sys, tempfile, time

perfgrid = os.path.realpath(sys.argv[1])
# 100 x 125 x 20 x 2 x 2 = 1,000,000
SCENARIO = """perfgrid: 1
name: big
sweeps:
  - name: m
    suite: sched/messaging
    vary:
      groups: 1..100
      fds: 1..125
      size: 1KB..20KB by 1KB
      mode: [process, thread]
      transport: [socket, pipe]
    derive: {loops: 1000 / groups + 1}
    skip:
      - {when: groups > 90 and mode == 'thread', why: too many descriptors}
"""
with tempfile.TemporaryDirectory(prefix="perfgrid-big.") as tmp:
    f = tmp + "/big.yaml"
    open(f, "w").write(SCENARIO)
    times, lines = [], 0
    for _ in range(7):
        t = time.monotonic()
        p = subprocess.Popen([perfgrid, "plan", f], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=tmp)
        lines = 0
        while True:
            b = os.read(p.stdout.fileno(), 1 << 20)
            if not b:
                break
            lines += b.count(b"\n")
        _, status, ru = os.wait4(p.pid, 0)
        times.append(time.monotonic() - t)
        assert status == 0 and lines == 1000001, (status, lines)
        rss = ru.ru_maxrss / 1024
    m = statistics.median(times)
    ok = m <= 1.0 and rss <= 64
    print("| `plan` of 1,000,000 cells (messaging, five axes, derive, skip) | median %.2f s of 7 (%.2f to %.2f), peak %.0f MB | at most 1 s, 64 MB | %s |"
          % (m, min(times), max(times), rss, "ok" if ok else "FAILED"))
    sys.exit(not ok)
