/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the lines of bpf_trace_printk go. The kernel writes each through the trace event bpf_trace:bpf_trace_printk. An
 * event of our own on it keeps the lines of this task in a ring buffer that overwrites itself and goes with its
 * descriptor; the common trace buffer is for others.
 */
#include "uprobe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "perf_event.h"

#define EVENT		 "events/bpf_trace/bpf_trace_printk"
#define PAGES		 16 /* data pages of the ring buffer */
#define NAP_NS		 INT64_C(500000)
#define CALM_NS		 INT64_C(100000000)  /* for so long the switch must stay as it was, */
#define LATE_FACTOR	 20		     /* and for so many times the latest waking of this task */
#define SWITCH_BOUND_NS	 INT64_C(1000000000) /* for so long a switching on is waited for */
#define RESTORE_BOUND_NS INT64_C(5000000000)

static size_t line_bytes(void)
{
	return (PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE);
}

static int open_event_dir(const char *root, struct pg_err *err)
{
	const int fs = pg_perf_open_tracefs(root);
	int dir;

	if (fs < 0)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "a program that prints needs tracefs, which cannot be read; run as root, or mount it on "
			       "/sys/kernel/tracing for this user");
	dir = openat(fs, EVENT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(fs);
	if (dir < 0)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "tracefs has no " EVENT " that may be read; use a kernel from 5.9 on with BPF_EVENTS, "
			       "and run as root");
	return dir;
}

/* The switch as it is now; unreadable counts as off. */
static char state_of(const struct pg_uprobe_trace *t)
{
	char c;

	return pread(t->enable, &c, 1, 0) == 1 ? c : '0';
}

static int switch_off(const struct pg_uprobe_trace *t, struct pg_err *err)
{
	return pwrite(t->enable, "0", 1, 0) == 1
		       ? 0
		       : pg_fail_sys(err, "cannot put back %s/enable of tracefs; write 0 to it", EVENT);
}

/* Is there a mark of this user's? Others may make files in that directory. */
static bool is_marked(const struct pg_uprobe_trace *t)
{
	struct stat st;

	return t->mark && lstat(t->mark, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

static void set_mark(const struct pg_uprobe_trace *t)
{
	const int fd = t->mark ? open(t->mark, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;

	if (fd >= 0) /* where there can be none, a SIGKILL stays unknown */
		close(fd);
}

static void clear_mark(const struct pg_uprobe_trace *t)
{
	if (is_marked(t))
		unlink(t->mark);
}

/* Where the switch is off, the mark stays: the kernel may be late. */
int pg_uprobe_trace_recover(const struct pg_uprobe_trace *t, struct pg_err *err)
{
	if (!is_marked(t) || state_of(t) == '0')
		return 0;
	if (switch_off(t, err))
		return -1;
	clear_mark(t);
	return 0;
}

/* Without waiting: where a rep is at work, what it will put back is its own. */
static int recover_if_idle(int dir, struct pg_err *err)
{
	const struct pg_uprobe_trace t = {.enable = openat(dir, "enable", O_RDWR | O_CLOEXEC), .mark = PG_UPROBE_MARK};
	int r = 0;

	if (t.enable < 0)
		return 0;
	if (flock(t.enable, LOCK_EX | LOCK_NB) == 0)
		r = pg_uprobe_trace_recover(&t, err);
	close(t.enable);
	return r;
}

int pg_uprobe_trace_probe(const char *root, struct pg_err *err)
{
	const int dir = open_event_dir(root, err);
	int r = 0;

	if (dir < 0)
		return -1;
	if (faccessat(dir, "enable", R_OK | W_OK, AT_EACCESS))
		r = pg_fail(err, PG_EUNSUPPORTED,
			    "a program that prints changes %s/enable of tracefs, which this user may not put back; run "
			    "as root",
			    EVENT);
	else if (*root == '\0')
		r = recover_if_idle(dir, err);
	close(dir);
	return r;
}

static int read_id(int dir, uint64_t *id, struct pg_err *err)
{
	const int fd = openat(dir, "id", O_RDONLY | O_CLOEXEC);
	char text[32] = "";
	ssize_t n = -1;

	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	*id = strtoull(text, NULL, 10);
	return n > 0 && *id > 0 ? 0 : pg_fail_sys(err, "cannot read %s/id of tracefs; run as root", EVENT);
}

static int open_lines(struct pg_uprobe_trace *t, uint64_t id, struct pg_err *err)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
	};
	void *map;

	t->event = pg_perf_open(&attr, 0, -1);
	if (t->event < 0)
		return pg_fail_sys(
			err, "cannot open an event on %s; run as root, or take a program that does not print", EVENT);
	/* Mapped without the right to write: old lines are overwritten. */
	map = mmap(NULL, line_bytes(), PROT_READ, MAP_SHARED, t->event, 0);
	if (map == MAP_FAILED)
		return pg_fail_sys(err, "cannot map a ring buffer for the lines of a probe; raise "
					"kernel.perf_event_mlock_kb");
	t->lines = map;
	return 0;
}

/* The switch is one for the whole machine: of all that measure programs that print, one at a time. */
static int take_turn(const struct pg_uprobe_trace *t, struct pg_err *err)
{
	while (flock(t->enable, LOCK_EX))
		if (errno != EINTR)
			return pg_fail_sys(err, "cannot lock %s/enable of tracefs; run it again", EVENT);
	return 0;
}

int pg_uprobe_trace_open(struct pg_uprobe_trace *t, struct pg_err *err)
{
	const int dir = open_event_dir("", err);
	uint64_t id;
	int r;

	if (dir < 0)
		return -1;
	r = read_id(dir, &id, err);
	t->enable = r ? -1 : openat(dir, "enable", O_RDWR | O_CLOEXEC);
	if (r == 0 && t->enable < 0)
		r = pg_fail_sys(err, "cannot open %s/enable of tracefs; run as root", EVENT);
	close(dir);
	t->mark = PG_UPROBE_MARK;
	if (r == 0)
		r = take_turn(t, err);
	if (r == 0)
		r = pg_uprobe_trace_recover(t, err);
	return r ? -1 : open_lines(t, id, err);
}

int pg_uprobe_trace_note(struct pg_uprobe_trace *t, struct pg_err *err)
{
	if (pread(t->enable, &t->before, 1, 0) == 1) {
		if (t->before == '0')
			set_mark(t);
		else
			clear_mark(t); /* somebody else's by now */
		return 0;
	}
	return pg_fail_sys(err, "cannot read %s/enable of tracefs; run as root", EVENT);
}

/*
 * Newer kernels switch the event on from a work queue, once or twice, some time after the load has returned: it is
 * switched off until it has stayed so for long. How long a queue may take shows in how late this task itself is woken.
 */
int pg_uprobe_trace_restore(const struct pg_uprobe_trace *t, struct pg_err *err)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};
	const int64_t start = pg_now_ns();
	int64_t now = start, changed = start, late = 0;
	bool seen = false;

	while (t->before == '0' && now - start < RESTORE_BOUND_NS) {
		const int64_t asleep = now;

		if (state_of(t) != '0') {
			if (switch_off(t, err))
				return -1;
			seen = true;
			changed = now;
		}
		if (now - changed > CALM_NS + LATE_FACTOR * late && (seen || now - start > SWITCH_BOUND_NS))
			break;
		nanosleep(&nap, NULL);
		now = pg_now_ns();
		if (now - asleep - NAP_NS > late)
			late = now - asleep - NAP_NS;
	}
	clear_mark(t);
	return 0;
}

int pg_uprobe_trace_is_kept(const struct pg_uprobe_trace *t, struct pg_err *err)
{
	if (t->before != '0' || state_of(t) == '0')
		return 0;
	switch_off(t, NULL);
	return pg_fail(err, PG_EFAILED,
		       "%s of tracefs was switched on meanwhile, lines may stand in the common trace buffer; see who "
		       "traces, or measure again",
		       EVENT);
}

int pg_uprobe_trace_count(const struct pg_uprobe_trace *t, uint64_t *n, struct pg_err *err)
{
	return read(t->event, n, sizeof(*n)) == sizeof(*n) ? 0 : pg_fail_sys(err, "cannot count the lines of a probe");
}

void pg_uprobe_trace_close(struct pg_uprobe_trace *t)
{
	if (t->before == '0') {
		if (state_of(t) != '0') /* the kernel was very late */
			switch_off(t, NULL);
		clear_mark(t); /* the load failed */
	}
	if (t->lines)
		munmap(t->lines, line_bytes());
	if (t->event >= 0)
		close(t->event);
	if (t->enable >= 0)
		close(t->enable);
	*t = (struct pg_uprobe_trace){.enable = -1, .event = -1};
}
