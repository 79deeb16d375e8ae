// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kernel_walk.c - the kernel's callers by frame records, on stacks that are made up: those of a system
 * call, of exceptions in the kernel before and since 6.13, of two stacks, and what no kernel would leave.
 */

#include "tests/forge/hosted.h"
#include "tests/forge/no_memory.h"
#include "bpf/stack/kernel_walk.h"
#include "tests/forge/test.h"

const volatile __u8 opt_native = NATIVE_MODE_LEAF;
const volatile __u8 opt_kernel = KERNEL_MODE_FULL;
const volatile __u8 opt_programs = 1;

#define TASK	 0xffff800081230000ULL /* where the two stacks are */
#define IRQ	 0xffff800080000000ULL
#define WORDS	 512
#define TEXT	 0xffffb2c480010000ULL
#define KINDS_AT 0x130 /* of the record in struct pt_regs since 6.13 */

static __u64 task[WORDS], irq[WORDS];
static __u32 reads;

/* What is in neither stack is mapped nowhere. */
static int kernel_mem_read(void *dst, __u32 size, __u64 address)
{
	const __u64 *from = address >= TASK ? task : irq;
	const __u64 at = address - (address >= TASK ? TASK : IRQ);

	reads++;
	if (at > sizeof(task) - size)
		return -EFAULT;
	memcpy(dst, (const char *)from + at, size);
	return 0;
}

static int setup(void **state)
{
	(void)state;
	memset(task, 0, sizeof(task));
	memset(irq, 0, sizeof(irq));
	reads = 0;
	return !hosted.scratch && hosted_begin();
}

/* A record at this word of a stack. */
static void keep(__u64 *stack, __u32 word, __u64 x29, __u64 x30)
{
	stack[word] = x29;
	stack[word + 1] = x30;
}

static __u64 place(__u64 stack, __u32 word)
{
	return stack + 8 * word;
}

/* The walk from pc with x29 finds these. */
static void expect(__u64 pc, __u64 x29, __u32 kinds_offset, const __u64 *wanted, __u32 count)
{
	struct scratch *s = hosted.scratch;

	assert_int_equal(kernel_walk(s, pc, x29, kinds_offset), count);
	for (__u32 i = 0; i < count; i++)
		assert_int_equal(s->kernel.frames[i], wanted[i]);
}

#define EXPECT(pc, x29, kinds, ...)                                       \
	do {                                                              \
		const __u64 wanted[] = { __VA_ARGS__ };                   \
		expect(pc, x29, kinds, wanted, sizeof(wanted) / sizeof(wanted[0])); \
	} while (0)

/* The last record is that of the entry from user space: two zeros. */
TEST(a_system_call)
{
	keep(task, 10, place(TASK, 20), TEXT + 0x100);
	keep(task, 20, place(TASK, 40), TEXT + 0x200);
	for (__u64 kind = 0; kind < 4; kind++) {
		task[42] = kind == KERNEL_KIND_REGS ? 1 : kind;
		EXPECT(TEXT, place(TASK, 10), kind ? KINDS_AT : 0, TEXT, TEXT + 0x100, TEXT + 0x200);
	}
}

/* The bits above an address are those of its signature. */
TEST(signed_addresses)
{
	keep(task, 10, place(TASK, 20), (TEXT + 0x100) ^ 0x2bULL << 48);
	EXPECT(TEXT, place(TASK, 10), 0, TEXT, TEXT + 0x100);
}

/* Up to 6.12 the record of an exception looks like any other. */
TEST(an_exception_before_6_13)
{
	keep(irq, 10, place(IRQ, 30), TEXT + 0x100);
	keep(irq, 30, place(TASK, 10), TEXT + 0x200);
	keep(task, 10, place(TASK, 20), TEXT + 0x300);
	EXPECT(TEXT, place(IRQ, 10), 0, TEXT, TEXT + 0x100, TEXT + 0x200, TEXT + 0x300);
	/* What is behind two zeros is no kind there. */
	keep(irq, 30, 0, 0);
	irq[32] = KERNEL_KIND_REGS;
	EXPECT(TEXT, place(IRQ, 10), 0, TEXT, TEXT + 0x100);
}

/* The first function on the stack of interrupts has its record in that stack's last two words. */
TEST(a_record_at_the_end_of_a_stack)
{
	keep(irq, 10, place(IRQ, WORDS - 2), TEXT + 0x100);
	keep(irq, WORDS - 2, place(TASK, 10), TEXT + 0x200);
	keep(task, 10, place(TASK, 20), TEXT + 0x300);
	EXPECT(TEXT, place(IRQ, 10), KINDS_AT, TEXT, TEXT + 0x100, TEXT + 0x200, TEXT + 0x300);
	keep(irq, WORDS - 2, 0, 0);
	EXPECT(TEXT, place(IRQ, 10), KINDS_AT, TEXT, TEXT + 0x100);
}

TEST(an_exception_since_6_13)
{
	const __u32 regs = 60, record = regs + KINDS_AT / 8;

	keep(task, 10, place(TASK, record), TEXT + 0x100);
	task[record + 2] = KERNEL_KIND_REGS;
	task[regs + 29] = place(TASK, 200);
	task[regs + 30] = TEXT + 0x7000; /* x30 may be of anything */
	task[regs + 32] = TEXT + 0x200;
	keep(task, 200, place(TASK, 300), TEXT + 0x300);
	task[302] = 1;
	EXPECT(TEXT, place(TASK, 10), KINDS_AT, TEXT, TEXT + 0x100, TEXT + 0x201, TEXT + 0x300);
	/* The registers are not all there. */
	keep(task, 10, place(TASK, 4), TEXT + 0x100);
	keep(task, 4, 0, 0);
	task[6] = KERNEL_KIND_REGS;
	EXPECT(TEXT, place(TASK, 10), KINDS_AT, TEXT, TEXT + 0x100);
}

TEST(where_nothing_can_be)
{
	EXPECT(TEXT, 0, KINDS_AT, TEXT);
	EXPECT(TEXT, 0x7fff12345678, KINDS_AT, TEXT); /* x29 is still a program's */
	EXPECT(TEXT, place(TASK, 10) + 4, KINDS_AT, TEXT);
	assert_int_equal(reads, 0);
	EXPECT(TEXT, TASK + sizeof(task) - 8, KINDS_AT, TEXT);
	EXPECT(TEXT, ~7ULL, KINDS_AT, TEXT);
	assert_int_equal(reads, 2);
}

TEST(circles)
{
	keep(task, 10, place(TASK, 10), TEXT + 0x100);
	EXPECT(TEXT, place(TASK, 10), 0, TEXT, TEXT + 0x100, TEXT + 0x100, TEXT + 0x100);
	keep(task, 10, place(TASK, 20), TEXT + 0x100);
	keep(task, 20, place(TASK, 10), TEXT + 0x200);
	assert_int_equal(kernel_walk(hosted.scratch, TEXT, place(TASK, 10), 0), 8);
	assert_true(reads < 16);
}

TEST(as_deep_as_there_is_room)
{
	for (__u32 i = 0; i < WORDS - 4; i += 2)
		keep(task, i, place(TASK, i + 2), TEXT + i);
	assert_int_equal(kernel_walk(hosted.scratch, TEXT, TASK, 0), KERNEL_DEPTH + 1);
	assert_int_equal(hosted.scratch->kernel.frames[KERNEL_DEPTH], TEXT + 2 * (KERNEL_DEPTH - 1));
}

/* Whatever a stack holds, the walk ends, and stays in its table. */
TEST(anything)
{
	struct scratch *s = hosted.scratch;

	srandom(1);
	for (int turn = 0; turn < 20000; turn++) {
		for (__u32 i = 0; i < WORDS; i++) {
			task[i] = place(random() % 2 ? TASK : IRQ, random() % (WORDS + 2));
			irq[i] = random() % 3 ? place(TASK, random() % WORDS) : (__u64)random() % 3;
		}
		s->kernel.frames[KERNEL_DEPTH] = 7;
		reads = 0;
		assert_in_range(kernel_walk(s, TEXT, place(IRQ, random() % WORDS), random() % 2 * KINDS_AT),
				1, KERNEL_DEPTH + 1);
		assert_true(reads <= 3 * KERNEL_DEPTH);
	}
}

AROUND_EACH(setup, NULL);
