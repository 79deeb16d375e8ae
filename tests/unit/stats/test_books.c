// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_books.c - the books of each kind of event: every outcome that belongs to a kind is on exactly one page
 * of its books and of no other's, and the names of outcomes.
 */

#include <ctype.h>
#include <string.h>

#include "stats/books.h"
#include "tests/forge/test.h"

static struct cpu_stats sum;

TEST(one_page_for_each_outcome)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		for (int i = 0; i < OUTCOME_COUNT; i++) {
			const bool outside = outcome_rows[i].place == PLACE_OUTSIDE;

			memset(&sum, 0, sizeof(sum));
			sum.outcome[kind][i] = 7;
			for (int of = 0; of < EVENT_KINDS; of++) {
				struct books b = books_of(&sum, of);
				const __u64 n = of == kind && event_has_outcome(kind, i) ? 7 : 0;

				assert_int_equal(b.outside, outside ? n : 0);
				assert_int_equal(b.in_profile, outside ? 0 : n);
				assert_int_equal(b.total, 0);
			}
		}
	}
}

TEST(totals)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		memset(&sum, 0, sizeof(sum));
		*(__u64 *)((char *)&sum + event_rows[kind].total) = 123;
		for (int of = 0; of < EVENT_KINDS; of++)
			assert_int_equal(books_of(&sum, of).total, of == kind ? 123 : 0);
	}
	assert_int_equal(event_rows[EVENT_CPU].total, offsetof(struct cpu_stats, ticks));
}

TEST(ids)
{
	char text[OUTCOME_ID_MAX];

	for (int i = 0; i < OUTCOME_COUNT; i++) {
		const char *id = outcome_id(i, text);

		assert_ptr_equal(id, text);
		assert_int_equal(strlen(id), strlen(outcome_rows[i].name));
		for (size_t at = 0; id[at]; at++)
			assert_int_equal(id[at], tolower(outcome_rows[i].name[at]));
		assert_true(*outcome_rows[i].text);
	}
	assert_string_equal(outcome_id(OUTCOME_NO_THREAD_STATE, text), "no_thread_state");
	assert_string_equal(place_name(outcome_rows[OUTCOME_TRUNCATED].place), "marked");
	assert_string_equal(place_name(outcome_rows[OUTCOME_WHOLE].place), "whole");
	assert_string_equal(place_name(outcome_rows[OUTCOME_NESTED].place), "outside");
}

TEST(counters)
{
	for (size_t i = 0; i < stat_row_count; i++) {
		memset(&sum, 0, sizeof(sum));
		*(__u64 *)((char *)&sum + stat_rows[i].offset) = i + 1;
		for (size_t j = 0; j < stat_row_count; j++)
			assert_int_equal(stat_value(&sum, stat_rows[j].offset), i == j ? i + 1 : 0);
	}
}

TEST(in_words)
{
	char text[BOOKS_WORDS_MAX];

	memset(&sum, 0, sizeof(sum));
	sum.outcome[EVENT_CPU][OUTCOME_WHOLE] = 1230;
	sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT] = 4; /* has a marker, and so is in the profile */
	sum.outcome[EVENT_OFFCPU][OUTCOME_WHOLE] = 45200000000;
	assert_string_equal(books_in_words(&sum, EVENT_BIT(EVENT_CPU), text), "1,234 samples");
	assert_string_equal(books_in_words(&sum, EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU), text),
			    "1,234 samples, 45.20 s waiting");
	assert_string_equal(books_in_words(&sum, EVENT_BIT(EVENT_OFFCPU), text), "45.20 s waiting");
	books_in_words(&sum, EVENTS_ALL, text);
	assert_true(strlen(text) < BOOKS_WORDS_MAX / 2);
}
