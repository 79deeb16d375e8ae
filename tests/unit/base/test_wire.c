// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_wire.c - fields of protobuf messages: each type, and each way to be damaged.
 */
#include <errno.h>
#include <string.h>

#include "base/wire.h"
#include "tests/forge/test.h"

#define WIRE(text) wire_of(text, sizeof(text) - 1)

TEST(each_type)
{
	struct wire w = WIRE("\x08\x96\x01"
			     "\x11\1\2\3\4\5\6\7\x88"
			     "\x1a\2hi"
			     "\x25\1\0\0\x80");
	struct wire_field f;

	assert_int_equal(wire_next(&w, &f), 1);
	assert_int_equal(f.number, 1);
	assert_int_equal(f.type, WIRE_VARINT);
	assert_int_equal(f.value, 150);
	assert_int_equal(wire_next(&w, &f), 1);
	assert_int_equal(f.type, WIRE_FIXED64);
	assert_true(f.value == 0x8807060504030201);
	assert_int_equal(wire_next(&w, &f), 1);
	assert_int_equal(f.bytes.end - f.bytes.at, 2);
	assert_memory_equal(f.bytes.at, "hi", 2);
	assert_int_equal(wire_next(&w, &f), 1);
	assert_int_equal(f.number, 4);
	assert_int_equal(f.value, 0x80000001);
	assert_int_equal(wire_next(&w, &f), 0);
}

TEST(largest_number)
{
	struct wire w = WIRE("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	__u64 n;

	assert_int_equal(wire_number(&w, &n), 0);
	assert_true(n == UINT64_MAX);
	w = WIRE("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	assert_int_equal(wire_number(&w, &n), -EBADMSG);
}

TEST(damaged)
{
	static const struct {
		const char *text;
		size_t size;
	} bad[] = {
		{ "\x08", 1 },	   /* a number is missing */
		{ "\x08\x80", 2 }, /* ... has no end */
		{ "\0\1", 2 },	   /* no field has number 0 */
		{ "\x0b\x0c", 2 }, /* groups */
		{ "\x0f\1", 2 },   /* no such type */
		{ "\x0a\2a", 3 },  /* longer than the message */
		{ "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 11 },
		{ "\x09\1\2\3\4\5\6\7", 8 },
		{ "\x0d\1\2\3", 4 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct wire w = wire_of(bad[i].text, bad[i].size);
		struct wire_field f = { .number = 77 };

		assert_int_equal(wire_next(&w, &f), -EBADMSG);
		assert_int_equal(f.number, 77);
	}
}

TEST(numbers_packed_or_not)
{
	struct wire w = WIRE("\x0a\3\1\x96\1"
			     "\x08\x96\1"
			     "\x0d\1\0\0\0"),
		    numbers;
	struct wire_field f;
	__u8 one[10];
	__u64 n;

	assert_int_equal(wire_next(&w, &f), 1);
	assert_int_equal(wire_numbers(&f, one, &numbers), 0);
	assert_int_equal(wire_number(&numbers, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(wire_number(&numbers, &n), 0);
	assert_int_equal(n, 150);
	assert_ptr_equal(numbers.at, numbers.end);
	assert_int_equal(wire_next(&w, &f), 1);
	assert_int_equal(wire_numbers(&f, one, &numbers), 0);
	assert_int_equal(wire_number(&numbers, &n), 0);
	assert_int_equal(n, 150);
	assert_ptr_equal(numbers.at, numbers.end);
	assert_int_equal(wire_next(&w, &f), 1);
	assert_int_equal(wire_numbers(&f, one, &numbers), -EBADMSG);
}
