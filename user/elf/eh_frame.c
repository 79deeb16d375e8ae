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
#define PE_RELATIVE 0x70
#define PE_PCREL    0x10
#define PE_OMIT	    0xff

/* Bytes from at to end. */
struct reader {
	const __u8 *at, *end;
};

struct section {
	const __u8 *bytes;
	size_t size;
	__u64 address;
	bool debug; /* .debug_frame */
	/* Of the common entry (CIE) that was used last: most functions of a file have the same. */
	size_t cie;
	__u8 encoding;
};

static int take(struct reader *r, void *to, size_t size)
{
	if ((size_t)(r->end - r->at) < size)
		return -EBADMSG;
	memcpy(to, r->at, size);
	r->at += size;
	return 0;
}

/* A number of variable length; its value is not needed. */
static int skip_leb128(struct reader *r)
{
	__u8 byte = 0x80;
	int err = 0;

	while (!err && byte & 0x80)
		err = take(r, &byte, 1);
	return err;
}

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

/* Goes over what a letter of the augmentation stands for. */
static int skip_letter(struct reader *r, char letter)
{
	__u8 encoding;
	int err;

	if (letter == 'S' || letter == 'B')
		return 0;
	err = take(r, &encoding, 1);
	if (err || letter == 'L')
		return err;
	if (letter != 'P' || !pointer_size(encoding) || (size_t)(r->end - r->at) < pointer_size(encoding))
		return -EBADMSG;
	r->at += pointer_size(encoding);
	return 0;
}

/* How a CIE's functions write their addresses. r: behind its id. */
static int read_encoding(struct reader *r, __u8 *ret)
{
	const char *letters;
	__u8 version;
	int err = take(r, &version, 1);

	letters = (const char *)r->at;
	if (err || (version != 1 && version != 3 && version != 4) || !memchr(letters, '\0', r->end - r->at))
		return -EBADMSG;
	r->at += strlen(letters) + 1;
	*ret = 0; /* a plain address */
	if (!*letters) /* version 4 has the size of an address here; other than 8 it cannot be */
		return 0;
	if (*letters++ != 'z')
		return -EBADMSG;
	/* Factors of code and data, the register of the return address, the length of what follows. */
	err = skip_leb128(r) ?: skip_leb128(r);
	if (!err)
		err = version == 1 ? take(r, &version, 1) : skip_leb128(r);
	err = err ?: skip_leb128(r);
	for (; !err && *letters; letters++) {
		if (*letters == 'R')
			return take(r, ret, 1);
		err = skip_letter(r, *letters);
	}
	return err;
}

/* One entry of the section at this place: what is behind its length, and where the next one begins. */
static int entry_at(const struct section *s, size_t at, struct reader *ret, size_t *ret_next)
{
	struct reader r = { s->bytes + at, s->bytes + s->size };
	__u32 length;
	int err = take(&r, &length, sizeof(length));

	/* 0xffffffff announces 64 bits, for sections of more than 4 GiB. */
	if (err || length == ~0U || length > (size_t)(r.end - r.at))
		return -EBADMSG;
	r.end = r.at + length;
	*ret = r;
	*ret_next = r.end - s->bytes;
	return 0;
}

/* What stands where a function has the reference to its CIE. */
static __u32 cie_id(const struct section *s)
{
	return s->debug ? ~0U : 0;
}

/* Of the CIE at this place. */
static int find_encoding(struct section *s, size_t cie, __u8 *ret)
{
	struct reader r;
	size_t next;
	__u32 id;
	int err;

	if (cie != s->cie) {
		err = cie < s->size ? entry_at(s, cie, &r, &next) : -EBADMSG;
		err = err ?: take(&r, &id, sizeof(id));
		if (err || id != cie_id(s))
			return -EBADMSG;
		s->cie = cie;
		if (read_encoding(&r, &s->encoding))
			s->encoding = PE_OMIT;
	}
	*ret = s->encoding;
	return 0;
}

/* A pointer of the format that the encoding has, without what it is relative to. */
static int take_pointer(struct reader *r, __u8 encoding, __u64 *ret)
{
	__u64 wide = 0;
	__u32 word = 0;
	int err;

	if (pointer_size(encoding) == 8) {
		err = take(r, &wide, 8);
		*ret = wide;
	} else {
		err = take(r, &word, 4);
		*ret = (encoding & PE_FORMAT) == PE_SDATA4 ? (__u64)(__s64)(__s32)word : word;
	}
	return err;
}

/* The entry of a function. r: behind the reference to its CIE. One that is not understood has size 0. */
static int read_function(const struct section *s, struct reader *r, __u8 encoding, __u64 *ret_address,
			 __u64 *ret_size)
{
	const __u64 here = s->address + (r->at - s->bytes);
	const __u8 relative = encoding & PE_RELATIVE;
	int err;

	*ret_size = 0;
	if (encoding == PE_OMIT || !pointer_size(encoding) || (relative && relative != PE_PCREL))
		return 0;
	err = take_pointer(r, encoding, ret_address);
	if (!err)
		err = take_pointer(r, encoding == 0 ? 0 : pointer_size(encoding) == 8 ? PE_UDATA8 : PE_UDATA4,
				   ret_size);
	if (relative)
		*ret_address += here;
	return err;
}

int eh_frame_each(const __u8 *section, size_t size, __u64 address, bool debug, eh_frame_fn fn,
		  void *context)
{
	struct section s = { section, size, address, debug, .cie = size };
	__u64 begin, bytes;
	struct reader r;
	__u8 encoding;
	__u32 id;
	int err;

	for (size_t at = 0, next; size - at >= 2 * sizeof(id); at = next) {
		err = entry_at(&s, at, &r, &next);
		if (err)
			return err;
		if (r.at == r.end) /* length 0 ends the section */
			return 0;
		err = take(&r, &id, sizeof(id));
		if (err)
			return err;
		if (id == cie_id(&s))
			continue;
		/* The reference counts from the begin of .debug_frame, and in .eh_frame back from itself. */
		if (!debug && id > at + sizeof(id))
			return -EBADMSG;
		err = find_encoding(&s, debug ? id : at + sizeof(id) - id, &encoding) ?:
		      read_function(&s, &r, encoding, &begin, &bytes);
		if (!err && bytes)
			err = fn(context, begin, bytes);
		if (err)
			return err;
	}
	return 0;
}
