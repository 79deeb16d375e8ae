// SPDX-License-Identifier: GPL-2.0-only
#include "outside/dicts.h"

#include <string.h>

#include "proc/remote.h"
#include "python/context_names.h"
#include "python/dict_keys.h"

#define CHUNK	    64 /* entries that are read at once */
#define WORDS	    3  /* of an entry, at most: its hash, the key, the value */
#define SHARED_MAX  64 /* entries of a table of a class */
#define HEADER_READ 56 /* of a str: up to where its characters begin, at most */
#define SIZE_MIN    8  /* of a table that is not the empty one (PyDict_MINSIZE) */

static bool open_table(struct values *o, __u64 keys, struct dict_keys *ret)
{
	__u64 header[DICT_KEYS_HEADER];

	return !values_read(o, keys, header, sizeof(header)) &&
	       !dict_keys_parse(o->layout->version, header, keys, ret) && ret->size >= SIZE_MIN;
}

/* Whether a key is this str: read at once, since most are others. They are ASCII, all of them. */
static int find_name(struct values *o, __u64 key, const char *const *names, int count)
{
	const struct layout *l = o->layout;
	char bytes[HEADER_READ + VALUES_TEXT];
	__u64 length;
	ssize_t n;

	if (!context_is_object(key) || o->reads++ >= o->reads_max || l->str_ascii > HEADER_READ)
		return -1;
	n = remote_read_some(o->memory, key, bytes, sizeof(bytes));
	if (n < l->str_ascii || l->str_length + sizeof(length) > l->str_ascii)
		return -1;
	memcpy(&length, bytes + l->str_length, sizeof(length));
	for (int i = 0; i < count; i++)
		if (length == strlen(names[i]) && l->str_ascii + length <= (__u64)n &&
		    !memcmp(bytes + l->str_ascii, names[i], length))
			return i;
	return -1;
}

/* Reads entries, begin and all until `end`, CHUNK at most. Returns how many; 0: there are none. */
static __u32 read_entries(struct values *o, const struct dict_keys *t, __u64 begin, __u64 end, __u64 *ret)
{
	const __u64 n = end - begin < CHUNK ? end - begin : CHUNK, each = t->words * sizeof(__u64);

	return n && !values_read(o, t->entries + begin * each, ret, n * each) ? (__u32)n : 0;
}

bool dicts_find(struct values *o, __u64 dict, __u32 most, const char *const *names, int count,
		__u64 *ret)
{
	__u64 words[2], entries[CHUNK * WORDS];
	__u32 n, found = 0;
	struct dict_keys t;
	__u64 end;

	if (count > DICTS_NAMES || values_read(o, dict + o->head + TRACE_MA_KEYS, words, sizeof(words)) ||
	    !context_is_object(words[0]) || words[1] || !open_table(o, words[0], &t))
		return false;
	end = t.count < most ? t.count : most;
	for (__u64 at = 0; (n = read_entries(o, &t, at, end, entries)); at += n)
		for (__u32 i = 0; i < n && found != (1U << count) - 1; i++) {
			const __u64 *entry = &entries[i * t.words + t.words - 2];
			const int which = entry[1] ? find_name(o, entry[0], names, count) : -1;

			if (which < 0)
				continue;
			ret[which] = entry[1];
			found |= 1U << which;
		}
	return found == (1U << count) - 1;
}

int dicts_shared_index(struct values *o, __u64 keys, const char *name, __u64 *ret_name)
{
	__u64 entries[CHUNK * WORDS];
	struct dict_keys t;
	__u32 n;

	if (!open_table(o, keys, &t) || !t.is_shared || t.count > SHARED_MAX)
		return -1;
	n = read_entries(o, &t, 0, t.count, entries);
	for (__u32 i = 0; i < n; i++) {
		const __u64 key = entries[i * t.words + t.words - 2];

		if (find_name(o, key, &name, 1) < 0)
			continue;
		*ret_name = key;
		return (int)i;
	}
	return -1;
}
