// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_protobuf.c - fields are written as protobuf has them, byte by byte, and read back; of a message that
 * is cut or is none, nothing behind its end is read.
 */
#include <stdlib.h>
#include <errno.h>
#include <string.h>

#include "base/protobuf.h"
#include "base/wire.h"
#include "tests/forge/test.h"

static void assert_bytes(const struct buf *b, const char *bytes, size_t size)
{
	assert_int_equal(b->size, size);
	assert_memory_equal(b->data, bytes, size);
}

/* The examples of protobuf's own page about its encoding. */
TEST(fields_are_as_protobuf_has_them)
{
	_cleanup_buf_ struct buf b = {};

	assert_int_equal(protobuf_add_number(&b, 1, 150), 0);
	assert_bytes(&b, "\x08\x96\x01", 3);
	buf_clear(&b);
	assert_int_equal(protobuf_add_text(&b, 2, "testing"), 0);
	assert_bytes(&b, "\x12\x07testing", 9);
	buf_clear(&b);
	assert_int_equal(protobuf_add_number(&b, 1, -2), 0);
	assert_bytes(&b, "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	buf_clear(&b);
	assert_int_equal(protobuf_add_fixed64(&b, 3, 0x0102030405060708), 0);
	assert_bytes(&b, "\x19\x08\x07\x06\x05\x04\x03\x02\x01", 9);
}

TEST(what_is_nothing_is_left_out_or_empty)
{
	_cleanup_buf_ struct buf b = {};

	assert_int_equal(protobuf_add_number(&b, 1, 0), 0);
	assert_int_equal(protobuf_add_fixed64(&b, 1, 0), 0);
	assert_int_equal(protobuf_add_text(&b, 1, ""), 0);
	assert_int_equal(b.size, 0);
	assert_int_equal(protobuf_add_bytes(&b, 1, NULL, 0), 0);
	assert_int_equal(protobuf_add_varint(&b, 0), 0);
	assert_bytes(&b, "\x0a\x00\x00", 3);
}

TEST(sizes_are_right)
{
	static const char bytes[20000];

	for (size_t size = 0; size <= sizeof(bytes); size = size < 130 ? size + 1 : 2 * size) {
		_cleanup_buf_ struct buf b = {}, varint = {};

		assert_int_equal(protobuf_add_bytes(&b, 15, bytes, size), 0);
		assert_int_equal(b.size, protobuf_bytes_size(size));
	}
	for (int bit = 0; bit < 64; bit++) {
		_cleanup_buf_ struct buf b = {};

		assert_int_equal(protobuf_add_varint(&b, 1ULL << bit), 0);
		assert_int_equal(b.size, protobuf_varint_size(1ULL << bit));
	}
}

static void make(struct buf *b)
{
	for (int bit = 0; bit < 64; bit++)
		assert_int_equal(protobuf_add_number(b, 3, 1ULL << bit), 0);
	assert_int_equal(protobuf_add_fixed64(b, 4, 0x8877665544332211), 0);
	assert_int_equal(buf_add(b, "\x2d\x01\x02\x03\x84", 5), 0); /* fixed32 */
	assert_int_equal(protobuf_add_bytes(b, 6, "abc", 3), 0);
}

TEST(what_was_written_is_read)
{
	_cleanup_buf_ struct buf b = {};
	struct wire_field f;
	struct wire w;

	make(&b);
	w = wire_of(b.data, b.size);
	for (int bit = 0; bit < 64; bit++) {
		assert_true(wire_next(&w, &f) > 0);
		assert_true(f.number == 3 && f.type != WIRE_BYTES && f.value == 1ULL << bit);
	}
	assert_true(wire_next(&w, &f) > 0 && f.number == 4 && f.value == 0x8877665544332211);
	assert_true(wire_next(&w, &f) > 0 && f.number == 5 && f.value == 0x84030201);
	assert_true(wire_next(&w, &f) > 0 && f.number == 6 && f.type == WIRE_BYTES);
	assert_int_equal(f.bytes.end - f.bytes.at, 3);
	assert_memory_equal(f.bytes.at, "abc", 3);
	assert_int_equal(wire_next(&w, &f), 0);
}

/* In memory that ends where the message does, for the sanitizer; and all that comes out lies in it. */
static void read_all(const struct buf *b, size_t size)
{
	char *copy = calloc(1, size ?: 1);
	struct wire w = wire_of(copy, size);
	struct wire_field f;

	assert_non_null(copy);
	if (size)
		memcpy(copy, b->data, size);
	while (wire_next(&w, &f) > 0)
		if (f.type == WIRE_BYTES)
			assert_true((char *)f.bytes.at >= copy && (char *)f.bytes.end <= copy + size);
	assert_true(w.at <= w.end);
	free(copy);
}

TEST(hostile_messages_end)
{
	static const char *const wrong[] = { "\x0b", "\x0f", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
					     "\x0a\x7f", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" };
	_cleanup_buf_ struct buf b = {};
	uint64_t x = 1;

	make(&b);
	for (size_t size = 0; size <= b.size; size++)
		read_all(&b, size);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct buf text = { .data = (char *)wrong[i], .size = strlen(wrong[i]) };
		struct wire w = wire_of(text.data, text.size);
		struct wire_field f;

		assert_int_equal(wire_next(&w, &f), -EBADMSG);
		read_all(&text, text.size);
	}
	for (int i = 0; i < 20000; i++) {
		for (size_t j = 0; j < b.size; j++) {
			x = x * 6364136223846793005 + 1442695040888963407;
			if (x >> 60 == 0)
				b.data[j] = x >> 33;
		}
		read_all(&b, b.size);
	}
}

TEST(a_message_in_a_frame_of_grpc)
{
	char text[0x10203] = "x";
	_cleanup_buf_ struct buf b = { 0 }, message = { 0 };

	assert_int_equal(protobuf_add_grpc_frame(&b, &message), 0);
	assert_int_equal(b.size, 5);
	assert_memory_equal(b.data, "\0\0\0\0\0", 5);
	assert_int_equal(buf_add(&message, text, sizeof(text)), 0);
	assert_int_equal(protobuf_add_grpc_frame(&b, &message), 0);
	assert_int_equal(b.size, 5 + 5 + sizeof(text));
	assert_memory_equal(b.data + 5, "\0\0\1\2\3x", 6);
}
