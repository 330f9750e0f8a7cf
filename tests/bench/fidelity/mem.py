# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of fidelity.py: mem memcpy and memset. Buffers where the original's lie: 16 bytes into a page, as malloc() gives mappings; 1KB in the
heap, one after the other, where they were seen. Enough passes for 0.1 s and more."""

# size: (passes, offset of the source, of the destination)
SIZES = {"1KB": ("4000000", "416B", "1456B"), "1MB": ("2000", "16B", "16B"), "64MB": ("20", "16B", "16B")}
FUNCTIONS = {"memcpy": ["default", "x86-64-unrolled", "x86-64-movsq", "x86-64-movsb"],
             "memset": ["default", "x86-64-unrolled", "x86-64-stosq", "x86-64-stosb"]}


def row(bench, function, size):
    loops, source, destination = SIZES[size]
    params = {"size": size, "loops": loops, "function": function, "destination_offset": destination}
    if bench == "memcpy":
        params["source_offset"] = source
    else:
        params["destination_offset"] = source
    return dict(name="mem/%s, %s, %s" % (bench, function, size),
                perf=["perf", "bench", "--format=simple", "mem", bench, "-s", size, "-l", loops, "-f", function],
                number=r"(?m)^([0-9.]+)$", scale=1, suite="mem/" + bench, set=params, metric="bandwidth", pin="0")


ROWS = [row(bench, function, size) for bench in FUNCTIONS for function in FUNCTIONS[bench] for size in SIZES]
