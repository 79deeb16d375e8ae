/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pystr.h - the characters of a Python string (PEP 393: 1, 2 or 4 bytes each; 2.7: bytes) as UTF-8. Whatever the
 * bytes are, the result is valid UTF-8 without a NUL inside.
 */
#ifndef PYPERF_PYTHON_PYSTR_H
#define PYPERF_PYTHON_PYSTR_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"

/* Room for any string that was captured: Latin-1 doubles at worst, wider kinds grow less. With the NUL. */
#define PYSTR_SIZE (2 * STRING_MAX + 1)

/*
 * Decodes `size` bytes of characters of `kind` bytes each into ret[ret_size], always NUL-terminated; what
 * does not fit is left out, from a whole character on. Lone surrogates, values above 0x10ffff and NUL
 * become U+FFFD. Returns the length in bytes without the NUL, or -EINVAL for another kind, a size that is
 * no multiple of it, or no room for the NUL.
 */
int pystr_decode(const __u8 *bytes, size_t size, unsigned int kind, char *ret, size_t ret_size);

/*
 * The same for a byte string of 2.7, whose encoding nothing tells: UTF-8 if it can be, Latin-1 if not. cut: the string
 * went on behind these bytes, so the last character need not be whole; it is left out then.
 */
int pystr_decode_bytes(const __u8 *bytes, size_t size, bool cut, char *ret, size_t ret_size);

#endif
