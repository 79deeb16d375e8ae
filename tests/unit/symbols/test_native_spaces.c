// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_native_spaces.c - which file lies behind an address of a process, in a table that
 * user/kern/texts.c writes; and that what is found out about a file reaches all its mappings.
 */
#include <stdlib.h>

#include "kern/texts.h"
#include "symbols/native_spaces.h"
#include "tests/forge/test.h"

#define BLOCKS 4096

static struct texts table;
static struct native_spaces spaces;

static int setup(void **state)
{
	(void)state;
	table = (struct texts){ .count = BLOCKS, .used = 2 };
	table.blocks = calloc(BLOCKS, sizeof(union text_block));
	return !table.blocks;
}

static int teardown(void **state)
{
	(void)state;
	native_spaces_free(&spaces);
	free(table.blocks);
	return 0;
}

/* A process that has these two files mapped, a page each, and memory of no file. Its block. */
static __u32 add(__u32 first, __u32 second)
{
	const struct text_mapping mappings[] = {
		{ 0x1000, 0x2000, TEXT_FILES, TEXT_NOT_LOADED, 0 },
		{ 0x5000, 0x6000, TEXT_JIT, TEXT_NONE, 0 },
		{ 0x8000, 0x9000, TEXT_FILES + 0x7000, TEXT_NOT_LOADED, 0 },
	};
	__u32 *files = calloc(3, sizeof(*files)), block;

	assert_non_null(files);
	files[0] = first;
	files[1] = NATIVE_NO_FILE;
	files[2] = second;
	assert_int_equal(texts_add_space(&table, mappings, 3, &block), 0);
	assert_int_equal(native_spaces_add(&spaces, &(struct native_space){ .block = block,
									   .count = 3,
									   .files = files }),
			 0);
	return block;
}

TEST(the_file_behind_an_address)
{
	const __u32 block = add(7, 9);
	const struct native_space *s = native_spaces_find(&spaces, block);
	__u64 position = 77;

	assert_non_null(s);
	assert_int_equal(native_space_file(s, &table, 0x1000, &position), 7);
	assert_int_equal(position, TEXT_FILES);
	assert_int_equal(native_space_file(s, &table, 0x8fff, &position), 9);
	assert_int_equal(position, TEXT_FILES + 0x7fff);
	assert_int_equal(native_space_file(s, &table, 0x5000, &position), NATIVE_NO_FILE);
	position = 77;
	assert_int_equal(native_space_file(s, &table, 0x2000, &position), NATIVE_NO_FILE);
	assert_int_equal(native_space_file(s, &table, 0xfff, &position), NATIVE_NO_FILE);
	assert_int_equal(position, 77);
	assert_int_equal(native_space_address(s, &table, 9), 0x8000);
	assert_int_equal(native_space_address(s, &table, 8), 0);
}

TEST(each_is_found_by_its_block)
{
	enum { MANY = 200 };
	__u32 blocks[MANY];

	assert_null(native_spaces_find(&spaces, 0));
	for (__u32 i = 0; i < MANY; i++)
		blocks[i] = add(i, i + 1);
	for (__u32 i = 0; i < MANY; i++) {
		assert_int_equal(native_spaces_find(&spaces, blocks[i])->files[0], i);
		assert_null(native_spaces_find(&spaces, blocks[i] + 1));
	}
	native_spaces_clear(&spaces);
	assert_null(native_spaces_find(&spaces, blocks[0]));
	assert_int_equal(native_spaces_find(&spaces, add(3, 4))->files[2], 4);
}

TEST(every_mapping_of_a_file_is_told)
{
	const __u32 one = add(7, 9), other = add(9, 7);

	native_spaces_publish(&spaces, &table, 9, 55);
	assert_int_equal(texts_mapping(&table, one + 1)->text, TEXT_NOT_LOADED);
	assert_int_equal(texts_mapping(&table, one + 2)->text, TEXT_NONE);
	assert_int_equal(texts_mapping(&table, one + 3)->text, 55);
	assert_int_equal(texts_mapping(&table, other + 1)->text, 55);
	assert_int_equal(texts_mapping(&table, other + 3)->text, TEXT_NOT_LOADED);
}

/* A process that comes while others are counted may be missing once. */
TEST(what_nobody_has_goes)
{
	const __u32 one = add(7, 9), other = add(9, 7);

	for (int i = 0; i < 3; i++) {
		native_spaces_begin_look(&spaces);
		native_spaces_find(&spaces, one)->live = true;
		native_spaces_find(&spaces, other)->live = i != 1;
		native_spaces_end_look(&spaces);
		assert_int_equal(spaces.count, 2);
	}
	for (int i = 0; i < NATIVE_SPACES_IDLE; i++) {
		assert_non_null(native_spaces_find(&spaces, one));
		native_spaces_begin_look(&spaces);
		native_spaces_find(&spaces, other)->live = true;
		native_spaces_end_look(&spaces);
	}
	assert_null(native_spaces_find(&spaces, one));
	assert_int_equal(native_spaces_find(&spaces, other)->files[0], 9);
}

AROUND_EACH(setup, teardown);
