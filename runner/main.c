/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds the real world and hands it to pg_cli(). A rep that is executed in a process of its own takes the short way.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "engine/guardian.h"
#include "engine/rep.h"
#include "registry/registry.h"
#include "runner/cli.h"
#include "runner/report.h"
#include "runner/world.h"

static unsigned terminal_columns(const struct pg_world *w, FILE *f)
{
	struct winsize ws;
	int fd = fileno(f);

	(void)w;
	if (fd < 0 || !isatty(fd))
		return 0;
	if (ioctl(fd, TIOCGWINSZ, &ws) != 0 || ws.ws_col == 0)
		return 80;
	return ws.ws_col;
}

int main(int argc, char **argv)
{
	struct pg_world w = {
		.root = "",
		.self = "/proc/self/exe",
		.lock_path = "/run/lock/perfgrid.lock",
		.suites = pg_suites,
		.environ = environ,
		.out = stdout,
		.err = stderr,
		.guard = true,
		.columns = terminal_columns,
	};
	static char out_buf[1 << 16];
	struct pg_err err;

	if (argc > 1 && strcmp(argv[1], PG_REP_ARG) == 0)
		return pg_rep_main(argc, argv, pg_bench_find);
	w.clock = pg_clock_real();
	if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
		w.out_errno = errno;
	if (pg_process_prepare(&err) != 0)
		return pg_fail_status(&w, &err);
	pg_handle_write_signals();
	setvbuf(stdout, out_buf, _IOFBF, sizeof(out_buf));
	return pg_cli(&w, argc, argv);
}
