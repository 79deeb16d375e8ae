/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * otlp.h - an encoded OTLP message, looked at field by field.
 */
#ifndef PYPERF_TESTS_FORGE_OTLP_H
#define PYPERF_TESTS_FORGE_OTLP_H

#include "base/wire.h"
#include "formats/otlp_dictionary.h"
#include "tests/forge/decode.h"

struct message {
	const void *data;
	size_t size;
};

/* The field of this number; the nth of them, from 0. Returns false if there is none. */
static inline bool otlp_find(struct message m, unsigned int number, size_t nth, struct wire_field *ret)
{
	struct wire w = wire_of(m.data, m.size);
	int more;

	while ((more = wire_next(&w, ret)) > 0)
		if (ret->number == number && nth-- == 0)
			return true;
	assert_int_equal(more, 0);
	return false;
}

static inline size_t otlp_count(struct message m, unsigned int number)
{
	struct wire_field f;
	size_t n = 0;

	while (otlp_find(m, number, n, &f))
		n++;
	return n;
}

static inline struct message otlp_message(struct message m, unsigned int number, size_t nth)
{
	struct wire_field f;

	assert_true(otlp_find(m, number, nth, &f));
	assert_int_equal(f.type, WIRE_BYTES);
	return (struct message){ f.bytes.at, f.bytes.end - f.bytes.at };
}

static inline __u64 otlp_number(struct message m, unsigned int number)
{
	struct wire_field f;

	if (!otlp_find(m, number, 0, &f))
		return 0;
	assert_int_not_equal(f.type, WIRE_BYTES);
	return f.value;
}

/* The nth number of a packed list. */
static inline __u64 otlp_packed(struct message m, unsigned int number, size_t nth)
{
	struct message list = otlp_message(m, number, 0);
	const unsigned char *at = list.data, *end = at + list.size;
	__u64 value = 0;

	for (size_t i = 0; i <= nth; i++) {
		unsigned int shift = 0;

		value = 0;
		do {
			assert_true(at < end);
			value |= (__u64)(*at & 127) << shift;
			shift += 7;
		} while (*at++ > 127);
	}
	return value;
}

static inline void assert_text(struct message m, const char *expected)
{
	assert_int_equal(m.size, strlen(expected));
	assert_memory_equal(m.data, expected, m.size);
}

/* A record of a dictionary that is not written yet. */
static inline struct message otlp_record(const struct otlp_dictionary *d, enum otlp_kind kind, __u32 index)
{
	const struct otlp_record *r = d->tables[kind].records;

	while (r && r->index != index)
		r = r->hh.next;
	assert_non_null(r);
	return (struct message){ r->data, r->size };
}

static inline void assert_string(const struct otlp_dictionary *d, __u32 index, const char *expected)
{
	assert_text(otlp_record(d, OTLP_STRING, index), expected);
}

/* That the attribute has this key; its value. */
static inline struct message otlp_value(const struct otlp_dictionary *d, __u32 index, const char *key)
{
	struct message m = otlp_record(d, OTLP_ATTRIBUTE, index);

	assert_string(d, otlp_number(m, OTLP_ATTRIBUTE_KEY), key);
	return otlp_message(m, OTLP_ATTRIBUTE_VALUE, 0);
}

static inline void assert_text_attribute(const struct otlp_dictionary *d, __u32 index, const char *key,
					 const char *text)
{
	assert_text(otlp_message(otlp_value(d, index, key), OTLP_ANY_STRING, 0), text);
}

#endif
