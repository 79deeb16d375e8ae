/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * digest.h - what tells one code object from another at the same address: a digest of its header and, where
 * that is not enough, of its names. The same source serves the kernel and the worker, so that both find the
 * same entry of the table of code objects.
 */
#ifndef PYPERF_BPF_PYTHON_DIGEST_H
#define PYPERF_BPF_PYTHON_DIGEST_H

#include "bpf/base/hash.h"
#include "bpf/base/mem.h"
#include "bpf/data/code.h"

/* A field of a header of HEADER_BYTES; 0 where the layout has none. */
static __always_inline __u64 header_u32(const __u8 *header, __u32 offset)
{
	return offset ? *(const __u32 *)(header + (offset & HEADER_MASK)) : 0;
}

static __always_inline __u64 header_u64(const __u8 *header, __u32 offset)
{
	return offset ? *(const __u64 *)(header + (offset & HEADER_MASK)) : 0;
}

static __always_inline __u64 header_name(const __u8 *header, const struct layout *l)
{
	return header_u64(header, l->code_qualname ? l->code_qualname : l->code_name);
}

/*
 * The length and the hash of an interned str, which stand for its text: 16 and 24 bytes into 3.11's
 * PyASCIIObject. *fault becomes 1 if they cannot be read.
 */
static __always_inline __u64 digest_name(const struct layout *l, __u64 string, __u32 *fault)
{
	__u64 words[2] = {};

	if (!mem_plausible(string) || mem_read(words, sizeof(words), string + l->str_length))
		*fault = 1;
	return words[0] + mix(words[1]);
}

#define FILE_END 128 /* bytes of a file name that count: those at its end, where names of one length differ */

/*
 * A digest of a file name's length and end. A file name is not interned, so its own hash may be computed at
 * any time, and says nothing before. The bytes are read into end, which has FILE_END of them. 3.11's
 * PyASCIIObject has the length at 16, the hash at 24, the state at 32.
 */
static __always_inline __u64 digest_file(const struct layout *l, __u64 string, __u64 *end, __u32 *fault)
{
	__u64 words[3] = {}, hash, bytes, size, at;

	if (!mem_plausible(string) || mem_read(words, sizeof(words), string + l->str_length)) {
		*fault = 1;
		return 0;
	}
	words[2] |= l->str_implied;
	bytes = words[0] * (words[2] >> l->str_kind_shift & 7);
	at = words[2] >> l->str_ascii_bit & 1 ? l->str_ascii : l->str_compact;
	size = bytes < FILE_END ? bytes : FILE_END;
	mem_opaque(size);
	for (int i = 0; i < FILE_END / 8; i++)
		end[i] = 0;
	if (size && size <= FILE_END && mem_read(end, size, string + at + bytes - size))
		*fault = 1;
	hash = mix(bytes);
	for (int i = 0; i < FILE_END / 8; i++)
		hash = mix(hash ^ end[i]);
	return hash;
}

/* A digest of the header itself. */
static __always_inline __u64 digest_header(const __u8 *header, const struct layout *l)
{
	__u64 hash = mix(header_name(header, l) + header_u32(header, l->code_first_line));

	hash = mix(hash ^ header_u64(header, l->code_filename));
	hash = mix(hash ^ header_u64(header, l->code_linetable));
	return l->code_version ? mix(hash ^ header_u32(header, l->code_version)) : hash;
}

#define FINGERPRINT_HEADER (~0ULL << 32) /* bits of a fingerprint that depend on the header alone */

/*
 * The fingerprint, odd, of the object with this header. co_version (3.12+) is unique within an interpreter
 * until 2^32 of them are used up. Where it is missing, digests of the texts of the names count too, in its
 * lower half. FILE_END bytes at end are written. *fault becomes 1 if a text cannot be read: at another time
 * the fingerprint is another one.
 */
static __always_inline __u64 digest_code(const __u8 *header, const struct layout *l, __u64 *end,
					 __u32 *fault)
{
	const __u64 of_header = digest_header(header, l);
	__u64 hash = of_header;

	if (!l->code_version)
		hash = mix(hash ^ digest_name(l, header_name(header, l), fault) ^
			   digest_file(l, header_u64(header, l->code_filename), end, fault));
	return (of_header & FINGERPRINT_HEADER) | (__u32)hash | 1;
}

/*
 * Whether it is the object of the clean-up frame which a call of a class pushes (_Py_InitCleanup, 3.13+): a
 * static code object whose three names are one string and whose first line is 0.
 */
static __always_inline int digest_is_shim(const __u8 *header, const struct layout *l)
{
	__u64 name = header_u64(header, l->code_name);

	return name && name == header_u64(header, l->code_filename) &&
	       !header_u32(header, l->code_first_line);
}

#endif
