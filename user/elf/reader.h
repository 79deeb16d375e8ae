/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reader.h - takes numbers out of bytes that nobody has checked. Each function returns 0, or -EBADMSG when
 * the bytes end before the number does.
 */
#ifndef PYPERF_ELF_READER_H
#define PYPERF_ELF_READER_H

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <linux/types.h>

/* Bytes from at to end. */
struct reader {
	const __u8 *at, *end;
};

static inline size_t reader_left(const struct reader *r)
{
	return r->end - r->at;
}

static inline int reader_take(struct reader *r, void *to, size_t size)
{
	if (reader_left(r) < size)
		return -EBADMSG;
	memcpy(to, r->at, size);
	r->at += size;
	return 0;
}

/* The next size bytes become *ret. */
static inline int reader_part(struct reader *r, __u64 size, struct reader *ret)
{
	if (reader_left(r) < size)
		return -EBADMSG;
	*ret = (struct reader){ r->at, r->at + size };
	r->at += size;
	return 0;
}

/* A number of variable length (LEB128), *bits of it; *last is its last byte. Bits above 64 are dropped. */
static inline int reader_leb128(struct reader *r, __u64 *ret, unsigned int *bits, __u8 *last)
{
	__u64 value = 0;

	*bits = 0;
	do {
		if (reader_take(r, last, 1))
			return -EBADMSG;
		if (*bits < 64)
			value |= (__u64)(*last & 0x7f) << *bits;
		*bits = *bits < 64 ? *bits + 7 : *bits;
	} while (*last & 0x80);
	*ret = value;
	return 0;
}

static inline int reader_unsigned(struct reader *r, __u64 *ret)
{
	unsigned int bits;
	__u8 last;

	return reader_leb128(r, ret, &bits, &last);
}

static inline int reader_signed(struct reader *r, __s64 *ret)
{
	unsigned int bits;
	__u64 value;
	__u8 last;

	if (reader_leb128(r, &value, &bits, &last))
		return -EBADMSG;
	if (last & 0x40 && bits < 64)
		value |= ~0ULL << bits;
	*ret = value;
	return 0;
}

#endif
