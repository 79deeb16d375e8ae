// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_report.c - the books: what they add up, when they say that they do not balance, and every name of
 * outcomes.def and stats.def with its own value in the JSON, which a parser that is not ours reads.
 */
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/report.h"
#include "base/number.h"

enum place { WHOLE, MARKED, OUTSIDE };

static const struct {
	const char *name, *text;
	enum place place;
} outcomes[] = {
#define OUTCOME(name, place, text, help) { #name, text, place },
#include "bpf/outcomes.def"
#undef OUTCOME
};

static const struct {
	const char *name, *help;
	size_t offset;
} counters[] = {
#define STAT(name, help) { #name, help, offsetof(struct cpu_stats, name) },
#include "bpf/stats.def"
#undef STAT
};

static const struct {
	const char *name, *help;
	size_t offset;
} exports[] = {
#define EXPORT_STAT(name, help) { #name, help, offsetof(struct export_stats, name) },
#include "agent/export_stats.def"
#undef EXPORT_STAT
};

static struct report report;
static __u64 in_profile, outside;

/* Every number in it is another one. */
static int setup(void **state)
{
	(void)state;
	memset(&report, 0, sizeof(report));
	in_profile = outside = 0;
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		*(__u64 *)((char *)&report.kernel.sum + counters[i].offset) = 5000000 + i;
	for (size_t i = 0; i < ARRAY_SIZE(exports); i++)
		*(__u64 *)((char *)&report.export + exports[i].offset) = 6000000 + i;
	for (size_t i = 0; i < OUTCOME_COUNT; i++) {
		__u64 n = 1000 + (1ULL << i);

		report.kernel.sum.outcome[i] = n;
		*(outcomes[i].place == OUTSIDE ? &outside : &in_profile) += n;
	}
	report.kernel.sum.ticks = in_profile + outside;
	report.kernel.runs = 4000001;
	report.kernel.run_time_ns = 4000002000;
	report.kernel.other_runs = 4000003;
	report.kernel.other_time_ns = 4000004;
	report.harvest =
		(struct harvest_stats){ .samples = in_profile, .nodes = 4000006, .locations = 4000007 };
	report.codes = (struct codes_stats){ .codes = 4000008, .decodes = 4000009 };
	report.processes = 4000010;
	report.seconds = 12.5;
	report.cpu_seconds = 0.25;
	report.start_cpu_seconds = 0.125;
	report.rss_bytes = 4000011;
	report.map_bytes = 4000012;
	report.cpus = 13;
	report.frequency = 99;
	report.trigger = TRIGGER_TIMER;
	report.expected = 4000013;
	return 0;
}

static void books(void **state)
{
	struct books b = report_books(&report);

	(void)state;
	assert_int_equal(b.ticks, in_profile + outside);
	assert_int_equal(b.in_profile, in_profile);
	assert_int_equal(b.outside, outside);
	/* Each outcome is on exactly one page. */
	for (size_t i = 0; i < OUTCOME_COUNT; i++) {
		report.kernel.sum.outcome[i] += 7;
		b = report_books(&report);
		assert_int_equal(b.in_profile, in_profile + (outcomes[i].place == OUTSIDE ? 0 : 7));
		assert_int_equal(b.outside, outside + (outcomes[i].place == OUTSIDE ? 7 : 0));
		report.kernel.sum.outcome[i] -= 7;
	}
	memset(&report, 0, sizeof(report));
	b = report_books(&report);
	assert_true(!b.ticks && !b.in_profile && !b.outside);
}

static char *printed(bool colour)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	report_print(&report, f, colour);
	fclose(f);
	return text;
}

static void printed_has_everything(void **state)
{
	char *text = printed(false), *colour = printed(true), wanted[256];

	(void)state;
	for (size_t i = 0; i < OUTCOME_COUNT; i++) {
		const bool not_asked = i == OUTCOME_NOT_SELECTED || i == OUTCOME_IDLE;

		snprintf(wanted, sizeof(wanted), " %s %*s", number_group(report.kernel.sum.outcome[i]).text,
			 not_asked ? 8 : 0, "");
		assert_non_null(strstr(text, wanted));
		snprintf(wanted, sizeof(wanted), "%s  %s%s\n", not_asked ? " " : "%",
			 outcomes[i].text,
			 outcomes[i].place == MARKED ? ", in the profile with a marker" : "");
		assert_non_null(strstr(text, wanted));
	}
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		snprintf(wanted, sizeof(wanted), "  %12s           %s\n",
			 number_group(*(__u64 *)((char *)&report.kernel.sum + counters[i].offset)).text,
			 counters[i].help);
		assert_non_null(strstr(text, wanted));
	}
	assert_non_null(strstr(text, "(13 CPUs, 99 Hz)"));
	/* 4000002000 / 4000001; (4.000002 + 0.004000004) / 12.5; (0.25 - 0.125) / 12.5 */
	assert_non_null(strstr(
		text, "  kernel    1,000 ns a tick, 4,000,001 ticks; 32.032% of one core over 12.5 s\n"));
	assert_non_null(
		strstr(text, "  profiler  0.13 s of CPU to start, then 0.13 s; 1.000% of one core\n"));
	assert_non_null(
		strstr(text, "4,000,008 objects, 4,000,007 places in them, 4,000,009 line-table look-ups"));
	assert_null(strchr(text, '\033'));
	assert_non_null(strchr(colour, '\033'));
	free(text);
	free(colour);
}

static void says_whether_they_balance(void **state)
{
	static __u64 *const pages[] = { &report.kernel.sum.ticks, &report.kernel.sum.outcome[0],
					&report.kernel.sum.outcome[OUTCOME_NESTED], &report.harvest.samples };
	char *text = printed(false);

	(void)state;
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

static void what_is_zero_is_silent(void **state)
{
	char *text;

	(void)state;
	memset(report.kernel.sum.outcome, 0, sizeof(report.kernel.sum.outcome));
	report.kernel.sum.outcome[OUTCOME_NESTED] = 3;
	report.kernel.sum.ring_full = 0;
	text = printed(false);
	for (size_t i = 0; i < OUTCOME_COUNT; i++) {
		char row[64];

		snprintf(row, sizeof(row), "%%  %s", outcomes[i].text);
		assert_true(!strstr(text, row) == (i != OUTCOME_NESTED));
	}
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		assert_true(!strstr(text, counters[i].help) ==
			    (counters[i].offset == offsetof(struct cpu_stats, ring_full)));
	free(text);
}

/* What was asked for is the whole; that others ran meanwhile says nothing of it. */
static void shares_are_of_what_was_selected(void **state)
{
	__u64 *n = report.kernel.sum.outcome;

	(void)state;
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

static void asked_for_and_got(void **state)
{
	char *text;

	(void)state;
	report.kernel.sum.ticks = 3200010;
	assert_printed("  trigger   timer, 4,000,013 ticks were asked for, 80.0% came\n");
	report.trigger = TRIGGER_PERF;
	assert_printed("  trigger   perf, about 4,000,013 ticks were asked for, 80.0% came\n");
	report.expected = 0;
	text = printed(false);
	assert_null(strstr(text, "  trigger  "));
	free(text);
}

static void averages(void **state)
{
	struct cpu_stats *s = &report.kernel.sum;
	char *text;

	(void)state;
	memset(s->outcome, 0, sizeof(s->outcome));
	s->outcome[OUTCOME_WHOLE] = 1000;
	s->outcome[OUTCOME_NOT_PYTHON] = 9000; /* nothing is read for them */
	s->frames = 1000; /* and 11,500 from the cache */
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

static void no_line_is_wider_than_the_page(void **state)
{
	(void)state;
	assert_narrow();
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		*(__u64 *)((char *)&report.kernel.sum + counters[i].offset) = 1234567890123;
	for (size_t i = 0; i < OUTCOME_COUNT; i++)
		report.kernel.sum.outcome[i] = 1234567890123;
	report.codes.decodes = report.codes.codes = report.harvest.locations = report.harvest.nodes =
		99999999;
	assert_narrow();
}

static void nothing_measured(void **state)
{
	char *text;

	(void)state;
	memset(&report, 0, sizeof(report));
	text = printed(false);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
	assert_non_null(strstr(text, "0 ns a tick"));
	assert_null(strstr(text, "BALANCE"));
	free(text);
}

/* Feeds the JSON to Python and asks it for an expression of d; -1 = there is no Python. */
static int ask_python(const struct buf *json, const char *expression)
{
	char command[512];
	FILE *p;
	int status;

	if (system("python3 -c 'import json' > /dev/null 2>&1"))
		return -1;
	snprintf(command, sizeof(command),
		 "python3 -c 'import json, sys; d = json.load(sys.stdin); sys.exit(not (%s))'", expression);
	p = popen(command, "w");
	assert_non_null(p);
	fwrite(json->data, 1, json->size, p);
	status = pclose(p);
	assert_true(WIFEXITED(status));
	return !WEXITSTATUS(status);
}

static void json_parses(void **state)
{
	static const char *const truths[] = {
		"d[\"ticks\"] == sum(d[\"outcomes\"].values())",
		"d[\"cpus\"] == 13 and d[\"frequency\"] == 99 and d[\"seconds\"] == 12.5",
		"d[\"processes\"] == 4000010 and d[\"trigger\"] == \"timer\" and d[\"expected\"] == 4000013",
		"d[\"profile\"][\"nodes\"] == 4000006 and d[\"profile\"][\"samples\"] > 0",
		"d[\"kernel\"][\"run_time_ns\"] == 4000002000 and d[\"kernel\"][\"runs\"] == 4000001",
		"d[\"kernel\"][\"other_runs\"] == 4000003 and d[\"kernel\"][\"other_time_ns\"] == 4000004",
		"d[\"user\"][\"cpu_seconds\"] == 0.25 and d[\"user\"][\"start_cpu_seconds\"] == 0.125",
		"d[\"user\"][\"rss_bytes\"] == 4000011 and d[\"user\"][\"map_bytes\"] == 4000012",
		"d[\"lines\"] == dict(decodes=4000009, locations=4000007, codes=4000008)",
		"all(type(n) is int for k in (\"outcomes\", \"counters\") for n in d[k].values())",
	};
	_cleanup_buf_ struct buf b = {};

	(void)state;
	assert_int_equal(report_json(&report, &b), 0);
	assert_int_equal(b.data[b.size - 1], '\n');
	for (size_t i = 0; i < ARRAY_SIZE(truths); i++) {
		int answer = ask_python(&b, truths[i]);

		if (answer < 0) {
			print_message("SKIP: there is no python3 to read the JSON\n");
			skip();
		}
		if (!answer)
			fail_msg("not so: %s in %.*s", truths[i], (int)b.size, b.data);
	}
}

static void json_has_every_name(void **state)
{
	_cleanup_buf_ struct buf b = {};
	char wanted[128], name[64];
	size_t names = 0;

	(void)state;
	assert_int_equal(report_json(&report, &b), 0);
	assert_int_equal(buf_add(&b, "", 1), 0);
	for (size_t i = 0; i < OUTCOME_COUNT; i++) {
		snprintf(name, sizeof(name), "%s", outcomes[i].name);
		for (char *c = name; *c; c++)
			*c = tolower(*c);
		snprintf(wanted, sizeof(wanted), "\"%s\": %llu", name, report.kernel.sum.outcome[i]);
		if (!strstr(b.data, wanted))
			fail_msg("no %s in %s", wanted, b.data);
	}
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		snprintf(wanted, sizeof(wanted), "\"%s\": %llu", counters[i].name,
			 *(__u64 *)((char *)&report.kernel.sum + counters[i].offset));
		if (!strstr(b.data, wanted))
			fail_msg("no %s in %s", wanted, b.data);
	}
	for (size_t i = 0; i < ARRAY_SIZE(exports); i++) {
		snprintf(wanted, sizeof(wanted), "\"%s\": %zu", exports[i].name, 6000000 + i);
		if (!strstr(b.data, wanted))
			fail_msg("no %s in %s", wanted, b.data);
	}
	/* And no other: counted by the colons. */
	for (const char *c = b.data; *c; c++)
		names += *c == ':';
	assert_int_equal(names, OUTCOME_COUNT + ARRAY_SIZE(counters) + ARRAY_SIZE(exports) + 7 + 7 + 3 + 7 + 4 +
					3); /* at the top, sections, in the other four */
}

static void json_is_appended(void **state)
{
	_cleanup_buf_ struct buf b = {};

	(void)state;
	assert_int_equal(buf_add_string(&b, "# "), 0);
	assert_int_equal(report_json(&report, &b), 0);
	assert_memory_equal(b.data, "# {", 3);
}

static void largest_numbers(void **state)
{
	_cleanup_buf_ struct buf b = {};

	(void)state;
	memset(&report.kernel, 0xff, sizeof(report.kernel));
	assert_int_equal(report_json(&report, &b), 0);
	assert_int_equal(buf_add(&b, "", 1), 0);
	assert_non_null(strstr(b.data, "{\"ticks\": 18446744073709551615,"));
	assert_null(strstr(b.data, "-1"));
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void burn(double seconds)
{
	double end = cpu_seconds() + seconds;

	while (cpu_seconds() < end)
		;
}

static double measured(double command_seconds)
{
	struct report r = { .cpu_seconds = 1000 }; /* not what was there before */

	report_measure_self(&r, command_seconds);
	assert_in_range(r.rss_bytes, 1 << 20, 1ULL << 40);
	return r.cpu_seconds;
}

static void own_cost(void **state)
{
	double before = measured(0), after;
	pid_t pid;

	(void)state;
	burn(0.1);
	after = measured(0);
	assert_true(after - before > 0.08 && after - before < 1);
	/* A child counts once it has ended: the worker does, */
	before = measured(0);
	pid = fork();
	if (!pid) {
		burn(0.2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	after = measured(0);
	assert_true(after - before > 0.15);
	assert_true(report_cpu_so_far(0) - after >= 0 && report_cpu_so_far(0) - after < 0.1);
	/* COMMAND does not. */
	assert_true(measured(0.2) - before < after - before - 0.15);
}

/* A worker counts before it has ended. */
static void start_cost(void **state)
{
	double before = report_cpu_so_far(0), without, with;
	int ready[2], go[2];
	char byte;
	pid_t pid;

	(void)state;
	assert_true(!pipe(ready) && !pipe(go));
	pid = fork();
	if (!pid) {
		close(go[1]);
		burn(0.2);
		if (write(ready[1], "", 1) == 1 && read(go[0], &byte, 1) == 0)
			_exit(0);
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	without = report_cpu_so_far(0);
	with = report_cpu_so_far(pid);
	assert_true(without - before < 0.1);
	assert_true(with - without > 0.15 && with - without < 1);
	for (int i = 0; i < 2; i++)
		assert_true(!close(ready[i]) && !close(go[i]));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	/* Nor is it an error that it is gone. */
	assert_true(report_cpu_so_far(pid) >= with - 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(books, setup),
		cmocka_unit_test_setup(printed_has_everything, setup),
		cmocka_unit_test_setup(says_whether_they_balance, setup),
		cmocka_unit_test_setup(what_is_zero_is_silent, setup),
		cmocka_unit_test_setup(shares_are_of_what_was_selected, setup),
		cmocka_unit_test_setup(asked_for_and_got, setup),
		cmocka_unit_test_setup(averages, setup),
		cmocka_unit_test_setup(no_line_is_wider_than_the_page, setup),
		cmocka_unit_test_setup(nothing_measured, setup),
		cmocka_unit_test_setup(json_parses, setup),
		cmocka_unit_test_setup(json_has_every_name, setup),
		cmocka_unit_test_setup(json_is_appended, setup),
		cmocka_unit_test_setup(largest_numbers, setup),
		cmocka_unit_test_setup(own_cost, setup),
		cmocka_unit_test_setup(start_cost, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
