# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of fidelity.py: syscall basic."""
ROWS = [
    dict(name="syscall/basic", perf=["perf", "bench", "syscall", "basic", "-l", "3000000"], number=r"([0-9.]+) usecs/op", scale=1e-6,
         suite="syscall/basic", set={"loops": "3000000"}, metric="time_per_op", pin="0"),
]
