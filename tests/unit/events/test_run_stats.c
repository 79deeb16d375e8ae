// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_run_stats.c - the books of each kind of event, as text and as JSON, where there are more kinds.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "profile/events.h"
#include "stats/books.h"
#include "stats/run_stats.h"
#include "tests/forge/test.h"
#include "tests/unit/events/counts.h"

static struct run_stats report;

/* Books that balance: what is in the profile, and 4 of each outcome outside that the kind can have. */
static void make_books(void)
{
	memset(&report, 0, sizeof(report));
	report.events = EVENTS_ALL;
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		__u64 *total = (__u64 *)((char *)&report.kernel.sum + event_rows[kind].total);

		*total = report.harvest.samples[kind] = total_of(kind);
		report.kernel.sum.outcome[kind][OUTCOME_WHOLE] = total_of(kind);
		for (int i = 0; i < OUTCOME_COUNT; i++) {
			if (outcome_rows[i].place != PLACE_OUTSIDE || !event_has_outcome(kind, i))
				continue;
			report.kernel.sum.outcome[kind][i] = 4;
			*total += 4;
		}
	}
}

static char *printed(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	run_stats_print(&report, f, false);
	assert_int_equal(fclose(f), 0);
	return text;
}

TEST(books_as_text)
{
	_cleanup_free_ char *text = NULL;

	make_books();
	text = printed();
	assert_has(text, "What became of every tick");
	assert_has(text, "32           ticks: 8 in the profile + 24 outside\n");
	assert_has(text, "What became of every nanosecond");
	assert_has(text, "2,500,000,020           nanoseconds: 2,500,000,000 in the profile + 20 outside\n");
	assert_has(text, "What became of every byte");
	assert_has(text, "3,145,732           bytes: 3,145,728 in the profile + 4 outside\n");
	assert_null(strstr(text, "BALANCE"));
}

/* One too many in the profile, in the total or in an outcome, of any kind, is said. */
TEST(wrong_books_of_any_kind)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		struct cpu_stats *sum = &report.kernel.sum;
		__u64 *const pages[] = {
			&report.harvest.samples[kind],
			&sum->outcome[kind][OUTCOME_TRUNCATED],
			(__u64 *)((char *)sum + event_rows[kind].total),
		};

		for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
			_cleanup_free_ char *text = NULL;

			make_books();
			++*pages[i];
			text = printed();
			if (!strstr(text, "THE BOOKS DO NOT BALANCE"))
				fail_msg("page %zu of %s: nobody says so", i, event_rows[kind].key);
		}
	}
}

TEST(books_as_json)
{
	_cleanup_buf_ struct buf b = {};
	char wanted[64];

	make_books();
	assert_int_equal(run_stats_json(&report, &b), 0);
	assert_int_equal(buf_add(&b, "", 1), 0);
	assert_has(b.data, "\"outcomes\": {\"whole\": 8, ");
	assert_has(b.data, "\"wait_outcomes\": {\"whole\": 2500000000, ");
	assert_has(b.data, "\"table_full\": 0, \"new_process\": 4, \"forbidden\": 4, \"not_python\": 4, "
			   "\"not_selected\": 4, \"nested\": 4}");
	assert_has(b.data, "\"growth_outcomes\": {\"whole\": 3145728, ");
	assert_has(b.data, "\"table_full\": 0, \"nested\": 4},");
	assert_has(b.data, "\"profile\": {\"samples\": 8, \"offcpu_samples\": 4000, ");
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		snprintf(wanted, sizeof(wanted), "\"%ssamples\": %llu, \"", event_rows[kind].prefix,
			 total_of(kind));
		assert_has(b.data, wanted);
	}
}

static int begin(void **state)
{
	(void)state;
	set_others();
	return 0;
}

AROUND_ALL(begin, NULL);
