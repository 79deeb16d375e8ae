/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run.h - runs the program of image.h, instruction by instruction, and notes each line of 64 bytes that it
 * touches: of its code, of its tables, of its stack. The includer has task and target: run_task, run_read().
 */
#ifndef PYPERF_TESTS_LINES_RUN_H
#define PYPERF_TESTS_LINES_RUN_H

#include "tests/bench/lines/jit.h"

#define LINE	   64
#define TOUCHED	   8192 /* different lines in one run */
#define STACK_SIZE 4096
#define HELPERS	   256

struct touched {
	__u64 line;
	const char *part;
};

static struct {
	bool counting;
	int runs, count, helpers[HELPERS];
	__u64 executed, bytes; /* instructions, and bytes of different ones */
	struct touched touched[TOUCHED];
	__u8 *stack; /* grows down */
	__u8 *task;
	__u64 jiffies, cpu, pid_tgid;
} run;

static const char *const run_code = "code";

/* Supplied by the includer. */
static const char *run_part(__u64 address);
static int run_read(void *to, __u32 size, __u64 address);

static inline void touch_line(__u64 line, const char *part)
{
	for (int i = 0; i < run.count; i++)
		if (run.touched[i].line == line)
			return;
	if (run.count == TOUCHED)
		die("too many lines");
	run.touched[run.count++] = (struct touched){ line, part };
}

static inline void touch(__u64 address, __u64 size)
{
	if (run.counting && size)
		for (__u64 line = address / LINE; line <= (address + size - 1) / LINE; line++)
			touch_line(line, run_part(line * LINE >= address ? line * LINE : address));
}

/* Code lies in an address space of its own, whose lines have the highest bit. */
static inline void touch_code(struct insn *i)
{
	if (!run.counting)
		return;
	run.executed++;
	if (i->ran != run.runs)
		run.bytes += i->size;
	i->ran = run.runs;
	for (__u32 line = i->at / LINE; i->size && line <= (i->at + i->size - 1) / LINE; line++)
		touch_line(1ULL << 63 | line, i->file);
}

/* i: the first instruction of its function. */
static inline void touch_prologue(const struct insn *i)
{
	if (run.counting)
		for (__u32 line = (i->at - JIT_PROLOGUE) / LINE; line <= i->at / LINE; line++)
			touch_line(1ULL << 63 | line, i->file);
}

static __u64 run_function(int function, const __u64 *arguments, __u8 *stack);

static inline void *pointer(__u64 address)
{
	return (void *)(unsigned long)address;
}

/* Where a hash has the value of this key, of which it has one line for the bucket and some for the entry. */
static inline __u8 *run_value(const struct table *t, __u32 key)
{
	return t->memory + key * t->value + LINE + 56;
}

static inline __u64 helper_lookup(struct table *t, __u64 key)
{
	const __u32 index = *(const __u32 *)pointer(key);

	touch(key, 4);
	if (t->hash) { /* the bucket, and the element: a struct htab_elem, the key, the value */
		touch((unsigned long)t->memory + index * t->value, 8);
		touch((unsigned long)run_value(t, index) - 56, 56);
		return (unsigned long)run_value(t, index);
	}
	return index < t->size / t->value ? (unsigned long)t->memory + index * t->value : 0;
}

static inline __u64 helper_loop(const __u64 *r, __u8 *stack)
{
	__u64 i = 0;

	while (i < r[1]) {
		const __u64 arguments[6] = { 0, i++, r[3] };

		if (run_function((int)r[2], arguments, stack))
			break;
	}
	return i;
}

static inline __u64 helper_read(const __u64 *r, bool user)
{
	__s64 err = 0;

	touch(r[1], r[2]);
	touch(r[3], r[2]);
	if (user)
		err = run_read(pointer(r[1]), r[2], r[3]);
	else
		memcpy(pointer(r[1]), pointer(r[3]), r[2]);
	return user ? (__u64)err : r[2];
}

static inline __u64 call_helper(__s32 helper, const __u64 *r, __u8 *stack)
{
	if (helper < HELPERS && run.counting)
		run.helpers[helper]++;
	switch (helper) {
	case BPF_FUNC_map_lookup_elem: return helper_lookup(pointer(r[1]), r[2]);
	case BPF_FUNC_ktime_get_ns: return run.jiffies * 4000000;
	case BPF_FUNC_get_smp_processor_id: return run.cpu;
	case BPF_FUNC_get_current_pid_tgid: return run.pid_tgid;
	case BPF_FUNC_probe_read_user: return helper_read(r, true);
	case BPF_FUNC_probe_read_kernel:
	case BPF_FUNC_probe_read_kernel_str: return helper_read(r, false);
	case BPF_FUNC_jiffies64: return run.jiffies;
	case BPF_FUNC_get_current_task_btf: return (unsigned long)run.task;
	case BPF_FUNC_loop: return helper_loop(r, stack);
	case BPF_FUNC_ringbuf_output:
	case BPF_FUNC_ringbuf_query: return 0;
	}
	die("a helper that is not known: %d", helper);
}

static inline void store_bytes(__u64 address, __u64 value, __u8 size)
{
	memcpy(pointer(address), &value, size == BPF_DW ? 8 : size == BPF_W ? 4 : size == BPF_H ? 2 : 1);
}

static inline __u64 bytes_of(__u8 size)
{
	return size == BPF_DW ? 8 : size == BPF_W ? 4 : size == BPF_H ? 2 : 1;
}

static inline void run_atomic(const struct insn *i, __u64 *r)
{
	const __u64 address = r[i->dst] + i->off, old = load_bytes(address, BPF_SIZE(i->code));
	__u64 next = r[i->src];

	if (i->imm == BPF_CMPXCHG) {
		next = old == r[0] ? next : old;
		r[0] = old;
	} else {
		if (i->imm != BPF_XCHG)
			next = alu(i->imm & 0xf0, old, next, true);
		if (i->imm & BPF_FETCH)
			r[i->src] = old;
	}
	store_bytes(address, next, BPF_SIZE(i->code));
}

static inline void run_memory(const struct insn *i, __u64 *r)
{
	const __u8 class = BPF_CLASS(i->code), size = BPF_SIZE(i->code);
	const __u64 address = r[class == BPF_LDX ? i->src : i->dst] + i->off;

	touch(address, bytes_of(size));
	if (class == BPF_LDX)
		r[i->dst] = load_bytes(address, size);
	else if (class == BPF_ST)
		store_bytes(address, (__u64)(__s64)i->imm, size);
	else if (BPF_MODE(i->code) == BPF_ATOMIC)
		run_atomic(i, r);
	else
		store_bytes(address, r[i->src], size);
}

static inline void run_call(const struct insn *i, __u64 *r, __u8 *stack)
{
	if (i->src == BPF_PSEUDO_CALL) {
		__u64 arguments[6];

		memcpy(arguments, r, sizeof(arguments));
		r[0] = run_function(i->target, arguments, stack);
	} else {
		r[0] = call_helper(i->imm, r, stack);
	}
}

/* One instruction that is no end. Returns the next one. */
static inline int run_step(int at, __u64 *r, __u8 *stack)
{
	const struct insn *i = &image.insns[at];
	const __u64 operand = BPF_SRC(i->code) == BPF_X ? r[i->src] : (__u64)(__s64)i->imm;

	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		r[i->dst] = alu_of(i->code, r[i->dst], operand);
		return at + 1;
	case BPF_LD:
		r[i->dst] = i->value;
		return at + 2;
	case BPF_LDX:
	case BPF_ST:
	case BPF_STX:
		run_memory(i, r);
		return at + 1;
	}
	if (BPF_OP(i->code) == BPF_CALL) {
		run_call(i, r, stack);
		return at + 1;
	}
	return jumps(i->code, r[i->dst], operand) ? i->target : at + 1;
}

#define JIT_PUSHED 48 /* bytes that a call takes of the stack: where it came from, rbp, four registers */

/* Calls a function. arguments: r1 to r5, in their places. stack: what its caller has not used. */
static __u64 run_function(int function, const __u64 *arguments, __u8 *stack)
{
	const struct function *f = &image.functions[function];
	__u64 r[11] = {};
	int at = f->first;

	memcpy(r, arguments, 6 * sizeof(*r));
	stack -= 16;
	r[10] = (unsigned long)stack;
	stack -= f->stack + JIT_PUSHED - 16;
	touch((unsigned long)stack, JIT_PUSHED - 16);
	touch(r[10], 16);
	touch_prologue(&image.insns[at]);
	while (image.insns[at].code != (BPF_JMP | BPF_EXIT)) {
		if (!image.insns[at].live)
			die("%s runs what was taken for dead: %d", f->name, at - f->first);
		touch_code(&image.insns[at]);
		at = run_step(at, r, stack);
	}
	touch_code(&image.insns[at]);
	return r[0];
}

/* How much of the stack each function uses: the lowest place that it makes an address of. */
static inline void run_measure_stacks(void)
{
	for (int n = 0; n < image.function_count; n++) {
		struct function *f = &image.functions[n];

		for (int k = f->first; k < f->last; k++) {
			const struct insn *i = &image.insns[k];
			const __u8 class = BPF_CLASS(i->code);
			int low = 0;

			if (!i->live)
				continue;
			if ((class == BPF_LDX && i->src == 10) ||
			    ((class == BPF_ST || class == BPF_STX) && i->dst == 10))
				low = -i->off;
			else if (k > f->first && i->code == (BPF_ALU64 | BPF_ADD | BPF_K) &&
				 i[-1].code == (BPF_ALU64 | BPF_MOV | BPF_X) && i[-1].src == 10)
				low = -i->imm;
			if (low > f->stack)
				f->stack = (low + 7) & ~7;
		}
	}
}

/* Runs the program once. */
static inline void run_once(bool counting)
{
	static __u64 context[64];
	const __u64 arguments[6] = { 0, (unsigned long)context };

	run.counting = counting;
	run.count = 0;
	run.executed = run.bytes = 0;
	run.runs++;
	memset(run.helpers, 0, sizeof(run.helpers));
	run_function(0, arguments, run.stack + STACK_SIZE);
}

static inline void run_begin(void)
{
	live_find();
	run_measure_stacks();
	run.stack = table_memory(STACK_SIZE);
	run.task = table_memory(8192);
}

#endif
