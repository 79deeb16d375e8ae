// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_native_files.c - what becomes of a file: its functions get into the kernel side's table once; an
 * answer that says nothing of the file itself leaves it to be asked for again, but not for ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "kern/texts.h"
#include "names/natives.h"
#include "symbols/native_files.h"
#include "tests/forge/test.h"

#define BLOCKS 65536

static struct texts table;
static struct natives *natives;
static struct native_files files;
static struct buf functions; /* of this program */
static __u32 own;

static int setup(void **state)
{
	const struct code_map map = { 0x1000, 0x2000, 0, { 1, 2, 1 << 30, 3, 4 }, "/own", false, false, 0 };
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	table = (struct texts){ .count = BLOCKS, .used = 2 };
	table.blocks = calloc(BLOCKS, sizeof(union text_block));
	return !table.blocks || natives_new(&natives) || native_files_open(&files, natives, &table) ||
	       functions_read(fd, -1, &functions) || natives_file(natives, &map, &own);
}

static int teardown(void **state)
{
	(void)state;
	buf_free(&functions);
	native_files_close(&files);
	natives_free(natives);
	free(table.blocks);
	return 0;
}

static int answer(int err)
{
	return native_files_take(&files, own, err, functions.data, functions.size);
}

static enum native_state state_now(void)
{
	return files.list[own].state;
}

TEST(functions_get_into_the_table_once)
{
	__u32 used, text;

	assert_int_equal(state_now(), NATIVE_NEW);
	assert_int_equal(native_files_text(&files, own), TEXT_NOT_LOADED);
	assert_int_equal(answer(0), 0);
	assert_int_equal(state_now(), NATIVE_KNOWN);
	assert_true(natives_get(natives, own)->is_known);
	assert_int_equal(native_files_text(&files, own), TEXT_NOT_LOADED);
	assert_int_equal(native_files_load(&files, own), 0);
	text = native_files_text(&files, own);
	assert_true(text > TEXT_NONE);
	used = table.used;
	assert_int_equal(native_files_load(&files, own), 0);
	assert_int_equal(table.used, used);
	/* The table is begun anew, and what is known of the file is not lost. */
	native_files_unload(&files);
	assert_int_equal(native_files_text(&files, own), TEXT_NOT_LOADED);
	assert_int_equal(state_now(), NATIVE_KNOWN);
	assert_int_equal(native_files_load(&files, own), 0);
	assert_int_not_equal(native_files_text(&files, own), text);
}

TEST(a_table_without_room)
{
	assert_int_equal(answer(0), 0);
	table.count = table.used + 1;
	assert_int_equal(native_files_load(&files, own), -ENOSPC);
	assert_int_equal(native_files_text(&files, own), TEXT_NOT_LOADED);
	table.count = BLOCKS;
	assert_int_equal(native_files_load(&files, own), 0);
}

/* Those that say that the file is the reason. */
TEST(a_file_that_cannot_be_read)
{
	static const int errors[] = { -ENOEXEC, -EBADMSG, -E2BIG, -ENOSPC };

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		files.list[own] = (struct native_target){ .state = NATIVE_ASKED };
		assert_int_equal(answer(errors[i]), errors[i]);
		assert_int_equal(state_now(), NATIVE_NAMELESS);
		assert_int_equal(native_files_text(&files, own), TEXT_NONE);
	}
	files.list[own] = (struct native_target){ .state = NATIVE_ASKED };
	functions.size--;
	assert_int_equal(answer(0), -EBADMSG);
	functions.size++;
	assert_int_equal(state_now(), NATIVE_NAMELESS);
}

/* Another process may have the file: as often as it takes. */
TEST(a_process_that_is_gone)
{
	static const int errors[] = { -ESRCH, -ESTALE, -ENOENT };

	for (int i = 0; i < 30; i++) {
		files.list[own].state = NATIVE_ASKED;
		assert_int_equal(answer(errors[i % 3]), errors[i % 3]);
		assert_int_equal(state_now(), NATIVE_NEW);
	}
	assert_int_equal(answer(0), 0);
}

/* The worker was killed, or had no memory: three times it may be chance. */
TEST(a_reader_that_fails)
{
	static const int errors[] = { -ETIMEDOUT, -EPIPE, -ENOMEM };

	for (int i = 0; i < 3; i++) {
		assert_int_equal(state_now(), NATIVE_NEW);
		assert_int_equal(answer(errors[i]), errors[i]);
	}
	assert_int_equal(state_now(), NATIVE_NAMELESS);
}

/* The store was full. When it is not any more, the file is asked for again. */
TEST(names_without_room)
{
	_cleanup_free_ char *large = calloc(1, NATIVES_BYTES_MAX);
	__u32 again[NATIVE_FILES_RETRIED];

	assert_int_equal(native_files_take(&files, own, 0, large, NATIVES_BYTES_MAX + 1), -ENOSPC);
	assert_int_equal(state_now(), NATIVE_NAMELESS);
	assert_true(files.no_room.stands);
	assert_int_equal(native_files_retry(&files, again), 1);
	assert_int_equal(again[0], own);
	assert_int_equal(state_now(), NATIVE_NEW);
	assert_false(files.no_room.stands);
	assert_int_equal(native_files_retry(&files, again), 0);
	assert_int_equal(answer(0), 0);
}

/* What is known of a file is not said of the next one that has its number. */
TEST(another_file_of_that_number)
{
	const struct code_map map = { 0x1000, 0x2000, 0, { 1, 9, 4096, 3, 4 }, "/other", false, false, 0 };
	__u32 other;

	assert_int_equal(answer(-ENOEXEC), -ENOEXEC);
	assert_int_equal(native_files_text(&files, own), TEXT_NONE);
	for (__u32 turn = 1; turn <= 2; turn++) {
		natives_begin_look(natives);
		natives_end_look(natives, turn);
	}
	assert_int_equal(natives_give_back(natives, 3), 1);
	assert_int_equal(natives_file(natives, &map, &other), 0);
	assert_int_equal(other, own);
	assert_int_equal(native_files_text(&files, other), TEXT_NOT_LOADED);
	assert_int_equal(native_files_get(&files, other)->state, NATIVE_NEW);
}

AROUND_EACH(setup, teardown);
