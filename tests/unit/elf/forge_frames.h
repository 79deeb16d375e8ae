/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forge_frames.h - makes sections .eh_frame and .debug_frame, whole or broken, for tests.
 */
#ifndef PYPERF_TESTS_FORGE_FRAMES_H
#define PYPERF_TESTS_FORGE_FRAMES_H

#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "base/buf.h"
#include "elf/eh_frame.h"

/* Of a section: where the file has it, and whether it is .debug_frame. Zero is an empty .eh_frame. */
struct frames {
	struct buf bytes;
	__u64 address;
	bool debug;
};

/* Bytes of instructions, in place. */
#define CODE(...) (const __u8[]){ __VA_ARGS__ }, sizeof((const __u8[]){ __VA_ARGS__ })

static inline void frames_put(struct frames *f, const void *bytes, size_t size)
{
	if (buf_add(&f->bytes, bytes, size))
		abort();
}

static inline void frames_put_u32(struct frames *f, __u32 word)
{
	frames_put(f, &word, sizeof(word));
}

/* The length in front of an entry that begins at this place is that of all behind it. */
static inline void frames_close(struct frames *f, size_t place)
{
	const __u32 length = f->bytes.size - place - sizeof(length);

	memcpy(f->bytes.data + place, &length, sizeof(length));
}

/*
 * A common entry with this augmentation and its data, and instructions. Addresses count by 1, offsets by -8.
 * Returns its place.
 */
static inline size_t frames_common(struct frames *f, const char *letters, const void *data, __u8 data_size,
				   const void *code, size_t code_size)
{
	const __u8 factors[] = { 1, 0x78, 16 }; /* code 1, data -8, return address in register 16 */
	const size_t place = f->bytes.size;

	frames_put_u32(f, 0);
	frames_put_u32(f, f->debug ? ~0U : 0);
	frames_put(f, "\1", 1);
	frames_put(f, letters, strlen(letters) + 1);
	frames_put(f, factors, sizeof(factors));
	if (*letters) {
		frames_put(f, &data_size, 1);
		frames_put(f, data, data_size);
	}
	frames_put(f, code, code_size);
	frames_close(f, place);
	return place;
}

/* The usual one: relative addresses of 4 bytes, and the state behind a call: CFA = rsp + 8. */
static inline size_t frames_usual(struct frames *f)
{
	return frames_common(f, "zR", "\x1b", 1, CODE(0x0c, 7, 8, 0x90, 1));
}

/* A function whose common entry has the letters "zR" and addresses as the usual one. Returns its place. */
static inline size_t frames_function(struct frames *f, size_t common, __u64 address, __u32 size,
				     const void *code, size_t code_size)
{
	const size_t place = f->bytes.size;

	frames_put_u32(f, 0);
	frames_put_u32(f, f->debug ? common : f->bytes.size - common);
	frames_put_u32(f, address - (f->address + f->bytes.size));
	frames_put_u32(f, size);
	frames_put(f, "\0", 1); /* bytes of its augmentation */
	frames_put(f, code, code_size);
	frames_close(f, place);
	return place;
}

/* On memory of its own, so that a sanitizer sees a read beyond it. The caller frees ret->bytes. */
static inline struct eh_frame frames_copy(const struct frames *f)
{
	__u8 *copy = malloc(f->bytes.size ? f->bytes.size : 1);

	if (!copy)
		abort();
	if (f->bytes.size)
		memcpy(copy, f->bytes.data, f->bytes.size);
	return (struct eh_frame){ copy, f->bytes.size, f->address, f->debug };
}

#endif
