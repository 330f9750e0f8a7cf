/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that the user names by their path: links, modes, pipes, and places that cannot be written. */
#include <sys/stat.h>

#include "base/err.h"
#include "store/fileio.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

static char top[64];

static void start(void)
{
	snprintf(top, sizeof(top), "%s/pg-path-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(top));
	ck_assert_int_eq(chdir(top), 0);
}

static void end(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	nftw(top, kit_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	ck_assert_int_eq(chmod(path, mode), 0);
}

static void write_text(const char *path, const char *text)
{
	struct pg_path_out o;
	struct pg_err err;

	kit_ok(pg_path_out_open(&o, path, &err), &err);
	pg_path_out_write(&o, text, strlen(text));
	kit_ok(pg_path_out_commit(&o, &err), &err);
}

static void holds(const char *path, const char *text)
{
	char buf[64] = "";
	FILE *f = fopen(path, "r");

	ck_assert_msg(f != NULL, "%s", path);
	ck_assert_uint_eq(fread(buf, 1, sizeof(buf) - 1, f), strlen(text));
	ck_assert_str_eq(buf, text);
	fclose(f);
}

static bool is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* The target is another file then, the link stays; also where it leads to nothing yet. */
START_TEST(through_links)
{
	static const struct {
		const char *to, *from;
	} links[] = {{"old", "link"}, {"sub/old", "far"}, {"none", "dangling"}, {"../none2", "sub/dangling"}};

	start();
	ck_assert_int_eq(mkdir("sub", 0777), 0);
	put("old", "old", 0644);
	put("sub/old", "old", 0644);
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		ck_assert_int_eq(symlink(links[i].to, links[i].from), 0);
		write_text(links[i].from, "new");
		ck_assert(is_link(links[i].from));
		holds(links[i].from, "new");
	}
	ck_assert(!is_link("old") && !is_link("none"));
	holds("none2", "new");
	end();
}
END_TEST

START_TEST(modes_stay)
{
	struct stat st;

	start();
	put("secret", "old", 0600);
	write_text("secret", "new");
	holds("secret", "new");
	ck_assert(stat("secret", &st) == 0 && (st.st_mode & 07777) == 0600);
	end();
}
END_TEST

/* What is no regular file stays what it is. */
START_TEST(into_a_pipe)
{
	char buf[8] = "";
	struct stat st;
	int fd;

	start();
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	write_text("pipe", "new");
	ck_assert_int_eq(read(fd, buf, sizeof(buf) - 1), 3);
	ck_assert_str_eq(buf, "new");
	close(fd);
	ck_assert(stat("pipe", &st) == 0 && S_ISFIFO(st.st_mode));
	end();
}
END_TEST

/* A pipe without a path of its own: what a shell's >(command) and /dev/stdout are. */
START_TEST(into_a_descriptor)
{
	char buf[8] = "", path[32];
	int fd[2];

	start();
	ck_assert_int_eq(pipe(fd), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd[1]);
	write_text(path, "new");
	ck_assert_int_eq(read(fd[0], buf, sizeof(buf) - 1), 3);
	ck_assert_str_eq(buf, "new");
	ck_assert_int_eq(symlink(path, "link"), 0);
	write_text("link", "two");
	ck_assert_int_eq(read(fd[0], buf, sizeof(buf) - 1), 3);
	ck_assert_str_eq(buf, "two");
	close(fd[0]);
	close(fd[1]);
	end();
}
END_TEST

/* What is in the log stays, and what others write into it comes behind: a new file in its place would end both. */
START_TEST(onto_an_open_file)
{
	char path[32];
	int fd;

	start();
	put("log", "first ", 0644);
	fd = open("log", O_WRONLY | O_APPEND);
	snprintf(path, sizeof(path), _i ? "/proc/self/fd/%d" : "/dev/fd/%d", fd);
	write_text(path, "new ");
	ck_assert_int_eq(write(fd, "last", 4), 4);
	close(fd);
	holds("log", "first new last");
	fd = open("log", O_RDONLY);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	write_text(path, "replaced");
	close(fd);
	holds("log", "replaced");
	end();
}
END_TEST

/* Nobody would ever read it. */
START_TEST(no_reader)
{
	struct pg_path_out o;
	struct pg_err err;

	start();
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	ck_assert_int_eq(pg_path_out_open(&o, "pipe", &err), -1);
	ck_assert_int_eq(err.code, PG_EUSAGE);
	ck_assert_str_eq(err.msg, "cannot write 'pipe': nothing reads from it; start its reader first");
	end();
}
END_TEST

/* What a run's results are made from is no place for a report; beside it there is one. */
START_TEST(not_over_a_run)
{
	static const char *const own[] = {"run/run.json",     "run/journal.jsonl", "run/env.json", "run/plan.csv",
					  "run/files/a.yaml", "run/files/new",	   "link"};
	static const char *const free_[] = {"run/report.md", "run/reports/a.md", "plan.csv", "files/a.yaml"};
	struct pg_path_out o;
	struct pg_err err;

	start();
	for (size_t i = 0; i < 3; i++)
		ck_assert_int_eq(mkdir((const char *[]){"run", "files", "run/reports"}[i], 0777), 0);
	ck_assert_int_eq(mkdir("run/files", 0777), 0);
	put("run/run.json", "old", 0644);
	put("run/journal.jsonl", "old", 0644);
	put("run/files/a.yaml", "old", 0644);
	ck_assert_int_eq(symlink("run/journal.jsonl", "link"), 0);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		ck_assert_msg(pg_path_out_open(&o, own[i], &err) == -1, "%s", own[i]);
		ck_assert_int_eq(err.code, PG_EUSAGE);
		ck_assert_ptr_nonnull(strstr(err.msg, "is what a run's results are made from; give another file"));
	}
	holds("run/journal.jsonl", "old");
	holds("run/files/a.yaml", "old");
	for (size_t i = 0; i < sizeof(free_) / sizeof(*free_); i++)
		write_text(free_[i], "new");
	end();
}
END_TEST

/* Nothing of an attempt stays, and the message says what to do. */
START_TEST(refused)
{
	static const struct {
		const char *path, *why;
		bool root; /* also for root */
	} bad[] = {
		{"", "No such file", true},
		{"sub", "Is a directory", true},
		{"sub/", "Is a directory", true},
		{"none/", NULL, true},
		{"none/file", "No such file", true},
		{"old/file", "Not a directory", true},
		{"loop", "Too many levels", true},
		{"read-only", "Permission denied", false},
		{"closed/file", "Permission denied", false},
	};
	char want[128];
	struct pg_path_out o;
	struct pg_err err;

	start();
	put("old", "old", 0644);
	put("read-only", "old", 0444);
	ck_assert_int_eq(mkdir("sub", 0777), 0);
	ck_assert_int_eq(mkdir("closed", 0555), 0);
	ck_assert_int_eq(symlink("loop", "loop"), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (!bad[i].root && geteuid() == 0)
			continue;
		ck_assert_int_eq(pg_path_out_open(&o, bad[i].path, &err), -1);
		ck_assert_int_eq(err.code, PG_EUSAGE);
		snprintf(want, sizeof(want),
			 bad[i].why ? "cannot write '%s': %s" : "'%s' is a directory that is not there", bad[i].path,
			 bad[i].why);
		ck_assert_msg(strncmp(err.msg, want, strlen(want)) == 0, "%s", err.msg);
		ck_assert_ptr_nonnull(strstr(err.msg, "; give a"));
	}
	holds("old", "old");
	kit_ok(pg_path_out_open(&o, "old", &err), &err);
	pg_path_out_write(&o, "x", 1);
	pg_path_out_abort(&o);
	holds("old", "old");
	/* Empty but for what was made here. */
	ck_assert_int_eq(remove("old") | remove("read-only") | remove("sub") | remove("closed") | remove("loop"), 0);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(top), 0);
}
END_TEST

PG_TEST_MAIN("store_path_out", ((const struct pg_test[]){
				       {through_links, 0},
				       {modes_stay, 0},
				       {into_a_pipe, 0},
				       {into_a_descriptor, 0},
				       {onto_an_open_file, 2},
				       {no_reader, 0},
				       {not_over_a_run, 0},
				       {refused, 0},
				       {NULL, 0},
			       }))
