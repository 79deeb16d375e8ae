// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trace_look.c - where spans are, in this process's own memory, forged as each version has the SDK's
 * modules: all of it is found by names, and what lacks a part is not taken for it.
 */
#include "tests/forge/objects.h"

#include "remote/trace_look.h"
#include "tests/forge/test.h"

#define HASH 77

enum { T_MODULE = OWN_TYPES, T_VARIABLE, T_IDS, T_SPAN, T_PLAIN, T_RUNTIME, T_OTHER, TYPES };
static const char *const type_names[TYPES] = { "type", "dict", "str", "int", "module",
						"_contextvars.ContextVar", "SpanContext", "_Span",
						"NonRecordingSpan", "ContextVarsRuntimeContext", "object" };
static __u64 *interpreter, *variable, *key;

static __u64 *module(const struct pair *pairs, size_t count)
{
	__u64 *at = object(T_MODULE, 2);

	at[2] = address_of(dict(pairs, count));
	return at;
}

/* The SDK's own object, whose second attribute is the variable. */
static __u64 *runtime_context(void)
{
	return instance(T_RUNTIME, (const __u64 *const[]){ NULL, variable }, 2);
}

static void begin(__u32 version)
{
	static const struct pair of_span[] = { { "_name", NULL }, { "_context", NULL }, { "_parent", NULL } };
	static const struct pair of_plain[] = { { "_context", NULL } };
	static const struct pair of_runtime[] = { { "_other", NULL }, { "_current_context", NULL } };

	forge_begin(version, type_names, TYPES);
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

TEST(each_version)
{
	static const struct {
		__u32 version;
		enum trace_values values;
	} versions[] = { { 0x030800f0, TRACE_DICT }, { 0x030a00f0, TRACE_DICT },
			 { 0x030b00f0, TRACE_POINTER }, { 0x030c00f0, TRACE_TAGGED },
			 { 0x030d00f0, TRACE_INLINE },
			 { 0x030e00f0, TRACE_INLINE } };

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
TEST(what_is_not_loaded)
{
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

TEST(what_is_something_else)
{
	begin(0x030c00f0);
	key = text("another key"); /* of the same name in its module */
	load(0);
	assert_int_equal(look().trace.count, 0);
	begin(0x030c00f0);
	variable[1] = address_of(types[T_OTHER]);
	load(0);
	assert_int_equal(look().trace.count, 0);
}

/* Whatever is there, a look ends. */
TEST(memory_that_is_anything)
{
	for (int i = 0; i < 300; i++) {
		begin(i % 2 ? 0x030900f0 : 0x030d00f0);
		load(0);
		spoil(1 + i % 40);
		look();
	}
}
