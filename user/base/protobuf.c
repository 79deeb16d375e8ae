// SPDX-License-Identifier: GPL-2.0-only
#include "base/protobuf.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

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

int protobuf_add_varint(struct buf *b, __u64 value)
{
	unsigned char bytes[VARINT_MAX];
	size_t n = 0;

	do {
		bytes[n++] = (value & 127) | (value > 127 ? 128 : 0);
		value >>= 7;
	} while (value);
	return buf_add(b, bytes, n);
}

static int add_tag(struct buf *b, unsigned int field, unsigned int wire)
{
	const unsigned char tag = field << 3 | wire;

	return buf_add(b, &tag, 1);
}

int protobuf_add_number(struct buf *b, unsigned int field, __u64 value)
{
	return value ? add_tag(b, field, VARINT) ?: protobuf_add_varint(b, value) : 0;
}

int protobuf_add_fixed64(struct buf *b, unsigned int field, __u64 value)
{
	unsigned char bytes[8];

	if (!value)
		return 0;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = value >> 8 * i;
	return add_tag(b, field, FIXED64) ?: buf_add(b, bytes, sizeof(bytes));
}

int protobuf_add_head(struct buf *b, unsigned int field, size_t size)
{
	return add_tag(b, field, BYTES) ?: protobuf_add_varint(b, size);
}

int protobuf_add_bytes(struct buf *b, unsigned int field, const void *data, size_t size)
{
	return protobuf_add_head(b, field, size) ?: buf_add(b, data, size);
}

int protobuf_add_text(struct buf *b, unsigned int field, const char *text)
{
	return *text ? protobuf_add_bytes(b, field, text, strlen(text)) : 0;
}

/* --- foreign ones --------------------------------------------------------------------------------------- */

static bool read_varint(struct protobuf_reader *r, __u64 *ret)
{
	__u64 value = 0;

	for (unsigned int i = 0; i < VARINT_MAX && r->at < r->end; i++) {
		const unsigned char byte = *r->at++;

		value |= (__u64)(byte & 127) << 7 * i;
		if (byte < 128) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static bool skip(struct protobuf_reader *r, __u64 size)
{
	if (size > (__u64)(r->end - r->at))
		return false;
	r->at += size;
	return true;
}

bool protobuf_next(struct protobuf_reader *r, struct protobuf_field *ret)
{
	struct protobuf_field f = {};
	__u64 tag, size;

	if (!read_varint(r, &tag))
		return false;
	f.number = tag >> 3;
	f.is_bytes = (tag & 7) == BYTES;
	switch (tag & 7) {
	case VARINT:
		if (!read_varint(r, &f.value))
			return false;
		break;
	case FIXED64:
	case FIXED32:
		f.size = (tag & 7) == FIXED64 ? 8 : 4;
		if (!skip(r, f.size))
			return false;
		for (size_t i = f.size; i-- > 0;)
			f.value = f.value << 8 | r->at[(long)i - (long)f.size];
		break;
	case BYTES:
		if (!read_varint(r, &size) || !skip(r, size))
			return false;
		f.data = r->at - size;
		f.size = size;
		break;
	default:
		return false;
	}
	*ret = f;
	return true;
}
