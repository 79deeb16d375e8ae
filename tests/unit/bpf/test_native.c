// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_native.c - the look-up of native code in the table that user/kern/texts.c writes, for every byte of
 * files that are made up; and the leaf of a sample.
 */

#include "elf/functions.h"
#include "kern/texts.h"
#include "tests/forge/hosted.h"
#include "tests/forge/no_memory.h"
#include "tests/forge/test.h"

const volatile __u8 opt_native = NATIVE_MODE_LEAF;
const volatile __u8 opt_kernel = KERNEL_MODE_FULL;
const volatile __u8 opt_programs = 1;

#define BLOCKS 65536
#define BASE   (TEXT_FILES + 0x5000000)

static struct texts table;
static __u64 position;
static volatile struct text_search search;

static int setup(void **state)
{
	(void)state;
	free(table.blocks);
	table = (struct texts){ .count = BLOCKS, .used = 2 };
	table.blocks = calloc(BLOCKS, sizeof(union text_block));
	hosted.texts = table.blocks;
	hosted.text_count = table.used;
	return !table.blocks || (!hosted.scratch && hosted_begin());
}

static int add_functions(const struct function *list, __u32 count, __u32 end, __u32 *ret)
{
	const struct text_functions f = { &list[0].offset, sizeof(list[0]), count, end };

	return texts_add_text(&table, BASE, &f, ret);
}

/* A file with code in [first, end), cut at these offsets. */
static __u32 add_text(const struct function *list, __u32 count, __u32 end)
{
	__u32 text;

	assert_int_equal(add_functions(list, count, end, &text), 0);
	hosted.text_count = table.used;
	return text;
}

static void compare_every_byte(const struct function *list, __u32 count, __u32 end)
{
	const struct functions all = { .list = list, .count = count, .end = end, .names = "" };
	const struct text_mapping m = { 0x7f0000000000, 0x7f0100000000, BASE + list[0].offset,
					add_text(list, count, end), 0 };

	for (__u32 offset = list[0].offset; offset < end; offset++) {
		const struct function *f = functions_find(&all, offset);

		position = text_find_function(&search, &m, m.start + (offset - list[0].offset));
		assert_int_equal(position, BASE + f->offset);
	}
}

TEST(every_byte)
{
	static struct function list[20000];
	__u32 offset = 0x7000, n = 0;

	srand(1);
	while (n < 20000) { /* long ones, and crowds of short ones */
		list[n++].offset = offset;
		offset += rand() % 50 ? 1 + rand() % 40 : 1 + rand() % 30000;
	}
	compare_every_byte(list, n, offset);
}

TEST(as_many_as_a_page_has_bytes)
{
	static struct function list[3 * 4096];

	for (__u32 i = 0; i < 3 * 4096; i++)
		list[i].offset = 0x1000 + i;
	compare_every_byte(list, 3 * 4096, 0x1000 + 3 * 4096);
}

TEST(one_function)
{
	static const struct function list[] = { { 0x1000, 0 } };

	compare_every_byte(list, 1, 0x1001);
	compare_every_byte(list, 1, 0x9000);
}

TEST(outside_of_the_table)
{
	static const struct function list[] = { { 0x1000, 0 }, { 0x1800, 0 } };
	struct text_mapping m = { 0x10000, 0x20000, BASE, 0, 0 };

	m.text = add_text(list, 2, 0x2000);
	assert_int_equal(text_find_function(&search, &m, 0x10800), BASE); /* before the code: the mapping */
	assert_int_equal(text_find_function(&search, &m, 0x12000), BASE);
	assert_int_equal(text_find_function(&search, &m, 0x11900), BASE + 0x1800);
	m.text = TEXT_NONE;
	assert_int_equal(text_find_function(&search, &m, 0x11900), BASE);
	m.text = 60000; /* no block of the table */
	assert_int_equal(text_find_function(&search, &m, 0x11900), BASE);
}

TEST(mappings)
{
	static struct text_mapping list[4096];
	__u32 counts[] = { 0, 1, 2, 3, 7, 300, 4096 }, block;

	for (__u32 i = 0; i < 4096; i++)
		list[i] = (struct text_mapping){ 0x1000 + 0x4000ULL * i, 0x3000 + 0x4000ULL * i, i,
						 TEXT_NONE, 0 };
	for (size_t c = 0; c < ARRAY_SIZE(counts); c++) {
		assert_int_equal(texts_add_space(&table, list, counts[c], &block), 0);
		hosted.text_count = table.used;
		assert_int_equal(table.blocks[block].space.exec_pages, 2 * counts[c]);
		assert_null(text_find_mapping(&search, block + 1, counts[c], 0xfff));
		for (__u32 i = 0; i < counts[c]; i++) {
			const struct text_mapping *m =
				text_find_mapping(&search, block + 1, counts[c], list[i].end - 1);

			assert_non_null(m);
			assert_int_equal(m->position, i);
			assert_ptr_equal(text_find_mapping(&search, block + 1, counts[c], list[i].start), m);
			assert_null(text_find_mapping(&search, block + 1, counts[c], list[i].end));
		}
	}
	assert_int_equal(texts_add_space(&table, list, 4097, &block), -EINVAL);
}

TEST(full)
{
	static const struct function list[] = { { 0x1000, 0 } };
	__u32 text, used;

	table.used = BLOCKS - 1;
	assert_int_equal(add_functions(list, 1, 0x1100, &text), -ENOSPC);
	used = table.used;
	table.used = BLOCKS - 2;
	assert_int_equal(add_functions(list, 1, 0x1100, &text), 0);
	assert_int_equal(used, BLOCKS - 1);
}

/* --- the leaf of a sample ---------------------------------------------------------------------------- */

/* The sample is at this place in the tree; returns where the native leaf is, and how it ended. */
static __u64 leaf(enum native_end *end)
{
	struct scratch *s = hosted.scratch;
	__u64 before[NATIVE_ENDS];
	__u32 node;

	memcpy(before, hosted.stats.native, sizeof(before));
	s->tree.node = node_add(&hosted.stats, 0, 0, 7);
	node = s->tree.node;
	native_goal(s, UNWIND_ALL);
	native_add(s, &hosted.stats, EVENT_CPU);
	for (*end = 0; *end < NATIVE_ENDS; (*end)++)
		if (hosted.stats.native[*end] != before[*end])
			break;
	if (s->tree.node == node)
		return 0;
	assert_int_equal(node_parent(hosted.nodes[s->tree.node].key), node);
	assert_true(node_is_native(hosted.nodes[s->tree.node].key));
	return node_position(hosted.nodes[s->tree.node].key);
}

TEST(leaves)
{
	static const struct function list[] = { { 0x1000, 0 }, { 0x1800, 0 } };
	struct text_mapping m[] = { { 0x400000, 0x402000, BASE + 0x1000, 0, 0 },
				    { 0x7000000, 0x7001000, TEXT_JIT, TEXT_NONE, 0 },
				    { 0x8000000, 0x8001000, NATIVE_FILE_NO_ROOM, TEXT_NONE, 0 } };
	struct process *p = &hosted.scratch->who.known;
	enum native_end end;
	__u32 block;

	m[0].text = add_text(list, 2, 0x3000);
	assert_int_equal(texts_add_space(&table, m, 3, &block), 0);
	hosted.text_count = table.used;
	hosted_regs = (struct pt_regs){ .pc = 0x400900, .syscall = -1 };
	hosted_mm.exec_vm = 4;
	p->space = 0;
	assert_int_equal(leaf(&end), NATIVE_NOT_LOADED);
	assert_int_equal(end, NATIVE_NOT_LOADED);
	p->space = space_number(0, block);
	assert_int_equal(leaf(&end), BASE + 0x1800);
	assert_int_equal(end, NATIVE_FUNCTION);
	hosted_regs.pc = 0x7000010;
	assert_int_equal(leaf(&end), TEXT_JIT);
	hosted_regs.pc = 0x8000010; /* a marker, once, and counted as such */
	assert_int_equal(leaf(&end), NATIVE_FILE_NO_ROOM);
	assert_int_equal(end, NATIVE_FILE_NO_ROOM);
	hosted_regs.pc = 0x5000000; /* data, or nothing */
	assert_int_equal(leaf(&end), NATIVE_UNKNOWN);
	assert_int_equal(end, NATIVE_UNKNOWN);
	hosted_mm.exec_vm = 5; /* something was mapped since */
	hosted_regs.pc = 0x400900;
	assert_int_equal(leaf(&end), NATIVE_NOT_LOADED);
	hosted_mm.exec_vm = 4;
	p->space = space_number(1, block); /* of a generation that is not */
	assert_int_equal(leaf(&end), NATIVE_NOT_LOADED);
	p->space = space_number(0, block);
	texts_set_text(&table, block + 1, TEXT_NOT_LOADED);
	assert_int_equal(leaf(&end), NATIVE_NOT_LOADED);
	hosted_regs.syscall = 17;
	assert_int_equal(leaf(&end), TEXT_SYSCALLS + 17);
	assert_int_equal(end, NATIVE_SYSCALL);
	hosted_regs.syscall = 1 << 30; /* of another ABI */
	assert_int_equal(leaf(&end), TEXT_SYSCALLS + TEXT_SYSCALLS_MAX - 1);
}

/* --- functions of the kernel --------------------------------------------------------------------------- */

/* Where the sample's node is in the kernel, and then its callers, up to `end`. */
static __u32 kernel_positions(__u32 end, __u64 ret[2 * KERNEL_DEPTH])
{
	__u32 n = 0;

	for (__u32 at = hosted.scratch->tree.node; at != end; at = node_parent(hosted.nodes[at].key))
		ret[n++] = node_position(hosted.nodes[at].key);
	return n;
}

/* A sample in this system call, -1 = none, with so many functions of the kernel, whose leaf is at pc. */
static __u32 in_kernel(__s64 syscall, __u32 depth, __u64 pc, __u64 ret[2 * KERNEL_DEPTH])
{
	struct scratch *s = hosted.scratch;
	__u32 node;

	hosted_regs = (struct pt_regs){ .pc = 0x400900, .syscall = syscall };
	s->tree.node = node = node_add(&hosted.stats, 0, 0, 7);
	s->kernel.in_kernel = 1;
	s->kernel.depth = depth;
	for (__u32 i = 0; i < depth; i++)
		s->kernel.frames[i] = pc + 0x1000 * i;
	native_goal(s, UNWIND_ALL);
	native_add(s, &hosted.stats, EVENT_CPU);
	assert_int_equal(s->kernel.in_kernel, 0);
	return kernel_positions(node, ret);
}

TEST(kernel_above_the_system_call)
{
	__u64 at[2 * KERNEL_DEPTH];
	struct cpu_stats before = hosted.stats;

	assert_int_equal(in_kernel(3, 3, 0xffffffff81000100, at), 4);
	assert_int_equal(at[0], 0x81000100); /* the leaf: where it was interrupted */
	assert_int_equal(at[1], 0x810010ff); /* callers: the call is before the address that it returns to */
	assert_int_equal(at[2], 0x810020ff);
	assert_int_equal(at[3], TEXT_SYSCALLS + 3);
	assert_int_equal(hosted.stats.kernel_stacks - before.kernel_stacks, 1);
	assert_int_equal(hosted.stats.kernel_frames - before.kernel_frames, 3);
	assert_int_equal(hosted.stats.kernel_missing, before.kernel_missing);
	assert_int_equal(hosted.stats.native[NATIVE_SYSCALL] - before.native[NATIVE_SYSCALL], 1);
	/* They are used up: the next sample has been in user mode. */
	assert_int_equal(kernel_positions(hosted.scratch->tree.node, at), 0);
	native_add(hosted.scratch, &hosted.stats, EVENT_CPU);
	assert_int_equal(hosted.stats.kernel_stacks - before.kernel_stacks, 1);
}

/* A page fault, or an interrupt. */
TEST(kernel_above_a_function)
{
	__u64 at[2 * KERNEL_DEPTH];

	hosted.scratch->who.known.space = 0;
	assert_int_equal(in_kernel(-1, 2, 0xffffffff80000000, at), 3);
	assert_int_equal(at[0], TEXT_KERNEL); /* the first byte of all is no function's */
	assert_int_equal(at[1], 0x80000fff);
	assert_int_equal(at[2], NATIVE_NOT_LOADED);
}

TEST(kernel_that_could_not_be_had)
{
	struct cpu_stats before = hosted.stats;
	__u64 at[2 * KERNEL_DEPTH];

	assert_int_equal(in_kernel(3, 0, 0, at), 2);
	assert_int_equal(at[0], TEXT_KERNEL);
	assert_int_equal(at[1], TEXT_SYSCALLS + 3);
	assert_int_equal(hosted.stats.kernel_missing - before.kernel_missing, 1);
	/* Not in the kernel's text. */
	assert_int_equal(in_kernel(3, 1, 0x7fff12345678, at), 2);
	assert_int_equal(at[0], TEXT_KERNEL);
	assert_int_equal(in_kernel(3, 1, 0xffffffff7fffffff, at), 2);
	assert_int_equal(at[0], TEXT_KERNEL);
}

TEST(kernel_deeper_than_is_kept)
{
	struct cpu_stats before = hosted.stats;
	__u64 at[2 * KERNEL_DEPTH];

	assert_int_equal(in_kernel(3, KERNEL_DEPTH, 0xffffffff81000100, at), KERNEL_DEPTH + 1);
	assert_int_equal(hosted.stats.kernel_cut, before.kernel_cut);
	assert_int_equal(in_kernel(3, KERNEL_DEPTH + 1, 0xffffffff81000100, at), KERNEL_DEPTH + 2);
	assert_int_equal(at[KERNEL_DEPTH], TEXT_KERNEL); /* in place of those that are missing */
	assert_int_equal(at[0], 0x81000100);
	assert_int_equal(hosted.stats.kernel_cut - before.kernel_cut, 1);
}

TEST(kernel_without_room)
{
	struct cpu_stats before = hosted.stats;
	__u64 at[2 * KERNEL_DEPTH];

	in_kernel(5, 0, 0, at);
	hosted.scratch->quota.none = 1;
	assert_int_equal(in_kernel(5, 2, 0xffffffff81700000, at), 1);
	assert_int_equal(at[0], TEXT_SYSCALLS + 5);
	assert_int_equal(hosted.stats.native[NATIVE_NO_ROOM] - before.native[NATIVE_NO_ROOM], 1);
	hosted.scratch->quota.none = 0;
}

/* --- programs without Python --------------------------------------------------------------------------- */

static __u64 samples_at(__u64 place)
{
	for (__u32 i = EVENT_KINDS; i < HOSTED_NODES; i++)
		if (hosted.nodes[i].key && node_is_native(hosted.nodes[i].key) &&
		    node_position(hosted.nodes[i].key) == place)
			return hosted.nodes[i].count;
	return 0;
}

static __u64 native_ends(void)
{
	__u64 total = 0;

	for (int end = 0; end < NATIVE_ENDS; end++)
		total += hosted.stats.native[end];
	return total;
}

TEST(programs)
{
	static const struct function list[] = { { 0x1000, 0 }, { 0x1800, 0 } };
	struct text_mapping m = { 0x400000, 0x402000, BASE + 0x1000, add_text(list, 2, 0x3000), 0 };
	__u32 block;

	hosted_clear();
	assert_int_equal(texts_add_space(&table, &m, 1, &block), 0);
	hosted.text_count = table.used;
	hosted_task.tgid = hosted_task.pid = 77;
	hosted_mm.exec_vm = 2;
	hosted_regs = (struct pt_regs){ .pc = 0x400900, .syscall = -1 };
	hosted.process = (struct process){ .id = 5, .state = PROCESS_PROGRAM };
	hosted.process.space = space_number(0, block);
	assert_int_equal(hosted_sample(), OUTCOME_PROGRAM);
	assert_int_equal(hosted_sample(), OUTCOME_PROGRAM);
	assert_int_equal(samples_at(BASE + 0x1800), 2);
	assert_int_equal(hosted.stats.native[NATIVE_FUNCTION], 2);
	hosted_regs.syscall = 17;
	assert_int_equal(hosted_sample(), OUTCOME_PROGRAM);
	assert_int_equal(samples_at(TEXT_SYSCALLS + 17), 1);
	/* What is mapped is not known yet: a marker is all that there is. */
	hosted_regs.syscall = -1;
	hosted.process.space = 0;
	processes_stamp++;
	assert_int_equal(hosted_sample(), OUTCOME_PROGRAM);
	assert_int_equal(samples_at(NATIVE_NOT_LOADED), 1);
	assert_int_equal(native_ends(), 4);
	hosted.process.state = PROCESS_NOT_PYTHON;
	processes_stamp++;
	assert_int_equal(hosted_sample(), OUTCOME_NOT_PYTHON);
	assert_int_equal(hosted.stats.ticks, 5);
	assert_int_equal(native_ends(), 4);
}

/* No room for the sample: it is counted once, in both books. */
TEST(program_without_room)
{
	struct scratch *s = hosted.scratch;
	__u32 root;

	hosted_clear();
	hosted_regs = (struct pt_regs){ .pc = 0x400900, .syscall = -1 };
	root = node_add(&hosted.stats, 0, 0, 9);
	native_goal(s, UNWIND_ALL);
	s->quota.none = 1;
	assert_int_equal(count_program(s, &hosted.stats, EVENT_CPU, root), OUTCOME_TABLE_FULL);
	assert_int_equal(hosted.stats.native[NATIVE_NO_ROOM], 1);
	assert_int_equal(count_program(s, &hosted.stats, EVENT_CPU, 0), OUTCOME_TABLE_FULL);
	assert_int_equal(hosted.stats.native[NATIVE_NO_ROOM], 2);
	assert_int_equal(native_ends(), 2);
	s->quota.none = 0;
}

TEST(kinds_of_frames, .bare = true)
{
	assert_int_equal(node_frame_kind(node_key(5, NODE_NATIVE | TEXT_KERNEL >> INSTR_BITS, 0)),
			 FRAME_KERNEL);
	assert_int_equal(node_frame_kind(node_key(5, NODE_NATIVE | (TEXT_FILES - 1) >> INSTR_BITS,
						  INSTR_UNKNOWN)),
			 FRAME_KERNEL);
	assert_int_equal(node_frame_kind(node_key(5, NODE_NATIVE, NATIVE_UNKNOWN)), FRAME_UNPLACED);
	assert_int_equal(node_frame_kind(node_key(5, NODE_NATIVE, TEXT_SYSCALLS)), FRAME_SYSCALL);
	assert_int_equal(node_frame_kind(node_key(5, NODE_NATIVE, TEXT_VDSO)), FRAME_NATIVE);
	assert_int_equal(node_frame_kind(node_key(5, NODE_NATIVE | BASE >> INSTR_BITS, BASE & INSTR_UNKNOWN)),
			 FRAME_NATIVE);
	assert_int_equal(node_frame_kind(node_key(5, CODE_FIRST, 0)), FRAME_PYTHON);
	assert_int_equal(node_frame_kind(node_key(5, OUTCOME_TRUNCATED, 0)), FRAME_MARKER);
}

AROUND_EACH(setup, NULL);
