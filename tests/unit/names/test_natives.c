// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "names/native_lines.h"
#include "names/natives.h"
#include "tests/forge/test.h"

static struct natives *n;
static __u64 next_inode = 1 << 20;

static int setup(void **state)
{
	(void)state;
	return natives_new(&n);
}

static int teardown(void **state)
{
	(void)state;
	natives_free(n);
	return 0;
}

static struct code_map map_of(__u64 inode, __u64 size, const char *path)
{
	return (struct code_map){ 0x1000, 0x2000, 0, { 1, inode, size, 3, 4 }, path, false, false, 0 };
}

static __u32 add(__u64 inode, __u64 size, const char *path)
{
	struct code_map map = map_of(inode, size, path);
	__u32 file;

	assert_int_equal(natives_file(n, &map, &file), 0);
	return file;
}

TEST(intervals)
{
	__u32 a = add(1, 100, "/a"), b = add(2, 4097, "/b"), c = add(3, 1, "/c");
	struct native_place place;

	assert_int_equal(add(2, 4097, "/b"), b);
	assert_int_equal(add(2, 4098, "/b"), 3);	 /* it was changed: another file */
	assert_int_equal(add(2, 4097, "/elsewhere"), 4); /* whoever maps it there says so of nobody else */
	assert_int_equal(natives_get_stats(n).files, 5);
	assert_int_equal(natives_get(n, a)->base, TEXT_FILES);
	assert_int_equal(natives_get(n, b)->base, TEXT_FILES + 4096);
	assert_int_equal(natives_get(n, c)->base, TEXT_FILES + 3 * 4096);
	assert_int_equal(natives_key(n, b).inode, 2);
	assert_true(natives_find(n, TEXT_FILES + 4096 + 77, &place));
	assert_string_equal(place.path, "/b");
	assert_string_equal(place.name, "");
	assert_string_equal(place.build_id, "");
	assert_int_equal(place.offset, 77);
	assert_false(natives_find(n, TEXT_FILES - 1, &place));
	assert_false(natives_find(n, TEXT_FILES + 100 * 4096, &place));
	assert_true(natives_find(n, TEXT_VDSO, &place));
	assert_string_equal(place.path, "[vdso]");
	assert_true(natives_find(n, TEXT_JIT, &place));
	assert_string_equal(place.path, "[JIT]");
}

TEST(limits)
{
	struct code_map map = map_of(9, (1ULL << 32) + 1, "/too-large");
	__u32 file = 77;

	assert_int_equal(natives_file(n, &map, &file), -EFBIG);
	map.file.size = 0;
	assert_int_equal(natives_file(n, &map, &file), -EINVAL);
	for (int i = 0; i < NATIVES_FILES_MAX; i++) {
		map = map_of(100 + i, 1ULL << 28, "/large"); /* 2^28 bytes each: the text space ends first */
		if (natives_file(n, &map, &file))
			break;
	}
	assert_int_equal(natives_file(n, &map, &file), -ENOSPC);
	assert_true(natives_get(n, natives_get_stats(n).files - 1)->base + (1ULL << 28) <= 1ULL << TEXT_BITS);
	assert_int_equal(natives_refused(n), 2);
}

/* A bank of the call tree was cleared, and nobody had a file mapped but perhaps this one. */
static __u32 bank_cleared(__u32 turn, __u32 in_use)
{
	natives_begin_look(n);
	if (in_use != NATIVES_NONE)
		natives_see(n, in_use);
	natives_end_look(n, turn);
	return natives_give_back(n, turn + 1);
}

/* Far more files than there are numbers, of more bytes than the text space has, come and go. */
TEST(given_back)
{
	const __u32 kept = add(1, 100, "/kept");
	const __u64 base = natives_get(n, kept)->base;
	struct native_place place;
	__u32 turn = 1, file, serial;

	for (__u64 i = 0; i < 20 * NATIVES_FILES_MAX; i += 200) {
		for (__u64 j = 0; j < 200; j++)
			file = add(100 + i + j, 1ULL << 28, "/gone");
		serial = natives_serial(n, file);
		bank_cleared(turn++, kept);
		assert_true(natives_find(n, natives_get(n, file)->base + 5, &place)); /* a node may have it */
		bank_cleared(turn++, kept);
		assert_null(natives_get(n, file));
		assert_int_not_equal(natives_serial(n, file), serial);
		assert_int_equal(natives_get_stats(n).files, 1);
	}
	assert_int_equal(natives_get(n, kept)->base, base);
	assert_true(natives_find(n, base + 7, &place));
	assert_string_equal(place.path, "/kept");
	assert_int_equal(natives_refused(n), 0);
}

TEST(met_again_in_time)
{
	const __u32 file = add(1, 100, "/kept");

	assert_int_equal(bank_cleared(1, NATIVES_NONE), 0);
	assert_int_equal(add(1, 100, "/kept"), file);
	assert_int_equal(bank_cleared(2, NATIVES_NONE), 0); /* its nodes may be in the bank that is used */
	assert_int_equal(bank_cleared(3, NATIVES_NONE), 1);
	assert_int_equal(natives_file_at(n, TEXT_FILES), NATIVES_NONE);
}

/* Names take more than there is room for in all, but never at once. */
TEST(bytes_are_given_back)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	_cleanup_buf_ struct buf bytes = { 0 };
	__u32 turn = 1, file = 0;
	size_t sum = 0;

	assert_int_equal(functions_read(fd, -1, &bytes), 0);
	for (__u64 i = 0; sum < 2 * (size_t)NATIVES_BYTES_MAX; i++, sum += bytes.size) {
		file = add(100 + i, 1 << 24, "/named");
		assert_int_equal(natives_functions(n, file, bytes.data, bytes.size), 0);
		if (natives_fullness(n) > 0.4) {
			bank_cleared(turn++, NATIVES_NONE);
			assert_true(natives_unused(n) > 0.4);
			bank_cleared(turn++, NATIVES_NONE);
			assert_int_equal(natives_get_stats(n).files, 0);
		}
	}
}

/* What the files before have known of a position is not said of the file that has it now. */
TEST(lines_are_forgotten)
{
	__u32 file = add(1, 1 << 20, "/lines");
	const __u64 position = natives_get(n, file)->base + 0x100;

	assert_int_equal(natives_want_lines(n), 0);
	assert_true(native_lines_want(natives_lines(n), position));
	assert_false(native_lines_want(natives_lines(n), position));
	bank_cleared(1, NATIVES_NONE);
	assert_false(native_lines_want(natives_lines(n), position));
	bank_cleared(2, NATIVES_NONE);
	assert_true(native_lines_want(natives_lines(n), position));
}

static int add_of(__u64 owner, __u64 inode, __u64 size)
{
	struct code_map map = map_of(inode, size, "/of a user");
	__u32 file;

	map.owner = owner;
	return natives_file(n, &map, &file);
}

/* Numbers, or addresses: sparse files of 4 GiB take no disk space. */
TEST(one_user_leaves_room)
{
	static const __u64 sizes[] = { 4096, 1ULL << 32 };

	for (__u32 turn = 1, i = 0; i < ARRAY_SIZE(sizes); i++) {
		__u64 hostile = 0, honest = 0;

		while (!add_of(65534, ++next_inode, sizes[i]))
			hostile++;
		while (!add_of(1000, ++next_inode, sizes[i]))
			honest++;
		assert_true(hostile > 100 && honest >= hostile / 2 - 1);
		assert_int_equal(add_of(1001, ++next_inode, 1 << 20), 0);
		assert_int_equal(add_of(65534, ++next_inode, sizes[i]), -ENOSPC);
		/* When it has nothing mapped any more it may have as much again. */
		bank_cleared(turn++, NATIVES_NONE);
		bank_cleared(turn++, NATIVES_NONE);
		assert_int_equal(natives_get_stats(n).files, 0);
		assert_int_equal(add_of(65534, ++next_inode, sizes[i]), 0);
		bank_cleared(turn++, NATIVES_NONE);
		bank_cleared(turn++, NATIVES_NONE);
	}
}

TEST(one_user_leaves_bytes)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	_cleanup_buf_ struct buf bytes = { 0 };
	size_t hostile = 0;
	__u32 file;
	int err;

	assert_int_equal(functions_read(fd, -1, &bytes), 0);
	do {
		struct code_map map = map_of(++next_inode, 1 << 20, "/hostile");

		map.owner = 65534;
		assert_int_equal(natives_file(n, &map, &file), 0);
		err = natives_functions(n, file, bytes.data, bytes.size);
		hostile += err ? 0 : bytes.size;
	} while (!err);
	assert_int_equal(err, -ENOSPC);
	assert_in_range(hostile, NATIVES_BYTES_MAX / 2 - bytes.size, NATIVES_BYTES_MAX / 2);
	file = add(++next_inode, 1 << 20, "/honest");
	assert_int_equal(natives_functions(n, file, bytes.data, bytes.size), 0);
}

TEST(names)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	_cleanup_buf_ struct buf bytes = { 0 };
	__u32 other = add(1, 100, "/other"), own = add(2, 1 << 30, "/own");
	const struct functions *f;
	struct native_place place;

	assert_int_equal(functions_read(fd, -1, &bytes), 0);
	assert_int_equal(natives_functions(n, own, bytes.data, bytes.size - 1), -EBADMSG);
	assert_false(natives_get(n, own)->is_known);
	assert_int_equal(natives_functions(n, own, bytes.data, bytes.size), 0);
	assert_int_equal(natives_functions(n, own, bytes.data, bytes.size), 0);
	assert_true(natives_get(n, own)->is_known);
	buf_free(&bytes); /* it was copied */
	bytes = (struct buf){ 0 };
	f = &natives_get(n, own)->functions;
	for (__u32 i = 0; i < f->count; i++) {
		assert_true(natives_find(n, natives_get(n, own)->base + f->list[i].offset, &place));
		assert_string_equal(place.name, f->names + f->list[i].name);
		assert_int_equal(place.offset, f->list[i].offset);
	}
	assert_int_equal(strlen(place.build_id), 2 * f->build_id_size);
	assert_true(natives_find(n, natives_get(n, other)->base, &place));
	assert_string_equal(place.name, "");
}

AROUND_EACH(setup, teardown);
