/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * objects.h - objects of CPython, forged in this process's own memory as each version has them: types, texts,
 * numbers, dicts, and instances with attributes. The includer has an enum of types, and their names.
 */
#ifndef PYPERF_TESTS_OBJECTS_H
#define PYPERF_TESTS_OBJECTS_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/abi.h"
#include "python/objects.h"
#include "tests/forge/random.h"
#include "tests/forge/test.h"

#define WORDS	  16384
#define PAIRS	  8  /* of a dict, at most */
#define FLAGS	  21 /* word of a class */
#define VALUES_AT 48 /* tp_basicsize, tp_dictoffset */

/* The types that all includers have; more may follow from OWN_TYPES on. */
enum { T_TYPE, T_DICT, T_STR, T_INT, OWN_TYPES };
#define TYPES_MAX 16

static __u64 memory[WORDS];
static size_t used;
static struct layout layout;
static __u64 *types[TYPES_MAX];

static __u64 address_of(const void *p)
{
	return (uintptr_t)p;
}

static __u64 *make(size_t words)
{
	__u64 *at = &memory[used];

	used += words;
	assert_true(used <= WORDS);
	return at;
}

static __u64 *object(int type, size_t words)
{
	__u64 *at = make(2 + words);

	at[1] = address_of(types[type]);
	return at;
}

static __u64 *text(const char *value)
{
	__u64 *at = object(T_STR, 3 + 16);

	at[2] = strlen(value);
	at[4] = 1 << 2 | 1 << 5 | 1 << 6;
	memcpy((char *)at + 40, value, strlen(value));
	return at;
}

struct pair {
	const char *name;
	const void *value;
};

static bool is_old(void)
{
	return layout.version < 0x030b0000;
}

/* A table of keys; kind as in the versions that have one. */
static __u64 *table(const struct pair *pairs, size_t count, unsigned int kind)
{
	const size_t words = is_old() || !kind ? 3 : 2;
	__u64 *at = make(5 + 1 + 3 * PAIRS), *entry = at + (is_old() ? 6 : 5);

	assert_true(count <= PAIRS);
	if (is_old()) {
		at[1] = 8;
		at[4] = count;
	} else {
		at[1] = 3 | 3 << 8 | kind << 16;
		at[3] = count;
	}
	for (size_t i = 0; i < count; i++, entry += words) {
		entry[words - 2] = address_of(text(pairs[i].name));
		entry[words - 1] = address_of(pairs[i].value);
	}
	return at;
}

static __u64 *dict(const struct pair *pairs, size_t count)
{
	__u64 *at = object(T_DICT, 4);

	at[4] = address_of(table(pairs, count, used % 2));
	return at;
}

static __u64 *keys_of(int type)
{
	const struct task_facts *facts = layout_task_facts(&layout);

	return &types[type][facts ? facts->cached_keys / 8U : 120];
}

/* A class whose instances have these attributes. */
static inline void give_attributes(int type, const struct pair *pairs, size_t count)
{
	types[type][4] = types[type][36] = VALUES_AT;
	*keys_of(type) = address_of(table(pairs, count, 2));
	types[type][FLAGS] = OBJECTS_HEAP_TYPE;
	if (layout.version >= 0x030b0000)
		types[type][FLAGS] |= OBJECTS_MANAGED_DICT | OBJECTS_INLINE_VALUES;
}

/* An instance with these values of its attributes, of which there are 4 at most. */
static inline __u64 *instance(int type, const __u64 *const *of, size_t count)
{
	__u64 *values = make(4), *before = make(4), *at = object(type, 12), *in;

	(void)before;
	for (size_t i = 0; i < count; i++)
		values[i] = address_of(of[i]);
	if (is_old()) {
		in = object(T_DICT, 4);
		in[4] = *keys_of(type);
		in[5] = address_of(values);
		at[VALUES_AT / 8] = address_of(in);
	} else if (layout.version < 0x030c0000) {
		at[-4] = address_of(values);
	} else if (layout.version < 0x030d0000) {
		at[-3] = address_of(values) - 1;
	} else {
		at[VALUES_AT / 8] = 1 << 24;
		memcpy(at + VALUES_AT / 8 + 1, values, 4 * sizeof(*values));
	}
	return at;
}

/* The same instance with a dict of its own, in which these are. */
static inline void give_dict(__u64 *at, const struct pair *pairs, size_t count)
{
	if (is_old()) {
		at[VALUES_AT / 8] = address_of(dict(pairs, count));
		return;
	}
	at[-4] = 0;
	at[-3] = address_of(dict(pairs, count));
	at[VALUES_AT / 8] = 0;
}

static __u64 *int_of(__u64 value)
{
	__u64 *at = object(T_INT, 3);
	__u32 *digits = (__u32 *)(at + 3), n = 0;

	for (; value; value >>= 30)
		digits[n++] = value & ((1U << 30) - 1);
	at[2] = layout.version < 0x030c0000 ? n : n << 3;
	return at;
}

/* Memory as it is at first: the types, and nothing else. */
static void forge_begin(__u32 version, const char *const *names, int count)
{
	memset(memory, 0, sizeof(memory));
	used = 0;
	layout = (struct layout){ .version = version, .str_length = 16, .str_state = 32, .str_ascii = 40,
				  .str_compact = 56, .str_data = 56, .str_kind_shift = 2,
				  .str_compact_bit = 5, .str_ascii_bit = 6 };
	for (int i = 0; i < count; i++) {
		types[i] = make(140);
		types[i][1] = address_of(types[T_TYPE]);
		types[i][3] = address_of(names[i]);
	}
	types[T_TYPE][1] = address_of(types[T_TYPE]);
	types[T_DICT][FLAGS] = OBJECTS_DICT;
}

/* Puts anything anywhere, some times. */
static void spoil(int times)
{
	for (int i = 0; i < times; i++) {
		const __u64 r = random_word();

		memory[random_word() % used] = r % 2 ? address_of(&memory[r % WORDS]) : r >> r % 64;
	}
}

#endif
