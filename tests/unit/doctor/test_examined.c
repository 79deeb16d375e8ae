// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_examined.c - what follows from what doctor has found: whether anything can be profiled, and all that
 * was asked for; and its words for a process's layout and tasks.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "tests/unit/doctor/made.h"

TEST(nothing_is_missing_at_first)
{
	assert_true(examined_can_profile(&made));
	assert_true(examined_is_fit(&made));
}

/* Only what is missing counts, and of that only a check of the machine keeps everybody from a profile. */
TEST(each_check_by_its_grade)
{
	for (int i = 0; i < CHECKS; i++) {
		const bool of_machine = check_rows[i].whose == CHECK_MACHINE;

		for (int grade = 0; grade < GRADES; grade++) {
			made.findings[i].grade = grade;
			assert_int_equal(examined_is_fit(&made), grade != GRADE_MISSING);
			assert_int_equal(examined_can_profile(&made), grade != GRADE_MISSING || !of_machine);
		}
		made.findings[i].grade = GRADE_OK;
	}
}

TEST(words_for_grades)
{
	static const struct {
		enum grade grade;
		const char *word;
	} rows[GRADES] = {
		{ GRADE_OK, "ok" }, { GRADE_NOTE, "note" }, { GRADE_UNKNOWN, "unknown" },
		{ GRADE_MISSING, "missing" }, { GRADE_UNASKED, "unasked" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(examined_grade(rows[i].grade), rows[i].word);
}

TEST(words_for_layouts)
{
	static const struct {
		int error;
		__u32 verdict;
		const char *word;
	} rows[] = {
		{ 0, VERDICT_PYTHON, "proved" },
		{ 0, VERDICT_UNPROVED, "not proved yet" },
		{ 0, VERDICT_NO_LAYOUT, "refused" },
		{ 0, VERDICT_NOT_PYTHON, "not Python" },
		{ -ESRCH, VERDICT_PYTHON, "not readable" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct examined_process p = { .error = rows[i].error };

		p.identity.verdict = rows[i].verdict;
		assert_string_equal(examined_layout(&p), rows[i].word);
	}
}

/* Up to 3.13 they are found by asyncio's objects; from then on by what the layout found of them. */
TEST(words_for_tasks)
{
	static const struct {
		__u32 hexversion;
		bool free_threaded, is_loaded, has_layout;
		const char *word;
	} rows[] = {
		{ HEX_3_7, false, true, true, "too old" },
		{ HEX_3_12, false, false, false, "not loaded" },
		{ HEX_3_12, false, true, false, "readable" },
		{ HEX_3_13, false, true, false, "readable" },
		{ HEX_3_13, true, true, false, "too old" },
		{ HEX_3_14, false, false, false, "not loaded" },
		{ HEX_3_14, false, true, false, "not readable" },
		{ HEX_3_14, false, true, true, "readable" },
		{ HEX_3_14, true, true, true, "readable" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct examined_process p = made_process(rows[i].hexversion, "");

		p.identity.layout.free_threaded = rows[i].free_threaded;
		p.identity.asyncio = rows[i].is_loaded ? 0x1000 : 0;
		if (rows[i].has_layout)
			memset(&p.identity.tasks, 1, sizeof(p.identity.tasks));
		assert_string_equal(examined_asyncio(&p), rows[i].word);
	}
}

TEST(processes_are_copied)
{
	struct examined_process p = made_process(HEX_3_13, "3.13.2");

	for (pid_t pid = 1; pid <= 100; pid++) {
		p.pid = pid;
		add_made(&p);
	}
	assert_int_equal(made.process_count, 100);
	for (pid_t pid = 1; pid <= 100; pid++)
		assert_int_equal(made.processes[pid - 1].pid, pid);
	assert_string_equal(made.processes[99].identity.version, "3.13.2");
}

AROUND_EACH(begin_made, end_made);
