// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_native_lines.c - what is kept of the lines of positions: each is asked for once, equal strings are
 * one, and all of it is bounded. The answers are made here, as source_read() writes them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/native_lines.h"
#include "tests/forge/test.h"

static struct native_lines *lines;
static struct buf bytes;

static int setup(void **state)
{
	(void)state;
	return native_lines_new(&lines);
}

static int teardown(void **state)
{
	(void)state;
	native_lines_free(lines);
	buf_free(&bytes);
	return 0;
}

/* An answer about some offsets, of `depth` functions each: "f<offset>", "f", "f", ... in file "a.c". */
static void answer(const __u32 *offsets, __u32 count, __u32 depth, size_t long_name)
{
	struct source_header h = { .count = count };
	struct buf strings = { 0 };

	buf_clear(&bytes);
	buf_add(&strings, "\0f\0a.c", 7);
	buf_add(&bytes, &h, sizeof(h));
	for (__u32 i = 0; i < count; i++) {
		struct source_place p = { .offset = offsets[i], .count = depth };

		for (__u32 k = 0; k < depth; k++)
			p.frames[k] = (struct source_frame){ k ? 1 : strings.size, 3, 10 * offsets[i] + k };
		buf_add(&bytes, &p, sizeof(p));
		buf_printf(&strings, "f%0*u", (int)long_name, offsets[i]);
		buf_add(&strings, "", 1);
	}
	h.strings_size = strings.size;
	memcpy(bytes.data, &h, sizeof(h));
	buf_add(&bytes, strings.data, strings.size);
	buf_free(&strings);
}

TEST(asked_for_once)
{
	assert_true(native_lines_want(lines, 1ULL << 33));
	assert_false(native_lines_want(lines, 1ULL << 33));
	native_lines_unwant(lines, 1ULL << 33);
	assert_true(native_lines_want(lines, 1ULL << 33));
	native_lines_unwant(lines, 5); /* was never wanted */
}

TEST(known)
{
	const __u32 offsets[] = { 7, 8, 9 };
	const struct native_line *f = NULL, *other = NULL;
	const __u64 base = 1ULL << 32;

	assert_true(native_lines_want(lines, base + 7));
	assert_true(native_lines_want(lines, base + 9));
	assert_int_equal(native_lines_find(lines, base + 7, &f), 0);
	answer(offsets, 3, 2, 0);
	assert_int_equal(native_lines_add(lines, base, bytes.data, bytes.size), 0);
	assert_int_equal(native_lines_find(lines, base + 7, &f), 2);
	assert_string_equal(f[0].name, "f7");
	assert_string_equal(f[0].file, "a.c");
	assert_int_equal(f[0].line, 70);
	assert_string_equal(f[1].name, "f");
	assert_int_equal(f[1].line, 71);
	assert_int_equal(native_lines_find(lines, base + 8, &f), 0); /* nobody wanted it */
	assert_int_equal(native_lines_find(lines, base + 9, &other), 2);
	assert_ptr_equal(f[0].file, other[0].file);
	/* What is known stays, whatever comes later. */
	native_lines_unwant(lines, base + 7);
	assert_false(native_lines_want(lines, base + 7));
	answer(offsets, 3, 1, 0);
	assert_int_equal(native_lines_add(lines, base, bytes.data, bytes.size), 0);
	assert_int_equal(native_lines_find(lines, base + 7, &f), 2);
}

TEST(nonsense_is_refused)
{
	const __u32 offset = 7;
	const struct native_line *f;

	native_lines_want(lines, 7);
	answer(&offset, 1, 1, 0);
	assert_int_equal(native_lines_add(lines, 0, bytes.data, bytes.size - 1), -EBADMSG);
	assert_int_equal(native_lines_find(lines, 7, &f), 0);
}

TEST(bounded_positions)
{
	for (__u64 i = 0; i < NATIVE_LINES_MAX; i++)
		if (!native_lines_want(lines, i))
			fail_msg("no room for position %llu", (unsigned long long)i);
	assert_false(native_lines_full(lines));
	assert_false(native_lines_want(lines, NATIVE_LINES_MAX));
	assert_true(native_lines_full(lines));
}

/* Names of half a kilobyte: the bound is met before that of the positions. */
TEST(bounded_bytes)
{
	__u32 offsets[SOURCE_ASKED_MAX], next = 0;
	const struct native_line *f;
	int err = 0;

	while (!err && next < NATIVE_LINES_MAX) {
		for (__u32 i = 0; i < SOURCE_ASKED_MAX; i++) {
			offsets[i] = next++;
			assert_true(native_lines_want(lines, offsets[i]));
		}
		answer(offsets, SOURCE_ASKED_MAX, 1, SOURCE_NAME_SIZE);
		err = native_lines_add(lines, 0, bytes.data, bytes.size);
	}
	assert_int_equal(err, -ENOSPC);
	assert_true(native_lines_full(lines));
	assert_in_range(next, NATIVE_LINES_BYTES_MAX / 1024, NATIVE_LINES_BYTES_MAX / SOURCE_NAME_SIZE);
	assert_int_equal(native_lines_find(lines, 0, &f), 1); /* what was there is there */
	assert_int_equal(native_lines_find(lines, next - 1, &f), 0);
}

AROUND_EACH(setup, teardown);
