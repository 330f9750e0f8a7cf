/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/pgtest.h"

#include <signal.h>
#include <stdio.h>

/* nohup and background shells hand on ignored signals, which the tests of signals would inherit. */
static void default_signals(void)
{
	struct sigaction now;
	sigset_t none;

	for (int i = 1; i < NSIG; i++) /* handlers of sanitizers stay */
		if (sigaction(i, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
			signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int pg_test_main(const char *name, const struct pg_test *tests)
{
	Suite *s = suite_create(name);
	TCase *tc = tcase_create(name);
	SRunner *sr;
	int failed, run;

	default_signals();
	for (; tests->fn; tests++) {
		if (tests->loop)
			tcase_add_loop_test(tc, tests->fn, 0, tests->loop);
		else
			tcase_add_test(tc, tests->fn);
	}
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	run = srunner_ntests_run(sr);
	srunner_free(sr);
	if (run == 0)
		fprintf(stderr, "%s: no test ran\n", name);
	return failed != 0 || run == 0;
}
