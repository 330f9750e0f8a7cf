# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of commands.py: perf bench. Sizes are small; options, formats and patterns are those of wrappers, CI jobs, test suites and mail threads."""
TOTAL = r"^ +Total time: ([0-9]+\.[0-9]{3}) \[sec\]$"
AWK = r"Total time: +([0-9.]+)"
OPS = r"^ +([0-9]+) ops/sec$"
USECS = r"^ +([0-9]+\.[0-9]+) usecs/op$"
SECONDS = r"\A[0-9]+\.[0-9]{3}\n\Z"
BANDWIDTH = r"^ +([0-9.]+) ([GMK]B|bytes)/sec$"
THREADS = r"^\[thread +[0-9]+\] futex(?:es)?: .* \[ ([0-9]+) ops/sec \]$"
AVERAGED = r"^Averaged ([0-9]+) operations/sec \(\+- ([0-9.]+)%\), total secs = ([0-9]+)$"
NEWER = "a bench or an option of newer versions"

MESSAGING = "# 20 sender and receiver processes per group\n# 10 groups == 400 processes run\n\n     Total time: 0.194 [sec]\n"
PIPE = "# Executed 1000000 pipe operations between two processes\n\n     Total time: 4.663 [sec]\n\n       4.663300 usecs/op\n         214440 ops/sec\n"
SYSCALL = "# Executed 1000000 getppid() calls\n     Total time: 0.113 [sec]\n\n       0.113506 usecs/op\n        8810106 ops/sec\n"
MEMCPY = "# function 'default' (Default memcpy() provided by glibc)\n# Copying 1MB bytes ...\n\n      11.625744 GB/sec\n"
HASH = "[thread  0] futexes: 0x557af6e0d1d0 ... 0x557af6e0e1cc [ 1887232 ops/sec ]\n\nAveraged 1437696 operations/sec (+- 31.27%), total secs = 2\n"


def row(words, pattern, **more):
    return dict(line="perf bench " + words, pattern=pattern, **more)


def newer(words, pattern, **more):
    return row(words, pattern, stock=False, why=NEWER, **more)


ROWS = [
    # lists
    row("", r"^ +futex: "),
    row("-f simple", r"^ +all: "),
    row("sched", r"^ +messaging: "),
    row("numa", r"^ +mem: "),
    row("futex --help", r"^ +lock-pi: "),
    row("nosuch", r"^Unknown collection: 'nosuch'$", status=1),
    row("sched nosuch", r"^Unknown benchmark: 'nosuch' for collection 'sched'$", status=1),
    row("all --help", r"^ +futex: ", stock=False, why="the original runs everything, for minutes"),
    row("sched all -h", r"^ +messaging: ", stock=False, why="the original runs everything in the collection"),
    row("sched pipe -h", r"^# Running 'sched/pipe' benchmark:$", status=129, err=r"^ Usage: perf bench sched pipe <options>$"),
    row("sched pipe -l", "", status=129, err=r"switch `l' requires a value$"),
    row("--list-opts", r"^--format --repeat $", status=130),
    # messaging
    row("sched messaging", TOTAL, stored=MESSAGING),
    row("sched messaging", r"^# 10 groups == 400 processes run$", stored=MESSAGING),
    row("-f simple sched messaging", SECONDS, stored="0.194\n"),
    row("--format=simple sched messaging -g 2", SECONDS),
    row("-f default sched messaging -g 2 -l 20", AWK, stored=MESSAGING),
    row("-r 10 -f simple sched messaging -g 1 -l 10", r"^[0-9]+\.[0-9]{3}$", err="10 runs, seconds: median"),
    row("sched messaging -g 2 -t", r"^# 20 sender and receiver threads per group$"),
    row("sched messaging -t -g 2 -l 10 -p", r"^# 2 groups == 80 threads run$"),
    row("sched messaging --pipe --thread --group 1 --nr_loops 10", TOTAL),
    row("sched messaging -pg1 -l10", r"^# 1 groups == 40 processes run$"),
    row("sched messaging --group=1 --nr_loops=10", TOTAL),
    row("sched messaging --gr=1 --nr=10 --th", r"threads run$"),
    row("sched messaging --group 1 --loop 10", TOTAL, stock=False, why="the spelling of older versions"),
    row("sched messaging -l 10 -g 1 extra words", TOTAL, err="'extra' is ignored"),
    row("sched messaging -g 0", r"\A# Running", status=129, stock_status=0, why="0 groups: the original prints 0.000", err="out of range"),
    # pipe
    row("sched pipe -l 1000", USECS, stored=PIPE),
    row("sched pipe -l 1000", OPS, stored=PIPE),
    row("sched pipe -T -l 1000", r"^# Executed 1000 pipe operations between two threads$"),
    row("sched pipe -Tl1000", r"two threads$"),
    row("sched pipe --threaded --loop=1000", USECS, stored=PIPE),
    row("-f simple sched pipe -l 1000", SECONDS),
    row("-r 3 sched pipe -l 200", r"(?s)(usecs/op.*){3}", err="3 runs, usecs/op: median", stock=False, why="-r does nothing in the original"),
    newer("sched pipe --nr_loops 1000", OPS),
    newer("sched pipe -n -l 1000", OPS),
    newer("sched pipe --nonblocking --threaded -l 1000", USECS),
    newer("sched pipe -s 4096 -l 1000", USECS),
    row("sched pipe -l 0", "", status=129, stock_status=0, why="no operation: the original prints inf", err="out of range"),
    newer("sched seccomp-notify -l 200", r"^# Executed 200 system calls$", needs="sched/seccomp-notify"),
    # syscall
    row("syscall basic -l 100000", USECS, stored=SYSCALL),
    row("syscall basic --loop 100000", r"^# Executed ([0-9,]+) getppid\(\) calls$", stored=SYSCALL),
    row("-f simple syscall basic -l 100000", SECONDS),
    newer("syscall getpgid -l 100000", r"^# Executed 100000 getpgid\(\) calls$"),
    newer("syscall fork -l 20", r"^# Executed 20 fork\(\) calls$"),
    newer("syscall execve -l 10", OPS),
    # mem
    row("mem memcpy", BANDWIDTH, stored=MEMCPY),
    row("mem memcpy -f default", r"^ +([0-9.]+) GB/sec$", stored=MEMCPY),
    row("mem memcpy -s 4MB -l 10", r"^# Copying 4MB bytes \.\.\.$"),
    row("mem memcpy --size 64KB --nr_loops 100 --function x86-64-movsb", r"^# function 'x86-64-movsb' "),
    row("mem memset -s 1KB -l 10000", BANDWIDTH, stored=MEMCPY),
    row("mem memset --function=all --size=2MB", r"^# function 'x86-64-stosq' "),
    row("-f simple mem memcpy -f default", r"^([0-9]+\.[0-9]{6})$", stored="# function 'default' (Default memcpy() provided by glibc)\n22282315776.500000\n"),
    row("mem memcpy -f help", r"^\tx86-64-unrolled \.\.\. ", status=1),
    row("mem memcpy -s 0", "", status=1, err="^Invalid size:0$"),
    row("mem find_bit -i 2 -j 10", r"^  Average for_each_set_bit took: +([0-9.]+) usec \(\+- ([0-9.]+) usec\)$"),
    newer("mem memcpy -k 4KB -s 1MB", BANDWIDTH),
    newer("mem memset -p 4KB", BANDWIDTH),
    newer("mem mmap", r"^# function 'populate' "),
    newer("mem mmap -f demand -l 10 -t 2", r"^ +([0-9.]+) [GMK]B/sec/thread\t\( \+- +[0-9.]+% \)$"),
    # futex
    row("futex hash -r 1", THREADS, stored=HASH),
    row("futex hash -r 1 -t 2 -f 64", AVERAGED, stored=HASH),
    row("futex hash --runtime=1 --silent --threads=2", AVERAGED, stored=HASH),
    newer("futex hash -b 0 -r 1", r"^Futex hashing: global hash$|^Averaged"),
    row("-r 3 futex wake", r"^Wokeup [0-9]+ of [0-9]+ threads in ([0-9.]+) ms \(\+-([0-9.]+)%\)$"),
    row("--repeat 2 futex wake -t 4 -w 2", r"^\[Run 2\]: Wokeup 4 of 4 threads in ([0-9.]+) ms$"),
    row("-r 2 futex wake-parallel -t 4", r"^Avg per-thread latency \(waking 1/4 threads\) in ([0-9.]+) ms \(\+-[0-9.]+%\)$"),
    row("futex wake-parallel -t 4 -w 3", "", status=1, err="divisor"),
    row("-r 2 futex requeue -t 4", r"^Requeued 4 of 4 threads in ([0-9.]+) ms"),
    row("-r 2 futex requeue --pi -t 4", r"^\[Run 1\]: Awoke and Requeued \([0-9]+\+[0-9]+\) of 4 threads"),
    row("futex lock-pi -r 1 -t 2", AVERAGED),
    row("futex lock-pi -M -r 1", THREADS),
    # epoll
    row("epoll wait -r 1", AVERAGED),
    row("epoll wait -r 1 -t 2 -f 16 -m -n", r"^\[thread +[0-9]+\] fdmap: .* \[ ([0-9]+) ops/sec \]$"),
    row("epoll wait --runtime 1 --oneshot", r"EPOLLONESHOT semantics"),
    row("epoll ctl -r 1 -t 2", r"^Averaged ([0-9]+) ADD operations \(\+- [0-9.]+%\)$"),
    row("epoll ctl -r 1 -R", r"add: +([0-9]+) ops; mod: +([0-9]+) ops; del: +([0-9]+) ops"),
    # numa
    row("numa mem -p 1 -t 2 -P 16 -s 1 -z --no-data_rand_walk", r"^ main, +([0-9.]+), GB/sec, +total-speed$"),
    row("numa mem -p 2 -t 1 -T 8 -s 1 -qZ0", r"^ +([0-9.]+) GB/sec total speed$"),
    row("numa mem -p 1 -t 1 -P 16 -s 1 -C 0 -M 0 -q", r"^ +([0-9.]+) secs slowest \(max\) thread-runtime$"),
    row("numa mem -p 2 -t 1 -P 8 -s 5 -mq", r"^ +([0-9.]+) secs latency to NUMA-converge$"),
    # internals
    row("internals synthesize -i 50", r"^  Average synthesis took: ([0-9.]+) usec \(\+- ([0-9.]+) usec\)$"),
    row("internals synthesize -t -I 2 -M 2", r"^  Number of synthesis threads: 2$"),
    row("internals synthesize -t -m 5 -M 2", r"\A# Running", status=129, stock_status=0, why="no number of threads: the original prints a heading alone",
        err="--min-threads.-m 5 is more than --max-threads.-M 2"),
    row("internals kallsyms-parse -i 2", r"^  Average kallsyms__parse took: ([0-9.]+) ms \(\+- ([0-9.]+) ms\)$"),
    row("internals evlist-open-close -i 3", r"^  Average open-close took: ([0-9.]+) usec"),
    newer("internals pmu-scan -i 3", r"^  Average PMU scanning took: ([0-9.]+) usec"),
    # breakpoint, uprobe
    row("-r 10 breakpoint thread", USECS),
    row("breakpoint thread -b 2 -t 2", r"^ +([0-9.]+) usecs/op/cpu$"),
    row("-r 100 breakpoint enable -p 2", r"^# Enabled/disabled breakpoint 100 time with 2 passive and 0 active threads$"),
    newer("uprobe baseline -l 50", r"^ ([0-9.]+) usecs/op$"),
    newer("uprobe empty -l 50", r"^ +Total time: ([0-9]+) usecs"),
    # for programs
    row("-f json sched pipe -l 100", r'"round_trip_s": [0-9.e-]+', stock=False, why="the format is new"),
    row("-f csv -r 2 syscall basic -l 1000", r"^syscall/basic,2,loops=1000[^,]*,time_per_op,s,[0-9.e-]+$", stock=False, why="the format is new"),
    row("-f foo sched pipe", r"^Unknown format descriptor: 'foo'$", status=1, stock_status=0, why="a mistake never exits 0"),
    row("-r 0 sched pipe", r"^Invalid repeat option: ", status=1, stock_status=0, why="a mistake never exits 0"),
]
