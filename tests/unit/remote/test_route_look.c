// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_route_look.c - routes of spans in this process's own memory, forged as each version has the SDK's
 * objects: which are found, which are not, and that a look ends whatever is there.
 */
#include "tests/forge/objects.h"

#include "remote/route_look.h"
#include "tests/forge/test.h"

enum { T_IDS = OWN_TYPES, T_SPAN, T_PLAIN, T_ATTRIBUTES, T_ORDERED, T_OTHER, TYPES };
static const char *const type_names[TYPES] = { "type", "dict", "str", "int", "SpanContext", "_Span",
						"NonRecordingSpan", "BoundedAttributes",
						"collections.OrderedDict", "object" };
static const __u32 versions[] = { 0x030800f0, 0x030a00f0, 0x030b00f0, 0x030c00f0, 0x030d00f0, 0x030e00f0 };
#define EACH_VERSION(i) (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++)

static const struct trace_ids ids = { 0x1122334455667788, 0x99aabbccddeeff00, 0x0123456789abcdef };
static struct routes_question question;

static __u64 items_at(void)
{
	return layout.version >= 0x030e0000 ? 16 : 8;
}

/* A number of 128 bits. */
static __u64 *long_of(__u64 high, __u64 low)
{
	unsigned __int128 value = (unsigned __int128)high << 64 | low;
	__u64 *at = object(T_INT, 5);
	__u32 *digits = (__u32 *)(at + 3), n = 0;

	for (; value; value >>= 30)
		digits[n++] = (__u32)value & ((1U << 30) - 1);
	at[2] = layout.version < 0x030c0000 ? n : n << 3;
	return at;
}

static __u64 *ids_of(const struct trace_ids *of)
{
	__u64 *at = object(T_IDS, 8);

	at[2] = 6;
	at[2 + items_at() / 8] = address_of(long_of(of->high, of->low));
	at[3 + items_at() / 8] = address_of(int_of(of->span));
	return at;
}

/* What keeps these attributes. */
static __u64 *bounded(const struct pair *pairs, size_t count, int type)
{
	__u64 *in = dict(pairs, count);

	in[1] = address_of(types[type]);
	return instance(T_ATTRIBUTES, (const __u64 *const[]){ NULL, in }, 2);
}

static __u64 *with_route(const char *route)
{
	const struct pair pairs[] = { { "http.method", text("GET") }, { "http.route", text(route) } };

	return bounded(pairs, 2, T_DICT);
}

static void begin(__u32 version)
{
	static const struct pair of_span[] = { { "_context", NULL }, { "_parent", NULL },
					       { "_attributes", NULL } };
	static const struct pair of_plain[] = { { "_context", NULL } };
	static const struct pair of_attributes[] = { { "maxlen", NULL }, { "_dict", NULL } };

	forge_begin(version, type_names, TYPES);
	types[T_ORDERED][FLAGS] = OBJECTS_DICT;
	give_attributes(T_SPAN, of_span, 3);
	give_attributes(T_PLAIN, of_plain, 1);
	give_attributes(T_ATTRIBUTES, of_attributes, 2);
	question = (struct routes_question){
		.place = {
			.ids_type = address_of(types[T_IDS]),
			.classes = { { .type = address_of(types[T_SPAN]), .at = VALUES_AT },
				     { .type = address_of(types[T_PLAIN]), .at = VALUES_AT } },
			.count = 2,
			.tuple_items = (__u8)items_at(),
		},
	};
}

static void ask_for(const __u64 *span, const struct trace_ids *of)
{
	question.span[question.count++] = (struct route_span){ address_of(span), *of };
}

static struct route_found look(void)
{
	struct buf out = {};
	struct route_found found;

	assert_int_equal(route_look(getpid(), &layout, &question, &out), 0);
	assert_int_equal(out.size, question.count * sizeof(found));
	memcpy(&found, out.data, sizeof(found));
	buf_free(&out);
	return found;
}

static struct route_found look_at(const __u64 *span)
{
	question.count = 0;
	ask_for(span, &ids);
	return look();
}

static __u64 *span_of(const __u64 *parent, const __u64 *attributes)
{
	return instance(T_SPAN, (const __u64 *const[]){ ids_of(&ids), parent, attributes }, 3);
}

/* --- the tests ------------------------------------------------------------------------------------------ */

TEST(each_version)
{
	for
		EACH_VERSION(i)
		{
			struct trace_ids parent = ids;
			struct route_found found;

			begin(versions[i]);
			parent.span = 77;
			found = look_at(span_of(ids_of(&parent), with_route("/items/{number}")));
			assert_int_equal(found.state, ROUTE_FOUND);
			assert_string_equal(found.route, "/items/{number}");
			assert_int_equal(found.parent, 77);
		}
}

TEST(attributes_in_a_dict)
{
	for
		EACH_VERSION(i)
		{
			__u64 *span;

		begin(versions[i]);
		span = span_of(NULL, NULL);
		give_dict(span, (const struct pair[]){ { "_attributes", with_route("/a") },
						       { "_context", ids_of(&ids) } }, 2);
		assert_string_equal(look_at(span).route, "/a");
	}
}

TEST(an_ordered_dict)
{
	const struct pair pairs[] = { { "http.route", NULL } };
	struct pair with[1];

	begin(0x030900f0);
	with[0] = (struct pair){ pairs[0].name, text("/old") };
	assert_string_equal(look_at(span_of(NULL, bounded(with, 1, T_ORDERED))).route, "/old");
	assert_int_equal(look_at(span_of(NULL, bounded(with, 1, T_OTHER))).state, ROUTE_NONE);
}

TEST(without_a_route)
{
	const struct trace_ids of_another = { 1, 2, 3 };
	struct route_found found;

	begin(0x030c00f0);
	found = look_at(span_of(ids_of(&of_another), bounded(NULL, 0, T_DICT)));
	assert_int_equal(found.state, ROUTE_NONE);
	assert_int_equal(found.parent, 0); /* of another trace */
	assert_int_equal(look_at(span_of(NULL, NULL)).state, ROUTE_NONE);
	assert_int_equal(look_at(span_of(NULL, with_route(""))).state, ROUTE_NONE);
	found = look_at(instance(T_PLAIN, (const __u64 *const[]){ ids_of(&ids) }, 1));
	assert_int_equal(found.state, ROUTE_NONE);
}

/* What is at a span's address by now is not that span. */
TEST(what_has_ended)
{
	const struct trace_ids near[] = { { ids.high, ids.low, ids.span + 1 },
					  { ids.high, ids.low + 1, ids.span },
					  { ids.high + 1, ids.low, ids.span } };
	__u64 *span;

	begin(0x030d00f0);
	span = span_of(NULL, with_route("/another"));
	for (size_t i = 0; i < 3; i++) {
		question.count = 0;
		ask_for(span, &near[i]);
		assert_int_equal(look().state, ROUTE_GONE);
	}
	span[1] = address_of(types[T_OTHER]);
	assert_int_equal(look_at(span).state, ROUTE_GONE);
	assert_int_equal(look_at((const __u64 *)8).state, ROUTE_GONE);
}

TEST(a_long_route)
{
	char route[100];

	memset(route, 'r', sizeof(route) - 1);
	route[sizeof(route) - 1] = '\0';
	begin(0x030e00f0);
	assert_string_equal(look_at(span_of(NULL, with_route(route))).route, route);
}

TEST(questions_that_cannot_be)
{
	struct buf out = {};

	begin(0x030c00f0);
	question.count = ROUTES_AT_ONCE + 1;
	assert_int_equal(route_look(getpid(), &layout, &question, &out), -EINVAL);
	question.count = 1;
	question.place.count = TRACE_CLASSES + 1;
	assert_int_equal(route_look(getpid(), &layout, &question, &out), -EINVAL);
	assert_int_equal(out.size, 0);
}

TEST(memory_that_is_anything)
{
	for (int i = 0; i < 300; i++) {
		struct route_found found;

		begin(versions[i % 6]);
		ask_for(span_of(NULL, with_route("/items")), &ids);
		spoil(1 + i % 40);
		found = look();
		assert_true(found.state < ROUTE_STATES);
		assert_true(memchr(found.route, '\0', sizeof(found.route)));
	}
}
