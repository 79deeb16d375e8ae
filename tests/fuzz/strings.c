// SPDX-License-Identifier: GPL-2.0-only
/*
 * strings.c - the characters of Python's strings. Whatever they are, the result is UTF-8 that fits.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <stdbool.h>

#include "python/pystr.h"

const char *const fuzz_corpus = "strings";

/* Bytes of the character that begins here, 0 if it is none (RFC 3629). */
static size_t character(const uint8_t *s, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
	uint32_t c = n > 1 ? s[0] & (0xff >> (n + 1)) : s[0];

	if (!n || n > left)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return c && c >= least[n] && c <= 0x10ffff && c >> 11 != 0x1b ? n : 0;
}

static void check_result(const char *text, int length, size_t room)
{
	size_t n;

	FUZZ_CHECK(length >= 0 && (size_t)length < room && !text[length]);
	for (int at = 0; at < length; at += n) {
		n = character((const uint8_t *)text + at, length - at);
		FUZZ_CHECK(n);
	}
}

/* kind, room, characters */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t room;
	uint8_t *bytes;
	unsigned int kind;
	char *text;
	int length;

	if (size < 3)
		return 0;
	kind = data[0] & 7;
	room = data[1] | (data[2] & 15) << 8;
	size -= 3;
	bytes = malloc(size ? size : 1);
	text = malloc(room ? room : 1);
	FUZZ_CHECK(bytes && text);
	memcpy(bytes, data + 3, size);
	length = kind ? pystr_decode(bytes, size, kind, text, room) :
			pystr_decode_bytes(bytes, size, data[0] & 8, text, room);
	if (length < 0)
		FUZZ_CHECK(length == -EINVAL && (!room || (kind && (kind == 3 || kind > 4 || size % kind))));
	else
		check_result(text, length, room);
	free(bytes);
	free(text);
	return 0;
}
