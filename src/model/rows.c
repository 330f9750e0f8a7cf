/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/rows.h"

const struct pg_choice pg_auto_word[] = {{"auto", "calibrated to sample_time"}, {NULL, NULL}};
