// SPDX-License-Identifier: GPL-2.0-only
#include "base/wire.h"

#include <errno.h>
#include <string.h>

int wire_number(struct wire *w, __u64 *ret)
{
	__u64 value = 0;

	for (int shift = 0; shift < 64 && w->at < w->end; shift += 7) {
		const __u8 byte = *w->at++;

		value |= (__u64)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*ret = value;
			return 0;
		}
	}
	return -EBADMSG;
}

static int take_fixed(struct wire *w, size_t size, __u64 *ret)
{
	__u64 value = 0;

	if ((size_t)(w->end - w->at) < size)
		return -EBADMSG;
	for (size_t i = 0; i < size; i++)
		value |= (__u64)w->at[i] << (8 * i);
	w->at += size;
	*ret = value;
	return 0;
}

static int take_bytes(struct wire *w, struct wire *ret)
{
	__u64 size;
	int err = wire_number(w, &size);

	if (err || size > (__u64)(w->end - w->at))
		return -EBADMSG;
	*ret = wire_of(w->at, size);
	w->at += size;
	return 0;
}

int wire_next(struct wire *w, struct wire_field *ret)
{
	struct wire_field f = { 0 };
	__u64 tag;
	int err;

	if (w->at == w->end)
		return 0;
	err = wire_number(w, &tag);
	if (err || tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
		return -EBADMSG;
	f.number = tag >> 3;
	f.type = tag & 7;
	if (f.type == WIRE_VARINT)
		err = wire_number(w, &f.value);
	else if (f.type == WIRE_BYTES)
		err = take_bytes(w, &f.bytes);
	else if (f.type == WIRE_FIXED64 || f.type == WIRE_FIXED32)
		err = take_fixed(w, f.type == WIRE_FIXED64 ? 8 : 4, &f.value);
	else
		err = -EBADMSG;
	if (err)
		return err;
	*ret = f;
	return 1;
}

int wire_numbers(const struct wire_field *f, __u8 one[10], struct wire *ret)
{
	__u64 value = f->value;
	size_t n = 0;

	if (f->type == WIRE_BYTES) {
		*ret = f->bytes;
		return 0;
	}
	if (f->type != WIRE_VARINT)
		return -EBADMSG;
	for (; value >= 0x80; value >>= 7)
		one[n++] = (value & 0x7f) | 0x80;
	one[n++] = value;
	*ret = wire_of(one, n);
	return 0;
}
