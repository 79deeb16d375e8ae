// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_report_json.c - the books as JSON: every name of outcomes.def and stats.def with its own value, read
 * by a parser that is not ours.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "forge_run_stats.h"
#include "tests/forge/test.h"

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

TEST(json_parses)
{
	static const char *const truths[] = {
		"d[\"ticks\"] == sum(d[\"outcomes\"].values())",
		"d[\"cpus\"] == 13 and d[\"frequency\"] == 99 and d[\"seconds\"] == 12.5",
		"d[\"not_looked_at\"] == 4000014",
		"d[\"processes\"] == 4000010 and d[\"trigger\"] == \"timer\" and d[\"expected\"] == 4000013",
		"d[\"profile\"][\"nodes\"] == 4000006 and d[\"profile\"][\"samples\"] > 0",
		"d[\"kernel\"][\"run_time_ns\"] == 4000002000 and d[\"kernel\"][\"runs\"] == 4000001",
		"d[\"kernel\"][\"other_runs\"] == 4000003 and d[\"kernel\"][\"other_time_ns\"] == 4000004",
		"d[\"user\"][\"cpu_seconds\"] == 0.25 and d[\"user\"][\"start_cpu_seconds\"] == 0.125",
		"d[\"user\"][\"rss_bytes\"] == 4000011 and d[\"user\"][\"map_bytes\"] == 4000012",
		"d[\"lines\"] == dict(decodes=4000009, locations=4000007, codes=4000008, missing=4000010)",
		"d[\"loop\"] == dict(turns=2, time_ns=91500000, p50_ns=81920000, p99_ns=81920000, "
		"max_ns=90000000, cpu_max_ns=1200000, own_max_ns=3000000)",
		"all(type(n) is int for k in (\"outcomes\", \"counters\") for n in d[k].values())",
	};
	_cleanup_buf_ struct buf b = {};

	assert_int_equal(run_stats_json(&report, &b), 0);
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

TEST(json_has_every_name)
{
	_cleanup_buf_ struct buf b = {};
	char wanted[128], id[OUTCOME_ID_MAX];
	size_t names = 0, in_books = 0;

	assert_int_equal(run_stats_json(&report, &b), 0);
	assert_int_equal(buf_add(&b, "", 1), 0);
	for (size_t i = 0; i < OUTCOME_COUNT; i++) {
		for (int kind = 0; kind < EVENT_KINDS; kind++)
			in_books += event_has_outcome(kind, i);
		if (!event_has_outcome(EVENT_CPU, i))
			continue;
		snprintf(wanted, sizeof(wanted), "\"%s\": %llu", outcome_id(i, id),
			 report.kernel.sum.outcome[EVENT_CPU][i]);
		if (!strstr(b.data, wanted))
			fail_msg("no %s in %s", wanted, b.data);
	}
	for (size_t i = 0; i < stat_row_count; i++) {
		snprintf(wanted, sizeof(wanted), "\"%s\": %llu", stat_rows[i].id, *counter(i));
		if (!strstr(b.data, wanted))
			fail_msg("no %s in %s", wanted, b.data);
	}
	for (size_t i = 0; i < ARRAY_SIZE(exports); i++) {
		snprintf(wanted, sizeof(wanted), "\"%s\": %zu", exports[i].name, 6000000 + i);
		if (!strstr(b.data, wanted))
			fail_msg("no %s in %s", wanted, b.data);
	}
	for (int i = 0; i < NATIVE_ENDS; i++) {
		snprintf(wanted, sizeof(wanted), "\"%s\": %llu", native_id(i, id),
			 report.kernel.sum.native[i]);
		if (!strstr(b.data, wanted))
			fail_msg("no %s in %s", wanted, b.data);
	}
	/* And no other: counted by the colons. */
	for (const char *c = b.data; *c; c++)
		names += *c == ':';
	/* At the top, sections with books and samples of each kind, in the other five. */
	assert_int_equal(names, in_books + NATIVE_ENDS + stat_row_count + ARRAY_SIZE(exports) + 8 + 8 +
					2 * EVENT_KINDS + 3 + 11 + 4 + 7 + 4);
}

TEST(json_is_appended)
{
	_cleanup_buf_ struct buf b = {};

	assert_int_equal(buf_add_string(&b, "# "), 0);
	assert_int_equal(run_stats_json(&report, &b), 0);
	assert_memory_equal(b.data, "# {", 3);
}

TEST(largest_numbers)
{
	_cleanup_buf_ struct buf b = {};

	memset(&report.kernel, 0xff, sizeof(report.kernel));
	assert_int_equal(run_stats_json(&report, &b), 0);
	assert_int_equal(buf_add(&b, "", 1), 0);
	assert_non_null(strstr(b.data, "{\"ticks\": 18446744073709551615,"));
	assert_null(strstr(b.data, "-1"));
}

AROUND_EACH(setup, NULL);
