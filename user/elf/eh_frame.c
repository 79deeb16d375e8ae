// SPDX-License-Identifier: GPL-2.0-only
#include "elf/eh_frame.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* How a pointer is written (DW_EH_PE_). */
#define PE_FORMAT   0x0f
#define PE_UDATA4   0x03
#define PE_UDATA8   0x04
#define PE_SDATA4   0x0b
#define PE_SDATA8   0x0c
#define PE_RELATIVE 0xf0
#define PE_PCREL    0x10
#define PE_OMIT	    0xff

#define LETTERS_MAX 8 /* of an augmentation; there are five */

/* A common entry and its offset, of the function that was read last: most functions of a file share few. */
struct last_common {
	size_t offset;
	struct eh_common common;
};

/* Bytes of a pointer of this encoding; 0 = not known. */
static size_t pointer_size(__u8 encoding)
{
	switch (encoding & PE_FORMAT) {
	case 0:
	case PE_UDATA8:
	case PE_SDATA8:
		return 8;
	case PE_UDATA4:
	case PE_SDATA4:
		return 4;
	}
	return 0;
}

/* A pointer of the format that the encoding has, without what it is relative to. */
static int take_pointer(struct reader *r, __u8 encoding, __u64 *ret)
{
	__u64 wide = 0;
	__u32 word = 0;
	int err;

	if (pointer_size(encoding) == 8) {
		err = reader_take(r, &wide, 8);
		*ret = wide;
	} else {
		err = reader_take(r, &word, 4);
		*ret = (encoding & PE_FORMAT) == PE_SDATA4 ? (__u64)(__s64)(__s32)word : word;
	}
	return err;
}

static bool is_known(__u8 encoding)
{
	const __u8 relative = encoding & PE_RELATIVE;

	return pointer_size(encoding) && (!relative || relative == PE_PCREL);
}

int eh_frame_address(const struct eh_frame *s, struct reader *r, __u8 encoding, __u64 *ret)
{
	const __u64 here = s->address + (r->at - s->bytes);
	__u64 address;
	int err = is_known(encoding) ? take_pointer(r, encoding, &address) : -EBADMSG;

	if (!err)
		*ret = address + (encoding & PE_RELATIVE ? here : 0);
	return err;
}

/* Reads the data that a letter of the augmentation stands for. */
static int read_letter(struct reader *r, char letter, struct eh_common *c)
{
	struct reader personality;
	__u8 encoding;
	int err;

	c->signal |= letter == 'S';
	if (letter == 'S' || letter == 'B')
		return 0;
	err = reader_take(r, &encoding, 1);
	if (!err && letter == 'R')
		c->encoding = encoding;
	if (err || letter == 'L' || letter == 'R')
		return err;
	if (letter != 'P' || !pointer_size(encoding))
		return -EBADMSG;
	return reader_part(r, pointer_size(encoding), &personality);
}

/* Without a z in front, as assemblers write .debug_frame, they have no data. */
static int read_letters(struct reader *r, const char *letters, struct eh_common *c)
{
	struct reader data = { r->at, r->at };
	__u64 size;
	int err = 0;

	c->sized = *letters == 'z';
	if (c->sized)
		err = reader_unsigned(r, &size) ?: reader_part(r, size, &data);
	for (letters += c->sized; !err && *letters; letters++)
		err = read_letter(&data, *letters, c);
	return err;
}

/* r: behind its id. */
static int read_common(struct reader *r, struct eh_common *c)
{
	__u8 version = 0, sizes[2] = { 8, 0 }, byte = 0;
	const char *letters;
	size_t length;
	int err = reader_take(r, &version, 1);

	memset(c, 0, sizeof(*c)); /* without letters, addresses are plain */
	letters = (const char *)r->at;
	length = strnlen(letters, reader_left(r) < LETTERS_MAX ? reader_left(r) : LETTERS_MAX);
	if (err || (version != 1 && version != 3 && version != 4) || length == LETTERS_MAX)
		return -EBADMSG;
	if (reader_left(r) == length)
		return -EBADMSG; /* their NUL is missing */
	r->at += length + 1;
	if (version == 4) /* bytes of an address and of a segment */
		err = reader_take(r, sizes, sizeof(sizes));
	if (err || sizes[0] != 8 || sizes[1])
		return -EBADMSG;
	err = reader_unsigned(r, &c->code_factor) ?: reader_signed(r, &c->data_factor);
	if (!err && version == 1) {
		err = reader_take(r, &byte, 1);
		c->return_register = byte;
	} else if (!err) {
		err = reader_unsigned(r, &c->return_register);
	}
	err = err ?: read_letters(r, letters, c);
	c->instructions = *r;
	return err;
}

/* One entry of the section at this offset: what is behind its length. */
static int entry_at(const struct eh_frame *s, size_t at, struct reader *ret)
{
	struct reader r = { s->bytes + at, s->bytes + s->size };
	__u32 length;
	int err = reader_take(&r, &length, sizeof(length));

	/* 0xffffffff announces 64 bits, for sections of more than 4 GiB. */
	if (err || length == ~0U)
		return -EBADMSG;
	return reader_part(&r, length, ret);
}

/* The number that marks a CIE. It stands where a function has the reference to its CIE. */
static __u32 common_id(const struct eh_frame *s)
{
	return s->debug ? ~0U : 0;
}

/* The CIE at this offset. One that is not understood has the encoding PE_OMIT. */
static int find_common(const struct eh_frame *s, size_t offset, struct last_common *last)
{
	struct reader r;
	__u32 id;
	int err;

	if (offset == last->offset)
		return 0;
	err = offset < s->size ? entry_at(s, offset, &r) : -EBADMSG;
	err = err ?: reader_take(&r, &id, sizeof(id));
	if (err || id != common_id(s))
		return -EBADMSG;
	last->offset = offset;
	if (read_common(&r, &last->common))
		last->common.encoding = PE_OMIT;
	return 0;
}

/* Reads the part of an entry behind the reference to its CIE. An entry that is not understood gets size 0. */
static int read_function(const struct eh_frame *s, struct reader *r, const struct eh_common *c,
			 struct eh_function *f)
{
	__u8 size_encoding;
	int err;

	f->size = 0;
	if (!is_known(c->encoding))
		return 0;
	size_encoding = c->encoding == 0 ? 0 : pointer_size(c->encoding) == 8 ? PE_UDATA8 : PE_UDATA4;
	err = eh_frame_address(s, r, c->encoding, &f->address);
	return err ?: take_pointer(r, size_encoding, &f->size);
}

/*
 * The entry at this offset. *ret_rest: what is behind its size. One that is no function has size 0. One that
 * ends the section has no bytes behind its length.
 */
static int read_entry(const struct eh_frame *s, size_t offset, struct last_common *last,
		      struct eh_function *f, struct reader *ret_rest)
{
	const size_t at = offset + sizeof(__u32);
	__u32 id;
	int err = entry_at(s, offset, ret_rest);

	*f = (struct eh_function){ .offset = offset };
	if (err || !reader_left(ret_rest))
		return err;
	err = reader_take(ret_rest, &id, sizeof(id));
	if (err || id == common_id(s))
		return err;
	/* The reference counts from the begin of .debug_frame, and in .eh_frame back from itself. */
	if (!s->debug && id > at)
		return -EBADMSG;
	return find_common(s, s->debug ? id : at - id, last) ?:
	       read_function(s, ret_rest, &last->common, f);
}

int eh_frame_each(const struct eh_frame *s, eh_frame_fn fn, void *context)
{
	struct last_common last = { .offset = s->size };
	struct eh_function f;
	struct reader rest;
	int err;

	for (size_t at = 0; s->size - at >= 2 * sizeof(__u32); at = rest.end - s->bytes) {
		err = read_entry(s, at, &last, &f, &rest);
		if (err)
			return err;
		if (rest.end == s->bytes + at + sizeof(__u32)) /* length 0 ends the section */
			return 0;
		err = f.size ? fn(context, &f) : 0;
		if (err)
			return err;
	}
	return 0;
}

int eh_frame_read(const struct eh_frame *s, size_t offset, struct eh_function *ret)
{
	struct last_common last = { .offset = s->size };
	struct reader rest, data;
	struct eh_function f;
	__u64 size;
	int err = offset < s->size ? read_entry(s, offset, &last, &f, &rest) : -EBADMSG;

	if (!err && !f.size)
		err = -EBADMSG;
	if (!err && last.common.sized)
		err = reader_unsigned(&rest, &size) ?: reader_part(&rest, size, &data);
	if (err)
		return err;
	f.common = last.common;
	f.instructions = rest;
	*ret = f;
	return 0;
}
