// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_frame_kinds.c - the names of every list are told apart, and what has a file or an address.
 */
#include <string.h>

#include "base/cleanup.h"
#include "recorded/frame_kinds.h"
#include "tests/forge/test.h"

static enum frame_kind kind(const char *name, const char *file, const char *mapping, __u64 address)
{
	return frame_kinds_find(&(struct frame_facts){ name, file, mapping, address });
}

TEST(names_of_the_lists)
{
	for (int i = 0; i < WAIT_CAUSES; i++)
		if (*wait_rows[i].text)
			assert_int_equal(kind(wait_rows[i].frame, "", "", 0), FRAME_WAIT);
	for (int i = 0; i < NATIVE_ENDS; i++)
		if (native_rows[i].place == NATIVE_IS_MARKED)
			assert_int_equal(kind(native_rows[i].frame, "", "", 0), FRAME_UNPLACED);
	for (int i = 0; i < OUTCOME_COUNT; i++)
		if (outcome_rows[i].place == PLACE_NAMED || outcome_rows[i].place == PLACE_MARKED)
			assert_int_equal(kind(outcome_rows[i].frame, "", "", 0),
					 outcome_rows[i].place == PLACE_NAMED ? FRAME_C_THREAD :
										FRAME_MARKER);
	assert_int_equal(kind("[syscall futex]", "", "", 0), FRAME_SYSCALL);
	assert_int_equal(kind("[native hidden]", "", "", 0), FRAME_MARKER);
	assert_int_equal(kind("[a list]", "", "", 0), FRAME_PYTHON);
}

TEST(files_and_addresses)
{
	assert_int_equal(kind("f", "/app.py", "/usr/bin/python3", 0), FRAME_PYTHON);
	assert_int_equal(kind("f", "", "", 0), FRAME_PYTHON);
	assert_int_equal(kind("malloc", "/lib/libc.so.6", "/lib/libc.so.6", 0), FRAME_NATIVE);
	assert_int_equal(kind("malloc", "malloc/malloc.c", "/lib/libc.so.6", 0x1234), FRAME_NATIVE);
	assert_int_equal(kind("main.main", "/src/main.go", "", 0x1234), FRAME_NATIVE);
	assert_int_equal(kind("schedule", "[kernel]", "[kernel]", 0), FRAME_KERNEL);
	assert_int_equal(kind("ext4_x", "[ext4]", "[ext4]", 0), FRAME_KERNEL);
	assert_int_equal(kind("clock_gettime", "[vdso]", "[vdso]", 0), FRAME_NATIVE);
	assert_int_equal(kind("schedule", "", "[kernel.kallsyms]", 0x900), FRAME_KERNEL);
	/* A program may call its function so. */
	assert_int_equal(kind("[truncated]", "/app.py", "/usr/bin/python3", 0), FRAME_PYTHON);
}

TEST(python_files)
{
	static const char *const python[] = { "/a/b.py", "<frozen posixpath>", "<string>", "/usr/bin/pip",
					      "x.pyx" };
	static const char *const other[] = { "", "/a/Main.java", "/src/main.go", "lib/x.rb" };

	for (size_t i = 0; i < ARRAY_SIZE(python); i++)
		assert_true(frame_kinds_is_python(python[i]));
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		assert_false(frame_kinds_is_python(other[i]));
}
