// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_events.c - each row of bpf/events.def is complete, and its names are of its own. A new row is tested
 * without a line here; tests/unit/events has rows that only the tests have.
 */

#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/events.h"
#include "tests/forge/test.h"

static void assert_word(const char *text)
{
	assert_true(*text);
	for (const char *c = text; *c; c++)
		assert_true(islower(*c) || *c == '_');
}

TEST(names)
{
	for (int i = 0; i < EVENT_KINDS; i++) {
		const struct event_row *row = &event_rows[i];

		assert_word(row->key);
		assert_word(row->type);
		assert_word(row->series);
		assert_true(*row->noun && *row->resource);
		if (i)
			assert_int_equal(row->prefix[strlen(row->prefix) - 1], '_');
		for (int j = 0; j < i; j++) {
			assert_string_not_equal(row->key, event_rows[j].key);
			assert_string_not_equal(row->prefix, event_rows[j].prefix);
			assert_string_not_equal(row->series, event_rows[j].series);
			if (row->unit == event_rows[j].unit)
				assert_string_not_equal(row->type, event_rows[j].type);
			assert_int_not_equal(row->total, event_rows[j].total);
		}
	}
}

TEST(units)
{
	static const char *const of_pprof[] = { "count", "nanoseconds", "bytes" };

	for (int i = 0; i < EVENT_KINDS; i++) {
		const struct event_row *row = &event_rows[i];

		assert_in_range(row->unit, 0, ARRAY_SIZE(of_pprof) - 1);
		assert_string_equal(event_unit_name(row->unit), of_pprof[row->unit]);
		/* What is time, or bytes, already stands for itself. */
		assert_true(!*row->period || row->unit == UNIT_COUNT);
	}
}

/* The total is a counter of stats.def, and of that name. */
TEST(totals)
{
	static const struct {
		const char *name;
		size_t offset;
	} counters[] = {
#define STAT(name, help) { #name, offsetof(struct cpu_stats, name) },
#include "bpf/stats.def"
#undef STAT
	};

	for (int i = 0; i < EVENT_KINDS; i++) {
		size_t at = 0;

		while (at < ARRAY_SIZE(counters) && strcmp(counters[at].name, event_rows[i].total_name))
			at++;
		assert_in_range(at, 0, ARRAY_SIZE(counters) - 1);
		assert_int_equal(event_rows[i].total, counters[at].offset);
	}
}

/* A stack that was walked has an outcome in every book, and no outcome is in none. */
TEST(outcomes)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		assert_true(event_has_outcome(kind, OUTCOME_WHOLE));
		assert_true(event_has_outcome(kind, OUTCOME_TABLE_FULL));
	}
	for (int i = 0; i < OUTCOME_COUNT; i++) {
		int in = 0;

		for (int kind = 0; kind < EVENT_KINDS; kind++)
			in += event_has_outcome(kind, i);
		assert_in_range(in, 1, EVENT_KINDS);
	}
}

TEST(the_first_is_the_tick)
{
	const struct event_row *row = &event_rows[0];

	assert_int_equal(EVENT_CPU, 0);
	assert_string_equal(row->type, "samples");
	assert_string_equal(row->period, "cpu");
	assert_string_equal(row->prefix, "");
	assert_string_equal(row->series, "process_cpu");
	assert_string_equal(row->total_name, "ticks");
}

TEST(amounts)
{
	assert_true(event_amount(EVENT_CPU, 300, 10000000) == 3);
	assert_string_equal(event_amount_unit(EVENT_CPU), "s");
	assert_true(event_amount(EVENT_OFFCPU, 2500000000, 10000000) == 2.5);
	assert_string_equal(event_amount_unit(EVENT_OFFCPU), "s");
}
