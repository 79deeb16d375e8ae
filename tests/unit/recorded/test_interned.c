// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_interned.c - equal bytes have one id, others another, however many there are and when memory is short.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "recorded/interned.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

TEST(once_each)
{
	struct interned t = { 0 };
	char text[16];
	size_t size;
	__u32 id;

	assert_int_equal(interned_find(&t, "x", 1), 0);
	for (int round = 0; round < 2; round++)
		for (__u32 i = 0; i < 5000; i++) {
			snprintf(text, sizeof(text), "%u", i);
			assert_int_equal(interned_add(&t, text, strlen(text), &id), 0);
			assert_int_equal(id, i + 1);
		}
	assert_int_equal(t.count, 5000);
	assert_int_equal(interned_find(&t, "4711", 4), 4712);
	assert_int_equal(interned_find(&t, "5000", 4), 0);
	assert_string_equal(interned_get(&t, 4712, &size), "4711");
	assert_int_equal(size, 4);
	assert_int_equal((uintptr_t)interned_get(&t, 4712, NULL) % 8, 0);
	assert_int_equal(interned_add(&t, "", 0, &id), 0);
	assert_string_equal(interned_get(&t, id, NULL), "");
	interned_free(&t);
	assert_int_equal(t.count, 0);
}

TEST(when_memory_is_short)
{
	for (long n = 0; n < 12; n++) {
		struct interned t = { 0 };
		__u32 id = 77, added = 0;
		int err = 0;

		allocations_left = n;
		for (__u32 i = 0; i < 2000 && !err; i++) {
			err = interned_add(&t, &i, sizeof(i), &id);
			added += !err;
		}
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		assert_int_equal(t.count, added);
		for (__u32 i = 0; i < added; i++)
			assert_int_equal(interned_find(&t, &i, sizeof(i)), i + 1);
		interned_free(&t);
	}
}
