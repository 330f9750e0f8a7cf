/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fixed columns of the result files against names of params. */
#include "store/results.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))

/* No param of exec may have the name of a fixed column. */
START_TEST(reserved)
{
	static const char *const more[] = {"cell",  "sweep",	  "suite",   "line",	"skip",	  "t_mono",    "t_wall",
					   "steal", "other_busy", "psi_cpu", "psi_mem", "psi_io", "throttled", "exit"};
	const char *const *lists[] = {pg_cells_head, pg_cells_tail, pg_samples_head};
	struct kit k;
	char text[256];

	kit_init(&k, "perfgrid: 1\nname: kit\nsweeps: [{name: s, suite: noop}]\n");
	for (int l = 0; l <= LEN(lists); l++) {
		for (int i = 0; l < LEN(lists) ? lists[l][i] != NULL : i < LEN(more); i++) {
			const char *name = l < LEN(lists) ? lists[l][i] : more[i];

			snprintf(text, sizeof(text),
				 "perfgrid: 1\nname: kit\nsweeps:\n  - {name: s, suite: exec, command: ['true'], vary: "
				 "{%s: [1, 2]}}\n",
				 name);
			k.errors[0] = '\0';
			ck_assert_msg(kit_try_plan(&k, text) == NULL, "%s is taken as a param", name);
		}
	}
	kit_end(&k);
}
END_TEST

PG_TEST_MAIN("store_names", ((const struct pg_test[]){
				    {reserved, 0},
				    {NULL, 0},
			    }))
