// SPDX-License-Identifier: GPL-2.0-only
#include "base/protobuf.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };

#define VARINT_MAX 10 /* bytes */

size_t protobuf_varint_size(__u64 value)
{
	size_t n = 1;

	while (value >>= 7)
		n++;
	return n;
}

size_t protobuf_bytes_size(size_t size)
{
	return 1 + protobuf_varint_size(size) + size;
}

/* Returns how many bytes it has. */
static size_t put_varint(unsigned char bytes[VARINT_MAX], __u64 value)
{
	size_t n = 0;

	do {
		bytes[n++] = (value & 127) | (value > 127 ? 128 : 0);
		value >>= 7;
	} while (value);
	return n;
}

int protobuf_add_varint(struct buf *b, __u64 value)
{
	unsigned char bytes[VARINT_MAX];

	return buf_add(b, bytes, put_varint(bytes, value));
}

static unsigned char tag_of(unsigned int field, unsigned int wire)
{
	return field << 3 | wire;
}

/* At once: a profile has some millions of them. */
static int add_tagged(struct buf *b, unsigned char tag, __u64 value)
{
	unsigned char bytes[1 + VARINT_MAX] = { tag };

	return buf_add(b, bytes, 1 + put_varint(bytes + 1, value));
}

int protobuf_add_number(struct buf *b, unsigned int field, __u64 value)
{
	return value ? add_tagged(b, tag_of(field, VARINT), value) : 0;
}

int protobuf_add_fixed64(struct buf *b, unsigned int field, __u64 value)
{
	unsigned char bytes[1 + 8] = { tag_of(field, FIXED64) };

	if (!value)
		return 0;
	for (size_t i = 0; i < 8; i++)
		bytes[1 + i] = value >> 8 * i;
	return buf_add(b, bytes, sizeof(bytes));
}

int protobuf_add_head(struct buf *b, unsigned int field, size_t size)
{
	return add_tagged(b, tag_of(field, BYTES), size);
}

int protobuf_add_bytes(struct buf *b, unsigned int field, const void *data, size_t size)
{
	return protobuf_add_head(b, field, size) ?: buf_add(b, data, size);
}

int protobuf_add_text(struct buf *b, unsigned int field, const char *text)
{
	return *text ? protobuf_add_bytes(b, field, text, strlen(text)) : 0;
}

/* A byte of flags and the length, the highest byte first (github.com/grpc/grpc, doc/PROTOCOL-HTTP2.md). */
int protobuf_add_grpc_frame(struct buf *b, const struct buf *message)
{
	const __u32 size = message->size;
	const unsigned char head[] = { 0, size >> 24, size >> 16, size >> 8, size };

	return buf_add(b, head, sizeof(head)) ?: buf_add(b, message->data, size);
}
