// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rows.c - a profile as rows: how many CPUs each has used, against an earlier one, sorted and filtered.
 */
#include <string.h>

#include "profile/profile.h"
#include "top/rows.h"
#include "tests/forge/test.h"

/* Ten ms a sample, of two seconds: 200 samples are a CPU. */
static struct profile *new_profile(void)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU), .period_ns = 10000000, .duration_ns = 2000000000,
	};
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

static __u32 location(struct profile *p, enum frame_kind kind, const char *name, int line)
{
	const char *file = kind == FRAME_PYTHON ? "/a.py" : "";
	__u32 function, id;

	assert_int_equal(profile_function(p, kind, name, file, 7, &function), 0);
	assert_int_equal(profile_location(p, function, line, 0, 0, &id), 0);
	return id;
}

static void add(struct profile *p, __u64 pid, const char *pod, __u64 count, __u32 leaf, __u32 caller)
{
	const struct profile_labels labels = {
		.pid = pid, .tid = pid + 1, .comm = "python", .thread = "worker", .pod = pod
	};
	const __u32 stack[] = { leaf, caller };

	assert_int_equal(profile_sample(p, EVENT_CPU, stack, caller ? 2 : 1, &labels, count), 0);
}

static void assert_row(const struct top_row *r, const char *name, const char *where, int self, int total)
{
	assert_string_equal(r->name, name);
	assert_string_equal(r->where, where);
	assert_int_equal((int)(100 * r->self + 0.5), self);
	assert_int_equal((int)(100 * r->total + 0.5), total);
}

TEST(functions_and_lines_in_cpus)
{
	_cleanup_profile_ struct profile *p = new_profile();
	const __u32 f = location(p, FRAME_PYTHON, "f", 10), g = location(p, FRAME_PYTHON, "g", 20);
	struct top_rows r;

	add(p, 1, NULL, 100, f, g);
	add(p, 2, NULL, 50, g, 0);
	add(p, 2, NULL, 30, location(p, FRAME_MARKER, "[unreadable]", 0), 0);
	add(p, 2, NULL, 20, location(p, FRAME_C_THREAD, "[C thread]", 0), 0);
	assert_int_equal(top_rows_make(p, TOP_FUNCTIONS, &r), 0);
	top_rows_sort(&r, TOP_BY_SELF);
	assert_int_equal(r.count, 2);
	assert_row(&r.rows[0], "f", "/a.py:7", 50, 50);
	assert_row(&r.rows[1], "g", "/a.py:7", 25, 75);
	top_rows_sort(&r, TOP_BY_TOTAL);
	assert_string_equal(r.rows[0].name, "g");
	assert_int_equal((int)(100 * r.all), 100);
	assert_int_equal((int)(100 * r.lost), 15);
	assert_int_equal((int)(100 * r.of_c), 10);
	top_rows_free(&r);
	assert_int_equal(top_rows_make(p, TOP_LINES, &r), 0);
	top_rows_sort(&r, TOP_BY_SELF);
	assert_row(&r.rows[0], "f", "/a.py:10", 50, 50);
	top_rows_free(&r);
}

/* CPU time that is the kernel's account, whatever the ticks say. */
TEST(time_of_the_account)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 10000000,
						  .duration_ns = 2000000000, .timed = true };
	const struct profile_labels labels = { .pid = 1, .tid = 2, .comm = "python", .thread = "worker" };
	_cleanup_profile_ struct profile *p = NULL;
	struct top_rows r;
	__u32 f;

	assert_int_equal(profile_new(&info, &p), 0);
	f = location(p, FRAME_PYTHON, "f", 10);
	add(p, 1, NULL, 3, f, 0);
	assert_int_equal(profile_sample(p, PROFILE_TIME, &f, 1, &labels, 500000000), 0);
	for (int view = TOP_FUNCTIONS; view <= TOP_THREADS; view++) {
		if (view == TOP_NATIVE || view == TOP_WAITS)
			continue;
		assert_int_equal(top_rows_make(p, view, &r), 0);
		assert_int_equal(r.count, 1);
		assert_int_equal((int)(100 * r.all), 25);
		assert_int_equal((int)(100 * r.rows[0].self), 25);
		top_rows_free(&r);
	}
}

TEST(owners_with_the_same_texts_are_one_row)
{
	_cleanup_profile_ struct profile *p = new_profile();
	const __u32 f = location(p, FRAME_PYTHON, "f", 10);
	struct top_rows r;

	add(p, 1, "cart", 20, f, 0);
	add(p, 2, "cart", 40, f, 0);
	add(p, 3, NULL, 20, f, 0);
	assert_int_equal(top_rows_make(p, TOP_PODS, &r), 0);
	top_rows_sort(&r, TOP_BY_SELF);
	assert_int_equal(r.count, 2);
	assert_row(&r.rows[0], "cart", "", 30, 30);
	assert_row(&r.rows[1], "(no pod)", "", 10, 10);
	top_rows_free(&r);
	assert_int_equal(top_rows_make(p, TOP_PROCESSES, &r), 0);
	top_rows_sort(&r, TOP_BY_SELF);
	assert_int_equal(r.count, 3);
	assert_row(&r.rows[0], "python", "2", 20, 20);
	top_rows_free(&r);
	assert_int_equal(top_rows_make(p, TOP_THREADS, &r), 0);
	top_rows_sort(&r, TOP_BY_SELF);
	assert_row(&r.rows[0], "worker", "3 in 2 python", 20, 20);
	top_rows_free(&r);
}

TEST(against_an_earlier_profile)
{
	_cleanup_profile_ struct profile *before = new_profile(), *now = new_profile();
	struct top_rows r, past;

	add(before, 1, NULL, 100, location(before, FRAME_PYTHON, "gone", 1), 0);
	add(before, 1, NULL, 20, location(before, FRAME_PYTHON, "stays", 1), 0);
	add(now, 1, NULL, 30, location(now, FRAME_PYTHON, "stays", 1), 0);
	add(now, 1, NULL, 60, location(now, FRAME_PYTHON, "new", 1), 0);
	assert_int_equal(top_rows_make(before, TOP_FUNCTIONS, &past), 0);
	assert_int_equal(top_rows_make(now, TOP_FUNCTIONS, &r), 0);
	assert_int_equal(top_rows_compare(&r, &past), 0);
	top_rows_sort(&r, TOP_BY_CHANGE);
	assert_int_equal(r.count, 3);
	assert_row(&r.rows[0], "gone", "/a.py:7", 0, 0);
	assert_int_equal((int)(100 * r.rows[0].before), 50);
	assert_row(&r.rows[1], "new", "/a.py:7", 30, 30);
	assert_int_equal((int)(100 * r.rows[1].before), 0);
	assert_row(&r.rows[2], "stays", "/a.py:7", 15, 15);
	assert_int_equal((int)(100 * r.rows[2].before), 10);
	top_rows_free(&r);
	top_rows_free(&past);
}

/* Seconds of what was, also where nothing is now. */
TEST(since_the_start)
{
	_cleanup_profile_ struct profile *whole = new_profile(), *now = new_profile();
	struct top_rows r, all;

	add(whole, 1, NULL, 100, location(whole, FRAME_PYTHON, "gone", 1), 0);
	add(whole, 1, NULL, 20, location(whole, FRAME_PYTHON, "stays", 1), 0);
	add(now, 1, NULL, 30, location(now, FRAME_PYTHON, "stays", 1), 0);
	assert_int_equal(top_rows_make(whole, TOP_FUNCTIONS, &all), 0);
	assert_int_equal(top_rows_make(now, TOP_FUNCTIONS, &r), 0);
	assert_int_equal(r.samples, 30);
	assert_int_equal(top_rows_add_since(&r, &all, 10), 0);
	assert_int_equal(r.count, 2);
	top_rows_sort(&r, TOP_BY_SELF);
	assert_row(&r.rows[0], "stays", "/a.py:7", 15, 15);
	assert_int_equal((int)(100 * r.rows[0].since), 100);
	top_rows_sort(&r, TOP_BY_SINCE);
	assert_row(&r.rows[0], "gone", "/a.py:7", 0, 0);
	assert_int_equal((int)(100 * r.rows[0].since), 500);
	top_rows_free(&r);
	top_rows_free(&all);
}

TEST(a_filter_looks_at_both_texts)
{
	_cleanup_profile_ struct profile *p = new_profile();
	struct top_rows r;

	add(p, 1, NULL, 1, location(p, FRAME_PYTHON, "Parse", 1), 0);
	add(p, 1, NULL, 2, location(p, FRAME_PYTHON, "other", 1), 0);
	assert_int_equal(top_rows_make(p, TOP_FUNCTIONS, &r), 0);
	top_rows_filter(&r, "");
	assert_int_equal(r.count, 2);
	top_rows_filter(&r, "A.PY");
	assert_int_equal(r.count, 2);
	top_rows_filter(&r, "parse");
	assert_int_equal(r.count, 1);
	assert_string_equal(r.rows[0].name, "Parse");
	top_rows_free(&r);
}

/* Long ones are cut between two characters, and keep their line. */
TEST(names_that_are_hostile)
{
	_cleanup_profile_ struct profile *p = new_profile();
	char name[2 * TOP_NAME_SIZE + 1] = "";
	struct top_rows r;
	size_t length;

	for (size_t i = 0; i + 2 < sizeof(name); i += 2)
		memcpy(name + i, "\xc3\xa4", 3);
	add(p, 1, NULL, 2, location(p, FRAME_PYTHON, name, 1), 0);
	add(p, 1, NULL, 1, location(p, FRAME_PYTHON, "a\033[2Jb\nc", 1), 0);
	assert_int_equal(top_rows_make(p, TOP_LINES, &r), 0);
	top_rows_sort(&r, TOP_BY_SELF);
	length = strlen(r.rows[0].name);
	assert_in_range(length, TOP_NAME_SIZE - 3, TOP_NAME_SIZE - 1);
	assert_int_equal(length % 2, 0);
	assert_string_equal(r.rows[0].where, "/a.py:1");
	assert_string_equal(r.rows[1].name, "a?[2Jb?c");
	top_rows_free(&r);
}

TEST(lines_of_one_function)
{
	_cleanup_profile_ struct profile *p = new_profile();
	struct top_rows functions, lines;

	add(p, 1, NULL, 3, location(p, FRAME_PYTHON, "f", 10), 0);
	add(p, 1, NULL, 2, location(p, FRAME_PYTHON, "f", 11), 0);
	add(p, 1, NULL, 1, location(p, FRAME_PYTHON, "other", 10), 0);
	assert_int_equal(top_rows_make(p, TOP_FUNCTIONS, &functions), 0);
	top_rows_sort(&functions, TOP_BY_SELF);
	assert_int_equal(top_rows_make(p, TOP_LINES, &lines), 0);
	top_rows_keep_lines_of(&lines, &functions.rows[0]);
	top_rows_sort(&lines, TOP_BY_SELF);
	assert_int_equal(lines.count, 2);
	assert_string_equal(lines.rows[0].where, "/a.py:10");
	assert_string_equal(lines.rows[1].where, "/a.py:11");
	strcpy(functions.rows[0].where, "/b.py:7");
	top_rows_keep_lines_of(&lines, &functions.rows[0]);
	assert_int_equal(lines.count, 0);
	top_rows_free(&functions);
	top_rows_free(&lines);
}
