/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem/find_bit: walks over the set bits of a bitmap, by looking for the next one a word at a time, or by testing every
 * bit (perf bench mem find_bit).
 * Timed: all passes, each calling a function that is not inlined for every set bit. Not timed: making the bitmap, one
 * pass beforehand. Differs from the ancestor: one length and one number of set bits a cell instead of a fixed sweep
 * whose averages run over into each other, exactly set_bits set at i x bits / set_bits, one pair of clock readings for
 * all passes, ns.
 */
#include "suites/mem.h"

#include <limits.h>
#include <stdlib.h>

enum function { F_FIND_NEXT_BIT, F_TEST_BIT };

struct find_bit_conf {
	uint64_t bits, set_bits, loops;
	int function; /* enum function */
};

struct bitmap {
	uint64_t found; /* set bits visited */
	uint64_t bits;
	unsigned long *words;
};

#define WORD_BITS (sizeof(unsigned long) * CHAR_BIT)

static const struct pg_choice functions[] = {
	[F_FIND_NEXT_BIT] = {"find_next_bit", "the next set bit, a word at a time"},
	[F_TEST_BIT] = {"test_bit", "every bit singly"},
	{NULL, NULL},
};

static const struct pg_param params[] = {
	{
		.name = "bits",
		.doc = "length of the bitmap",
		.def = "2048",
		.min = "1",
		.max = "1048576",
		PG_AT_COUNT(struct find_bit_conf, bits),
	},
	{
		.name = "set_bits",
		.doc = "bits set, evenly spread",
		.def = "64",
		.min = "1",
		.max = "bits",
		PG_AT_COUNT(struct find_bit_conf, set_bits),
	},
	PG_ROW_LOOPS(struct find_bit_conf, loops, "passes over the bitmap", "100000", "auto", 'j'),
	{
		.name = "function",
		.doc = "how the set bits are found",
		.def = "find_next_bit",
		.choices = functions,
		.role = PG_ALL,
		.opt = 'f',
		PG_AT_ENUM(struct find_bit_conf, function),
	},
	{.name = NULL},
};

enum { M_TIME_PER_OP, M_TIME, M_OPERATIONS, M_FOUND, M_FLOOR };

static const struct pg_metric metrics[] = {
	[M_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "time / loops: one pass over the bitmap", PG_U_S, PG_LOWER,
				       M_TIME, M_OPERATIONS, PG_M_MAIN | PG_M_BATCHED),
	[M_TIME] = PG_ROW_RAW("time", "all passes", PG_U_S, PG_LOWER, PG_SUM, PG_M_GROWS | PG_M_BATCHED),
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "passes made", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_FOUND] = PG_ROW_HIDDEN("bits_found", "set bits of all passes", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_FLOOR] = PG_FLOOR_ROW,
	{.name = NULL},
};

/* What is done with a set bit. Like the search below a call of its own, as in the ancestor. */
__attribute__((noinline)) static void visit(struct bitmap *b, uint64_t bit)
{
	__asm__ volatile("" : : "r"(bit));
	b->found++;
}

/* The first set bit from `from` on; `bits` when there is none. */
__attribute__((noinline)) static uint64_t find_next_bit(const unsigned long *words, uint64_t bits, uint64_t from)
{
	unsigned long word;
	uint64_t at, bit;

	if (from >= bits)
		return bits;
	at = from / WORD_BITS;
	word = words[at] & (ULONG_MAX << from % WORD_BITS);
	while (!word) {
		if (++at * WORD_BITS >= bits)
			return bits;
		word = words[at];
	}
	bit = at * WORD_BITS + (unsigned)__builtin_ctzl(word);
	return bit < bits ? bit : bits;
}

#if PG_MEM_X86_64
/* One instruction that finds the word itself. */
static inline bool test_bit(const unsigned long *words, uint64_t bit)
{
	bool set;

	__asm__ volatile("btq %[bit], %[words]" : "=@ccc"(set) : [words] "m"(*words), [bit] "r"(bit) : "memory");
	return set;
}
#else
static inline bool test_bit(const unsigned long *words, uint64_t bit)
{
	unsigned long word = words[bit / WORD_BITS];

	__asm__ volatile("" : "+r"(word));
	return word >> bit % WORD_BITS & 1;
}
#endif

static void find_passes(struct bitmap *b, uint64_t loops)
{
	for (uint64_t i = 0; i < loops; i++) {
		for (uint64_t bit = find_next_bit(b->words, b->bits, 0); bit < b->bits;
		     bit = find_next_bit(b->words, b->bits, bit + 1))
			visit(b, bit);
		__asm__ volatile("" : : : "memory"); /* each pass looks at the bitmap anew */
	}
}

static void test_passes(struct bitmap *b, uint64_t loops)
{
	for (uint64_t i = 0; i < loops; i++) {
		for (uint64_t bit = 0; bit < b->bits; bit++)
			if (test_bit(b->words, bit))
				visit(b, bit);
		__asm__ volatile("" : : : "memory");
	}
}

static void passes(struct bitmap *b, int function, uint64_t loops)
{
	if (function == F_TEST_BIT)
		test_passes(b, loops);
	else
		find_passes(b, loops);
}

static int check(const void *vconf, struct pg_err *err)
{
	const struct find_bit_conf *conf = vconf;

	if (conf->set_bits > conf->bits)
		return pg_fail(err, PG_EINPUT, "set_bits %llu is more than bits %llu; at most bits",
			       (unsigned long long)conf->set_bits, (unsigned long long)conf->bits);
	return 0;
}

static int setup(struct pg_run *run, struct pg_err *err)
{
	const struct find_bit_conf *conf = run->conf;
	struct bitmap *b = calloc(1, sizeof(*b));

	run->state = b;
	if (!b)
		return pg_fail_nomem(err);
	b->bits = conf->bits;
	b->words = calloc((conf->bits + WORD_BITS - 1) / WORD_BITS, sizeof(*b->words));
	if (!b->words)
		return pg_fail_nomem(err);
	for (uint64_t i = 0; i < conf->set_bits; i++) {
		const uint64_t bit = i * conf->bits / conf->set_bits;

		b->words[bit / WORD_BITS] |= 1ul << bit % WORD_BITS;
	}
	passes(b, conf->function, 1);
	return 0;
}

static int once(struct pg_run *run, struct pg_err *err)
{
	const struct find_bit_conf *conf = run->conf;
	struct bitmap *b = run->state;
	int64_t start, time;

	(void)err;
	b->found = 0;
	start = pg_now_ns();
	passes(b, conf->function, conf->loops);
	time = pg_since(pg_now_ns(), start);
	run->timed_ns = time;
	pg_record(run, M_TIME, time);
	pg_record(run, M_OPERATIONS, (int64_t)conf->loops);
	pg_record(run, M_FOUND, (int64_t)b->found);
	return 0;
}

static void teardown(struct pg_run *run)
{
	struct bitmap *b = run->state;

	if (!b)
		return;
	free(b->words);
	free(b);
	run->state = NULL;
}

const struct pg_bench pg_mem_find_bit = {
	.name = "mem/find_bit",
	.summary = "walking over the set bits of a bitmap",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct find_bit_conf),
	.check = check,
	.setup = setup,
	.once = once,
	.teardown = teardown,
	.batchable = true,
};
