/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that a workload includes, beside its family header and libc. */
#ifndef PG_BENCH_H
#define PG_BENCH_H

#include "base/clock.h"
#include "base/cpulist.h"
#include "base/err.h"
#include "base/futex_wait.h"
#include "base/num.h"
#include "base/str.h"
#include "base/topo.h"
#include "engine/crew.h"
#include "engine/mem_map.h"
#include "engine/period.h"
#include "engine/settle.h"
#include "model/metric.h"
#include "model/param.h"
#include "model/rows.h"
#include "model/suite.h"

#endif
