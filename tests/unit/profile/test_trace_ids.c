// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trace_ids.c - ids of traces and spans as texts, which traces are asked for, and ids in the records of
 * the journal.
 */
#include <errno.h>

#include "bpf/abi.h"
#include "profile/trace_ids.h"
#include "tests/forge/test.h"

TEST(texts_have_all_digits)
{
	const struct trace_ids ids = { .high = 0xab, .low = 1ULL << 63, .span = 0xf };
	char trace[TRACE_TEXT], span[SPAN_TEXT];

	trace_ids_text(&ids, trace, span);
	assert_string_equal(trace, "00000000000000ab8000000000000000");
	assert_string_equal(span, "000000000000000f");
}

TEST(texts_are_read_again)
{
	const struct trace_ids ids = { .high = 1ULL << 63, .low = 7, .span = 0xfedcba9876543210 };
	struct trace_ids back = { 0 };
	char trace[TRACE_TEXT], span[SPAN_TEXT];

	trace_ids_text(&ids, trace, span);
	assert_int_equal(trace_ids_parse(trace, span, &back), 0);
	assert_memory_equal(&back, &ids, sizeof(ids));
	assert_int_equal(trace_ids_parse(span, span, &back), -EINVAL);
	assert_int_equal(trace_ids_parse(trace, "", &back), -EINVAL);
	assert_int_equal(trace_ids_parse(trace, "-000000000000001", &back), -EINVAL);
	assert_memory_equal(&back, &ids, sizeof(ids));
}

TEST(one_trace_or_each)
{
	const struct trace_ids none = { 0 }, its = { 0xab, 0xcd, 7 }, other = { 0xab, 0xce, 7 };
	struct trace_wanted w = { 0 };

	assert_true(trace_is_wanted(&w, &none) && trace_is_wanted(&w, &its));
	assert_int_equal(trace_wanted_parse("each", &w), 0);
	assert_true(w.each && trace_is_wanted(&w, &none) && trace_is_wanted(&w, &its));
	assert_int_equal(trace_wanted_parse("00000000000000ab00000000000000CD", &w), 0);
	assert_true(w.each && trace_is_wanted(&w, &its));
	assert_false(trace_is_wanted(&w, &none));
	assert_false(trace_is_wanted(&w, &other));
}

TEST(what_is_no_id)
{
	static const char *const bad[] = {
		"", "each ", "ab", "0000000000000000000000000000000g", "+0000000000000ab00000000000000cd",
		" 0000000000000ab0000000000000cd0", "00000000000000ab00000000000000cd0",
		"-000000000000001-000000000000001"
	};
	struct trace_wanted w = { .one = true, .of = { 1, 2, 0 } };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(trace_wanted_parse(bad[i], &w), -EINVAL);
	assert_true(w.one && !w.each && w.of.high == 1 && w.of.low == 2);
}

TEST(records_keep_each_bit)
{
	__u64 words[4];

	for (int bit = 0; bit < 192; bit++) {
		__u64 of[3] = { 0 };
		struct trace_ids ids, back;

		of[bit / 64] = 1ULL << (bit % 64);
		ids = (struct trace_ids){ of[0], of[1], of[2] };
		for (int i = 0; i < 4; i++) {
			words[i] = journal_ids_word(&ids, i);
			assert_int_equal(words[i] >> JOURNAL_IDS_BITS, 0);
		}
		back = journal_ids(words);
		assert_memory_equal(&back, &ids, sizeof(ids));
	}
}
