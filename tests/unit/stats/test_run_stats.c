// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_run_stats.c - the books: what they add up, when they say that they do not balance, and the page they
 * are printed on.
 */
#include <stdio.h>
#include <stdlib.h>

#include "forge_run_stats.h"
#include "base/number.h"
#include "tests/forge/test.h"

TEST(books)
{
	struct books b = books_of(&report.kernel.sum, EVENT_CPU);

	assert_int_equal(b.total, in_profile + outside);
	assert_int_equal(b.in_profile, in_profile);
	assert_int_equal(b.outside, outside);
	/* Each outcome is on exactly one page. */
	for (size_t i = 0; i < OUTCOME_COUNT; i++) {
		if (!event_has_outcome(EVENT_CPU, i))
			continue;
		report.kernel.sum.outcome[EVENT_CPU][i] += 7;
		b = books_of(&report.kernel.sum, EVENT_CPU);
		assert_int_equal(b.in_profile, in_profile + (outcome_rows[i].place == PLACE_OUTSIDE ? 0 : 7));
		assert_int_equal(b.outside, outside + (outcome_rows[i].place == PLACE_OUTSIDE ? 7 : 0));
		report.kernel.sum.outcome[EVENT_CPU][i] -= 7;
	}
	memset(&report, 0, sizeof(report));
	b = books_of(&report.kernel.sum, EVENT_CPU);
	assert_true(!b.total && !b.in_profile && !b.outside);
}

static char *printed(bool colour)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	run_stats_print(&report, f, colour);
	fclose(f);
	return text;
}

TEST(short_has_the_cost)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct run_stats r = { .seconds = 10, .cpu_seconds = 0.75, .start_cpu_seconds = 0.5,
			       .home = "kernel" };

	r.kernel.run_time_ns = 40000000;
	r.kernel.other_time_ns = 10000000;
	r.kernel.wait_time_ns = 100000000;
	r.kernel.memory_time_ns = 50000000;
	run_stats_print_short(&r, f);
	fclose(f);
	assert_string_equal(text, "\nCost: 2.00% of one CPU in the kernel, 2.50% in the profiler, and "
				  "0.50 s to start\n");
	free(text);
}

TEST(printed_has_everything)
{
	char *text = printed(false), *colour = printed(true), wanted[256];

	for (size_t i = 0; i < OUTCOME_COUNT; i++) {
		const bool not_asked = i == OUTCOME_NOT_SELECTED || i == OUTCOME_IDLE;

		if (!event_has_outcome(EVENT_CPU, i))
			continue;
		snprintf(wanted, sizeof(wanted), " %s %*s",
			 number_group(report.kernel.sum.outcome[EVENT_CPU][i]).text, not_asked ? 8 : 0, "");
		assert_non_null(strstr(text, wanted));
		snprintf(wanted, sizeof(wanted), "%s  %s%s\n", not_asked ? " " : "%",
			 outcome_rows[i].text,
			 outcome_rows[i].place == PLACE_MARKED ? ", in the profile with a marker" : "");
		assert_non_null(strstr(text, wanted));
	}
	for (size_t i = 0; i < stat_row_count; i++) {
		snprintf(wanted, sizeof(wanted), "  %12s           %s\n", number_group(*counter(i)).text,
			 stat_rows[i].help);
		assert_non_null(strstr(text, wanted));
	}
	assert_non_null(strstr(text, "(13 CPUs, 99 Hz)"));
	/* 4000002000 / 4000001; (4.000002 + 0.004000004) / 12.5; (0.25 - 0.125) / 12.5 */
	assert_non_null(strstr(
		text, "  kernel    1,000 ns a tick, 4,000,001 ticks; 32.032% of one core over 12.5 s\n"));
	assert_non_null(
		strstr(text, "  profiler  0.13 s of CPU to start, then 0.13 s; 1.000% of one core\n"));
	assert_non_null(strstr(
		text,
		"  loop      2 turns, 99 of 100 up to 81,920 us, all up to 90,000 us, 1,200 us of CPU\n"));
	assert_non_null(
		strstr(text, "4,000,008 objects, 4,000,007 places in them, 4,000,009 line-table look-ups"));
	assert_null(strchr(text, '\033'));
	assert_non_null(strchr(colour, '\033'));
	free(text);
	free(colour);
}

TEST(says_whether_they_balance)
{
	static __u64 *const pages[] = { &report.kernel.sum.ticks, &report.kernel.sum.outcome[EVENT_CPU][0],
					&report.kernel.sum.outcome[EVENT_CPU][OUTCOME_NESTED],
					&report.harvest.samples[EVENT_CPU] };
	char *text = printed(false);

	assert_null(strstr(text, "BALANCE"));
	free(text);
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		for (int by = -1; by <= 1; by += 2) {
			*pages[i] += by;
			text = printed(false);
			if (!strstr(text, "THE BOOKS DO NOT BALANCE"))
				fail_msg("page %zu is wrong by %d and nobody says so", i, by);
			free(text);
			*pages[i] -= by;
		}
	}
}

static void assert_printed(const char *line)
{
	char *text = printed(false);

	if (!strstr(text, line))
		fail_msg("no \"%s\" in:\n%s", line, text);
	free(text);
}

TEST(what_is_zero_is_silent)
{
	char *text;

	memset(report.kernel.sum.outcome, 0, sizeof(report.kernel.sum.outcome));
	report.kernel.sum.outcome[EVENT_CPU][OUTCOME_NESTED] = 3;
	report.kernel.sum.ring_full = 0;
	text = printed(false);
	for (size_t i = 0; i < OUTCOME_COUNT; i++) {
		char row[64];

		snprintf(row, sizeof(row), "%%  %s", outcome_rows[i].text);
		assert_true(!strstr(text, row) == (i != OUTCOME_NESTED));
	}
	for (size_t i = 0; i < stat_row_count; i++)
		assert_true(!strstr(text, stat_rows[i].help) ==
			    (stat_rows[i].offset == offsetof(struct cpu_stats, ring_full)));
	free(text);
}

/* What was asked for is the whole; that others ran meanwhile says nothing of it. */
TEST(shares_are_of_what_was_selected)
{
	__u64 *n = report.kernel.sum.outcome[EVENT_CPU];

	memset(n, 0, OUTCOME_COUNT * sizeof(*n));
	n[OUTCOME_WHOLE] = 990;
	n[OUTCOME_TRUNCATED] = 10;
	report.kernel.sum.ticks = 1000;
	assert_printed("\n           990   99.00%  whole stack\n            10    1.00%  truncated, in");
	n[OUTCOME_NOT_SELECTED] = 4000;
	report.kernel.sum.ticks = 5000;
	assert_printed("\n           990   99.00%  whole stack\n            10    1.00%  truncated, in");
	assert_printed("\n         4,000           not selected\n         5,000           ticks: 1,000 in "
		       "the profile + 4,000 outside\n");
	/* Of few, tenths say as much. */
	n[OUTCOME_WHOLE] = 29;
	report.kernel.sum.ticks = 4039;
	assert_printed("\n            29    74.4%  whole stack\n");
	n[OUTCOME_WHOLE] = n[OUTCOME_TRUNCATED] = 0;
	report.kernel.sum.ticks = 4000;
	assert_printed("Hz)\n         4,000           not selected\n");
}

TEST(asked_for_and_got)
{
	char *text;

	report.kernel.sum.ticks = 3200010;
	assert_printed("  trigger   timer, 4,000,013 ticks were asked for, 80.0% came\n");
	report.trigger = TRIGGER_PERF;
	assert_printed("  trigger   perf, about 4,000,013 ticks were asked for, 80.0% came\n");
	report.expected = 0;
	text = printed(false);
	assert_null(strstr(text, "  trigger  "));
	free(text);
}

TEST(averages)
{
	struct cpu_stats *s = &report.kernel.sum;
	char *text;

	report.kernel.sum.waits_seen = report.kernel.sum.memory_seen = 0;
	memset(s->outcome, 0, sizeof(s->outcome));
	s->outcome[EVENT_CPU][OUTCOME_WHOLE] = 1000;
	s->outcome[EVENT_CPU][OUTCOME_NOT_PYTHON] = 9000; /* nothing is read for them */
	s->frames = 1000;				  /* and 11,500 from the cache */
	s->reads = 2100;
	s->read_bytes = 1234567;
	s->cache_full = 123;
	s->cache_partial = 801;
	s->cache_miss = 76;
	s->cache_frames = 11500;
	assert_printed("  cache     12.3% full, 80.1% partial, 7.6% miss; 92% of frames verified instead of "
		       "interned\n");
	assert_printed("  a sample  12.5 frames, 2.1 reads of 1,235 bytes in all\n");
	s->cache_full = s->cache_partial = s->cache_miss = 0;
	text = printed(false);
	assert_null(strstr(text, "  cache  "));
	free(text);
}

static void assert_narrow(void)
{
	char *text = printed(false);

	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
		if (end - line > 100)
			fail_msg("%td columns: %.*s", end - line, (int)(end - line), line);
	free(text);
}

TEST(no_line_is_wider_than_the_page)
{
	assert_narrow();
	for (size_t i = 0; i < stat_row_count; i++)
		*counter(i) = 1234567890123;
	for (size_t i = 0; i < OUTCOME_COUNT; i++)
		report.kernel.sum.outcome[EVENT_CPU][i] = 1234567890123;
	report.codes.decodes = report.codes.codes = report.harvest.locations = report.harvest.nodes =
		99999999;
	assert_narrow();
}

TEST(nothing_measured)
{
	char *text;

	memset(&report, 0, sizeof(report));
	report.home = "kernel";
	report.events = EVENT_BIT(EVENT_CPU);
	text = printed(false);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
	assert_non_null(strstr(text, "0 ns a tick"));
	assert_null(strstr(text, "BALANCE"));
	free(text);
}

AROUND_EACH(setup, NULL);
