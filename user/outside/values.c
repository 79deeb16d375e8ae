// SPDX-License-Identifier: GPL-2.0-only
#include "outside/values.h"

#include <errno.h>
#include <string.h>

#include "proc/remote.h"
#include "python/context_names.h"
#include "python/pystr.h"

#define HEAD	  16 /* bytes of an object's header, and ... */
#define HEAD_FREE 32 /* ... of one of a free-threaded build */

void values_begin(struct values *o, pid_t memory, const struct layout *layout, unsigned int reads_max)
{
	*o = (struct values){
		.memory = memory,
		.layout = layout,
		.head = layout->free_threaded ? HEAD_FREE : HEAD,
		.reads_max = reads_max,
	};
}

int values_read(struct values *o, __u64 address, void *dst, size_t size)
{
	if (o->reads++ >= o->reads_max || address < 4096)
		return -EFAULT;
	return remote_read(o->memory, address, dst, size);
}

size_t values_words(struct values *o, __u64 address, __u64 *ret, size_t most)
{
	ssize_t n;

	if (o->reads++ >= o->reads_max || address < 4096)
		return 0;
	n = remote_read_some(o->memory, address, ret, most * sizeof(*ret));
	return n > 0 ? (size_t)n / sizeof(*ret) : 0;
}

__u64 values_pointer(struct values *o, __u64 address)
{
	__u64 word;

	return !values_read(o, address, &word, sizeof(word)) && context_is_object(word) ? word : 0;
}

__u64 values_type(struct values *o, __u64 object)
{
	return values_pointer(o, object + o->head - sizeof(__u64));
}

/* It may end a mapping. */
void values_type_name(struct values *o, __u64 type, char ret[VALUES_NAME])
{
	__u64 at = 0;

	memset(ret, 0, VALUES_NAME);
	if (!type || values_read(o, type + o->head + CONTEXT_TP_NAME, &at, sizeof(at)) || at < 4096)
		return;
	o->reads++;
	if (remote_read_some(o->memory, at, ret, VALUES_NAME - 1) < 0)
		*ret = '\0';
}

bool values_is(struct values *o, __u64 object, const char *module, const char *name, __u64 *known)
{
	const __u64 type = values_type(o, object);
	char found[VALUES_NAME];
	const char *at = found;

	if (!type || type == *known)
		return type;
	values_type_name(o, type, found);
	if (!strncmp(found, module, strlen(module)))
		at += strlen(module);
	if (strcmp(at, name))
		return false;
	*known = type;
	return true;
}

int values_text(struct values *o, __u64 address, char *ret, size_t size)
{
	const struct layout *l = o->layout;
	__u8 header[128], bytes[4 * VALUES_TEXT];
	__u64 length, at = address + l->str_ascii;
	__u32 state, kind;
	int err = l->str_ascii > sizeof(header) ? -EBADMSG : values_read(o, address, header, l->str_ascii);

	if (err || l->str_length + sizeof(length) > l->str_ascii ||
	    l->str_state + sizeof(state) > l->str_ascii)
		return err ?: -EBADMSG;
	memcpy(&length, header + l->str_length, sizeof(length));
	memcpy(&state, header + l->str_state, sizeof(state));
	kind = state >> (l->str_kind_shift & 31) & 7;
	if ((kind != 1 && kind != 2 && kind != 4) || length >= VALUES_TEXT)
		return -EBADMSG;
	if (!(state >> (l->str_compact_bit & 31) & 1))
		at = values_pointer(o, address + l->str_data);
	else if (!(state >> (l->str_ascii_bit & 31) & 1))
		at = address + l->str_compact;
	err = length ? values_read(o, at, bytes, length * kind) : 0;
	return err ?: pystr_decode(bytes, length * kind, kind, ret, size) < 0 ? -EBADMSG : 0;
}
