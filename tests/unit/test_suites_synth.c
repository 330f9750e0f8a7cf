/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records made from /proc, byte for byte, on fake trees; and what of /proc is passed over or refused. */
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "suites/synth.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define SEEN_MAX 64

struct seen {
	size_t n;
	_Alignas(8) unsigned char record[SEEN_MAX][4200];
};

static void keep(void *ctx, const struct perf_event_header *record)
{
	struct seen *s = ctx;

	ck_assert_uint_lt(s->n, SEEN_MAX);
	ck_assert_uint_eq(record->size % 8, 0);
	ck_assert_uint_ge(record->size, sizeof(*record));
	memcpy(s->record[s->n++], record, record->size);
}

static char root[64];

static void put(const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/proc/%s", root, path);
	for (char *s = full + strlen(root) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(full, 0700);
		*s = '/';
	}
	f = fopen(full, "we");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void begin(struct pg_synth *s, struct seen *seen, bool data_maps)
{
	strcpy(root, "/tmp/pg-synth-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	*s = (struct pg_synth){.deliver = keep, .ctx = seen, .root = root, .data_maps = data_maps};
	ck_assert_int_eq(pg_synth_init(s, NULL), 0);
}

static void end(struct pg_synth *s)
{
	char command[96];

	pg_synth_release(s);
	snprintf(command, sizeof(command), "rm -r %s", root);
	ck_assert_int_eq(system(command), 0);
}

#define STATUS(NAME, TGID, PID, PPID)                                                                                  \
	"Name:\t" NAME "\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t" TGID "\nNgid:\t0\nPid:\t" PID "\nPPid:\t" PPID  \
	"\nTracerPid:\t0\n"
#define CODE "55d0c0a00000-55d0c0a21000 r-xp 00002000 fd:01 1234                       /usr/bin/a b\n"
#define DATA "7ffd1000-7ffd3000 rw-p 00000000 00:00 0                                  [stack]\n"
#define ANON "7f0000000000-7f0000001000 rwxs 00000000 00:00 0 \n"
#define NONE "7f0000002000-7f0000003000 ---p 00000000 00:00 0 \n"

START_TEST(own_process)
{
	static struct seen seen;
	struct pg_synth s;
	struct pg_err err;
	const struct pg_synth_fork *fork_record = (const void *)seen.record[0];
	const struct pg_synth_comm *comm = (const void *)seen.record[1];
	const struct pg_synth_mmap2 *map = (const void *)seen.record[2];

	begin(&s, &seen, false);
	put("self/status", STATUS("mine", "42", "42", "7"));
	put("42/status", STATUS("mine", "42", "42", "7"));
	put("42/task/42/maps", CODE DATA NONE);
	ck_assert_msg(pg_synth_self(&s, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(seen.n, 3);

	ck_assert_uint_eq(fork_record->header.type, PERF_RECORD_FORK);
	ck_assert_uint_eq(fork_record->header.size, 32);
	ck_assert(fork_record->pid == 42 && fork_record->tid == 42 && fork_record->ppid == 7 && fork_record->ptid == 7);

	ck_assert_uint_eq(comm->header.type, PERF_RECORD_COMM);
	ck_assert_uint_eq(comm->header.size, 24);
	ck_assert(comm->pid == 42 && comm->tid == 42);
	ck_assert_str_eq(comm->comm, "mine");

	ck_assert_uint_eq(map->header.type, PERF_RECORD_MMAP2);
	ck_assert_uint_eq(map->header.misc, PERF_RECORD_MISC_USER);
	ck_assert_uint_eq(map->header.size, offsetof(struct pg_synth_mmap2, name) + 16);
	ck_assert(map->pid == 42 && map->tid == 42);
	ck_assert_uint_eq(map->start, 0x55d0c0a00000);
	ck_assert_uint_eq(map->length, 0x21000);
	ck_assert_uint_eq(map->offset, 0x2000);
	ck_assert(map->major == 0xfd && map->minor == 1 && map->inode == 1234 && map->generation == 0);
	ck_assert_uint_eq(map->protection, PROT_READ | PROT_EXEC);
	ck_assert_uint_eq(map->flags, MAP_PRIVATE);
	ck_assert_str_eq(map->name, "/usr/bin/a b");
	end(&s);
}
END_TEST

/* Mappings without code only when asked for, and marked then. */
START_TEST(data_maps)
{
	static struct seen seen;
	struct pg_synth s;
	struct pg_err err;
	static const char *const names[] = {"/usr/bin/a b", "[stack]", "//anon", "//anon"};
	static const bool data[] = {false, true, false, true};

	begin(&s, &seen, true);
	put("self/status", STATUS("mine", "42", "42", "7"));
	put("42/status", STATUS("mine", "42", "42", "7"));
	put("42/task/42/maps", CODE DATA ANON NONE);
	ck_assert_msg(pg_synth_self(&s, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(seen.n, 6);
	for (size_t i = 0; i < 4; i++) {
		const struct pg_synth_mmap2 *map = (const void *)seen.record[2 + i];

		ck_assert_str_eq(map->name, names[i]);
		ck_assert_int_eq((map->header.misc & PERF_RECORD_MISC_MMAP_DATA) != 0, data[i]);
		ck_assert_uint_eq(map->flags, i == 2 ? MAP_SHARED : MAP_PRIVATE);
	}
	end(&s);
}
END_TEST

/* All threads of all processes; mappings once a process; what ended meanwhile is no error. */
START_TEST(other_processes)
{
	static struct seen seen;
	struct pg_synth s;
	struct pg_err err;
	pid_t *pids = NULL;
	size_t room = 0, n, forks = 0, threads = 0, maps = 0;

	begin(&s, &seen, false);
	put("5/task/5/status", STATUS("leader", "5", "5", "1"));
	put("5/task/6/status", STATUS("second", "5", "6", "1"));
	put("5/task/7/maps", ""); /* its status is gone */
	put("5/maps", CODE ANON DATA);
	put("8/maps", CODE); /* its threads are gone */
	put("9/task/9/status", "");
	put("10/task/10/status", STATUS("no maps", "10", "10", "1"));
	put("self/status", "");
	put("12x/task/1/status", "no process");
	put("uptime", "1 1\n");
	ck_assert_int_eq(pg_synth_list(root, &pids, &room, &n, &err), 0);
	ck_assert_uint_eq(n, 4);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(pg_synth_process(&s, pids[i], &err) == 0, "%s", err.msg);
	ck_assert_int_eq(pg_synth_process(&s, 11, &err), 0);
	for (size_t i = 0; i < seen.n; i++) {
		const struct pg_synth_fork *r = (const void *)seen.record[i];

		forks += r->header.type == PERF_RECORD_FORK;
		maps += r->header.type == PERF_RECORD_MMAP2;
		if (r->header.type == PERF_RECORD_FORK && r->tid == 6) {
			threads++;
			ck_assert(r->pid == 5 && r->ppid == 5 && r->ptid == 5);
		}
	}
	ck_assert_uint_eq(seen.n, 8);
	ck_assert_uint_eq(forks, 3);
	ck_assert_uint_eq(threads, 1);
	ck_assert_uint_eq(maps, 2);
	free(pids);
	end(&s);
}
END_TEST

struct order {
	size_t n;
	bool wrong;
};

static void in_order(void *ctx, const struct perf_event_header *record)
{
	const struct pg_synth_mmap2 *map = (const void *)record;
	struct order *o = ctx;

	o->n++;
	o->wrong |= map->start != 4096 * o->n || map->length != 4096 || map->name[0] != '/';
}

/* Files longer than what is read at once, lines across the border. */
START_TEST(many_mappings)
{
	static char text[3 * PG_SYNTH_TEXT];
	size_t len = 0, lines = 0;
	struct order o = {0};
	struct pg_synth s;
	struct pg_err err;
	int fill = 0;

	begin(&s, NULL, false);
	while (len < sizeof(text) - 512) {
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%zx-%zx r-xp 00000000 00:00 0    /%0*d\n",
					4096 * (lines + 1), 4096 * (lines + 2), 1 + fill, 0);
		fill = (fill * 7 + 3) % 251;
		lines++;
	}
	put("4/maps", text);
	snprintf(text, sizeof(text), "%s/proc/4/maps", root);
	s.ctx = &o;
	s.deliver = in_order;
	ck_assert_msg(pg_synth_maps(&s, text, 4, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(o.n, lines);
	ck_assert(!o.wrong);
	end(&s);
}
END_TEST

START_TEST(names_of_tasks)
{
	static const struct {
		const char *status, *name;
		unsigned size;
	} c[] = {
		{STATUS("a", "3", "3", "1"), "a", 24},
		{STATUS("sevenxx", "3", "3", "1"), "sevenxx", 24},
		{STATUS("eightxxx", "3", "3", "1"), "eightxxx", 32},
		{STATUS("back\\\\slash", "3", "3", "1"), "back\\slash", 32},
		{STATUS("two\\nlines", "3", "3", "1"), "two\nlines", 32},
		{STATUS("with space", "3", "3", "1"), "with space", 32},
		{STATUS("kworker/u4:2-events_unbound_and_more_of_that_sort_up_to_64_bytes_and_beyond", "3", "3", "2"),
		 "kworker/u4:2-events_unbound_and_more_of_that_sort_up_to_64_byte", 80},
	};
	static struct seen seen;
	const struct pg_synth_comm *comm = (const void *)seen.record[1];
	struct pg_synth s;
	struct pg_err err;

	begin(&s, &seen, false);
	put("3/task/3/status", c[_i].status);
	ck_assert_int_eq(pg_synth_process(&s, 3, &err), 0);
	ck_assert_uint_eq(seen.n, 2);
	ck_assert_str_eq(comm->comm, c[_i].name);
	ck_assert_uint_eq(comm->header.size, c[_i].size);
	end(&s);
}
END_TEST

/* A name longer than a record holds is cut, the record stays whole. */
START_TEST(long_name)
{
	static struct seen seen;
	static char text[6000];
	const struct pg_synth_mmap2 *map = (const void *)seen.record[0];
	struct pg_synth s;
	struct pg_err err;
	char path[128];

	begin(&s, &seen, false);
	snprintf(text, sizeof(text), "1000-2000 r-xp 00000000 00:00 0    /%05000d\n", 0);
	put("3/maps", text);
	snprintf(path, sizeof(path), "%s/proc/3/maps", root);
	ck_assert_int_eq(pg_synth_maps(&s, path, 3, &err), 0);
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_uint_eq(map->header.size, sizeof(*map));
	ck_assert_uint_eq(strlen(map->name), 4095);
	end(&s);
}
END_TEST

START_TEST(refused)
{
	static const struct {
		const char *path, *text, *why;
	} c[] = {
		{"3/maps", "1000 2000 r-xp 00000000 00:00 0 /a\n", "has a line that is no mapping"},
		{"3/maps", "1000-2000 r-xp\n", "has a line that is no mapping"},
		{"3/maps", CODE "\n", "has a line that is no mapping"},
		{"3/task/3/status", "Pid:\t3\n", "says neither name nor thread group"},
	};
	static struct seen seen;
	struct pg_synth s;
	struct pg_err err;

	begin(&s, &seen, false);
	put("3/task/3/status", STATUS("a", "3", "3", "1"));
	put(c[_i].path, c[_i].text);
	ck_assert_int_eq(pg_synth_process(&s, 3, &err), -1);
	ck_assert_msg(strstr(err.msg, c[_i].why), "%s", err.msg);
	end(&s);
}
END_TEST

START_TEST(nothing_there)
{
	static struct seen seen;
	pid_t *pids = NULL;
	size_t room = 0, n;
	struct pg_synth s;
	struct pg_err err;

	begin(&s, &seen, false);
	ck_assert_int_eq(pg_synth_self(&s, &err), -1);
	ck_assert_msg(strstr(err.msg, "is /proc mounted?"), "%s", err.msg);
	ck_assert_int_eq(pg_synth_list(root, &pids, &room, &n, &err), -1);
	put("uptime", "1 1\n");
	ck_assert_int_eq(pg_synth_list(root, &pids, &room, &n, &err), -1);
	ck_assert_msg(strstr(err.msg, "no process below"), "%s", err.msg);
	ck_assert_uint_eq(seen.n, 0);
	free(pids);
	end(&s);
}
END_TEST

PG_TEST_MAIN("suites_synth", ((const struct pg_test[]){
				     {own_process, 0},
				     {data_maps, 0},
				     {other_processes, 0},
				     {many_mappings, 0},
				     {names_of_tasks, 7},
				     {long_name, 0},
				     {refused, 4},
				     {nothing_there, 0},
				     {NULL, 0},
			     }))
