/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs, as instructions handed to bpf(2): no compiler and no library at run time. Each adds one to a counter in
 * an array of one element; the printing one then calls bpf_trace_printk with a format of one number.
 */
#include "uprobe.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST 16
#define LINE "hit %llu" /* 8 bytes: one register */

struct code {
	struct bpf_insn at[MOST];
	unsigned n;
};

static void put(struct code *c, unsigned op, unsigned dst, unsigned src, int off, int32_t imm)
{
	c->at[c->n++] = (struct bpf_insn){
		.code = (uint8_t)op,
		.dst_reg = (uint8_t)(dst & 15),
		.src_reg = (uint8_t)(src & 15),
		.off = (int16_t)off,
		.imm = imm,
	};
}

/* A 64-bit constant takes two instructions. */
static void put_constant(struct code *c, unsigned dst, unsigned kind, uint32_t low, uint32_t high)
{
	put(c, BPF_LD | BPF_DW | BPF_IMM, dst, kind, 0, (int32_t)low);
	put(c, 0, 0, 0, 0, (int32_t)high);
}

/* r1 = address of the counter; *r1 += 1 */
static void put_count(struct code *c, int map)
{
	put_constant(c, BPF_REG_1, BPF_PSEUDO_MAP_VALUE, (uint32_t)map, 0);
	put(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, 1);
	put(c, BPF_STX | BPF_XADD | BPF_DW, BPF_REG_1, BPF_REG_2, 0, BPF_ADD);
}

/* r3 = the counter; the format on the stack, its address in r1, its length in r2 */
static void put_print(struct code *c)
{
	uint32_t half[2];

	memcpy(half, LINE, sizeof(half));
	put(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_3, BPF_REG_1, 0, 0);
	put_constant(c, BPF_REG_4, 0, half[0], half[1]);
	put(c, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, BPF_REG_4, -16, 0);
	put(c, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0);
	put(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_10, 0, 0);
	put(c, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, -16);
	put(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, sizeof(LINE));
	put(c, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_trace_printk);
}

static void put_end(struct code *c)
{
	put(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0);
	put(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static int call(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int refuse(const char *what, struct pg_err *err)
{
	const int why = errno;

	if (why == ENOSYS)
		return pg_fail(err, PG_EUNSUPPORTED, "this kernel has no bpf(2); use one with CONFIG_BPF_SYSCALL");
	if (why == EPERM || why == EACCES)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "cannot %s: %s; run as root outside containers, or grant CAP_BPF and CAP_PERFMON", what,
			       strerror(why));
	return pg_fail(err, PG_EUNSUPPORTED, "cannot %s: %s; see kernel options BPF_EVENTS and UPROBE_EVENTS", what,
		       strerror(why));
}

int pg_uprobe_program_load(struct pg_uprobe_program *p, bool prints, struct pg_err *err)
{
	struct code c = {.n = 0};
	union bpf_attr attr;

	p->program = -1;
	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = sizeof(uint32_t);
	attr.value_size = sizeof(uint64_t);
	attr.max_entries = 1;
	p->map = call(BPF_MAP_CREATE, &attr);
	if (p->map < 0)
		return refuse("make a counter for a probe's program", err);
	put_count(&c, p->map);
	if (prints)
		put_print(&c);
	put_end(&c);
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_KPROBE;
	attr.insns = (uintptr_t)c.at;
	attr.insn_cnt = c.n;
	attr.license = (uintptr_t) "GPL";
	p->program = call(BPF_PROG_LOAD, &attr);
	if (p->program < 0) {
		refuse("load a probe's program", err);
		pg_uprobe_program_unload(p);
		return -1;
	}
	return 0;
}

void pg_uprobe_program_unload(struct pg_uprobe_program *p)
{
	if (p->program >= 0)
		close(p->program);
	if (p->map >= 0)
		close(p->map);
	p->program = p->map = -1;
}

int pg_uprobe_program_runs(const struct pg_uprobe_program *p, uint64_t *runs, struct pg_err *err)
{
	const uint32_t key = 0;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)p->map;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)runs;
	if (call(BPF_MAP_LOOKUP_ELEM, &attr))
		return pg_fail_sys(err, "cannot read how often the probe's program ran");
	return 0;
}
