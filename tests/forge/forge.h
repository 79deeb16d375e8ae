/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forge.h - writes the parts of an interpreter that the sampler reads, at the offsets of a struct layout.
 * Shared by the tests of the walk on forged memory and of the sampler in the kernel.
 */
#ifndef PYPERF_TESTS_FORGE_H
#define PYPERF_TESTS_FORGE_H

#include <linux/types.h>
#include <stddef.h>
#include <string.h>

#include "bpf/abi.h"
#include "python/layout.h"

enum { OWNED_BY_THREAD, OWNED_BY_GENERATOR, OWNED_BY_FRAME_OBJECT, OWNED_BY_C };

/*
 * PY_VERSION_HEX >> 16, and whether it is a free-threaded build. Of 3.14 and 3.15 no such build could be had.
 */
#define FORGE_THREADED 0x10000
#define FORGE_VERSIONS 8
static const __u32 forge_minors[FORGE_VERSIONS] = {
	0x030b, 0x030c, 0x030d, 0x030e, 0x030f, FORGE_THREADED | 0x030d, FORGE_THREADED | 0x030e,
	FORGE_THREADED | 0x030f,
};

static inline struct layout forge_layout(__u32 minor)
{
	struct layout l = *layout_of_build(layout_find(minor << 16), minor & FORGE_THREADED);

	l.version = minor << 16 | 0xf0;
	return l;
}

static inline void forge_put(void *base, size_t offset, __u64 value, size_t size)
{
	memcpy((char *)base + offset, &value, size); /* little-endian, as the targets are */
}

struct forge_frame {
	__u64 code, previous, instr;
	__u8 owner, is_entry;
};

/* Writes only the fields: what lies between them stays as it is. */
static inline void forge_frame(void *to, const struct layout *l, const struct forge_frame *f)
{
	forge_put(to, l->frame_code, f->code, 8);
	forge_put(to, l->frame_previous, f->previous, 8);
	forge_put(to, l->frame_instr, f->instr, l->frame_lasti ? 4 : 8);
	if (l->frame_owner)
		forge_put(to, l->frame_owner, f->owner, 1);
	if (l->frame_is_entry)
		forge_put(to, l->frame_is_entry, f->is_entry, 1);
}

/* Python/pystate.c: struct _PyStackChunk { previous, size, top, data[] }. */
#define FORGE_CHUNK_HEADER 24

static inline void forge_chunk(void *to, __u64 previous, __u64 size)
{
	forge_put(to, 0, previous, 8);
	forge_put(to, 8, size, 8);
	forge_put(to, 16, 0, 8);
}

/* SplitMix64: the same numbers on every machine. */
static inline __u64 forge_random(__u64 *state)
{
	__u64 x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* low..high, both included. */
static inline __u64 forge_between(__u64 *state, __u64 low, __u64 high)
{
	return low + forge_random(state) % (high - low + 1);
}

#endif
