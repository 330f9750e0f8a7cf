/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The presets of `perf bench numa mem`, by name and options; blanks in front of a name are printed. */
#include <stddef.h>

#include "runner/compat_perf_tables.h"

/* clang-format off */
#define RAM  "-s 20 -zZq --thp 1 --no-data_rand_walk"
#define CONV "-s 100 -zZ0qcm --thp 1"
#define BW   "-s 20 -zZ0q --thp 1"
#define NOTHP " --thp -1"

const struct pg_pb_preset pg_pb_presets[] = {
	{"RAM-bw-local,", "-p 1 -t 1 -P 1024 -C 0 -M 0", RAM},
	{"RAM-bw-local-NOTHP,", "-p 1 -t 1 -P 1024 -C 0 -M 0", RAM NOTHP},
	{"RAM-bw-remote,", "-p 1 -t 1 -P 1024 -C 0 -M 1", RAM},
	{"RAM-bw-local-2x,", "-p 2 -t 1 -P 1024 -C 0,2 -M 0x2", RAM},
	{"RAM-bw-remote-2x,", "-p 2 -t 1 -P 1024 -C 0,2 -M 1x2", RAM},
	{"RAM-bw-cross,", "-p 2 -t 1 -P 1024 -C 0,8 -M 1,0", RAM},
	{" 1x3-convergence,", "-p 1 -t 3 -P 512", CONV},
	{" 1x4-convergence,", "-p 1 -t 4 -P 512", CONV},
	{" 1x6-convergence,", "-p 1 -t 6 -P 1020", CONV},
	{" 2x3-convergence,", "-p 2 -t 3 -P 1020", CONV},
	{" 3x3-convergence,", "-p 3 -t 3 -P 1020", CONV},
	{" 4x4-convergence,", "-p 4 -t 4 -P 512", CONV},
	{" 4x4-convergence-NOTHP,", "-p 4 -t 4 -P 512", CONV NOTHP},
	{" 4x6-convergence,", "-p 4 -t 6 -P 1020", CONV},
	{" 4x8-convergence,", "-p 4 -t 8 -P 512", CONV},
	{" 8x4-convergence,", "-p 8 -t 4 -P 512", CONV},
	{" 8x4-convergence-NOTHP,", "-p 8 -t 4 -P 512", CONV NOTHP},
	{" 3x1-convergence,", "-p 3 -t 1 -P 512", CONV},
	{" 4x1-convergence,", "-p 4 -t 1 -P 512", CONV},
	{" 8x1-convergence,", "-p 8 -t 1 -P 512", CONV},
	{"16x1-convergence,", "-p 16 -t 1 -P 256", CONV},
	{"32x1-convergence,", "-p 32 -t 1 -P 128", CONV},
	{" 2x1-bw-process,", "-p 2 -t 1 -P 1024", BW},
	{" 3x1-bw-process,", "-p 3 -t 1 -P 1024", BW},
	{" 4x1-bw-process,", "-p 4 -t 1 -P 1024", BW},
	{" 8x1-bw-process,", "-p 8 -t 1 -P 512", BW},
	{" 8x1-bw-process-NOTHP,", "-p 8 -t 1 -P 512", BW NOTHP},
	{"16x1-bw-process,", "-p 16 -t 1 -P 256", BW},
	{" 1x4-bw-thread,", "-p 1 -t 4 -T 256", BW},
	{" 1x8-bw-thread,", "-p 1 -t 8 -T 256", BW},
	{"1x16-bw-thread,", "-p 1 -t 16 -T 128", BW},
	{"1x32-bw-thread,", "-p 1 -t 32 -T 64", BW},
	{" 2x3-bw-process,", "-p 2 -t 3 -P 512", BW},
	{" 4x4-bw-process,", "-p 4 -t 4 -P 512", BW},
	{" 4x6-bw-process,", "-p 4 -t 6 -P 512", BW},
	{" 4x8-bw-process,", "-p 4 -t 8 -P 512", BW},
	{" 4x8-bw-process-NOTHP,", "-p 4 -t 8 -P 512", BW NOTHP},
	{" 3x3-bw-process,", "-p 3 -t 3 -P 512", BW},
	{" 5x5-bw-process,", "-p 5 -t 5 -P 512", BW},
	{"2x16-bw-process,", "-p 2 -t 16 -P 512", BW},
	{"1x32-bw-process,", "-p 1 -t 32 -P 2048", BW},
	{"numa02-bw,", "-p 1 -t 32 -T 32", BW},
	{"numa02-bw-NOTHP,", "-p 1 -t 32 -T 32", BW NOTHP},
	{"numa01-bw-thread,", "-p 2 -t 16 -T 192", BW},
	{"numa01-bw-thread-NOTHP,", "-p 2 -t 16 -T 192", BW NOTHP},
	{.name = NULL},
};
/* clang-format on */
