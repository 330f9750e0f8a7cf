#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""big-plan.py PERFGRID: `plan` of 1,000,000 cells, start to last byte of CSV (into a pipe's reader that only counts): median of 7 and peak memory."""
import os, resource, statistics, subprocess, sys, tempfile, time

perfgrid = os.path.realpath(sys.argv[1])
SCENARIO = """perfgrid: 1
name: big
sweeps:
  - name: m
    suite: sched/messaging
    vary:
      groups: 1..100
      fds: 1..50
      size: [1B, 10B, 100B, 1KB, 2KB, 3KB, 4KB, 5KB, 6KB, 7KB, 8KB, 9KB, 10KB, 11KB, 12KB, 13KB, 14KB, 15KB, 16KB, 17KB]
      mode: [process, thread]
      transport: [socket, pipe, inet, pipe2]
    derive: {loops: max(1, 1000 / groups)}
    skip:
      - {when: groups > 90 and mode == 'thread', why: too many descriptors}
""".replace(", pipe2", "").replace("1..50", "1..84").replace("1..100", "1..100")
# 100 x 84 x 20 x 2 x 3 = 1,008,000: cut to exactly 1,000,000 by the shape below
SCENARIO = SCENARIO.replace("fds: 1..84", "fds: 1..125").replace("[socket, pipe, inet]", "[socket, pipe]")
# 100 x 125 x 20 x 2 x 2 = 1,000,000
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
