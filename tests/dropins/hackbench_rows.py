# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of commands.py: hackbench. Loops are small; groups and options are those of scripts, CI jobs and mail threads."""
TIME = r"^Time: [0-9]+\.[0-9]{3}$"
AWK = r"^Time: ([0-9.]+)$"
THREE = r"\ARunning in (process|threaded) mode with [0-9]+ groups using [0-9]+ file descriptors each \(== [0-9]+ tasks\)\nEach sender will pass [0-9]+ messages of [0-9]+ bytes\nTime: [0-9]+\.[0-9]{3}\n\Z"
STORED = "Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)\nEach sender will pass 100 messages of 100 bytes\nTime: 0.133\n"


def tasks(n):
    return rf"\(== {n} tasks\)"


def row(line, pattern=TIME, **more):
    return dict(line=line, pattern=pattern, **more)


ROWS = [
    row("hackbench", THREE, stored=STORED),
    row("hackbench -l 10", AWK, stored=STORED),
    row("hackbench -g 1 -l 100", tasks(40)),
    row("hackbench -g1 -l100 -s100", r"will pass 100 messages of 100 bytes$"),
    row("hackbench -s 512 -l 20 -g 2 -f 25 -P", THREE),
    row("hackbench -g 2 --loops 10 --pipe", TIME),
    row("hackbench --pipe --threads --groups 2 --loops 10", r"^Running in threaded mode with 2 groups"),
    row("hackbench --process --groups 2 --loops 10 --fds 4", tasks(16)),
    row("hackbench --processes -g 2 -l 10", r"^Running in process mode"),
    row("hackbench -T -l 10 -g 2", r"^Running in threaded mode"),
    row("hackbench -pTl 20", TIME),
    row("hackbench -pl20 -g1", r"will pass 20 messages"),
    row("hackbench -l5 -g1 -f1", tasks(2)),
    row("hackbench -P -T -P -l 5 -g 1", r"^Running in process mode"),
    row("hackbench -T -P -T -l 5 -g 1", r"^Running in threaded mode"),
    row("hackbench --group 2 --loop 5 --fd 2 --data 64", r"messages of 64 bytes$"),
    row("hackbench --gr 2 --loo 5 --th", r"^Running in threaded mode with 2 groups"),
    row("hackbench --loops=5 -g 2 -f 1", TIME),
    row("hackbench --loops=5", TIME),
    row("hackbench --groups=1", THREE, stock=False, why="2.40 refuses a long option with `=` where its place in argv is empty"),
    row("hackbench --groups=1 --loops=5", TIME, stock=False, why="the same"),
    row("hackbench -F -g 1 -l 10", TIME),
    row("hackbench --fifo --pipe -g 1 -l 10", TIME),
    row("hackbench -i -g 1 -l 10", TIME),
    row("hackbench --inet -T -g 1 -l 10 -f 4", r"^Running in threaded mode"),
    row("hackbench -g 1 -l 10 -s 100000", r"messages of 100000 bytes$"),
    row("hackbench -T -g 1 -f 2 -l 3 -s 65536", TIME, stock=False, why="threads of 2.40 have a stack of 16 KiB and die of a message of 12 KiB"),
    row("hackbench '-s 100 -l 10 -g 1 -f 2'", tasks(400), err="is taken as 100"),
    row("hackbench 4 process 100", r"^Running with 4\*40 \(== 160\) tasks\.$", stock=False, err="before 2010",
        stored="Running with 4*40 (== 160) tasks.\nTime: 0.080\n", why="2.40 ignores the words and measures 10 groups"),
    row("hackbench 20 thread 10", TIME, stock=False, err="before 2010", stored="Running with 20*40 (== 800) tasks.\nTime: 0.080\n",
        why="the same"),
    row("hackbench -pipe 2 process 10", r"^Running with 2\*40 \(== 80\) tasks\.\nTime: ", stock=False,
        stored="Running with 2*40 (== 80) tasks.\nTime: 0.080\n", why="2.40 knows no -pipe"),
    row("hackbench -g 1 --pipe 100", TIME, err="'100' is ignored"),
    row("hackbench -g 1 -T 8", tasks(40), err="'8' is ignored"),
    row("hackbench -l 10 -g 1 -- -g 2", r"with 1 groups", err="is ignored"),
    row("hackbench -g +1 -l ' 5'", r"will pass 5 messages"),
    row("hackbench -g 1abc -l 1.9", r"with 1 groups", err="is taken as 1"),
    row("hackbench -h", r"^-g +--groups=NUM "),
    row("hackbench --help", r"^Usage:$"),
    row("hackbench -h -g 0", r"^hackbench <options>$"),
    row("hackbench -g 0", r"^hackbench <options>$", status=1, err=r"--groups\|-g requires an integer > 0"),
    row("hackbench --version", r"^Usage:$", status=1, err="unrecognized option"),
    row("hackbench -p -i", r"^Usage:$", status=1, err="cannot be used together"),
    row("hackbench -g -1 -f 1 -l 1", r"^Usage:$", status=1, stock=False, why="2.40 takes -1 as 4294967295 groups, later releases refuse it"),
    row("hackbench -g 1 -f 1 -l 1 -g 2 -f 2 -l 2", tasks(8)),
]
