// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_table.c - what tables add up: a function's own time and all that it called, who called it and whom it
 * calls, the tree, lines, packages and labels, and what is in no row. That `go tool pprof` counts the same is
 * tests/e2e/report/test_report.py.
 */
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "report/report_selection.h"
#include "report/table.h"
#include "tests/forge/recording.h"

#define APP  "/srv/app.py"
#define JSON "/usr/lib/python3.11/json/decoder.py"
#define NUMPY "/v/lib/python3.11/site-packages/numpy/core.py"

static struct recorded r;
static struct report_selection selection;
static struct report_table table;

static int setup(void **state)
{
	(void)state;
	recording_type(&r, "samples", "count");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	table_free(&table);
	report_selection_free(&selection);
	recorded_free(&r);
	r = (struct recorded){ 0 };
	table = (struct report_table){ 0 };
	return 0;
}

AROUND_EACH(setup, teardown);

static void add(const char *frames, const char *labels, __s64 samples)
{
	recording_add(&r, frames, labels, &samples);
}

static void ask(const struct report_query *q, enum answer_by by, const char *label)
{
	char error[256] = "";

	assert_int_equal(report_selection_make(&r, q, &selection, error, sizeof(error)), 0);
	assert_int_equal(table_make(&selection, &r, q, by, label, &table), 0);
}

/* All rows that are shown, as "name self/total". */
static void assert_rows(const char *wanted)
{
	char text[1024] = "";

	for (size_t i = 0; i < table.shown; i++) {
		const struct table_row *row = &table.rows[i];
		const struct row_key *key = row_keys_get(&table.keys, row->key);
		const char *name = recorded_get_string(&r, key->name);
		const int dots = table.shape == TABLE_TREE ? (int)row->depth : 0;
		const size_t used = strlen(text);
		char line[24] = "";

		if (key->line && table.keys.by == BY_LINE)
			snprintf(line, sizeof(line), ":%lld", key->line);
		snprintf(text + used, sizeof(text) - used, "%.*s%s%s %lld/%lld%s", dots, "......", name, line,
			 row->self, row->total, i + 1 < table.shown ? ", " : "");
	}
	assert_string_equal(text, wanted);
}

static void add_three(void)
{
	add("leaf@" APP ":3;middle@" APP ":7;main@" APP ":9", "pid=1", 5);
	add("leaf@" APP ":4;main@" APP ":10", "pid=1", 2);
	add("middle@" APP ":7;main@" APP ":9", "pid=2", 1);
}

TEST(own_time_and_all_that_was_called)
{
	add_three();
	ask(&(struct report_query){ .top = 10 }, BY_FUNCTION, NULL);
	assert_rows("leaf 7/7, middle 1/6, main 0/8");
	assert_int_equal(selection.total, 8);
	assert_int_equal(table_left_out(&table), 0);
}

TEST(what_is_not_shown_is_left_out)
{
	add_three();
	ask(&(struct report_query){ .top = 1 }, BY_FUNCTION, NULL);
	assert_rows("leaf 7/7");
	assert_int_equal(table.count, 3);
	assert_int_equal(table_left_out(&table), 1);
}

/* However many are shown, they are the first ones of all, in their order, and the others are left out. */
TEST(the_first_of_many)
{
	char frame[64], all[300][8];

	for (__u32 i = 0; i < ARRAY_SIZE(all); i++) {
		snprintf(frame, sizeof(frame), "f%u@" APP ":2", i * 7919 % 300);
		add(frame, "pid=1", 1 + i * 31 % 10);
	}
	for (size_t top = ARRAY_SIZE(all); top; top = top / 2) {
		__s64 shown = 0;

		ask(&(struct report_query){ .top = top }, BY_FUNCTION, NULL);
		assert_int_equal(table.count, ARRAY_SIZE(all));
		assert_int_equal(table.shown, top);
		for (size_t i = 0; i < top; i++) {
			const struct row_key *key = row_keys_get(&table.keys, table.rows[i].key);
			const char *name = recorded_get_string(&r, key->name);

			if (top == ARRAY_SIZE(all))
				snprintf(all[i], sizeof(all[i]), "%s", name);
			assert_string_equal(name, all[i]);
			assert_true(!i || table.rows[i].self <= table.rows[i - 1].self);
			shown += table.rows[i].self;
		}
		assert_int_equal(table_left_out(&table), selection.total - shown);
		table_free(&table);
		report_selection_free(&selection);
	}
}

TEST(who_calls_itself_is_counted_once)
{
	add("f@" APP ":2;f@" APP ":2;g@" APP ":5;f@" APP ":2;main@" APP ":9", "pid=1", 4);
	ask(&(struct report_query){ .top = 10 }, BY_FUNCTION, NULL);
	assert_rows("f 4/4, g 0/4, main 0/4");
}

TEST(lines_of_a_function_are_rows_of_their_own)
{
	add_three();
	ask(&(struct report_query){ .top = 10 }, BY_LINE, NULL);
	assert_rows("leaf:3 5/5, leaf:4 2/2, middle:7 1/6, main:9 0/6, main:10 0/2");
}

TEST(callers_have_what_was_called_from_there)
{
	add_three();
	ask(&(struct report_query){ .top = 10, .callers = "leaf" }, BY_FUNCTION, NULL);
	assert_int_equal(table.shape, TABLE_CALLERS);
	assert_int_equal(table.total, 7);
	assert_rows("middle 5/5, main 2/2");
}

TEST(callees_have_what_they_took_from_there)
{
	add_three();
	ask(&(struct report_query){ .top = 10, .callees = "main" }, BY_FUNCTION, NULL);
	assert_int_equal(table.shape, TABLE_CALLEES);
	assert_int_equal(table.total, 8);
	assert_int_equal(table.self, 0);
	assert_rows("middle 1/6, leaf 2/2");
}

TEST(a_tree_has_callees_below_their_callers)
{
	add_three();
	ask(&(struct report_query){ .top = 10, .tree = true }, BY_FUNCTION, NULL);
	assert_rows("main 0/8, .middle 1/6, ..leaf 5/5, .leaf 2/2");
}

TEST(native_code_is_its_callers_own)
{
	add("memcpy@!/lib/libc.so.6;leaf@" APP ":3;main@" APP ":9", "pid=1", 5);
	ask(&(struct report_query){ .top = 10 }, BY_FUNCTION, NULL);
	assert_rows("leaf 5/5, main 0/5");
}

TEST(frames_are_as_they_are)
{
	add("memcpy@!/lib/libc.so.6;leaf@" APP ":3", "pid=1", 5);
	ask(&(struct report_query){ .top = 10 }, BY_FRAME, NULL);
	assert_rows("memcpy 5/5, leaf 0/5");
}

TEST(packages_have_the_time_of_their_own_code)
{
	__u32 name;

	add("decode@" JSON ":3;main@" APP ":9", "pid=1", 3);
	add("dot@" NUMPY ":3;main@" APP ":9", "pid=1", 2);
	add("main@" APP ":9", "pid=1", 1);
	ask(&(struct report_query){ .top = 10 }, BY_PACKAGE, NULL);
	assert_int_equal(table.count, 3);
	assert_int_equal(table.rows[0].self, 3);
	name = row_keys_get(&table.keys, table.rows[1].key)->name;
	assert_string_equal(recorded_get_string(&r, name), "numpy");
	assert_int_equal(table.rows[1].self, 2);
	assert_int_equal(table.rows[2].self, 1);
	assert_int_equal(table.rows[2].total, 6);
}

TEST(labels_and_what_has_none)
{
	add("f@" APP ":2", "shop=north", 4);
	add("f@" APP ":2", "shop=south", 5);
	add("f@" APP ":2", "pid=1", 6);
	ask(&(struct report_query){ .top = 10 }, BY_LABEL, "shop");
	assert_rows("south 5/5, north 4/4");
	assert_int_equal(table.without, 6);
}

TEST(focus_and_ignore_choose_stacks)
{
	add_three();
	ask(&(struct report_query){ .top = 10, .focus = "^leaf$", .ignore = "middle" }, BY_FUNCTION, NULL);
	assert_rows("leaf 2/2, main 0/2");
	assert_int_equal(selection.total, 8);
	assert_int_equal(selection.kept, 2);
}

TEST(sums_stay_at_the_largest_number)
{
	add("f@" APP ":2;main@" APP ":9", "pid=1", INT64_MAX);
	add("g@" APP ":2;main@" APP ":9", "pid=1", INT64_MAX);
	ask(&(struct report_query){ .top = 10 }, BY_FUNCTION, NULL);
	assert_int_equal(table.rows[2].total, INT64_MAX);
	assert_int_equal(selection.total, INT64_MAX);
}

TEST(an_event_that_is_not_there_is_refused)
{
	const struct report_query q = { .event = "offcpu" };
	char error[256] = "";

	add_three();
	assert_int_equal(report_selection_make(&r, &q, &selection, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "samples"));
}
