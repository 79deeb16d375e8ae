// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_otlp_dictionary.c - each table begins with the empty element, what is asked for twice is there once,
 * and what is written is one field that has all of it.
 */
#include <string.h>

#include "base/protobuf.h"
#include "tests/forge/otlp.h"
#include "tests/forge/test.h"

static struct otlp_dictionary d;

static int setup(void **state)
{
	(void)state;
	return otlp_dictionary_open(&d);
}

static int teardown(void **state)
{
	(void)state;
	otlp_dictionary_close(&d);
	return 0;
}

TEST(attributes_are_there_once)
{
	__u32 one, again, number, other;

	assert_int_equal(otlp_dictionary_text_attribute(&d, "thread.name", "main", &one), 0);
	assert_int_equal(otlp_dictionary_text_attribute(&d, "thread.name", "main", &again), 0);
	assert_int_equal(otlp_dictionary_number_attribute(&d, "thread.id", 4711, &number), 0);
	assert_int_equal(otlp_dictionary_text_attribute(&d, "thread.id", "main", &other), 0);
	assert_int_equal(one, 1);
	assert_int_equal(again, 1);
	assert_int_equal(number, 2);
	assert_int_equal(other, 3);
	assert_text_attribute(&d, one, "thread.name", "main");
	assert_text_attribute(&d, other, "thread.id", "main");
	assert_int_equal(otlp_number(otlp_value(&d, number, "thread.id"), OTLP_ANY_INT), 4711);
	assert_int_equal(HASH_COUNT(d.tables[OTLP_STRING].records), 3);
}

/* An attribute's text is in it, and no string of the dictionary that nobody would use. */
TEST(strings_are_there_once)
{
	__u32 index;

	assert_int_equal(otlp_dictionary_string(&d, "", &index), 0);
	assert_int_equal(index, 0);
	assert_int_equal(otlp_dictionary_string(&d, "a", &index), 0);
	assert_int_equal(otlp_dictionary_text_attribute(&d, "a", "b", &index), 0);
	assert_int_equal(otlp_dictionary_string(&d, "a", &index), 0);
	assert_int_equal(index, 1);
	assert_int_equal(HASH_COUNT(d.tables[OTLP_STRING].records), 2);
}

TEST(all_of_it_is_written)
{
	_cleanup_buf_ struct buf out = {}, plain = {};
	struct gzip_stream gzip;
	struct message all, dictionary;
	__u32 index;

	assert_int_equal(otlp_dictionary_text_attribute(&d, "key", "value", &index), 0);
	assert_int_equal(gzip_stream_open(&gzip, &out), 0);
	assert_int_equal(otlp_dictionary_write(&d, &gzip), 0);
	assert_int_equal(gzip_stream_finish(&gzip), 0);
	gzip_stream_close(&gzip);
	decompress(&out, &plain);
	all = (struct message){ plain.data, plain.size };
	assert_int_equal(otlp_count(all, OTLP_DATA_DICTIONARY), 1);
	dictionary = otlp_message(all, OTLP_DATA_DICTIONARY, 0);
	assert_int_equal(plain.size, protobuf_bytes_size(dictionary.size));
	for (int kind = OTLP_MAPPING; kind < OTLP_KINDS; kind++) {
		const int more = kind == OTLP_STRING || kind == OTLP_ATTRIBUTE;

		assert_int_equal(otlp_count(dictionary, kind), 1 + more);
		assert_int_equal(otlp_message(dictionary, kind, 0).size, 0);
	}
	assert_text(otlp_message(dictionary, OTLP_STRING, 1), "key");
}

AROUND_EACH(setup, teardown);
