/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The routines of mem/memcpy and mem/memset run the instructions that their names say: each is executed step by step in
 * a child, and every instruction between its first and its return is looked at.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "suites/mem.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#if PG_MEM_X86_64 && !defined(__SANITIZE_THREAD__) /* that one stores vectors of its own on the way */

#define BYTES 1003 /* 125 words of eight and 3 bytes; over all main loops */

/* Steps seen: string instructions, and stores of vector registers by width, past the caches or not. */
struct seen {
	unsigned steps, movsq, movsb, stosq, stosb;
	unsigned vectors[3], streams[3]; /* 16, 32, 64 bytes */
};

static _Alignas(64) unsigned char from[BYTES + 64], to[BYTES + 64];

/* What stands at the opcode: 0 = no store of a vector, 1 = one, 2 = one past the caches. `fp`: prefix 0x66 or 0xf3. */
static int vector_store(const unsigned char *opcode, bool prefixed)
{
	switch (*opcode) {
	case 0x11: /* movups */
	case 0x29: /* movaps */
		return 1;
	case 0x7f: /* movdqu, movdqa */
		return prefixed;
	case 0x2b: /* movntps */
		return 2;
	case 0xe7: /* movntdq */
		return prefixed ? 2 : 0;
	default:
		return 0;
	}
}

static void note_store(struct seen *s, int kind, int width)
{
	s->vectors[width] += kind == 1;
	s->streams[width] += kind == 2;
}

static void note_string(struct seen *s, const unsigned char *code, bool wide)
{
	s->movsq += wide && *code == 0xa5;
	s->movsb += *code == 0xa4;
	s->stosq += wide && *code == 0xab;
	s->stosb += *code == 0xaa;
}

/* One instruction, by its prefixes: a repeated string instruction, or a store in one of the three encodings. */
static void note(struct seen *s, const unsigned char *code)
{
	bool repeated = false, operand = false, wide = false;

	s->steps++;
	for (; *code == 0xf3 || *code == 0x66 || *code == 0xf2; code++) {
		repeated |= *code == 0xf3;
		operand |= *code == 0x66;
	}
	if ((*code & 0xf0) == 0x40) { /* REX */
		wide = *code & 8;
		code++;
	}
	if (repeated)
		note_string(s, code, wide);
	if (*code == 0x0f)
		note_store(s, vector_store(code + 1, repeated || operand), 0);
	else if (*code == 0xc5) /* VEX of two bytes, of three; L is the width */
		note_store(s, vector_store(code + 2, code[1] & 3), code[1] >> 2 & 1);
	else if (*code == 0xc4 && (code[1] & 0x1f) == 1)
		note_store(s, vector_store(code + 3, code[2] & 3), code[2] >> 2 & 1);
	else if (*code == 0x62 && (code[1] & 7) == 1) /* EVEX; a width of 3 does not exist */
		note_store(s, vector_store(code + 4, code[2] & 3), (code[3] >> 5 & 3) % 3);
}

static void call(int function, bool copy)
{
	if (copy)
		pg_mem_copy(function)(to, from, BYTES);
	else
		pg_mem_set(function)(to, 7, BYTES);
}

static bool step(pid_t pid, struct user_regs_struct *regs)
{
	int status;

	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    WSTOPSIG(status) != SIGTRAP)
		return false;
	return ptrace(PTRACE_GETREGS, pid, NULL, regs) == 0;
}

static void look(pid_t pid, unsigned long long at, unsigned char code[16])
{
	for (unsigned i = 0; i < 2; i++) {
		const long word = ptrace(PTRACE_PEEKTEXT, pid, (void *)(uintptr_t)(at + 8 * i), NULL);

		memcpy(code + 8 * i, &word, 8);
	}
}

/* From the routine's first instruction to its return to the caller. false: the child ended before. */
static bool follow(pid_t pid, uintptr_t routine, struct seen *s)
{
	struct user_regs_struct regs = {.rip = 0};
	unsigned char code[16];
	unsigned long long back, stack;

	do {
		if (!step(pid, &regs))
			return false;
	} while (regs.rip != routine);
	stack = regs.rsp;
	back = (unsigned long long)ptrace(PTRACE_PEEKDATA, pid, (void *)(uintptr_t)stack, NULL);
	while (regs.rip != back || regs.rsp <= stack) {
		look(pid, regs.rip, code);
		note(s, code);
		if (!step(pid, &regs))
			return false;
	}
	return true;
}

/* false: tracing is not allowed here. */
static bool trace(int function, bool copy, struct seen *s)
{
	pid_t pid;
	int status;
	bool whole = false;

	memset(s, 0, sizeof(*s));
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			pg_exit_child(1);
		raise(SIGSTOP);
		call(function, copy);
		pg_exit_child(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (!WIFSTOPPED(status))
		return false;
	whole = follow(pid, copy ? (uintptr_t)pg_mem_copy(function) : (uintptr_t)pg_mem_set(function), s);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ck_assert_msg(whole, "function %d: lost after %u steps", function, s->steps);
	return true;
}

/* A repeated instruction counts once a repetition, as it is trapped after each. */
static void check_strings(const struct seen *s, int function, bool copy)
{
	const bool quad = function == PG_MEM_QUAD, byte = function == PG_MEM_BYTE;

	ck_assert_int_eq(s->movsq > 0, copy && quad);
	ck_assert_int_eq(s->movsb > 0, copy && (quad || byte));
	ck_assert_int_eq(s->stosq > 0, !copy && quad);
	ck_assert_int_eq(s->stosb > 0, !copy && (quad || byte));
	if (quad)
		ck_assert_uint_lt(s->movsb + s->stosb, 8);
}

/* Vector routines store in the width and the way of their names; the others store no vector. */
static void check_vectors(const struct seen *s, int function)
{
	static const struct {
		int function, width;
		bool stream;
	} named[] = {{PG_MEM_SSE2, 0, false},
		     {PG_MEM_AVX2, 1, false},
		     {PG_MEM_AVX512, 2, false},
		     {PG_MEM_SSE2_NONTEMPORAL, 0, true},
		     {PG_MEM_AVX2_NONTEMPORAL, 1, true},
		     {PG_MEM_AVX512_NONTEMPORAL, 2, true}};
	unsigned stores = 0, streams = 0;

	for (int w = 0; w < 3; w++) {
		stores += s->vectors[w];
		streams += s->streams[w];
	}
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (named[i].function != function)
			continue;
		ck_assert_uint_eq(stores, s->vectors[named[i].width]);
		ck_assert_uint_eq(streams, s->streams[named[i].width]);
		/* The first and the last vector may be no streamed ones. */
		ck_assert_uint_ge(named[i].stream ? streams : stores, BYTES / (16u << named[i].width) - 2);
		ck_assert(named[i].stream || streams == 0);
		return;
	}
	ck_assert_uint_eq(stores + streams, 0);
}

/* `default` is libc's own affair; `portable` is C, and the compiler's: what it must not be is a string instruction. */
START_TEST(names_are_instructions)
{
	const int function = _i / 2;
	const bool copy = _i % 2;
	const char *why;
	struct seen s;

	if (function == PG_MEM_DEFAULT || pg_mem_function_probe(function, &why) || !trace(function, copy, &s))
		return;
	check_strings(&s, function, copy);
	if (function != PG_MEM_PORTABLE)
		check_vectors(&s, function);
}
END_TEST

#else

START_TEST(names_are_instructions)
{
	const char *why = NULL;

	if (!PG_MEM_X86_64 && _i / 2 > PG_MEM_PORTABLE)
		ck_assert_int_eq(pg_mem_function_probe(_i / 2, &why), -1);
}
END_TEST

#endif

PG_TEST_MAIN("suites_claims_routines", ((const struct pg_test[]){
					       {names_are_instructions, 2 * PG_MEM_FUNCTIONS},
					       {NULL, 0},
				       }))
