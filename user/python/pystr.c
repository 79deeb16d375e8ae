// SPDX-License-Identifier: GPL-2.0-only
/*
 * pystr.c - see pystr.h. A Python string may hold lone surrogates (file names that are no valid UTF-8 are
 * made of them, PEP 383) and forged memory may hold any number: both come out as the replacement character.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "python/pystr.h"

#define REPLACEMENT 0xfffd

int pystr_parse(const struct layout *l, const __u8 *header, struct pystr *ret)
{
	struct pystr s = { 0 };
	__u32 state;

	if (l->str_length + sizeof(s.length) > l->str_ascii || l->str_state + sizeof(state) > l->str_ascii)
		return -EBADMSG;
	memcpy(&s.length, header + l->str_length, sizeof(s.length));
	memcpy(&state, header + l->str_state, sizeof(state));
	s.kind = state >> (l->str_kind_shift & 31) & 7;
	s.is_compact = state >> (l->str_compact_bit & 31) & 1;
	s.is_ascii = state >> (l->str_ascii_bit & 31) & 1;
	if (s.kind != 1 && s.kind != 2 && s.kind != 4)
		return -EBADMSG;
	*ret = s;
	return 0;
}

static __u32 character_at(const __u8 *bytes, unsigned int kind)
{
	__u16 two;
	__u32 c;

	switch (kind) {
	case 1:
		c = *bytes;
		break;
	case 2:
		memcpy(&two, bytes, sizeof(two));
		c = two;
		break;
	default:
		memcpy(&c, bytes, sizeof(c));
	}
	if (!c || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return REPLACEMENT;
	return c;
}

static size_t encode(__u32 c, char out[4])
{
	static const __u8 lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(lead[n] | c);
	return n;
}

int pystr_decode(const __u8 *bytes, size_t size, unsigned int kind, char *ret, size_t ret_size)
{
	size_t used = 0, n;
	char one[4];

	if ((kind != 1 && kind != 2 && kind != 4) || size % kind || !ret_size || ret_size > INT_MAX)
		return -EINVAL;
	for (size_t i = 0; i < size; i += kind) {
		n = encode(character_at(bytes + i, kind), one);
		if (n >= ret_size - used)
			break;
		memcpy(ret + used, one, n);
		used += n;
	}
	ret[used] = '\0';
	return (int)used;
}

/*
 * The length of the UTF-8 character (RFC 3629) that these bytes begin with; 0 = none. More than size means
 * that they may be its start.
 */
static size_t utf8_length(const __u8 *bytes, size_t size)
{
	static const __u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *bytes < 0x80       ? 1
		   : *bytes >> 5 == 6  ? 2
		   : *bytes >> 4 == 14 ? 3
		   : *bytes >> 3 == 30 ? 4
				       : 0;
	__u32 c = n == 1 ? *bytes : *bytes & 0x7f >> n;

	for (size_t i = 1; i < n && i < size; i++) {
		if (bytes[i] >> 6 != 2)
			return 0;
		c = c << 6 | (bytes[i] & 0x3f);
	}
	if (n <= size && (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)))
		return 0;
	return n;
}

/* How many of the bytes are whole UTF-8 characters; SIZE_MAX if they are not UTF-8. */
static size_t utf8_whole(const __u8 *bytes, size_t size, bool cut)
{
	size_t at = 0, n;

	while (at < size) {
		n = utf8_length(bytes + at, size - at);
		if (!n || (n > size - at && !cut))
			return SIZE_MAX;
		if (n > size - at)
			break;
		at += n;
	}
	return at;
}

int pystr_decode_bytes(const __u8 *bytes, size_t size, bool cut, char *ret, size_t ret_size)
{
	const size_t whole = utf8_whole(bytes, size, cut);
	size_t used = 0, n;

	if (whole == SIZE_MAX)
		return pystr_decode(bytes, size, 1, ret, ret_size);
	if (!ret_size || ret_size > INT_MAX)
		return -EINVAL;
	for (size_t at = 0; at < whole; at += n) {
		char nul[4];
		const size_t length = bytes[at] ? 0 : encode(REPLACEMENT, nul);

		n = utf8_length(bytes + at, whole - at);
		if ((length ?: n) >= ret_size - used)
			break;
		memcpy(ret + used, length ? (const __u8 *)nul : bytes + at, length ?: n);
		used += length ?: n;
	}
	ret[used] = '\0';
	return (int)used;
}
