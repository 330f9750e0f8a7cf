/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched/messaging: groups of senders that each write to all receivers of their group (hackbench, perf bench sched
 * messaging). Timed: from just before the wake byte until the last worker is reaped (time), and to the last receiver's
 * own stamp (work_time). Not timed: creating channels and workers (spawn_time has it), first touch of the message
 * buffers. Differs from the ancestors: monotonic clock, buffers filled before the start, 64-bit counts, EINTR and short
 * counts handled, a worker that dies or fails ends the rep with its reason, no worker outlives the main task, receivers
 * hold no write ends.
 */
#include "messaging.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOOK_NS 100000000 /* between two looks for dead workers while others start */

extern const struct pg_bench pg_sched_messaging;

static const struct pg_choice modes[] = {{"process", NULL}, {"thread", NULL}, {NULL, NULL}};
static const struct pg_choice transports[] = {
	[PG_MSG_SOCKET] = {"socket", "Unix stream socket pair"},
	[PG_MSG_PIPE] = {"pipe", NULL},
	[PG_MSG_INET] = {"inet", "TCP on loopback"},
	{NULL, NULL},
};
static const struct pg_choice policies[] = {
	{"inherit", NULL},
	{"fifo", "SCHED_FIFO 1, set after spawning"},
	{NULL, NULL},
};

static const struct pg_param params[] = {
	{
		.name = "groups",
		.doc = "independent groups",
		.def = "10",
		.min = "1",
		.max = "100000",
		.opt = 'g',
		PG_AT_COUNT(struct pg_messaging_conf, groups),
	},
	{
		.name = "fds",
		.doc = "channels of a group = its receivers = its senders",
		.def = "20",
		.min = "1",
		.max = "10000",
		.opt = 'f',
		PG_AT_COUNT(struct pg_messaging_conf, fds),
	},
	PG_ROW_LOOPS(struct pg_messaging_conf, loops, "messages of each sender to each receiver", "100", NULL, 'l'),
	{
		.name = "size",
		.doc = "bytes of a message",
		.def = "100B",
		.min = "1B",
		.max = "1GB",
		.opt = 's',
		PG_AT_SIZE(struct pg_messaging_conf, size),
	},
	{
		.name = "mode",
		.doc = "what a worker is",
		.def = "process",
		.choices = modes,
		PG_AT_ENUM(struct pg_messaging_conf, mode),
	},
	{
		.name = "transport",
		.doc = "what carries the messages: Unix stream pair, pipe, TCP on loopback; control channels too",
		.def = "socket",
		.choices = transports,
		PG_AT_ENUM(struct pg_messaging_conf, transport),
	},
	{
		.name = "main_policy",
		.doc = "scheduling class of the coordinating task",
		.def = "inherit",
		.choices = policies,
		PG_AT_ENUM(struct pg_messaging_conf, main_policy),
	},
	PG_ROW_PLACEMENT(struct pg_messaging_conf, placement,
			 "where workers run; worker i counts senders and receivers in order of creation", "free"),
	{.name = NULL},
};

enum {
	M_TIME,
	M_RATE,
	M_BANDWIDTH,
	M_WORK_TIME,
	M_WORK_RATE,
	M_SPAWN_TIME,
	M_REAP_TIME,
	M_MESSAGES,
	M_PAYLOAD,
};

static const struct pg_metric metrics[] = {
	[M_TIME] = PG_ROW_RAW("time", "wake byte to last worker reaped: wake-up, traffic, exits", PG_U_S, PG_LOWER,
			      PG_SUM, PG_M_MAIN | PG_M_GROWS),
	[M_RATE] = PG_ROW_RATIO("rate", "messages / time", PG_U_PER_S, PG_HIGHER, M_MESSAGES, M_TIME, PG_M_AUTO_MAIN),
	[M_BANDWIDTH] =
		PG_ROW_RATIO("bandwidth", "payload bytes / time", PG_U_B_PER_S, PG_HIGHER, M_PAYLOAD, M_TIME, 0),
	[M_WORK_TIME] =
		PG_ROW_RAW("work_time", "gate open to last receiver done", PG_U_S, PG_LOWER, PG_SUM, PG_M_GROWS),
	[M_WORK_RATE] =
		PG_ROW_RATIO("work_rate", "messages / work_time", PG_U_PER_S, PG_HIGHER, M_MESSAGES, M_WORK_TIME, 0),
	[M_SPAWN_TIME] = PG_ROW_RAW("spawn_time", "first channel to all workers ready", PG_U_S, PG_LOWER, PG_MEAN, 0),
	[M_REAP_TIME] = PG_ROW_RAW("reap_time", "end of work_time to last worker reaped", PG_U_S, PG_LOWER, PG_MEAN,
				   PG_M_ZERO_OK),
	[M_MESSAGES] = PG_ROW_HIDDEN("messages", "messages received", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_PAYLOAD] = PG_ROW_HIDDEN("payload", "bytes of all messages", PG_U_B, PG_SUM, PG_M_GROWS),
	{.name = NULL},
};

/* Products of numbers that the ranges allow but no run reaches (292 years of messages) stop at the largest one. */
static int64_t times(int64_t a, uint64_t b)
{
	int64_t r;

	return __builtin_mul_overflow(a, b, &r) ? INT64_MAX : r;
}

static size_t workers_of(const struct pg_messaging_conf *conf)
{
	return conf->groups * 2 * conf->fds;
}

/* Threads: buffers lie side by side, none on another's cache line. Processes: one address, a page of its own for each.
 */
static size_t stride_of(const struct pg_messaging_conf *conf)
{
	return conf->mode ? (conf->size + 63) / 64 * 64 : 0;
}

static int messaging_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct pg_messaging_conf *conf = vconf;
	const uint64_t channels = conf->groups * conf->fds;

	/* Both ends of the control channels; the listener. */
	need->descriptors = 4 + (conf->transport == PG_MSG_INET);
	/* Threads keep both ends of all; a main task of processes the write ends of a group and the read end at work.
	 */
	need->descriptors += conf->mode ? 2 * channels : conf->fds + 1;
	need->tasks = workers_of(conf);
	need->bytes = (uint64_t)times((int64_t)need->tasks, pg_crew_task_bytes(conf->mode, 0) + conf->size);
	if (conf->transport == PG_MSG_PIPE)
		need->pipes = channels + 2;
	if (conf->main_policy)
		need->caps = PG_CAP_NICE;
	return pg_place_probe(conf->placement, env->topo, err);
}

static int messaging_check(const void *vconf, struct pg_err *err)
{
	const struct pg_messaging_conf *conf = vconf;
	uint64_t messages;

	if (__builtin_mul_overflow(conf->fds, conf->loops, &messages))
		return pg_fail(err, PG_EINPUT, "fds times loops is more than a 64-bit count; take fewer loops");
	return 0;
}

static int messaging_setup(struct pg_run *run, struct pg_err *err)
{
	const struct pg_messaging_conf *conf = run->conf;
	struct pg_messaging *m = calloc(1, sizeof(*m));
	void *p;

	run->state = m;
	if (!m)
		return pg_fail_nomem(err);
	m->conf = conf;
	m->threads = conf->mode;
	m->listener = -1;
	m->ready = m->wake = (struct pg_msg_channel){-1, -1};
	m->n_channels = conf->groups * conf->fds;
	m->channels = calloc(m->n_channels, sizeof(*m->channels));
	if (!m->channels)
		return pg_fail_nomem(err);
	m->stride = stride_of(conf);
	if (__builtin_mul_overflow(m->stride, workers_of(conf), &m->buffers_bytes))
		return pg_fail_nomem(err);
	if (!m->threads)
		m->buffers_bytes = conf->size;
	p = mmap(NULL, m->buffers_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return pg_fail_sys(err, "cannot map %zu bytes for messages; lower size, fds or groups",
				   m->buffers_bytes);
	m->buffers = p;
	return 0;
}

/* Receivers as their channels are made, then the senders; processes leave main with nothing of the group. */
static int start_group(struct pg_messaging *m, struct pg_msg_channel *ch, struct pg_err *err)
{
	const size_t fds = m->conf->fds;

	for (size_t i = 0; i < fds; i++) {
		ch[i] = (struct pg_msg_channel){-1, -1};
		m->opened++;
		if (pg_msg_channel_open(m, &ch[i], err)) {
			pg_err_wrap(err, "channel %zu of %zu", m->opened, m->n_channels);
			return -1;
		}
		if (pg_crew_start(m->crew, pg_msg_receiver, m, err))
			return -1;
		if (!m->threads)
			pg_msg_close_fd(&ch[i].reader);
	}
	for (size_t i = 0; i < fds; i++)
		if (pg_crew_start(m->crew, pg_msg_sender, m, err))
			return -1;
	for (size_t i = 0; i < fds && !m->threads; i++)
		pg_msg_close_fd(&ch[i].writer);
	return 0;
}

/* Thousands of workers take their time to start: one that died meanwhile is looked for now and then. */
static int start_all(struct pg_messaging *m, struct pg_err *err)
{
	int64_t looked = pg_now_ns();

	if (pg_msg_channel_open(m, &m->ready, err) || pg_msg_channel_open(m, &m->wake, err)) {
		pg_err_wrap(err, "control channel");
		return -1;
	}
	for (size_t i = 0; i < m->n_channels; i += m->conf->fds) {
		if (start_group(m, &m->channels[i], err))
			return -1;
		if (pg_since(pg_now_ns(), looked) < LOOK_NS)
			continue;
		if (pg_crew_check(m->crew, err))
			return -1;
		looked = pg_now_ns();
	}
	pg_msg_close_fd(&m->listener);
	return 0;
}

/* One byte from each worker; a worker that dies before its byte is noticed. */
static int wait_ready(struct pg_messaging *m, struct pg_err *err)
{
	const size_t n = workers_of(m->conf);
	struct pollfd ready = {.fd = m->ready.reader, .events = POLLIN};
	char bytes[4096];

	for (size_t seen = 0; seen < n;) {
		const int r = poll(&ready, 1, 100);
		ssize_t got;

		if (r < 0 && errno != EINTR)
			return pg_fail_sys(err, "cannot wait for the workers");
		if (r <= 0) {
			if (pg_crew_check(m->crew, err))
				return -1;
			continue;
		}
		got = read(m->ready.reader, bytes, sizeof(bytes));
		if (got > 0)
			seen += (size_t)got;
		else if (got < 0 && errno != EINTR)
			return pg_fail_sys(err, "cannot wait for the workers");
	}
	return 0;
}

struct policy {
	int policy;
	struct sched_param param;
};

static int enter_fifo(struct policy *old, struct pg_err *err)
{
	const struct sched_param one = {.sched_priority = 1};

	old->policy = sched_getscheduler(0);
	if (old->policy < 0 || sched_getparam(0, &old->param) || sched_setscheduler(0, SCHED_FIFO, &one))
		return pg_fail_sys(err, "main_policy fifo needs CAP_SYS_NICE and real-time run time in its cgroup; run "
					"as root or use main_policy other");
	return 0;
}

struct stamps {
	int64_t first, ready, wake, reaped;
};

static int measure(struct pg_messaging *m, struct stamps *t, struct pg_err *err)
{
	struct policy old;
	int r;

	t->first = pg_now_ns();
	if (start_all(m, err))
		return -1;
	if (m->conf->main_policy && enter_fifo(&old, err))
		return -1;
	r = wait_ready(m, err);
	t->ready = t->wake = t->reaped = pg_now_ns();
	while (r == 0 && write(m->wake.writer, "w", 1) != 1)
		if (errno != EINTR)
			r = pg_fail_sys(err, "cannot wake the workers");
	if (r == 0)
		r = pg_crew_reap(m->crew, err);
	t->reaped = pg_now_ns();
	if (m->conf->main_policy && sched_setscheduler(0, old.policy, &old.param) && r == 0)
		r = pg_fail_sys(err, "cannot leave SCHED_FIFO");
	return r;
}

static void record(struct pg_run *run, struct pg_messaging *m, const struct stamps *t)
{
	const size_t fds = m->conf->fds;
	int64_t done = t->wake, messages = 0;

	for (size_t i = 0; i < workers_of(m->conf); i++) {
		const struct pg_slot *slot = pg_crew_slot(m->crew, i);

		if (i % (2 * fds) >= fds)
			continue;
		messages += (int64_t)slot->count;
		if (slot->end_ns > done)
			done = slot->end_ns;
	}
	run->timed_ns = pg_since(t->reaped, t->wake);
	pg_record(run, M_TIME, run->timed_ns);
	pg_record(run, M_WORK_TIME, pg_since(done, t->wake));
	pg_record(run, M_SPAWN_TIME, pg_since(t->ready, t->first));
	pg_record(run, M_REAP_TIME, pg_since(t->reaped, done));
	pg_record(run, M_MESSAGES, messages);
	pg_record(run, M_PAYLOAD, times(messages, m->conf->size));
}

static void end(struct pg_messaging *m)
{
	pg_crew_close(m->crew);
	m->crew = NULL;
	pg_msg_close_fd(&m->listener);
	pg_msg_channel_close(&m->ready);
	pg_msg_channel_close(&m->wake);
	for (size_t i = 0; i < m->opened; i++)
		pg_msg_channel_close(&m->channels[i]);
	m->opened = 0;
}

static int messaging_once(struct pg_run *run, struct pg_err *err)
{
	struct pg_messaging *m = run->state;
	const struct pg_crew_opts opts = {
		.n = workers_of(m->conf),
		.threads = m->threads,
		.placement = m->conf->placement,
		.root = run->root,
	};
	struct stamps t;
	int r = pg_crew_open(&m->crew, &opts, err);

	if (r == 0)
		r = measure(m, &t, err);
	if (r == 0)
		record(run, m, &t);
	end(m);
	return r;
}

static void messaging_teardown(struct pg_run *run)
{
	struct pg_messaging *m = run->state;

	if (!m)
		return;
	end(m);
	if (m->buffers)
		munmap(m->buffers, m->buffers_bytes);
	free(m->channels);
	free(m);
	run->state = NULL;
}

const struct pg_bench pg_sched_messaging = {
	.name = "sched/messaging",
	.summary = "groups of senders that each write to all receivers of their group",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_messaging_conf),
	.probe = messaging_probe,
	.check = messaging_check,
	.setup = messaging_setup,
	.once = messaging_once,
	.teardown = messaging_teardown,
};
