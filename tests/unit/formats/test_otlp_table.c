// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_otlp_table.c - equal messages are one, the order is that in which they came, and the bytes are those
 * that they take as fields.
 */
#include "tests/forge/fail_malloc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/protobuf.h"
#include "formats/otlp_table.h"
#include "tests/forge/test.h"

#define MANY 3000

static int add(struct otlp_table *t, __u32 number, __u32 *ret)
{
	char text[400];

	return otlp_table_add(t, text, snprintf(text, sizeof(text), "%*u", number % 300, number), ret);
}

TEST(equal_ones_are_one)
{
	struct otlp_table t = {};
	size_t bytes = 0;
	__u32 index;

	assert_int_equal(otlp_table_add(&t, "", 0, &index), 0);
	assert_int_equal(index, 0);
	for (int round = 0; round < 2; round++)
		for (__u32 i = 1; i <= MANY; i++) {
			assert_int_equal(add(&t, i, &index), 0);
			assert_int_equal(index, i);
		}
	assert_int_equal(otlp_table_add(&t, NULL, 0, &index), 0);
	assert_int_equal(index, 0);
	assert_int_equal(HASH_COUNT(t.records), MANY + 1);
	index = 0;
	for (const struct otlp_record *r = t.records; r; r = r->hh.next) {
		assert_int_equal(r->index, index++);
		bytes += protobuf_bytes_size(r->size);
	}
	assert_int_equal(index, MANY + 1);
	assert_int_equal(t.bytes, bytes);
	otlp_table_free(&t);
}

TEST(an_empty_one_is_freed)
{
	struct otlp_table t = {};

	assert_int_equal(HASH_COUNT(t.records), 0);
	otlp_table_free(&t);
}

TEST(memory_runs_short)
{
	struct otlp_table t = {};
	int failures = 0;
	__u32 index;

	if (!fail_malloc_works()) {
		print_message("SKIP unit: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	for (__u32 i = 0; i < 20;) {
		int err;

		allocations_left = failures % 4;
		err = add(&t, i, &index);
		allocations_left = -1;
		assert_int_equal(HASH_COUNT(t.records), i + !err);
		assert_true(!err || err == -ENOMEM);
		failures += err != 0;
		i += !err;
	}
	assert_true(failures > 0);
	otlp_table_free(&t);
}
