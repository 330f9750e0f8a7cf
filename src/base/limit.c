/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/limit.h"

#include <sys/resource.h>

void pg_limit_raise(unsigned resource)
{
	struct rlimit l;

	if (getrlimit(resource, &l) != 0 || l.rlim_cur == l.rlim_max)
		return;
	l.rlim_cur = l.rlim_max;
	setrlimit(resource, &l);
}
