// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_functions.c - the functions of this very program, whose addresses and names are known here, and the
 * bytes that a worker could send in their place.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/functions.h"
#include "tests/forge/test.h"
#include "tests/unit/elf/own_code.h"

static struct buf bytes;
static struct functions all;

static __attribute__((noinline)) int first_marked_function(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3;
}

__attribute__((noinline)) int second_marked_function(int n);

__attribute__((noinline)) int second_marked_function(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 5;
}

/* Code whose symbol has a size, but no entry in .eh_frame; and code that has neither. */
__asm__(".text\n"
	".global hand_made\n.type hand_made, @function\n"
	"hand_made: nop; nop; nop; nop\n.size hand_made, . - hand_made\n"
	".global without_size\n.type without_size, @function\n"
	"without_size: nop; nop; nop; nop\n");
extern const char hand_made[], without_size[];

static int setup_group(void **state)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	return fd < 0 || functions_read(fd, -1, &bytes) || functions_parse(bytes.data, bytes.size, &all);
}

static int teardown_group(void **state)
{
	(void)state;
	buf_free(&bytes);
	return 0;
}

static const char *name_at(const void *code, __u32 more)
{
	const struct function *f = functions_find(&all, offset_of(code) + more);

	return f ? all.names + f->name : NULL;
}

TEST(named)
{
	assert_int_equal(first_marked_function(1) + second_marked_function(1), 8);
	assert_string_equal(name_at((const void *)first_marked_function, 0), "first_marked_function");
	assert_string_equal(name_at((const void *)first_marked_function, 3), "first_marked_function");
	assert_string_equal(name_at((const void *)second_marked_function, 0), "second_marked_function");
	assert_int_equal(functions_find(&all, offset_of((const void *)second_marked_function) + 3)->offset,
			 offset_of((const void *)second_marked_function));
	assert_string_equal(name_at(hand_made, 3), "hand_made");
	assert_true(all.build_id_size == 20 || !all.build_id_size);
}

/* A symbol is no name of what comes behind it. */
TEST(nameless)
{
	assert_string_equal(name_at(without_size, 0), "");
	assert_string_equal(name_at(without_size, 3), "");
}

TEST(outside_of_the_code)
{
	assert_null(functions_find(&all, all.end));
	assert_null(functions_find(&all, all.list[0].offset - 1));
	assert_non_null(functions_find(&all, all.end - 1));
	assert_ptr_equal(functions_find(&all, all.list[0].offset), all.list);
}

TEST(no_elf_file)
{
	_cleanup_close_ int text = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	_cleanup_buf_ struct buf out = { 0 };

	assert_int_equal(buf_add_string(&out, "before"), 0);
	assert_int_equal(functions_read(text, -1, &out), -ENOEXEC);
	assert_int_equal(out.size, 6);
}

static void expect_refused(const void *changed, size_t size)
{
	struct functions f;

	assert_int_equal(functions_parse(changed, size, &f), -EBADMSG);
}

TEST(bytes_that_lie)
{
	_cleanup_free_ char *copy = malloc(bytes.size);
	__u32 *words = (__u32 *)copy;
	struct function *list;

	assert_non_null(copy);
	memcpy(copy, bytes.data, bytes.size);
	list = (struct function *)(copy + ((const char *)all.list - bytes.data));
	expect_refused(copy, bytes.size - 1);
	expect_refused(copy, 3);
	words[0]++; /* count */
	expect_refused(copy, bytes.size);
	words[0]--;
	words[1] = list[all.count - 1].offset; /* the last one has no bytes */
	expect_refused(copy, bytes.size);
	words[1] = all.end;
	list[7].offset = list[6].offset;
	expect_refused(copy, bytes.size);
	list[7].offset = all.list[7].offset;
	list[3].name = words[2];
	expect_refused(copy, bytes.size);
	list[3].name = all.list[3].name;
	list[0].offset += 8;
	expect_refused(copy, bytes.size);
	list[0].offset -= 8;
	copy[bytes.size - 1] = 'x'; /* a name without an end */
	expect_refused(copy, bytes.size);
}

AROUND_ALL(setup_group, teardown_group);
