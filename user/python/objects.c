// SPDX-License-Identifier: GPL-2.0-only
/*
 * objects.c - see objects.h: words, types and texts. object_dicts.c has dicts and attributes, object_sets.c
 * sets.
 */
#include "python/objects.h"

#include <errno.h>
#include <string.h>

#include "proc/remote.h"
#include "python/pystr.h"

#define TEXT_MAX  48
#define TEXT_READ 128 /* the longest header of a str is shorter than 80 bytes */

void objects_begin(struct objects *o, pid_t memory, const struct layout *layout, __u32 reads_max)
{
	*o = (struct objects){
		.memory = memory,
		.layout = layout,
		.facts = layout_task_facts(layout),
		.head = objects_head(layout),
		.reads_max = reads_max,
	};
}

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

ssize_t objects_read_some(struct objects *o, __u64 address, void *dst, size_t size)
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
	const ssize_t n = objects_read_some(o, address, dst, size);

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

__u64 objects_type(struct objects *o, __u64 object)
{
	return objects_is_address(object) ? objects_pointer(o, object + o->head - sizeof(__u64)) : 0;
}

__u64 objects_type_flags(struct objects *o, __u64 type)
{
	__u64 flags;

	if (!objects_is_address(type) || objects_read(o, type + o->head + TYPE_FLAGS, &flags, sizeof(flags)))
		return 0;
	return flags;
}

void objects_type_name(struct objects *o, __u64 type, char ret[OBJECTS_NAME])
{
	__u64 at;

	memset(ret, 0, OBJECTS_NAME);
	if (!objects_is_address(type) || objects_read(o, type + o->head + TYPE_NAME, &at, sizeof(at)))
		return;
	/* It may end a mapping. */
	if (objects_read_some(o, at, ret, OBJECTS_NAME - 1) < 0)
		*ret = '\0';
}

bool objects_type_is(struct objects *o, __u64 type, const char *name)
{
	char found[OBJECTS_NAME];

	objects_type_name(o, type, found);
	return !strcmp(found, name);
}

bool objects_is(struct objects *o, __u64 object, const char *module, const char *name, __u64 *known)
{
	const __u64 type = objects_type(o, object);
	char found[OBJECTS_NAME];
	const char *at = found;

	if (!type || type == *known)
		return type;
	objects_type_name(o, type, found);
	if (!strncmp(found, module, strlen(module)))
		at += strlen(module);
	if (strcmp(at, name))
		return false;
	*known = type;
	return true;
}

bool objects_is_derived(struct objects *o, __u64 type, __u64 from)
{
	for (int i = 0; i < OBJECTS_BASES && objects_is_address(type); i++) {
		if (type == from)
			return true;
		if (objects_read(o, type + o->head + TYPE_BASE, &type, sizeof(type)))
			return false;
	}
	return false;
}

/* --- texts ---------------------------------------------------------------------------------------------- */

static size_t longest(const char *const *texts, int count)
{
	size_t most = 0;

	for (int i = 0; i < count; i++)
		most = strlen(texts[i]) > most ? strlen(texts[i]) : most;
	return most;
}

int objects_which_text(struct objects *o, __u64 object, const char *const *texts, int count)
{
	const size_t head = o->layout->str_ascii, most = longest(texts, count);
	__u8 bytes[TEXT_READ];
	struct pystr s;
	ssize_t n;

	if (!objects_is_address(object) || most > TEXT_MAX || head + most > sizeof(bytes))
		return -1;
	/* A short one may lie at the end of what is mapped. */
	n = objects_read_some(o, object, bytes, head + most);
	if (n < (ssize_t)head || pystr_parse(o->layout, bytes, &s) || !s.is_compact || !s.is_ascii)
		return -1;
	for (int i = 0; i < count; i++)
		if (s.length == strlen(texts[i]) && head + s.length <= (size_t)n &&
		    !memcmp(bytes + head, texts[i], s.length))
			return i;
	return -1;
}

bool objects_is_text(struct objects *o, __u64 object, const char *text)
{
	return !objects_which_text(o, object, &text, 1);
}

int objects_text(struct objects *o, __u64 object, char *ret, size_t size)
{
	const struct layout *l = o->layout;
	__u8 header[TEXT_READ], bytes[4 * OBJECTS_TEXT_MAX];
	struct pystr s;
	__u64 at;
	int err = l->str_ascii > sizeof(header) ? -EBADMSG : objects_read(o, object, header, l->str_ascii);

	err = err ?: pystr_parse(l, header, &s);
	if (err)
		return err;
	if (s.length >= OBJECTS_TEXT_MAX)
		return -EBADMSG;
	at = s.is_compact ? pystr_inside(l, &s, object) : objects_pointer(o, object + l->str_data);
	err = s.length ? objects_read(o, at, bytes, s.length * s.kind) : 0;
	return err ?: pystr_decode(bytes, s.length * s.kind, s.kind, ret, size) < 0 ? -EBADMSG : 0;
}
