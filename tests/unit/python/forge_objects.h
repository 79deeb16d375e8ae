/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forge_objects.h - objects of CPython 3.11 in this process's own memory: types, texts, dicts, sets and
 * instances, for tests to spoil.
 */
#ifndef PYPERF_TESTS_FORGE_OBJECTS_H
#define PYPERF_TESTS_FORGE_OBJECTS_H

#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <linux/types.h>

#include "base/cleanup.h"
#include "python/objects.h"

#define FORGED_VERSION 0x030b07f0
#define FORGED_ITEMS   32

typedef __u64 forged_object[64] __attribute__((aligned(16)));

struct forged_dict {
	__u64 object[8];
	/* Its keys: a head of four words, 64 indices of a byte, and entries of three words. */
	__u64 head[4], indices[8], entries[FORGED_ITEMS][3];
} __attribute__((aligned(16)));

enum forged_type {
	FORGED_DICT, FORGED_STR, FORGED_SET, FORGED_INSTANCE, FORGED_LIST, FORGED_TUPLE, FORGED_TASK,
	FORGED_FUTURE, FORGED_METHOD, FORGED_BUILTIN, FORGED_FUNCTION, FORGED_PARTIAL, FORGED_WAKEUP,
	FORGED_OTHER, FORGED_TYPES
};

static forged_object forged_types[FORGED_TYPES];
static struct objects forged_objects;

static inline __u64 at(const void *p)
{
	return (uintptr_t)p;
}

static inline void forge_objects_begin(void)
{
	static const struct {
		const char *name;
		__u64 flags;
	} rows[FORGED_TYPES] = {
		[FORGED_DICT] = { "dict", OBJECTS_DICT },
		[FORGED_STR] = { "str", OBJECTS_STR },
		[FORGED_SET] = { "set", 1 },
		[FORGED_INSTANCE] = { "Thing", OBJECTS_HEAP_TYPE },
		[FORGED_LIST] = { "list", OBJECTS_LIST },
		[FORGED_TUPLE] = { "tuple", OBJECTS_TUPLE },
		[FORGED_TASK] = { "_asyncio.Task", 1 },
		[FORGED_FUTURE] = { "_asyncio.Future", 1 },
		[FORGED_METHOD] = { "method", 1 },
		[FORGED_BUILTIN] = { "builtin_function_or_method", 1 },
		[FORGED_FUNCTION] = { "function", 1 },
		[FORGED_PARTIAL] = { "functools.partial", OBJECTS_HEAP_TYPE },
		[FORGED_WAKEUP] = { "TaskWakeupMethWrapper", 1 },
		[FORGED_OTHER] = { "Something", OBJECTS_HEAP_TYPE },
	};
	const struct layout *layout = layout_for_version(FORGED_VERSION, false);
	static struct layout kept;

	kept = *layout;
	memset(forged_types, 0, sizeof(forged_types));
	for (int i = 0; i < FORGED_TYPES; i++) {
		forged_types[i][(OBJECT_HEAD + TYPE_NAME) / 8] = at(rows[i].name);
		forged_types[i][(OBJECT_HEAD + TYPE_FLAGS) / 8] = rows[i].flags;
	}
	forged_types[FORGED_INSTANCE][(OBJECT_HEAD + TYPE_DICT_OFFSET) / 8] = 16;
	forged_types[FORGED_TASK][(OBJECT_HEAD + TYPE_BASE) / 8] = at(forged_types[FORGED_FUTURE]);
	objects_begin(&forged_objects, getpid(), &kept, 1 << 20);
}

static inline __u64 forge_object(__u64 *object, enum forged_type type)
{
	object[OBJECT_TYPE / 8] = at(forged_types[type]);
	return at(object);
}

/* A compact str of ASCII. */
static inline __u64 forge_text(__u64 *object, const char *text)
{
	const struct layout *l = forged_objects.layout;
	const __u32 state = 1U << l->str_kind_shift | 1U << l->str_compact_bit | 1U << l->str_ascii_bit;

	forge_object(object, FORGED_STR);
	object[l->str_length / 8] = strlen(text);
	memcpy((char *)object + l->str_state, &state, sizeof(state));
	memcpy((char *)object + l->str_ascii, text, strlen(text) + 1);
	return at(object);
}

static inline __u64 forge_dict(struct forged_dict *d)
{
	memset(d, 0, sizeof(*d));
	forge_object(d->object, FORGED_DICT);
	d->object[(OBJECT_HEAD + DICT_KEYS) / 8] = at(d->head);
	d->head[1] = 6 | 6 << 8; /* log2 of the size, and of the bytes of the indices */
	return at(d);
}

static inline void forge_item(struct forged_dict *d, __u64 key, __u64 value)
{
	d->entries[d->head[3]][1] = key;
	d->entries[d->head[3]++][2] = value;
}

#endif
