// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_native_room.c - files that no process of the real kernel side's table has mapped are given back, two
 * turns of the call tree later; a forked child has its parent's mappings; when room is short the tree is
 * asked to clear its banks. Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

#include "base/clock.h"
#include "kern/texts.h"
#include "names/natives.h"
#include "symbols/native_files.h"
#include "symbols/native_room.h"
#include "symbols/native_spaces.h"

#define LARGE	 (1ULL << 32) /* 255 such files have room */
#define MANY	 200
#define FIRST_PID 4000001

static struct natives *natives;
static struct native_files files;
static struct native_spaces spaces;
static struct native_room room;
static __u64 next_inode;

static int close_all(void **state)
{
	native_spaces_free(&spaces);
	native_files_close(&files);
	natives_free(natives);
	natives = NULL;
	return teardown(state);
}

static void open_all(void)
{
	struct kernel_options o = everything;

	o.tree_size = 4096;
	o.native = NATIVE_MODE_LEAF;
	o.native_memory = 1 << 20;
	kernel = open_kernel(o);
	assert_int_equal(natives_new(&natives), 0);
	assert_int_equal(native_files_open(&files, natives, kernel_texts(kernel)), 0);
	room = (struct native_room){
		.kernel = kernel, .natives = natives, .spaces = &spaces, .files = &files, .turn = 1
	};
}

static __u32 add_file(__u64 size)
{
	struct code_map map = { .file = { 1, next_inode++, size, 0, 0 }, .path = "/lib/some.so" };
	__u32 file;

	map.owner = next_inode % 16; /* one alone may not have so many */
	assert_int_equal(natives_file(natives, &map, &file), 0);
	return file;
}

static void add_process(__u32 pid, __u32 space)
{
	const struct process p = { .id = pid - FIRST_PID + 1, .state = PROCESS_PROGRAM, .space = space };

	assert_int_equal(kernel_set_process(kernel, pid, &p), 0);
}

/* A process with so many files of its own. The last of them. */
static __u32 begin_process(__u32 pid, __u32 count, __u64 size, bool lacks)
{
	struct native_space s = { .count = count, .files = calloc(count, sizeof(*s.files)), .lacks = lacks };
	struct text_mapping *mappings = calloc(count, sizeof(*mappings));
	struct texts *texts = kernel_texts(kernel);
	__u32 last = 0;

	add_process(pid, 0);
	for (__u32 i = 0; i < count; i++) {
		s.files[i] = last = add_file(size);
		mappings[i] = (struct text_mapping){ .start = i << 12, .end = (i + 1) << 12,
						     .position = natives_get(natives, last)->base };
	}
	assert_int_equal(texts_add_space(texts, mappings, count, &s.block), 0);
	assert_int_equal(native_spaces_add(&spaces, &s), 0);
	assert_int_equal(texts_set_space(texts, pid, pid - FIRST_PID + 1, s.block), 0);
	free(mappings);
	return last;
}

static struct process process_of(__u32 pid)
{
	struct process p;

	assert_int_equal(kernel_get_process(kernel, pid, &p), 0);
	return p;
}

TEST(nobody_has_it_any_more)
{
	__u32 kept, gone;

	open_all();
	kept = begin_process(FIRST_PID, 1, 4096, false);
	gone = begin_process(FIRST_PID + 1, MANY, LARGE, false);
	for (int i = 0; i < 3; i++)
		assert_int_equal(native_room_cleared(&room), 0);
	kernel_remove_process(kernel, FIRST_PID + 1);
	assert_int_equal(native_room_cleared(&room), 0); /* the other bank may have its positions */
	assert_non_null(natives_get(natives, gone));
	assert_int_equal(native_room_cleared(&room), MANY);
	assert_null(natives_get(natives, gone));
	assert_non_null(natives_get(natives, kept));
	assert_int_equal(spaces.count, 1);
	/* Room is not short: what is unused stays for who comes next. */
	kernel_remove_process(kernel, FIRST_PID);
	for (int i = 0; i < 3; i++)
		assert_int_equal(native_room_cleared(&room), 0);
	assert_non_null(natives_get(natives, kept));
}

/* Nobody in user space was told of it. */
TEST(a_child_has_its_parents)
{
	__u32 kept;

	open_all();
	kept = begin_process(FIRST_PID, 1, 4096, false);
	begin_process(FIRST_PID + 1, MANY, LARGE, false);
	add_process(FIRST_PID + 2, process_of(FIRST_PID).space);
	kernel_remove_process(kernel, FIRST_PID);
	for (int i = 0; i < 3; i++)
		assert_int_equal(native_room_cleared(&room), 0);
	kernel_remove_process(kernel, FIRST_PID + 2);
	assert_int_equal(native_room_cleared(&room), 0);
	assert_int_equal(native_room_cleared(&room), 1);
	assert_null(natives_get(natives, kept));
}

TEST(the_tree_is_asked)
{
	open_all();
	begin_process(FIRST_PID, 3, 4096, true);
	begin_process(FIRST_PID + 1, MANY, LARGE, false);
	native_room_second(&room);
	assert_true(native_room_fullness(&room) == 0); /* all is in use */
	kernel_remove_process(kernel, FIRST_PID + 1);
	native_room_second(&room);
	for (int i = 0; i < 2; i++) {
		assert_true(native_room_fullness(&room) == 1);
		assert_int_not_equal(process_of(FIRST_PID).space, 0);
		native_room_second(&room);
		assert_int_equal(native_room_cleared(&room), i ? MANY : 0);
	}
	assert_true(native_room_fullness(&room) == 0);
	/* It had found no room for something, and is to be looked at again. */
	assert_int_equal(process_of(FIRST_PID).space, 0);
	/* Not at once again. */
	begin_process(FIRST_PID + 2, MANY, LARGE, false);
	kernel_remove_process(kernel, FIRST_PID + 2);
	assert_true(room.pause_end > clock_ns());
	native_room_second(&room);
	assert_true(native_room_fullness(&room) == 0);
	room.pause_end = 0;
	native_room_second(&room);
	assert_true(native_room_fullness(&room) == 1);
}

AROUND_EACH(NULL, close_all);
