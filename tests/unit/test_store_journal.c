/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal: exact text of records, torn tails, damage, a disk that is full. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/err.h"
#include "store/journal.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))

static const char two_cells[] = "perfgrid: 1\n"
				"name: kit\n"
				"sweeps:\n"
				"  - {name: s, suite: noop, vary: {first: [1, 2]}, repeat: 3}\n";

/* Line i (0-based) of the journal, malloc'ed; NULL = none. */
static char *line(const struct kit *k, int i)
{
	char *all = kit_file(k, "journal.jsonl"), *s = all, *out = NULL;

	for (; s && i > 0; i--) {
		s = strchr(s, '\n');
		s = s ? s + 1 : NULL;
	}
	if (s && *s)
		out = strndup(s, strcspn(s, "\n"));
	free(all);
	return out;
}

#define line_is(k, i, want)                                                                                            \
	do {                                                                                                           \
		char *line_text = line(k, i);                                                                          \
		ck_assert_ptr_nonnull(line_text);                                                                      \
		ck_assert_str_eq(line_text, want);                                                                     \
		free(line_text);                                                                                       \
	} while (0)

static void cell_id(const struct kit *k, size_t cell, char *buf)
{
	struct pg_cell_buf *b = pg_cell_buf_new(k->plan);

	pg_cell_id_format(buf, pg_plan_cell(k->plan, cell, b)->id);
	pg_cell_buf_free(b);
}

/* The facts of a kit's rep, as they are written: those it has come first. */
static const char *facts(char *buf, size_t size)
{
	snprintf(buf, size, "\"f\":[null,1500000000,%lld,3", (long long)KIT_WALL);
	for (int f = PG_F_STEAL + 1; f < PG_FACTS; f++)
		snprintf(buf + strlen(buf), size - strlen(buf), ",null");
	snprintf(buf + strlen(buf), size - strlen(buf), "]");
	return buf;
}

START_TEST(text_of_records)
{
	struct kit k;
	struct pg_err err;
	char id[PG_CELL_ID_BUF], want[768], f[384];
	struct pg_cell_buf *buf;

	kit_init(&k, two_cells);
	kit_create(&k);
	cell_id(&k, 0, id);
	buf = pg_cell_buf_new(k.plan);
	kit_ok(pg_store_observer(k.store)->calibrated(k.store, pg_plan_cell(k.plan, 0, buf), 77, &err), &err);
	pg_cell_buf_free(buf);
	kit_rep(&k, (struct kit_rep){.warmup = true, .ns = 5, .count = 6});
	kit_rep(&k,
		(struct kit_rep){
			.status = PG_ST_FAILED, .round = 2, .position = 9, .attempt = 3, .why = "say \"no\"\n\xff"});
	kit_done(&k, 0, PG_STOP_ERROR);
	kit_ok(pg_store_retry_failed(k.store, &err), &err);
	kit_ok(pg_store_finish(k.store, PG_RUN_INTERRUPTED, &err), &err);
	snprintf(want, sizeof(want), "{\"cal\":\"%s\",\"loops\":77}", id);
	line_is(&k, 2, want);
	snprintf(want, sizeof(want),
		 "{\"n\":1,\"c\":\"%s\",\"p\":\"w\",\"k\":0,\"o\":0,\"a\":1,\"s\":\"ok\",\"m\":[5,6,6,6,5,5,5,5,6,6,6,"
		 "6,6],%s}",
		 id, facts(f, sizeof(f)));
	line_is(&k, 3, want);
	snprintf(want, sizeof(want),
		 "{\"n\":2,\"c\":\"%s\",\"p\":\"m\",\"k\":2,\"o\":9,\"a\":3,\"s\":\"failed\",\"m\":[null,null,null,"
		 "null,null,null,"
		 "null,null,null,null,null,null,null],%s,"
		 "\"why\":\"say \\\"no\\\"\\u000a\xef\xbf\xbd\"}",
		 id, facts(f, sizeof(f)));
	line_is(&k, 4, want);
	snprintf(want, sizeof(want), "{\"end\":\"%s\",\"stop\":\"error\"}", id);
	line_is(&k, 5, want);
	snprintf(want, sizeof(want), "{\"retry\":\"%s\"}", id);
	line_is(&k, 6, want);
	line_is(&k, 7, "{\"state\":\"interrupted\"}");
	kit_end(&k);
}
END_TEST

START_TEST(header)
{
	struct kit k;
	char want[1024];

	kit_init(&k, two_cells);
	kit_create(&k);
	snprintf(want, sizeof(want), "{\"perfgrid\":1,\"run\":\"%.21s", "20251124T160000Z-xxxx");
	want[strlen(want) - 4] = '\0'; /* the drawn part of the name */
	kit_has(&k, "journal.jsonl", want);
	snprintf(want, sizeof(want),
		 "\"plan\":\"%016llx\",\"columns\":{\"s\":{\"m\":[\"time\",\"score\",\"operations\",",
		 (unsigned long long)pg_plan_digest(k.plan));
	kit_has(&k, "journal.jsonl", want);
	snprintf(want, sizeof(want), "\"major_faults\"],\"f\":[");
	for (int f = 0; f < PG_FACTS; f++)
		snprintf(want + strlen(want), sizeof(want) - strlen(want), "%s\"%s\"", f ? "," : "",
			 pg_fact_name((enum pg_fact)f));
	snprintf(want + strlen(want), sizeof(want) - strlen(want), "]}}}\n{\"session\":1,\"boot\":\"");
	kit_has(&k, "journal.jsonl", want);
	/* New ones come behind these. */
	kit_has(&k, "journal.jsonl",
		"\"f\":[\"loops\",\"t_mono\",\"t_wall\",\"steal\",\"other_busy\",\"psi_cpu\",\"psi_mem\",\"psi_io\","
		"\"throttled\",\"exit\"");
	kit_has(&k, "journal.jsonl", "\",\"clock\":{\"t_wall\":1764000000000000000,\"t_mono\":0}}\n");
	kit_end(&k);
}
END_TEST

/* ---- whole journals ---- */

static void three_reps(struct kit *k)
{
	kit_init(k, two_cells);
	kit_create(k);
	for (uint32_t r = 1; r <= 3; r++)
		kit_rep(k, (struct kit_rep){.round = r, .ns = 1000 * r, .count = r});
}

static const char *const tails[] = {
	"{\"n\":4,\"c\":\"c01", "\xff\xfe", "{\"n\":4}\n", "garbage\n", "{\"state\":\"complete\"}",
};

START_TEST(torn_tail)
{
	struct kit k;
	char *before, *torn;

	three_reps(&k);
	before = kit_file(&k, "journal.jsonl");
	kit_append(&k, "journal.jsonl", tails[_i], strlen(tails[_i]));
	kit_reopen(&k, false);
	ck_assert_msg(strstr(k.notes, "is cut and was left out"), "%s", k.notes);
	ck_assert_ptr_null(kit_file(&k, "journal.torn"));
	kit_reopen(&k, true);
	kit_is(&k, "journal.jsonl", before);
	torn = kit_file(&k, "journal.torn");
	ck_assert_str_eq(torn, tails[_i]);
	kit_rep(&k, (struct kit_rep){.cell = 1, .ns = 7, .count = 7});
	kit_has(&k, "journal.jsonl", "\n{\"n\":4,");
	kit_reopen(&k, false);
	free(before);
	free(torn);
	kit_end(&k);
}
END_TEST

/* NULs at the end, as a file system leaves them after a power cut. */
START_TEST(torn_zeros)
{
	static const char zeros[5000];
	struct kit k;
	char *before;

	three_reps(&k);
	before = kit_file(&k, "journal.jsonl");
	kit_append(&k, "journal.jsonl", zeros, sizeof(zeros));
	kit_reopen(&k, true);
	kit_is(&k, "journal.jsonl", before);
	free(before);
	kit_end(&k);
}
END_TEST

/* Something wrong in line 3 of 5, and behind it good records. */
static void damage(struct kit *k, const char *instead)
{
	char *text, *third, *rest;
	char path[512];
	FILE *f;

	three_reps(k);
	text = kit_file(k, "journal.jsonl");
	third = strchr(strchr(text, '\n') + 1, '\n') + 1;
	rest = strchr(third, '\n');
	snprintf(path, sizeof(path), "%s/journal.jsonl", k->run);
	f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	fwrite(text, 1, (size_t)(third - text), f);
	fputs(instead, f);
	fputs(rest, f);
	fclose(f);
	free(text);
}

static const struct {
	const char *line, *part;
} damages[] = {
	{"{\"n\":1,\"c\":\"c01", "not JSON"},
	{"", "not JSON"},
	{"{\"what\":1}", "no record of a journal"},
	{"{\"perfgrid\":1,\"columns\":{}}", "a second header"},
	{"{\"cal\":\"c0123456789abcdef\",\"loops\":5}", "the plan has no cell c0123456789abcdef"},
	{"{\"state\":\"complete\"}", "number 2 follows number 0"}, /* the record of rep 1 is gone */
};

START_TEST(damaged)
{
	struct kit k;
	struct pg_err err = {.code = PG_OK};
	char *before;

	damage(&k, damages[_i].line);
	before = kit_file(&k, "journal.jsonl");
	kit_ok(kit_open(&k, true, &err), &err);
	ck_assert_int_eq(pg_store_replay(k.store, NULL, &err), -1);
	ck_assert_int_eq(err.code, PG_EDAMAGED);
	ck_assert_msg(strstr(err.msg, damages[_i].part), "%s", err.msg);
	/* The place, and what to do: the last case is found one line later. */
	ck_assert_msg(
		strstr(err.msg, _i == LEN(damages) - 1 ? "line 4 of 'journal.jsonl'" : "line 3 of 'journal.jsonl'"),
		"%s", err.msg);
	ck_assert_msg(strstr(err.msg, _i == LEN(damages) - 1 ? "head -n 3" : "head -n 2"), "%s", err.msg);
	kit_is(&k, "journal.jsonl", before); /* nothing was touched */
	free(before);
	kit_end(&k);
}
END_TEST

START_TEST(no_header)
{
	struct kit k;
	struct pg_err err = {.code = PG_OK};
	char path[512];

	three_reps(&k);
	snprintf(path, sizeof(path), "%s/journal.jsonl", k.run);
	ck_assert_int_eq(truncate(path, 0), 0);
	kit_ok(kit_open(&k, false, &err), &err);
	ck_assert_int_eq(pg_store_replay(k.store, NULL, &err), -1);
	ck_assert_int_eq(err.code, PG_EDAMAGED);
	kit_end(&k);
}
END_TEST

/* A record whose numbers are not the columns of the header. */
START_TEST(other_columns)
{
	struct kit k;
	struct pg_err err = {.code = PG_OK};
	char id[PG_CELL_ID_BUF], text[256];

	three_reps(&k);
	cell_id(&k, 0, id);
	snprintf(text, sizeof(text),
		 "{\"n\":4,\"c\":\"%s\",\"p\":\"m\",\"k\":4,\"o\":0,\"a\":1,\"s\":\"ok\",\"m\":[1],\"f\":[]}\n", id);
	kit_append(&k, "journal.jsonl", text, strlen(text));
	kit_ok(kit_open(&k, false, &err), &err);
	ck_assert_int_eq(pg_store_replay(k.store, NULL, &err), -1);
	ck_assert_int_eq(err.code, PG_EDAMAGED);
	ck_assert_msg(strstr(err.msg, "columns of the first line"), "%s", err.msg);
	kit_end(&k);
}
END_TEST

/* Columns go by name: another order and names that are not known here. */
START_TEST(columns_by_name)
{
	static const char text[] = "{\"perfgrid\":1,\"columns\":{\"s\":{\"m\":[\"score\",\"gone\",\"rate\",\"time\"],"
				   "\"f\":[\"steal\",\"new\"]}}}";
	struct kit k;
	struct pg_err err;
	struct pg_columns c[1];
	struct pg_record head, r;
	struct pg_outcome o;
	const struct pg_metric *rows;
	static const char rep[] =
		"{\"n\":1,\"c\":\"c0123456789abcdef\",\"p\":\"m\",\"k\":1,\"o\":0,\"a\":1,\"s\":\"ok\","
		"\"m\":[[15,-1],2,3,4],\"f\":[9,8]}";
	double v;

	kit_init(&k, two_cells);
	rows = pg_plan_sweep(k.plan, 0)->metrics;
	kit_ok(pg_record_parse(text, strlen(text), &head, &err), &err);
	kit_ok(pg_columns_read(head.header, k.plan, c, &err), &err);
	pg_record_drop(&head);
	kit_ok(pg_record_parse(rep, strlen(rep), &r, &err), &err);
	kit_ok(pg_record_outcome(&r, &c[0], rows, &o, &err), &err);
	ck_assert_uint_eq(o.n, 2); /* a rate is no raw number */
	ck_assert(o.s[0].metric < o.s[1].metric);
	ck_assert_str_eq(rows[o.s[0].metric].name, "time");
	ck_assert(o.s[0].raw == 4 && o.s[0].exp10 == -9);
	ck_assert(pg_metric_value(rows, o.s[1].metric, o.s, o.n, &v) && v > 1.49999 && v < 1.50001);
	ck_assert(o.facts[PG_F_STEAL] == 9 && o.facts[PG_F_LOOPS] == PG_FACT_ABSENT);
	kit_end(&k);
}
END_TEST

/* ---- lines ---- */

START_TEST(long_lines)
{
	char path[] = "/tmp/pg-lines-XXXXXX";
	int fd = mkstemp(path);
	size_t n, big = 3000000;
	char *text = malloc(big + 1);
	struct pg_journal_lines l;
	const char *s;
	bool whole;
	struct pg_err err;

	ck_assert(fd >= 0 && text != NULL);
	memset(text, 'x', big);
	text[big] = '\n';
	ck_assert_int_eq(write(fd, "a\n\n", 3), 3);
	ck_assert_int_eq(write(fd, text, big + 1), (ssize_t)big + 1);
	ck_assert_int_eq(write(fd, "tail", 4), 4);
	pg_journal_lines_init(&l, fd, 0);
	ck_assert(pg_journal_lines_next(&l, &s, &n, &whole, &err) == 1 && n == 1 && whole && l.offset == 0 &&
		  l.next == 2);
	ck_assert(pg_journal_lines_next(&l, &s, &n, &whole, &err) == 1 && n == 0 && whole && l.offset == 2);
	ck_assert(pg_journal_lines_next(&l, &s, &n, &whole, &err) == 1 && n == big && whole && l.offset == 3);
	ck_assert(s[0] == 'x' && s[big - 1] == 'x');
	ck_assert(pg_journal_lines_next(&l, &s, &n, &whole, &err) == 1 && n == 4 && !whole);
	ck_assert(pg_journal_lines_next(&l, &s, &n, &whole, &err) == 0);
	pg_journal_lines_release(&l);
	pg_journal_lines_init(&l, fd, 2);
	ck_assert(pg_journal_lines_next(&l, &s, &n, &whole, &err) == 1 && n == 0 && l.offset == 2);
	pg_journal_lines_release(&l);
	close(fd);
	unlink(path);
	free(text);
}
END_TEST

/* ---- a full disk ---- */

static void limit_files(rlim_t bytes)
{
	struct rlimit r = {bytes, RLIM_INFINITY};

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &r), 0);
}

/* The disk ends inside a record: nothing is written behind it, and what was whole comes back. */
START_TEST(full_disk)
{
	struct kit k;
	struct pg_err err = {.code = PG_OK};
	struct kit_rep r = {.round = 4, .ns = 4, .count = 4};
	char *before, *after;

	three_reps(&k);
	before = kit_file(&k, "journal.jsonl");
	limit_files(strlen(before) + 20 + (rlim_t)_i * 30);
	ck_assert_int_eq(kit_try_rep(&k, &r, &err), -1);
	ck_assert_int_eq(err.code, PG_EWRITE);
	ck_assert_msg(strstr(err.msg, "--resume"), "%s", err.msg);
	limit_files(RLIM_INFINITY);
	ck_assert_int_eq(kit_try_rep(&k, &r, &err), -1);
	ck_assert_int_eq(err.code, PG_EWRITE);
	ck_assert_int_eq(pg_store_finish(k.store, PG_RUN_INTERRUPTED, &err), -1);
	ck_assert_int_eq(err.code, PG_EWRITE);
	after = kit_file(&k, "journal.jsonl");
	ck_assert(strncmp(before, after, strlen(before)) == 0);
	ck_assert_ptr_null(strchr(after + strlen(before), '\n'));
	kit_reopen(&k, true);
	kit_is(&k, "journal.jsonl", before);
	kit_rep(&k, r);
	kit_ok(pg_store_finish(k.store, PG_RUN_COMPLETE, &err), &err);
	free(before);
	free(after);
	kit_end(&k);
}
END_TEST

/* CSVs that do not fit: the old ones stay, no temporary file stays, the error says which. */
START_TEST(full_disk_csv)
{
	struct kit k;
	struct pg_err err = {.code = PG_OK};
	char *before, *after;

	three_reps(&k);
	kit_ok(pg_store_write_all(k.store, NULL, PG_CSV_PLAIN, NULL, NULL, &err), &err);
	before = kit_file(&k, "s.cells.csv");
	kit_rep(&k, (struct kit_rep){.cell = 1, .ns = 4, .count = 4});
	limit_files(1500);
	ck_assert_int_eq(pg_store_write_all(k.store, NULL, PG_CSV_PLAIN, NULL, NULL, &err), -1);
	ck_assert_int_eq(err.code, PG_EWRITE);
	ck_assert_msg(strstr(err.msg, "s.samples.csv"), "%s", err.msg);
	limit_files(RLIM_INFINITY);
	after = kit_file(&k, "s.cells.csv");
	ck_assert_str_eq(before, after);
	ck_assert_int_eq(remove(k.run), -1);
	kit_ok(pg_store_write_all(k.store, NULL, PG_CSV_PLAIN, NULL, NULL, &err), &err);
	free(before);
	free(after);
	kit_end(&k);
}
END_TEST

PG_TEST_MAIN("store_journal", ((const struct pg_test[]){
				      {text_of_records, 0},
				      {header, 0},
				      {torn_tail, LEN(tails)},
				      {torn_zeros, 0},
				      {damaged, LEN(damages)},
				      {no_header, 0},
				      {other_columns, 0},
				      {columns_by_name, 0},
				      {long_lines, 0},
				      {full_disk, 5},
				      {full_disk_csv, 0},
				      {NULL, 0},
			      }))
