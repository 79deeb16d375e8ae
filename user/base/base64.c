// SPDX-License-Identifier: GPL-2.0-only
#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Up to three bytes as four digits. */
static void encode(const unsigned char *from, size_t n, char to[4])
{
	unsigned int bits = from[0] << 16 | (n > 1 ? from[1] << 8 : 0) | (n > 2 ? from[2] : 0);

	to[0] = digits[bits >> 18];
	to[1] = digits[bits >> 12 & 63];
	to[2] = n > 1 ? digits[bits >> 6 & 63] : '=';
	to[3] = n > 2 ? digits[bits & 63] : '=';
}

int buf_add_base64(struct buf *out, const void *data, size_t size)
{
	const unsigned char *from = data;
	int err = buf_reserve(out, size / 3 * 4 + 4);

	if (err)
		return err;
	for (size_t at = 0; at < size; at += 3) {
		encode(from + at, size - at, out->data + out->size);
		out->size += 4;
	}
	return 0;
}
