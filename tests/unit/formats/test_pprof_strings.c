// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pprof_strings.c - each index leads to its text in the table that is written: words, the keys of
 * labels, the profile's own strings, and the names of extra labels.
 */

#include <stdlib.h>

#include "formats/pprof_stream.h"
#include "formats/pprof_strings.h"
#include "tests/forge/test.h"
#include "tests/unit/formats/pprof_example.h"

static Pyperf__Profile *write_and_decode(const struct pprof_strings *s)
{
	_cleanup_buf_ struct buf out = { 0 };
	struct pprof_stream stream;

	assert_int_equal(pprof_stream_open(&stream, &out), 0);
	assert_int_equal(pprof_strings_write(s, &stream), 0);
	assert_int_equal(pprof_stream_finish(&stream), 0);
	pprof_stream_close(&stream);
	return decode(&out);
}

TEST(each_index_leads_to_its_text)
{
	_cleanup_profile_ struct profile *p = example();
	const __u32 count = profile_count(p, PROFILE_STRING);
	struct pprof_strings s;
	Pyperf__Profile *d;

	pprof_strings_open(&s, p);
	assert_int_equal(pprof_strings_word(&s, ""), 0);
	assert_int_equal(pprof_strings_word(&s, "samples"), 1);
	assert_int_equal(pprof_strings_word(&s, "count"), 2);
	d = write_and_decode(&s);
	assert_int_equal(d->n_string_table, 3 + LABEL_COUNT + count);
	assert_string_equal(string(d, 0), "");
	assert_string_equal(string(d, 1), "samples");
	assert_string_equal(string(d, 2), "count");
	for (int i = 0; i < LABEL_COUNT; i++)
		assert_string_equal(string(d, pprof_strings_label(&s, i)), label_rows[i].key);
	assert_int_equal(pprof_strings_text(&s, 0), 0); /* no text */
	for (__u32 id = 1; id <= count; id++)
		assert_string_equal(string(d, pprof_strings_text(&s, id)), profile_get_string(p, id));
	pyperf__profile__free_unpacked(d, NULL);
}

/* Many kinds of events have one unit. */
TEST(a_word_is_there_once)
{
	_cleanup_profile_ struct profile *p = new_profile();
	struct pprof_strings s;

	pprof_strings_open(&s, p);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pprof_strings_word(&s, "cpu"), 1);
		assert_int_equal(pprof_strings_word(&s, "nanoseconds"), 2);
	}
	assert_int_equal(s.word_count, 3);
}

/* A reader could not tell two labels of one name apart. */
TEST(an_extra_label_with_a_name_of_ours_gets_a_longer_one)
{
	struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = PERIOD, .extra_count = 2 };
	_cleanup_profile_ struct profile *p = NULL;
	struct pprof_strings s;
	Pyperf__Profile *d;

	info.extra[0] = "app";
	info.extra[1] = label_rows[LABEL_COUNT - 1].key;
	assert_int_equal(profile_new(&info, &p), 0);
	location(p, "f", "x.py", 1, 2, 0);
	pprof_strings_open(&s, p);
	d = write_and_decode(&s);
	assert_string_equal(string(d, pprof_strings_extra(&s, 0)), "app");
	assert_memory_equal(string(d, pprof_strings_extra(&s, 1)), "label_", 6);
	assert_string_equal(string(d, pprof_strings_extra(&s, 1)) + 6, label_rows[LABEL_COUNT - 1].key);
	assert_int_equal(pprof_strings_extra(&s, 1), d->n_string_table - 1);
	pyperf__profile__free_unpacked(d, NULL);
}
