// SPDX-License-Identifier: GPL-2.0-only
/*
 * buf.c - see buf.h. It trusts no string: sequences are checked byte by byte and never read past their NUL,
 * because a byte of 0 is never a valid continuation.
 */
#include "base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 256

int buf_reserve(struct buf *b, size_t more)
{
	size_t wanted, capacity = b->capacity ? b->capacity : FIRST_CAPACITY;
	char *data;

	if (__builtin_add_overflow(b->size, more, &wanted) || wanted > (b->size_max ?: BUF_MAX))
		return -ENOMEM;
	if (wanted <= b->capacity)
		return 0;
	/* Half as much again, not twice: profiles are kept small and a doubled large buffer would not be. */
	while (capacity < wanted)
		capacity += capacity / 2;
	data = realloc(b->data, capacity);
	if (!data)
		return -ENOMEM;
	b->data = data;
	b->capacity = capacity;
	return 0;
}

int buf_add(struct buf *b, const void *data, size_t size)
{
	int err = buf_reserve(b, size);

	if (err)
		return err;
	if (size)
		memcpy(b->data + b->size, data, size);
	b->size += size;
	return 0;
}

int buf_add_string(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int buf_add_number(struct buf *b, unsigned long long value)
{
	char digits[20], *at = digits + sizeof(digits);

	do
		*--at = '0' + value % 10;
	while (value /= 10);
	return buf_add(b, at, digits + sizeof(digits) - at);
}

int buf_printf(struct buf *b, const char *format, ...)
{
	va_list args;
	int n, err;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0)
		return -EINVAL;
	err = buf_reserve(b, (size_t)n + 1); /* vsnprintf writes a NUL too */
	if (err)
		return err;
	va_start(args, format);
	vsnprintf(b->data + b->size, (size_t)n + 1, format, args);
	va_end(args);
	b->size += n;
	return 0;
}

/* The table of well-formed sequences of the Unicode standard (3.9, D92): no overlong form, no surrogate. */
size_t buf_utf8_length(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned char low = 0x80, high = 0xbf;
	size_t length, i;

	if (u[0] < 0x80)
		return u[0] != 0;
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	length = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (u[0] == 0xe0)
		low = 0xa0;
	else if (u[0] == 0xed)
		high = 0x9f;
	else if (u[0] == 0xf0)
		low = 0x90;
	else if (u[0] == 0xf4)
		high = 0x8f;
	for (i = 1; i < length; i++, low = 0x80, high = 0xbf)
		if (u[i] < low || u[i] > high)
			return 0;
	return length;
}

int buf_add_utf8(struct buf *b, const char *s, size_t limit)
{
	static const char replacement[] = "\xef\xbf\xbd";
	size_t start = b->size, length;
	int err;

	for (; *s; s += length ? length : 1) {
		length = buf_utf8_length(s);
		if (b->size - start + (length ? length : strlen(replacement)) > limit)
			break;
		err = length ? buf_add(b, s, length) : buf_add_string(b, replacement);
		if (err) {
			b->size = start;
			return err;
		}
	}
	return 0;
}

/*
 * Control codes (C0, DEL, C1), line and paragraph separators, and what turns the direction of text around:
 * with that, what is written in one order is read in another.
 */
static bool is_control(const unsigned char *u, size_t length)
{
	if (length == 1)
		return u[0] < ' ' || u[0] == 0x7f;
	if (length == 2) /* U+0080 to U+009F, U+061C */
		return (u[0] == 0xc2 && u[1] < 0xa0) || (u[0] == 0xd8 && u[1] == 0x9c);
	if (length != 3 || u[0] != 0xe2)
		return false;
	if (u[1] == 0x80) /* U+200E and U+200F, U+2028 to U+202E */
		return u[2] == 0x8e || u[2] == 0x8f || (u[2] >= 0xa8 && u[2] <= 0xae);
	return u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9; /* U+2066 to U+2069 */
}

bool buf_is_shown(const char *s, size_t *ret_length)
{
	size_t length = buf_utf8_length(s);

	*ret_length = length ? length : 1;
	return length && !is_control((const unsigned char *)s, length);
}

int buf_add_shown(struct buf *b, const char *s, bool separator)
{
	size_t start = b->size, length;
	int err;

	for (; *s; s += length) {
		if (!buf_is_shown(s, &length)) {
			err = buf_add_string(b, "?");
		} else if (separator && *s == ';') {
			err = buf_add_string(b, ":");
		} else {
			err = buf_add(b, s, length);
		}
		if (err) {
			b->size = start;
			return err;
		}
	}
	return 0;
}

/* Of a character of at most 3 bytes, as all that is_control() names have. */
static unsigned int code_point(const unsigned char *u, size_t length)
{
	if (length == 1)
		return u[0];
	if (length == 2)
		return (u[0] & 0x1f) << 6 | (u[1] & 0x3f);
	return (u[0] & 0xf) << 12 | (u[1] & 0x3f) << 6 | (u[2] & 0x3f);
}

static int add_json_character(struct buf *b, const char *s, size_t *ret_length)
{
	bool shown = buf_is_shown(s, ret_length);

	if (!buf_utf8_length(s))
		return buf_add_string(b, "\\ufffd");
	if (!shown)
		return buf_printf(b, "\\u%04x", code_point((const unsigned char *)s, *ret_length));
	if (*s == '"' || *s == '\\')
		return buf_printf(b, "\\%c", *s);
	return buf_add(b, s, *ret_length);
}

int buf_add_json(struct buf *b, const char *s)
{
	size_t start = b->size, length;
	int err = buf_add_string(b, "\"");

	for (; !err && *s; s += length)
		err = add_json_character(b, s, &length);
	if (!err)
		err = buf_add_string(b, "\"");
	if (err)
		b->size = start;
	return err;
}

int buf_add_member(struct buf *b, const char *key, const char *text)
{
	return buf_printf(b, ",\"%s\":", key) ?: buf_add_json(b, text);
}

int buf_add_json_shown(struct buf *b, const char *json)
{
	size_t start = b->size, length;
	int err = 0;

	for (; !err && *json; json += length)
		err = buf_is_shown(json, &length) ? buf_add(b, json, length) :
						    add_json_character(b, json, &length);
	if (err)
		b->size = start;
	return err;
}

void buf_clear(struct buf *b)
{
	b->size = 0;
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}
