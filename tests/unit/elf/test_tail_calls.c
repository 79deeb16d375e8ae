// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tail_calls.c - functions of this very program that jump through a table as the loop of an interpreter
 * does: with all ways to write such a jump, and wherever a piece of the file that is read ends.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/tail_calls.h"
#include "tests/forge/test.h"

#if defined(__x86_64__)

/* So many functions of so many bytes: more than one piece, and none of them divides a piece evenly. */
#define MANY	  9000
#define MANY_SIZE 10
#define FEW	  100
#define FEW_SIZE  12

__asm__(".text\n"
	".global many\nmany:\n.rept 9000\nlea many_table(%rip), %rax\njmp *(%rax,%rcx,8)\n.endr\n"
	".global with_new_registers\nwith_new_registers:\n"
	".rept 100\nlea new_table(%rip), %r12\njmp *(%r12,%r13,8)\nnop\n.endr\n"
	".global with_address\nwith_address:\n"
	".rept 100\njmp *0x500000(,%rcx,8)\nnop\nnop\nnop\nnop\nnop\n.endr\n"
	".global one_too_few\none_too_few:\n"
	".rept 99\nlea other_table(%rip), %rax\njmp *(%rax,%rcx,8)\nnop\nnop\n.endr\n"
	".global no_jumps\nno_jumps:\n"
	/* a call, words of 4 bytes, another register than the one that was loaded */
	".rept 100\nlea call_table(%rip), %rax\ncall *(%rax,%rcx,8)\nnop\nnop\n.endr\n"
	".rept 100\nlea word_table(%rip), %rax\njmp *(%rax,%rcx,4)\nnop\nnop\n.endr\n"
	".rept 100\nlea lost_table(%rip), %rdx\njmp *(%rax,%rcx,8)\nnop\nnop\n.endr\n"
	".global behind_all\nbehind_all: nop\n"
	".data\nmany_table: .quad 0\nnew_table: .quad 0\nother_table: .quad 0\ncall_table: .quad 0\n"
	"word_table: .quad 0\nlost_table: .quad 0\n.text\n");
extern const char many[], with_new_registers[], with_address[], one_too_few[], no_jumps[], behind_all[];
extern const char __executable_start[];

static struct code_loads loads;
static int file = -1;

static int setup(void **state)
{
	Elf64_Ehdr header;

	(void)state;
	file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	return elf_file_header(file, &header) ?: code_loads_read(file, &header, &loads);
}

static int teardown(void **state)
{
	(void)state;
	cleanup_close(&file);
	return 0;
}

static __u32 offset_of(const char *code)
{
	__u32 begin, end;

	assert_true(code_loads_find(&loads, code - __executable_start, 1, &begin, &end));
	return begin;
}

/* How many of n functions of `size` bytes each, from `begin` on, are found to be a loop. */
static size_t found(const char *begin, size_t n, size_t size)
{
	_cleanup_free_ __u32 *parts = calloc(n + 1, sizeof(*parts));
	_cleanup_free_ bool *is = calloc(n + 1, sizeof(*is));
	size_t count = 0;

	for (size_t i = 0; i <= n; i++)
		parts[i] = offset_of(begin) + i * size;
	assert_int_equal(tail_calls_find(file, &loads, parts, n + 1, is), 0);
	assert_false(is[n]); /* what is behind them */
	for (size_t i = 0; i < n; i++)
		count += is[i];
	return count;
}

TEST(every_function_of_a_loop)
{
	assert_int_equal(with_new_registers - many, MANY * MANY_SIZE);
	assert_int_equal(with_address - with_new_registers, FEW * FEW_SIZE);
	assert_int_equal(found(many, MANY, MANY_SIZE), MANY);
	assert_int_equal(found(with_new_registers, FEW, FEW_SIZE), FEW);
	assert_int_equal(found(with_address, FEW, FEW_SIZE), FEW);
}

/* A loop that is one function, with hundreds of such jumps in it; and functions that are too few. */
TEST(no_loop_of_tail_calls)
{
	assert_int_equal(no_jumps - one_too_few, (FEW - 1) * FEW_SIZE);
	assert_int_equal(found(one_too_few, FEW - 1, FEW_SIZE), 0);
	assert_int_equal(found(with_address, 1, FEW * FEW_SIZE), 0);
	assert_int_equal(found(with_address, 50, 2 * FEW_SIZE), 0);
}

TEST(other_jumps)
{
	assert_int_equal((behind_all - no_jumps) % FEW_SIZE, 0);
	assert_int_equal(found(no_jumps, (behind_all - no_jumps) / FEW_SIZE, FEW_SIZE), 0);
}

TEST(nothing_to_look_through)
{
	struct code_loads large = { .list = { { 0, 0, 65ULL << 20 } }, .count = 1 };
	const __u32 part = 0;
	bool is = false;

	assert_int_equal(tail_calls_find(file, &loads, NULL, 0, NULL), 0);
	assert_int_equal(tail_calls_find(file, &large, &part, 1, &is), 0);
	large.list[0].size = 64 << 20; /* the file ends before */
	assert_int_not_equal(tail_calls_find(file, &large, &part, 1, &is), 0);
	assert_false(is);
}

AROUND_ALL(setup, teardown);

#else

TEST(of_x86_64_only)
{
	print_message("SKIP: the loop's jumps are known for x86-64\n");
	skip();
}

#endif
