// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trace.c - ids of OpenTelemetry's current span, in forged memory: spans that keep their attributes in
 * each of the ways that there are, ids of all lengths, dicts of all kinds, and memory that is anything.
 */
#include <stdio.h>

#include "tests/forge/hosted.h"
#include "tests/forge/random.h"
#include "tests/forge/test.h"

const volatile __u8 opt_trace = 1;

#define BASE	 0x7f0000000000ULL
#define WORDS	 8192 /* of memory, from BASE on */
#define PID	 4711
#define HASH	 3
#define STEPS	 64 /* reads of a look-up, at most */
#define INDEX	 1  /* of _context among a span's values */

#include "tests/forge/flat_words.h"

static struct layout layout = { .version = 0x030c00f0 };
static const char *const type_names[CONTEXT_TYPES] = { "hamt_bitmap_node", "hamt_array_node",
							 "hamt_collision_node", "str", "int", "bool",
							 "NoneType" };
static struct context_vars vars;
static __u64 types[CONTEXT_TYPES], class, ids_type, other_type, tstate, variable, key, name;
static struct scratch *s;

static __u64 object(__u64 type, __u32 words)
{
	const __u64 address = make(2 + words);

	at(address)[1] = type;
	return address;
}

static int setup(void **state)
{
	(void)state;
	if (hosted_begin())
		return -1;
	hosted.process = (struct process){ 0 };
	s = hosted.scratch;
	s->who.process = 1;
	s->who.known.contexts = 1;
	s->who.known_tgid = hosted_task.tgid = PID;
	flat_begin();
	for (int i = 0; i < CONTEXT_TYPES; i++) {
		const __u64 text = make(4);

		types[i] = make(32);
		snprintf((char *)at(text), 4 * sizeof(__u64), "%s", type_names[i]);
		at(types[i])[3] = text;
		at(types[i])[21] = i == CONTEXT_INT || i == CONTEXT_BOOL ? FLAG_INT : 0;
	}
	class = make(32);
	ids_type = make(32);
	other_type = make(32);
	key = object(types[CONTEXT_STR], 4);
	name = object(types[CONTEXT_STR], 4);
	tstate = make(4);
	variable = make(8);
	at(variable)[7] = HASH;
	vars = (struct context_vars){ .tstate_context = 16, .head = 16, .var_hash = 56, .int_tag = 1 };
	vars.keys[TRACE_KEY] = (struct context_key){ variable, HASH };
	vars.trace = (struct trace_place){ .span_key = key, .name = name, .ids_type = ids_type,
					   .classes = { { .type = class, .at = 32, .index = INDEX } },
					   .values = TRACE_TAGGED, .count = 1, .tuple_items = 8 };
	memcpy(vars.types, types, sizeof(vars.types));
	hosted.contexts = &vars;
	return 0;
}

/* --- what a process has --------------------------------------------------------------------------------- */

static __u64 integer(__uint128_t value)
{
	const __u64 address = object(types[CONTEXT_INT], 4);
	__u32 *digits = (__u32 *)&at(address)[3], n = 0;

	for (; value; value >>= 30)
		digits[n++] = value & ((1U << 30) - 1);
	at(address)[2] = vars.int_tag ? n << 3 : n;
	return address;
}

static __u64 tuple(__u64 first, __u64 second)
{
	const __u64 address = object(ids_type, 6);

	at(address)[2] = 6;
	at(address)[2 + vars.trace.tuple_items / 8] = first;
	at(address)[3 + vars.trace.tuple_items / 8] = second;
	return address;
}

/* A dict of these pairs. */
static __u64 dict(const __u64 (*pairs)[2], __u32 count, __u32 words)
{
	const __u64 address = object(other_type, 4), keys = make(5 + 4 + 3 * count);
	__u64 *entry = at(keys) + 5;

	at(address)[4] = keys;
	if (vars.trace.keys_are_old) {
		at(keys)[1] = 8;
		at(keys)[4] = count;
		entry++;
	} else {
		at(keys)[1] = 3 | 3 << 8 | (words == 2) << 16;
		at(keys)[3] = count;
	}
	for (__u32 i = 0; i < count; i++, entry += words) {
		entry[words - 2] = pairs[i][0];
		entry[words - 1] = pairs[i][1];
	}
	return address;
}

/* The thread has a context in which the variable is this one. */
static void use(__u64 value)
{
	const __u64 context = make(4), tree = make(3), node = object(types[CONTEXT_BITMAP], 4);

	at(tstate)[2] = context;
	at(context)[3] = tree;
	at(tree)[2] = node;
	at(node)[2] = 2;
	at(node)[3] = 1U << HASH;
	at(node)[4] = variable;
	at(node)[5] = value;
}

static void use_span(__u64 span)
{
	const __u64 pairs[][2] = { { name, 1 }, { key, span } };

	use(dict(pairs, 2, 2));
}

/* A span with values, as each version has them; its words are behind four others. */
static __u64 span_of(__u64 ids)
{
	const __u64 values = make(4), before = make(4), span = object(class, 8);

	assert_int_equal(span, before + 4 * sizeof(__u64));
	if (vars.trace.values == TRACE_INLINE) {
		at(span)[4] = 1ULL << 24;
		at(span)[5 + INDEX] = ids;
		return span;
	}
	at(values)[INDEX] = ids;
	if (vars.trace.values == TRACE_TAGGED)
		at(span)[-3] = values - 1;
	else if (vars.trace.values == TRACE_POINTER)
		at(span)[-4] = values;
	return span;
}

/* A span whose attributes are in this dict. */
static __u64 span_with(__u64 attributes)
{
	const __u64 before = make(4), span = object(class, 8);

	(void)before;
	at(span)[vars.trace.values == TRACE_DICT ? 4 : -3] = attributes;
	return span;
}

static void read_it(void)
{
	hosted.stats.trace_spans = hosted.stats.trace_unknown = 0;
	s->walk.reads = 0;
	trace_begin(s);
	trace_read(s, &hosted.stats, &layout, tstate);
	assert_true(s->walk.reads <= STEPS);
}

static void assert_ids(__u64 high, __u64 low, __u64 span)
{
	read_it();
	assert_int_equal(s->trace.ids.high, high);
	assert_int_equal(s->trace.ids.low, low);
	assert_int_equal(s->trace.ids.span, span);
	assert_int_equal(hosted.stats.trace_spans, span != 0);
	assert_int_equal(hosted.stats.trace_unknown, 0);
}

static void assert_unknown(void)
{
	read_it();
	assert_int_equal(s->trace.ids.span, 0);
	assert_int_equal(hosted.stats.trace_spans, 0);
	assert_int_equal(hosted.stats.trace_unknown, 1);
}

/* --- the tests ------------------------------------------------------------------------------------------ */

TEST(each_way_to_keep_attributes)
{
	static const __u8 ways[] = { TRACE_POINTER, TRACE_TAGGED, TRACE_INLINE };

	for (size_t i = 0; i < sizeof(ways); i++) {
		vars.trace.values = ways[i];
		use_span(span_of(tuple(integer(7), integer(9))));
		assert_ids(0, 7, 9);
	}
}

TEST(attributes_in_a_dict)
{
	static const __u8 ways[] = { TRACE_DICT, TRACE_POINTER, TRACE_TAGGED, TRACE_INLINE };

	for (size_t i = 0; i < sizeof(ways); i++) {
		__u64 pairs[][2] = { { key, 1 }, { name, 0 } }, attributes, values;

		vars.trace.values = ways[i];
		vars.trace.keys_are_old = ways[i] == TRACE_DICT;
		pairs[1][1] = tuple(integer(7), integer(9));
		attributes = dict(pairs, 2, 3);
		pairs[1][0] = key;
		pairs[1][1] = span_with(attributes);
		use(dict(pairs + 1, 1, 3));
		assert_ids(0, 7, 9);
		/* ... in which the values stand apart */
		values = make(4);
		at(attributes)[5] = values;
		at(values)[INDEX + (ways[i] == TRACE_INLINE)] = tuple(integer(8), integer(9));
		assert_ids(0, 8, 9);
	}
}

TEST(ids_of_all_lengths)
{
	for (int tag = 0; tag <= 1; tag++)
		for (int bit = 0; bit < 128; bit++) {
			const __uint128_t value = (__uint128_t)1 << bit | 1;

			vars.int_tag = tag;
			used = 1024;
			use_span(span_of(tuple(integer(value), integer(1ULL << bit % 64))));
			assert_ids(value >> 64, value, 1ULL << bit % 64);
		}
}

TEST(items_behind_a_hash)
{
	vars.trace.tuple_items = 16;
	use_span(span_of(tuple(integer(5), integer(6))));
	assert_ids(0, 5, 6);
}

TEST(no_span)
{
	const __u64 pairs[][2] = { { name, 1 } };

	assert_ids(0, 0, 0); /* no context at all */
	use(dict(pairs, 1, 2));
	assert_ids(0, 0, 0);
	use_span(span_of(tuple(integer(0), integer(0)))); /* as of INVALID_SPAN */
	assert_ids(0, 0, 0);
	use_span(span_of(tuple(integer(7), integer(9))));
	at(variable)[7] = HASH + 1; /* another variable by now */
	assert_ids(0, 0, 0);
	vars.trace.count = 0;
	at(variable)[7] = HASH;
	assert_ids(0, 0, 0);
}

/* What the thread publishes counts where the SDK has no span, or one that is not known. */
TEST(beside_what_is_published)
{
	const __u64 thread = make(2), record = make(4);

	vars.thread = (struct thread_context_place){ .kind = THREAD_CONTEXT_STATIC, .offset = 8 };
	s->who.self = thread;
	at(thread)[1] = record;
	at(record)[1] = __builtin_bswap64(5);
	at(record)[2] = __builtin_bswap64(6);
	at(record)[3] = 1;
	assert_ids(0, 5, 6); /* no context at all */
	use_span(span_of(tuple(integer(7), integer(9))));
	assert_ids(0, 7, 9);
	hosted_records = 0;
	use_span(object(other_type, 8));
	assert_ids(0, 5, 6);
	assert_int_equal(hosted_records, 0); /* that object is not the span */
	at(record)[3] = 0;
	read_it();
	assert_int_equal(hosted.stats.trace_spans, 0);
}

TEST(what_is_no_span)
{
	__u64 span, ids = tuple(integer(7), integer(9));

	use_span(object(other_type, 8)); /* of an unknown class */
	assert_unknown();
	use_span(span_of(object(other_type, 8))); /* no ids */
	assert_unknown();
	use_span(span_of(tuple(integer(7), object(types[CONTEXT_STR], 4))));
	assert_unknown();
	use_span(span_of(tuple(integer(7), integer((__uint128_t)1 << 64)))); /* too long */
	assert_unknown();
	span = integer(7);
	at(span)[2] |= 2; /* negative */
	use_span(span_of(tuple(span, integer(9))));
	assert_unknown();
	use_span(span_of(ids));
	assert_ids(0, 7, 9);
	at(ids)[2] = 1; /* a tuple of one */
	assert_unknown();
	use(1ULL << 50);
	assert_unknown();
}

/* User space is told of a span once, and again when another one was told in its place. */
TEST(what_is_told)
{
	struct record_span told;
	const __u64 span = span_of(tuple(integer(7), integer(9)));

	use_span(span);
	hosted_records = 0;
	read_it();
	memcpy(&told, hosted_record, sizeof(told));
	assert_int_equal(hosted_records, 1);
	assert_int_equal(told.type, RECORD_SPAN);
	assert_int_equal(told.pid, PID);
	assert_int_equal(told.ids.low, 7);
	assert_int_equal(told.ids.span, 9);
	assert_int_equal(told.address, span);
	read_it();
	assert_int_equal(hosted_records, 1);
	memset(hosted.spans_told, 0, sizeof(hosted.spans_told));
	read_it();
	assert_int_equal(hosted_records, 2);
	use_span(object(other_type, 8)); /* no span */
	assert_unknown();
	assert_int_equal(hosted_records, 2);
}

/* Whatever is there, a look-up ends after so many reads, and each that was begun is counted once. */
TEST(memory_that_is_anything)
{
	use_span(span_of(tuple(integer(7), integer(9))));
	for (int i = 0; i < 200000; i++) {
		__u64 *word = &memory[random_word() % used], before = *word;
		const __u64 r = random_word();

		vars.trace.values = TRACE_DICT + i % 4;
		vars.trace.keys_are_old = i / 4 % 2;
		*word = r % 3 ? BASE + r % sizeof(memory) / 8 * 8 : r >> r % 64;
		read_it();
		assert_true(hosted.stats.trace_spans + hosted.stats.trace_unknown <= 1);
		if (i % 7)
			*word = before;
	}
}

AROUND_EACH(setup, hosted_teardown);
