// SPDX-License-Identifier: GPL-2.0-only
/*
 * objects.c - see objects.h: words, types and texts. object_dicts.c has dicts and attributes, object_sets.c
 * sets.
 */
#include "python/objects.h"

#include <errno.h>
#include <string.h>

#include "proc/remote.h"

#define TEXT_MAX  48
#define TEXT_READ 128 /* the longest header of a str is shorter than 80 bytes */

static bool may_read(struct objects *o, size_t count)
{
	if (o->reads + count > o->reads_max)
		return false;
	o->reads += (__u32)count;
	return true;
}

/* Of bytes, which need not be aligned. */
static bool is_address(__u64 address)
{
	return address >= 4096 && !(address >> 48);
}

static ssize_t read_some(struct objects *o, __u64 address, void *dst, size_t size)
{
	ssize_t n;

	if (!may_read(o, 1))
		return -E2BIG;
	if (!is_address(address))
		return -EFAULT;
	n = remote_read_some(o->memory, address, dst, size);
	if (n < 0 && n != -EFAULT)
		o->unreachable = (int)n;
	return n;
}

int objects_read(struct objects *o, __u64 address, void *dst, size_t size)
{
	const ssize_t n = read_some(o, address, dst, size);

	return n < 0 ? (int)n : (size_t)n < size ? -EFAULT : 0;
}

int objects_read_words(struct objects *o, const __u64 *addresses, size_t count, __u64 *ret)
{
	struct remote_part parts[REMOTE_PARTS];
	int err;

	if (count > REMOTE_PARTS || !may_read(o, count))
		return -E2BIG;
	for (size_t i = 0; i < count; i++)
		parts[i] = (struct remote_part){ is_address(addresses[i]) ? addresses[i] : 0, &ret[i],
						 sizeof(ret[i]), 0 };
	err = remote_read_parts(o->memory, parts, count);
	if (err)
		o->unreachable = err;
	for (size_t i = 0; i < count; i++)
		if (err || parts[i].got < sizeof(ret[i]))
			ret[i] = 0;
	return err;
}

__u64 objects_pointer(struct objects *o, __u64 address)
{
	__u64 word;

	return !objects_read(o, address, &word, sizeof(word)) && objects_is_address(word) ? word : 0;
}

__u64 objects_type_flags(struct objects *o, __u64 type)
{
	__u64 flags;

	if (!objects_is_address(type) || objects_read(o, type + TYPE_FLAGS, &flags, sizeof(flags)))
		return 0;
	return flags;
}

void objects_type_name(struct objects *o, __u64 type, char ret[OBJECTS_NAME])
{
	__u64 at;

	memset(ret, 0, OBJECTS_NAME);
	if (!objects_is_address(type) || objects_read(o, type + TYPE_NAME_WORD, &at, sizeof(at)))
		return;
	if (read_some(o, at, ret, OBJECTS_NAME - 1) < 0)
		*ret = '\0';
}

bool objects_is_derived(struct objects *o, __u64 type, __u64 from)
{
	for (int i = 0; i < OBJECTS_BASES && objects_is_address(type); i++) {
		if (type == from)
			return true;
		if (objects_read(o, type + TYPE_BASE, &type, sizeof(type)))
			return false;
	}
	return false;
}

bool objects_is_text(struct objects *o, __u64 object, const char *text)
{
	const struct layout *l = o->layout;
	const size_t length = strlen(text);
	__u8 bytes[TEXT_READ] = { 0 };
	__u64 word;
	__u32 state;

	/* A short one may lie at the end of what is mapped. */
	if (!objects_is_address(object) || length > TEXT_MAX || l->str_ascii + length > TEXT_READ ||
	    read_some(o, object, bytes, l->str_ascii + length) < (ssize_t)(l->str_ascii + length))
		return false;
	memcpy(&word, bytes + l->str_length, sizeof(word));
	memcpy(&state, bytes + l->str_state, sizeof(state));
	return word == length && state >> (l->str_compact_bit & 31) & 1 &&
	       state >> (l->str_ascii_bit & 31) & 1 && !memcmp(bytes + l->str_ascii, text, length);
}
