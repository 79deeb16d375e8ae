// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trace_look.c - where spans are, in this process's own memory, forged as each version has the SDK's
 * modules: all of it is found by names, and what lacks a part is not taken for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "outside/trace_look.h"
#include "python/objects.h"

#define WORDS	 16384
#define PAIRS	 8 /* of a dict, at most */
#define HASH	 77
#define FLAGS	 21 /* word of a class */
#define VALUES_AT 48 /* tp_basicsize, tp_dictoffset */

static __u64 memory[WORDS];
static size_t used;
static struct layout layout;

enum {
	T_TYPE, T_DICT, T_MODULE, T_STR, T_INT, T_VARIABLE, T_IDS, T_SPAN, T_PLAIN, T_RUNTIME, T_OTHER, TYPES
};
static const char *const type_names[TYPES] = { "type", "dict", "module", "str", "int",
						"_contextvars.ContextVar", "SpanContext", "_Span",
						"NonRecordingSpan", "ContextVarsRuntimeContext", "object" };
static __u64 *types[TYPES], *interpreter, *variable, *key;

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

static __u64 *module(const struct pair *pairs, size_t count)
{
	__u64 *at = object(T_MODULE, 2);

	at[2] = address_of(dict(pairs, count));
	return at;
}

static __u64 *keys_of(int type)
{
	const struct task_facts *facts = layout_task_facts(&layout);

	return &types[type][facts ? facts->cached_keys / 8U : 120];
}

/* A class whose instances have these attributes. */
static void give_attributes(int type, const struct pair *pairs, size_t count)
{
	types[type][4] = types[type][36] = VALUES_AT;
	*keys_of(type) = address_of(table(pairs, count, 2));
}

static __u64 *int_of(__u64 value)
{
	__u64 *at = object(T_INT, 3);

	at[2] = 1 << 3;
	at[3] = value;
	return at;
}

/* The SDK's own object, whose second attribute is the variable. */
static __u64 *runtime_context(void)
{
	__u64 *values = make(4), *before = make(4), *at = object(T_RUNTIME, 12), *in;

	(void)before;
	values[1] = address_of(variable);
	if (is_old()) {
		in = object(T_DICT, 4);
		in[4] = *keys_of(T_RUNTIME);
		in[5] = address_of(values);
		at[VALUES_AT / 8] = address_of(in);
	} else if (layout.version < 0x030c0000) {
		at[-4] = address_of(values);
	} else if (layout.version < 0x030d0000) {
		at[-3] = address_of(values) - 1;
	} else {
		at[VALUES_AT / 8 + 2] = address_of(variable);
	}
	return at;
}

static void begin(__u32 version)
{
	static const struct pair of_span[] = { { "_name", NULL }, { "_context", NULL }, { "_parent", NULL } };
	static const struct pair of_plain[] = { { "_context", NULL } };
	static const struct pair of_runtime[] = { { "_other", NULL }, { "_current_context", NULL } };

	memset(memory, 0, sizeof(memory));
	used = 0;
	layout = (struct layout){ .version = version, .str_length = 16, .str_state = 32, .str_ascii = 40,
				  .str_compact = 56, .str_data = 56, .str_kind_shift = 2,
				  .str_compact_bit = 5, .str_ascii_bit = 6 };
	for (int i = 0; i < TYPES; i++) {
		types[i] = make(140);
		types[i][1] = address_of(types[T_TYPE]);
		types[i][3] = address_of(type_names[i]);
	}
	types[T_TYPE][1] = address_of(types[T_TYPE]);
	types[T_DICT][FLAGS] = OBJECTS_DICT;
	types[T_RUNTIME][FLAGS] = OBJECTS_HEAP_TYPE;
	if (version >= 0x030b0000)
		types[T_RUNTIME][FLAGS] |= OBJECTS_MANAGED_DICT | OBJECTS_INLINE_VALUES;
	give_attributes(T_SPAN, of_span, 3);
	give_attributes(T_PLAIN, of_plain, 1);
	give_attributes(T_RUNTIME, of_runtime, 2);
	variable = object(T_VARIABLE, 6);
	variable[7] = HASH;
	key = text("current-span-0c3a");
}

/* An interpreter with the SDK's modules, but for one. */
static void load(int without)
{
	__u64 *ids = object(T_IDS, 8);
	const struct pair context[] = { { "_RUNTIME_CONTEXT", runtime_context() } };
	const struct pair propagation[] = { { "SPAN_KEY", text("current-span") }, { "_SPAN_KEY", key } };
	const struct pair span[] = { { "SpanContext", types[T_IDS] }, { "INVALID_SPAN_CONTEXT", ids },
				     { "NonRecordingSpan", types[T_PLAIN] } };
	const struct pair sdk[] = { { "_Span", types[T_SPAN] } };
	struct pair all[] = { { "sys", NULL }, { "builtins", NULL }, { "opentelemetry.context", NULL },
			      { "opentelemetry.trace.propagation", NULL },
			      { "opentelemetry.trace.span", NULL }, { "opentelemetry.sdk.trace", NULL } };
	const struct task_facts *facts = layout_task_facts(&layout);
	const __u32 expected = facts ? facts->interp_modules / 8 : 1000;
	const size_t items = layout.version >= 0x030e0000 ? 4 : 3;

	ids[2] = 6;
	ids[items] = address_of(int_of(0));
	ids[items + 1] = address_of(int_of(0));
	all[0].value = all[1].value = module(sdk, 1);
	all[2].value = module(context, 1);
	all[3].value = module(propagation, 2);
	all[4].value = module(span, 3);
	all[5].value = module(sdk, 1);
	if (without)
		all[1 + without].name = "another.module";
	interpreter = make(2000);
	interpreter[expected + 10] = address_of(dict(sdk, 1)); /* a dict that is not that of modules */
	interpreter[expected + 20] = address_of(dict(all, 6));
}

static struct context_vars look(void)
{
	struct context_vars v = { .head = 16, .var_hash = 56 };

	trace_look(getpid(), &layout, address_of(interpreter), &v);
	return v;
}

static void each_version(void **state)
{
	static const struct {
		__u32 version;
		enum trace_values values;
	} versions[] = { { 0x030800f0, TRACE_DICT }, { 0x030a00f0, TRACE_DICT },
			 { 0x030b00f0, TRACE_POINTER }, { 0x030c00f0, TRACE_TAGGED },
			 { 0x030d00f0, TRACE_INLINE },
			 { 0x030e00f0, TRACE_INLINE } };

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		struct context_vars v;

		begin(versions[i].version);
		load(0);
		v = look();
		assert_int_equal(v.trace.values, versions[i].values);
		assert_int_equal(v.keys[TRACE_KEY].address, address_of(variable));
		assert_int_equal(v.keys[TRACE_KEY].hash, HASH);
		assert_int_equal(v.trace.span_key, address_of(key));
		assert_int_equal(v.trace.ids_type, address_of(types[T_IDS]));
		assert_int_equal(v.trace.tuple_items, versions[i].version >= 0x030e0000 ? 16 : 8);
		assert_int_equal(v.trace.count, 2);
		assert_int_equal(v.trace.classes[0].type, address_of(types[T_SPAN]));
		assert_int_equal(v.trace.classes[0].index, 1);
		assert_int_equal(v.trace.classes[0].at, VALUES_AT);
		assert_int_equal(v.trace.classes[1].type, address_of(types[T_PLAIN]));
		assert_int_equal(v.trace.classes[1].index, 0);
		assert_true(v.trace.has_sdk);
		assert_int_equal(v.types[CONTEXT_INT], address_of(types[T_INT]));
	}
}

/* Without the SDK the API's own spans are found, as of a request that came with ids. */
static void what_is_not_loaded(void **state)
{
	(void)state;
	for (int without = 1; without <= 4; without++) {
		struct context_vars v;

		begin(0x030c00f0);
		load(without);
		v = look();
		assert_int_equal(v.trace.count, without == 4);
		assert_false(v.trace.has_sdk);
	}
	begin(0x030c00f0);
	interpreter = make(2000);
	assert_int_equal(look().trace.count, 0);
	interpreter = (__u64 *)8;
	assert_int_equal(look().trace.count, 0);
}

static void what_is_something_else(void **state)
{
	(void)state;
	begin(0x030c00f0);
	key = text("another key"); /* of the same name in its module */
	load(0);
	assert_int_equal(look().trace.count, 0);
	begin(0x030c00f0);
	variable[1] = address_of(types[T_OTHER]);
	load(0);
	assert_int_equal(look().trace.count, 0);
}

static __u64 random_state = 4711;

static __u64 random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Whatever is there, a look ends. */
static void memory_that_is_anything(void **state)
{
	(void)state;
	for (int i = 0; i < 300; i++) {
		begin(i % 2 ? 0x030900f0 : 0x030d00f0);
		load(0);
		for (int j = 0; j < 1 + i % 40; j++) {
			const __u64 r = random_word();

			memory[random_word() % used] = r % 2 ? address_of(&memory[r % WORDS]) : r >> r % 64;
		}
		look();
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version),
		cmocka_unit_test(what_is_not_loaded),
		cmocka_unit_test(what_is_something_else),
		cmocka_unit_test(memory_that_is_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
