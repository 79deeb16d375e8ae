// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_task_reader.c - names and types of forged objects, and that a look comes to its end.
 */
#include <errno.h>
#include <stdlib.h>

#include "tests/forge/test.h"
#include "tests/unit/remote/forge_tasks.h"

static char name[TASK_NAME_SIZE];

TEST(numbers)
{
	forge_begin();
	assert_int_equal(task_reader_name(&reader, forge_name(0, 7), name), 0);
	assert_string_equal(name, "Task-7");
	assert_int_equal(task_reader_name(&reader, forge_name(0, 0), name), 0);
	assert_string_equal(name, "Task-0");
	assert_int_equal(task_reader_name(&reader, forge_name(0, 5000000000), name), 0);
	assert_string_equal(name, "Task-5000000000");
	strcpy(name, "as before");
	texts[0][2] = 3 << 3; /* three digits */
	assert_int_equal(task_reader_name(&reader, address_of(texts[0]), name), -EBADMSG);
	texts[0][2] = 1 << 3 | 2; /* below 0 */
	assert_int_equal(task_reader_name(&reader, address_of(texts[0]), name), -EBADMSG);
	assert_string_equal(name, "as before");
}

static __u64 forge_str(__u64 kind, bool compact, bool ascii, __u64 length)
{
	texts[0][AT_TYPE] = address_of(types[TYPE_STR]);
	texts[0][2] = kind << 2 | (__u64)compact << 5 | (__u64)ascii << 6;
	texts[0][3] = length;
	return address_of(texts[0]);
}

TEST(strings)
{
	static const __u16 wide[] = { 0x2603, 'x' };
	static const char elsewhere[] = "of a class";

	forge_begin();
	strcpy((char *)texts[0] + 40, "plain");
	assert_int_equal(task_reader_name(&reader, forge_str(1, true, true, 5), name), 0);
	assert_string_equal(name, "plain");
	memcpy((char *)texts[0] + 56, wide, sizeof(wide));
	assert_int_equal(task_reader_name(&reader, forge_str(2, true, false, 2), name), 0);
	assert_string_equal(name, "\xe2\x98\x83x");
	texts[0][7] = address_of(elsewhere);
	assert_int_equal(task_reader_name(&reader, forge_str(1, false, false, 10), name), 0);
	assert_string_equal(name, elsewhere);
	assert_int_equal(task_reader_name(&reader, forge_str(1, true, true, 0), name), 0);
	assert_string_equal(name, "");
	memset((char *)texts[0] + 40, 'y', 300);
	assert_int_equal(task_reader_name(&reader, forge_str(1, true, true, 300), name), 0);
	assert_int_equal(strlen(name), TASK_NAME_SIZE - 1);
}

TEST(strings_that_are_none)
{
	forge_begin();
	strcpy(name, "as before");
	assert_int_equal(task_reader_name(&reader, forge_str(3, true, true, 5), name), -EBADMSG);
	assert_int_equal(task_reader_name(&reader, forge_str(1, true, true, ~0ULL), name), -EBADMSG);
	texts[0][7] = 4096;
	assert_int_equal(task_reader_name(&reader, forge_str(1, false, false, 5), name), -EFAULT);
	texts[0][AT_TYPE] = address_of(types[TYPE_FUTURE]);
	assert_int_equal(task_reader_name(&reader, address_of(texts[0]), name), -EBADMSG);
	assert_int_equal(task_reader_name(&reader, 0, name), -EBADMSG);
	assert_int_equal(task_reader_name(&reader, 8192, name), -EFAULT);
	assert_string_equal(name, "as before");
}

/* What a class is called does not matter, nor how many types there are. */
TEST(kinds)
{
	static forged many[3 * READER_TYPES];

	forge_begin();
	assert_int_equal(task_reader_kind(&reader, address_of(types[TYPE_COROUTINE])), READER_COROUTINE);
	assert_int_equal(task_reader_kind(&reader, address_of(types[TYPE_ASEND])), READER_WRAPPER);
	assert_int_equal(task_reader_kind(&reader, address_of(types[TYPE_POSER])), READER_OTHER);
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
		many[i][TYPE_NAME_AT] = 4096;
		assert_int_equal(task_reader_kind(&reader, address_of(many[i])), READER_OTHER);
	}
	assert_int_equal(task_reader_kind(&reader, address_of(types[TYPE_GENERATOR])), READER_COROUTINE);
	assert_int_equal(task_reader_kind(&reader, 1), READER_OTHER);
}

TEST(a_look_is_bounded)
{
	__u64 word;

	forge_begin();
	assert_int_equal(task_reader_read(&reader, address_of(types), &word, sizeof(word)), 0);
	assert_int_equal(task_reader_read(&reader, 1ULL << 60, &word, sizeof(word)), -EFAULT);
	assert_int_equal(reader.reads, 2);
	reader.reads = READER_READS_MAX;
	assert_int_equal(task_reader_read(&reader, address_of(types), &word, sizeof(word)), -E2BIG);
	assert_true(reader.spent);
	assert_int_equal(task_reader_name(&reader, forge_name(0, 7), name), -E2BIG);
	forge_begin();
	reader.memory = 1 << 30;
	assert_int_equal(task_reader_read(&reader, address_of(types), &word, sizeof(word)), -ESRCH);
	assert_int_equal(reader.unreachable, -ESRCH);
}
