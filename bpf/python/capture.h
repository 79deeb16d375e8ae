/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture.h - copies what names a code object (qualified name, file name, line table) out of a process. The
 * same source serves the kernel, at first sight of the object, and the worker, when the kernel met a page
 * that was not there. It trusts nothing that it reads: every length is bounded before it is used, and a part
 * that cannot be had is flagged in the record, which stays valid.
 */
#ifndef PYPERF_BPF_PYTHON_CAPTURE_H
#define PYPERF_BPF_PYTHON_CAPTURE_H

#include "bpf/base/mem.h"

/*
 * Objects' headers are read into the record itself, behind the place of the two names. The line table goes
 * there, but it is copied last. The largest header, that of a free-threaded code object of 3.15, has 232
 * bytes before its bytecode.
 */
#define CAPTURE_SCRATCH (2 * STRING_MAX)
#define CAPTURE_HEADER	256

_Static_assert(CAPTURE_SCRATCH + CAPTURE_HEADER <= sizeof(((struct record_code *)0)->data),
	       "a header fits where the line table goes");
_Static_assert(STRING_MAX % 4 == 0, "a cut string ends with a whole character of any kind");

/* The field at offset, 0 if the layout has it outside of any header. */
static inline __u64 capture_u64(const __u8 *header, __u64 offset)
{
	__u64 value;

	mem_opaque(offset);
	if (offset > CAPTURE_HEADER - sizeof(value))
		return 0;
	__builtin_memcpy(&value, header + offset, sizeof(value));
	return value;
}

static inline __u32 capture_u32(const __u8 *header, __u64 offset)
{
	__u32 value;

	mem_opaque(offset);
	if (offset > CAPTURE_HEADER - sizeof(value))
		return 0;
	__builtin_memcpy(&value, header + offset, sizeof(value));
	return value;
}

/* Reads the first size bytes of an object. Returns 0, or negative as mem_read(). */
static inline int capture_header(__u8 *header, __u64 size, __u64 address)
{
	mem_opaque(size);
	if (size > CAPTURE_HEADER)
		size = CAPTURE_HEADER;
	return mem_read(header, size, address);
}

/*
 * Where a string's characters are. They follow its header, which is shorter for ASCII. Instances of
 * subclasses of str, and strings of the C API that was removed in 3.12, have a pointer to them instead. 0, or
 * negative as mem_read().
 */
static inline int capture_characters(const struct layout *l, __u64 address, __u32 state, __u64 *ret)
{
	if (!(state >> (l->str_compact_bit & 31) & 1))
		return mem_read(ret, sizeof(*ret), address + l->str_data);
	if (state >> (l->str_ascii_bit & 31) & 1)
		*ret = address + l->str_ascii;
	else
		*ret = address + l->str_compact;
	return 0;
}

/*
 * Copies a string's characters to data, at offset at, but most bytes at the most, which is a multiple of 4
 * and no more than STRING_MAX, and fills part. Returns its enum part_flags.
 */
static __attribute__((noinline)) int capture_string(struct record_code *e, const struct layout *l,
						    struct code_part *part, __u64 at, __u32 most)
{
	__u8 *header = e->data + CAPTURE_SCRATCH;
	__u64 address = part->address, length, limit, bytes, characters = 0;
	__u32 state, kind;
	int flags = l->str_implied ? PART_BYTES : 0;

	if (!address)
		return PART_BAD;
	/* The ASCII header is the start of every string; a byte more might be on a page that is not there. */
	if (capture_header(header, l->str_ascii, address))
		return PART_FAULT;
	length = capture_u64(header, l->str_length);
	state = capture_u32(header, l->str_state) | l->str_implied;
	kind = state >> (l->str_kind_shift & 31) & 7;
	if ((kind != 1 && kind != 2 && kind != 4) || length > 0x7fffffff)
		return PART_BAD;
	part->kind = kind;
	part->length = length;
	kind >>= 1; /* now the logarithm of 1, 2, 4 */
	limit = most >> kind;
	if (length > limit) {
		length = limit;
		flags |= PART_CUT;
	}
	if (capture_characters(l, address, state, &characters))
		return PART_FAULT;

	bytes = length << kind;
	mem_opaque(bytes);
	mem_opaque(at);
	if (!bytes || bytes > STRING_MAX || at > STRING_MAX)
		return flags;
	if (mem_read(e->data + at, bytes, characters))
		return PART_FAULT;
	part->bytes = bytes;
	return flags;
}

/*
 * Copies the line table, a bytes object, to data, at offset at, if it is small. Returns its enum part_flags.
 */
static __attribute__((noinline)) int capture_table(struct record_code *e, const struct layout *l, __u64 at)
{
	__u64 address = e->table.address, length = 0;

	if (!address)
		return PART_BAD;
	if (mem_read(&length, sizeof(length), address + l->bytes_size))
		return PART_FAULT;
	if (length > 0x7fffffff)
		return PART_BAD;
	e->table.length = length;
	if (length > LINETABLE_SMALL)
		return PART_CUT;

	mem_opaque(length);
	mem_opaque(at);
	if (!length || length > LINETABLE_SMALL || at > 2 * STRING_MAX)
		return 0;
	if (mem_read(e->data + at, length, address + l->bytes_data))
		return PART_FAULT;
	e->table.bytes = length;
	return 0;
}

/* An object at address of which nothing is copied yet. */
static inline struct code_part capture_part(__u64 address, __u8 flags)
{
	return (struct code_part){ .address = address, .flags = flags };
}

/*
 * Fills address, first_line, version, line_format, the three parts and data; the rest of the record is the
 * caller's. Returns 0, or negative when the object itself cannot be read: then every part is PART_FAULT, and
 * the record may still be sent.
 */
static __attribute__((noinline)) int capture_code(struct record_code *e, const struct layout *l,
						  __u64 address)
{
	__u8 *header = e->data + CAPTURE_SCRATCH;
	__u64 name, at;
	int err;

	e->address = address;
	e->first_line = 0;
	e->version = 0;
	e->line_format = l->line_format;
	err = capture_header(header, l->code_size, address);
	if (err) {
		e->name = e->file = e->table = capture_part(0, PART_FAULT);
		return err;
	}
	e->first_line = capture_u32(header, l->code_first_line);
	if (l->code_version)
		e->version = capture_u32(header, l->code_version);
	name = l->code_qualname ? l->code_qualname : l->code_name;
	e->name = capture_part(capture_u64(header, name), 0);
	e->file = capture_part(capture_u64(header, l->code_filename), 0);
	e->table = capture_part(capture_u64(header, l->code_linetable), 0);

	e->name.flags = capture_string(e, l, &e->name, 0, STRING_MAX);
	at = e->name.bytes;
	e->file.flags = capture_string(e, l, &e->file, at, STRING_MAX);
	at += e->file.bytes;
	e->table.flags = capture_table(e, l, at);
	return 0;
}

/* Bytes of the record to send: its fixed part and as much of data as is used. */
static inline __u32 capture_size(const struct record_code *e)
{
	__u64 size =
		__builtin_offsetof(struct record_code, data) + e->name.bytes + e->file.bytes + e->table.bytes;

	mem_opaque(size);
	if (size > sizeof(*e))
		size = sizeof(*e);
	return size;
}

#endif
