/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `init`: a scenario to start from. It passes `check` and runs in seconds on any machine. */
#include "base/str.h"
#include "runner/commands.h"
#include "runner/report.h"
#include "runner/world.h"

static const char starter[] =
	"# A scenario of perfgrid. Check it with `perfgrid check FILE`, see its cells with `perfgrid plan FILE`,\n"
	"# measure it with `perfgrid run --show FILE`. `perfgrid list` shows what else there is to measure,\n"
	"# `perfgrid describe sched/pipe` the params of a bench.\n"
	"\n"
	"perfgrid: 1\n"
	"name: first-steps\n"
	"description: What a context switch and a copy cost on this machine.\n"
	"\n"
	"# Keys that every sweep below has, unless it says otherwise.\n"
	"defaults:\n"
	"  repeat: 5            # reps that count, each in a fresh process\n"
	"  warmup: 1            # reps before them that do not\n"
	"  sample_time: 20ms    # length that a rep is calibrated to\n"
	"\n"
	"sweeps:\n"
	"  # Two tasks hand a token to and fro: processes against threads.\n"
	"  - name: switch\n"
	"    suite: sched/pipe\n"
	"    vary:\n"
	"      mode: [process, thread]\n"
	"      size: [4B, 4KB]\n"
	"    tables:\n"
	"      - {rows: mode, columns: size, value: round_trip, unit: us}\n"
	"\n"
	"  # Copying memory, from what fits into the nearest cache to what does not.\n"
	"  - name: copy\n"
	"    suite: mem/memcpy\n"
	"    vary:\n"
	"      size: 4KB..4MB x32       # a range: 4KB, 128KB, 4MB\n"
	"      function: [default, portable]\n"
	"    tables:\n"
	"      - {rows: size, columns: function, value: bandwidth, unit: GiB/s}\n"
	"\n"
	"  # Any other program is measured the same way. {text} is replaced by the value.\n"
	"  - name: command\n"
	"    suite: exec\n"
	"    command: [sh, -c, \"i=0; while [ $i -lt {steps} ]; do i=$((i + 1)); done\"]\n"
	"    vary:\n"
	"      steps: [100, 1000, 10000]\n"
	"    quick: {vary: {steps: [100]}, repeat: 2}   # what `perfgrid run --quick` does instead\n";

int pg_cmd_init(struct pg_world *w, const void *opts, const struct pg_args *args)
{
	(void)opts;
	(void)args;
	pg_stdout_write(w, starter, sizeof(starter) - 1);
	return pg_stdout_done(w, PG_EXIT_OK);
}
