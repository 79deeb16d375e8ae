// SPDX-License-Identifier: GPL-2.0-only
/*
 * object_dicts.c - see objects.h: dicts, and the attributes of instances.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "python/dict_keys.h"
#include "python/objects.h"

#define VERSION_3_11 0x030b0000
#define VERSION_3_12 0x030c0000
#define VERSION_3_13 0x030d0000

#define ENTRIES	     64 /* that are read at once */
#define ENTRY_WORDS  3
#define MANAGED_DICT 24 /* bytes before an object, */
#define MANAGED_FREE 8	/* ... and in a free-threaded build, where no header of the collector is between */
#define VALUES_3_11  32
#define MEMBERS	     32  /* slots of a class */
#define TYPE_WORDS   136 /* of a class, in which the names of its instances' attributes are looked for */
#define T_OBJECT     6  /* Include/structmember.h */
#define T_OBJECT_EX  16

struct object_keys {
	struct dict_keys table;
	__u64 values; /* address of the values, if they are not in the entries; else 0 */
};

static int read_keys(struct objects *o, __u64 address, __u64 values, struct object_keys *ret)
{
	__u64 header[DICT_KEYS_HEADER];
	int err = objects_read(o, address, header, sizeof(header));

	err = err ?: dict_keys_parse(o->layout->version, header, address, &ret->table);
	if (err)
		return err;
	ret->values = values;
	return ret->table.count > OBJECTS_ITEMS || ret->table.size > 8 * OBJECTS_ITEMS ? -EBADMSG : 0;
}

/* Some entries, from number first on. */
static int read_entries(struct objects *o, const struct object_keys *k, size_t first, size_t count,
			__u64 ret[ENTRIES][2])
{
	const __u32 each = k->table.words;
	__u64 words[ENTRIES * ENTRY_WORDS], values[ENTRIES];
	int err = objects_read(o, k->table.entries + 8 * each * first, words, 8 * each * count);

	if (!err && k->values)
		err = objects_read(o, k->values + 8 * first, values, 8 * count);
	for (size_t i = 0; i < count && !err; i++) {
		ret[i][0] = words[each * i + each - 2];
		ret[i][1] = k->values ? values[i] : words[each * i + each - 1];
	}
	return err;
}

static int each_entry(struct objects *o, const struct object_keys *k, objects_visit *visit, void *context)
{
	const size_t count = k->table.count;
	__u64 entries[ENTRIES][2];
	int err = 0;

	for (size_t i = 0, n; i < count && !err; i += n) {
		n = count - i < ENTRIES ? count - i : ENTRIES;
		err = read_entries(o, k, i, n, entries);
		for (size_t j = 0; j < n && !err; j++)
			if (objects_is_address(entries[j][0]) && objects_is_address(entries[j][1]))
				err = visit(context, entries[j][0], entries[j][1]);
	}
	return err;
}

int objects_dict_each(struct objects *o, __u64 dict, objects_visit *visit, void *context)
{
	const bool has_head = o->layout->version >= VERSION_3_13;
	__u64 words[DICT_VALUES / 8 + 2]; /* the type stands before */
	struct object_keys k;
	__u64 values;
	int err;

	if (!objects_is_address(dict))
		return -EBADMSG;
	err = objects_read(o, dict + o->head - sizeof(__u64), words, sizeof(words));
	if (err)
		return err;
	if (!(objects_type_flags(o, words[0]) & OBJECTS_DICT))
		return -EBADMSG;
	values = words[DICT_VALUES / 8 + 1];
	if (values && has_head)
		values += TRACE_VALUES_HEAD;
	err = read_keys(o, words[DICT_KEYS / 8 + 1], values, &k);
	return err ?: each_entry(o, &k, visit, context);
}

struct dict_find {
	struct objects *o;
	const char *const *keys;
	int count;
	__u32 found; /* a bit for each */
	__u64 *values;
};

/* 1 as soon as all are found. */
static int take_entry(void *find, __u64 key, __u64 value)
{
	struct dict_find *f = find;
	const int which = objects_which_text(f->o, key, f->keys, f->count);

	if (which < 0)
		return f->o->unreachable;
	f->values[which] = value;
	f->found |= 1U << which;
	return f->found == (1U << f->count) - 1;
}

bool objects_dict_get(struct objects *o, __u64 dict, const char *const *keys, int count, __u64 *ret)
{
	struct dict_find f = { .o = o, .keys = keys, .count = count, .values = ret };

	return count <= OBJECTS_KEYS && objects_dict_each(o, dict, take_entry, &f) == 1;
}

__u64 objects_dict_find(struct objects *o, __u64 dict, const char *key)
{
	__u64 value = 0;

	return objects_dict_get(o, dict, &key, 1, &value) ? value : 0;
}

/* --- attributes ----------------------------------------------------------------------------------------- */

/* A name that was found before, if it still stands there: one read, in place of one for each name before. */
static const struct objects_known *find_known(struct objects *o, __u64 keys, const char *name)
{
	for (int i = 0; i < OBJECTS_KNOWN; i++) {
		const struct objects_known *k = &o->known[i];

		if (keys && k->keys == keys && k->name == name)
			return objects_pointer(o, k->entry) == k->text ? k : NULL;
	}
	return NULL;
}

static void know(struct objects *o, const struct objects_known *one)
{
	o->known[o->known_next++ % OBJECTS_KNOWN] = *one;
}

/* Where a name stands in a table that classes share with their instances; -1: not there. */
static int search_shared(struct objects *o, __u64 keys, const char *name, __u64 *ret_name)
{
	__u64 entries[ENTRIES][2];
	struct object_keys k;

	if (read_keys(o, keys, 0, &k) || !k.table.is_shared || !k.table.count || k.table.count > ENTRIES ||
	    read_entries(o, &k, 0, k.table.count, entries))
		return -1;
	for (size_t i = 0; i < k.table.count; i++)
		if (objects_is_text(o, entries[i][0], name)) {
			const __u64 entry = k.table.entries + 8 * k.table.words * i + 8 * (k.table.words - 2);

			*ret_name = entries[i][0];
			know(o, &(struct objects_known){ keys, name, entry, *ret_name, (int)i });
			return (int)i;
		}
	return -1;
}

static int index_in(struct objects *o, __u64 keys, const char *name, __u64 *ret_name)
{
	const struct objects_known *known = find_known(o, keys, name);

	if (!known)
		return search_shared(o, keys, name, ret_name);
	*ret_name = known->text;
	return known->index;
}

int objects_attribute_index(struct objects *o, __u64 type, const char *name, __u64 *ret_name)
{
	__u64 words[TYPE_WORDS];
	ssize_t n;
	int index = -1;

	if (o->facts)
		return index_in(o, objects_pointer(o, type + o->facts->cached_keys), name, ret_name);
	n = objects_read_some(o, type, words, sizeof(words));
	for (ssize_t i = 0; i < n / 8 && index < 0; i++)
		if (objects_is_address(words[i]))
			index = index_in(o, words[i], name, ret_name);
	return index;
}

/* Of an instance whose values lie in an order that its class has. */
static __u64 find_in_values(struct objects *o, __u64 type, __u64 values, const char *name)
{
	__u64 name_found;
	const int index = objects_attribute_index(o, type, name, &name_found);

	return index < 0 ? 0 : objects_pointer(o, values + sizeof(__u64) * (__u64)index);
}

static __u64 find_managed(struct objects *o, __u64 object, __u64 type, __u64 flags, const char *name)
{
	const __u32 version = o->layout->version;
	const __u64 before = o->layout->free_threaded ? MANAGED_FREE : MANAGED_DICT;
	__u64 dict, values = 0, size = 0;

	if (objects_read(o, object - before, &dict, sizeof(dict)))
		return 0;
	if (version < VERSION_3_12) {
		if (!objects_read(o, object - VALUES_3_11, &values, sizeof(values)) && values)
			return find_in_values(o, type, values, name);
	} else if (version < VERSION_3_13) {
		if (dict & 1)
			return find_in_values(o, type, dict + 1, name);
	} else if (!dict && flags & OBJECTS_INLINE_VALUES) {
		if (objects_read(o, type + o->head + TYPE_BASIC_SIZE, &size, sizeof(size)) || size > 4096)
			return 0;
		return find_in_values(o, type, object + size + TRACE_VALUES_HEAD, name);
	}
	return dict ? objects_dict_find(o, dict, name) : 0;
}

/* PyMemberDef, Include/structmember.h */
struct dict_member {
	__u64 name;
	__s32 type, pad;
	__s64 offset;
	__s32 flags, pad2;
	__u64 doc;
};

static bool is_named(struct objects *o, __u64 address, const char *name)
{
	char bytes[OBJECTS_NAME] = "";
	const size_t size = strlen(name) + 1;

	return size <= sizeof(bytes) && !objects_read(o, address, bytes, size) && !memcmp(bytes, name, size);
}

static __u64 find_in_slots(struct objects *o, __u64 object, __u64 type, const char *name)
{
	__u64 at = objects_pointer(o, type + o->head + TYPE_MEMBERS);

	for (int i = 0; i < MEMBERS && at; i++, at += sizeof(struct dict_member)) {
		struct dict_member m;

		if (objects_read(o, at, &m, sizeof(m)) || !m.name)
			return 0;
		if ((m.type == T_OBJECT || m.type == T_OBJECT_EX) && m.offset > 0 && m.offset < 4096 &&
		    is_named(o, m.name, name))
			return objects_pointer(o, object + (__u64)m.offset);
	}
	return 0;
}

static __u64 find_in_all_slots(struct objects *o, __u64 object, __u64 type, const char *name)
{
	__u64 found = 0;

	for (int i = 0; i < OBJECTS_BASES && type && !found; i++) {
		found = find_in_slots(o, object, type, name);
		type = objects_pointer(o, type + o->head + TYPE_BASE);
	}
	return found;
}

__u64 objects_attribute(struct objects *o, __u64 object, const char *name)
{
	const __u64 type = objects_type(o, object);
	const __u64 flags = objects_type_flags(o, type);
	__s64 offset = 0;
	__u64 found = 0;

	if (!flags || objects_read(o, type + o->head + TYPE_DICT_OFFSET, &offset, sizeof(offset)))
		return 0;
	if (o->layout->version >= VERSION_3_11 && flags & OBJECTS_MANAGED_DICT)
		found = find_managed(o, object, type, flags, name);
	else if (offset > 0 && offset < 4096)
		found = objects_dict_find(o, objects_pointer(o, object + (__u64)offset), name);
	return found ?: find_in_all_slots(o, object, type, name);
}
