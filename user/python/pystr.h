/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pystr.h - the characters of a Python string (PEP 393: 1, 2 or 4 bytes each; 2.7: bytes) as UTF-8. Whatever
 * the bytes are, the result is valid UTF-8 without a NUL inside.
 */
#ifndef PYPERF_PYTHON_PYSTR_H
#define PYPERF_PYTHON_PYSTR_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"

/* A str, by its header. */
struct pystr {
	__u64 length;	   /* characters, */
	unsigned int kind; /* ... each of so many bytes: 1, 2 or 4 */
	bool is_compact, is_ascii;
};

/* Takes what the header says, whose str_ascii bytes were read. -EBADMSG for what is none; *ret stays then. */
int pystr_parse(const struct layout *l, const __u8 *header, struct pystr *ret);

/*
 * Where the characters are in the object at this address. Of one that is not compact, since its class is
 * derived from str, a pointer at str_data leads to them.
 */
static inline __u64 pystr_inside(const struct layout *l, const struct pystr *s, __u64 object)
{
	return object + (s->is_ascii ? l->str_ascii : l->str_compact);
}

/* Bytes for any string that was captured, NUL included. Latin-1 doubles at worst; wider kinds grow less. */
#define PYSTR_SIZE (2 * STRING_MAX + 1)

/*
 * Decodes `size` bytes, which are characters of `kind` bytes each, into ret[ret_size]. The result is always
 * NUL-terminated. What does not fit is left out; a character is never cut. Lone surrogates, values above
 * 0x10ffff and NUL become U+FFFD. Returns the length in bytes without the NUL; or -EINVAL when kind is not 1,
 * 2 or 4, when size is no multiple of it, or when there is no room for the NUL.
 */
int pystr_decode(const __u8 *bytes, size_t size, unsigned int kind, char *ret, size_t ret_size);

/*
 * Decodes a byte string of 2.7, as pystr_decode() does. Nothing tells its encoding, so it is taken as UTF-8
 * if it can be that, and as Latin-1 if not. cut says that the string went on behind these bytes; its last
 * character is left out if it is not whole.
 */
int pystr_decode_bytes(const __u8 *bytes, size_t size, bool cut, char *ret, size_t ret_size);

#endif
