// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_native_mapping.c - what the kernel side is told of a mapping: a file that cannot be had, or that finds
 * no room, is never taken for memory of no file.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "kern/texts.h"
#include "names/natives.h"
#include "symbols/native_files.h"
#include "symbols/native_mapping.h"
#include "symbols/native_spaces.h"
#include "tests/forge/test.h"

static struct texts table;
static struct natives *natives;
static struct native_files files;
static struct native_mappings mappings;

static int setup(void **state)
{
	(void)state;
	if (natives_new(&natives) || native_files_open(&files, natives, &table))
		return -1;
	mappings = (struct native_mappings){ .natives = natives, .files = &files, .texts = &table };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	native_files_close(&files);
	natives_free(natives);
	return 0;
}

static struct code_map file_map(__u64 inode, __u64 size)
{
	return (struct code_map){ 0x5000,	   0x7000, 0x1000, { 1, inode, size, 3, 4 },
				  "/lib/libz.so", false,  false,  0 };
}

TEST(each_kind)
{
	struct code_map map = file_map(7, 0x9000);
	struct text_mapping m;
	__u32 file;

	m = native_mapping(&mappings, 1, &map, &file);
	assert_int_equal(m.position, natives_get(natives, file)->base + 0x1000);
	assert_int_equal(m.text, TEXT_NOT_LOADED);
	assert_int_equal(m.start, 0x5000);
	assert_int_equal(m.end, 0x7000);
	map = (struct code_map){ 0x5000, 0x7000, .path = "", .is_memory = true, .is_writable = true };
	m = native_mapping(&mappings, 1, &map, &file);
	assert_int_equal(m.position, TEXT_JIT);
	assert_int_equal(m.text, TEXT_NONE);
	assert_true(m.writable);
	assert_int_equal(file, NATIVE_NO_FILE);
	map.path = "[vdso]";
	m = native_mapping(&mappings, 1, &map, &file);
	assert_int_equal(m.position, TEXT_VDSO);
	map = file_map(8, 0); /* it could not be opened */
	m = native_mapping(&mappings, 1, &map, &file);
	assert_int_equal(m.position, NATIVE_FILE_NOT_REACHED);
	map = file_map(8, 0x1000); /* the mapping is behind its end */
	m = native_mapping(&mappings, 1, &map, &file);
	assert_int_equal(m.position, NATIVE_FILE_NOT_REACHED);
	assert_int_equal(file, NATIVE_NO_FILE);
}

TEST(without_room)
{
	struct code_map map = file_map(7, 0x9000);
	struct text_mapping m;
	__u32 file;

	native_mapping(&mappings, 1, &map, &file);
	assert_false(mappings.no_room.stands);
	for (__u32 i = 0; i <= NATIVES_FILES_MAX; i++) {
		map = file_map(100 + i, 0x9000);
		m = native_mapping(&mappings, 1, &map, &file);
	}
	assert_int_equal(m.position, NATIVE_FILE_NO_ROOM);
	assert_int_equal(m.text, TEXT_NONE);
	assert_int_equal(file, NATIVE_NO_FILE);
	assert_true(mappings.no_room.stands);
	map = file_map(7, 0x9000); /* it has its room */
	m = native_mapping(&mappings, 1, &map, &file);
	assert_int_equal(m.position, natives_get(natives, file)->base + 0x1000);
}

#define BLOCKS 4096

TEST(the_vdso_is_one_function_with_rows, .bare = true)
{
	struct texts t = { .count = BLOCKS, .used = 2, .with_rows = true };
	__u32 text = 0;
	int err;

	t.blocks = calloc(BLOCKS, sizeof(*t.blocks));
	assert_non_null(t.blocks);
	err = native_mapping_add_vdso(&t, &text);
	if (!getauxval(AT_SYSINFO_EHDR) || err == -EOPNOTSUPP) {
		assert_int_equal(text, 0);
		free(t.blocks);
		skip();
	}
	assert_int_equal(err, 0);
	assert_int_equal(t.blocks[text].text.count, 1);
	assert_int_equal(t.blocks[text].text.base, TEXT_VDSO);
	assert_false(texts_want_rows(&t, text, TEXT_VDSO + 0x800));
	free(t.blocks);
}

TEST(no_room_for_the_vdso, .bare = true)
{
	struct texts t = { .count = 3, .used = 2, .with_rows = true };
	__u32 text = 7;

	t.blocks = calloc(3, sizeof(*t.blocks));
	assert_non_null(t.blocks);
	assert_int_not_equal(native_mapping_add_vdso(&t, &text), 0);
	assert_int_equal(text, 7);
	free(t.blocks);
}

AROUND_EACH(setup, teardown);
