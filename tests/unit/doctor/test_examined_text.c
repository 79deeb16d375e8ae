// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_examined_text.c - what doctor writes for people, to the letter.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "tests/unit/doctor/made.h"

#define HEAD	 "This machine\n"
#define NOBODY	 "\nNo Python process was found.\n"
#define SOMEBODY "\nPython processes\n"
#define FIT	 "\nPython programs can be profiled here.\n"

static struct checked *finding(int check)
{
	return &made.findings[check];
}

TEST(what_was_not_asked_for_has_no_line)
{
	assert_string_equal(made_text(false), HEAD NOBODY FIT);
}

TEST(a_line_for_each_grade)
{
	finding_say(finding(CHECK_KERNEL), GRADE_OK, "Linux %s", "6.1.0");
	finding_say(finding(CHECK_BTF), GRADE_UNKNOWN, "who knows");
	finding_say(finding(CHECK_PROC), GRADE_NOTE, "less");
	finding_mend(finding(CHECK_PROC), "one way");
	finding_mend(finding(CHECK_PROC), "another");
	assert_string_equal(made_text(false), HEAD
			    "  ok       kernel            Linux 6.1.0\n"
			    "  unknown  type information  who knows\n"
			    "  note     proc              less\n"
			    "                            -> one way\n"
			    "                            -> another\n" NOBODY FIT);
}

TEST(colours)
{
	finding_say(finding(CHECK_KERNEL), GRADE_OK, "a");
	finding_say(finding(CHECK_BTF), GRADE_UNKNOWN, "b");
	finding_say(finding(CHECK_PROC), GRADE_NOTE, "c");
	finding_say(finding(CHECK_CLOCK), GRADE_MISSING, "d");
	assert_string_equal(made_text(true), HEAD
			    "  \033[32mok      \033[0m kernel            a\n"
			    "  \033[33munknown \033[0m type information  b\n"
			    "  \033[33mnote    \033[0m proc              c\n"
			    "  \033[31;1mMISSING \033[0m clock             d\n" NOBODY
			    "\nBPF is not to be had yet, for want of: clock.\n");
}

/* What keeps everybody from a profile is told apart from what only was asked for. */
TEST(verdicts)
{
	static const struct {
		int missing[2];
		enum grade outside;
		const char *end;
	} rows[] = {
		{ { CHECK_BTF, CHECK_CGROUPS }, GRADE_NOTE,
		  "\nBPF is not to be had yet, for want of: type information, cgroups.\n" },
		{ { CHECK_BTF, CHECK_BTF }, GRADE_OK,
		  "\nBPF is not to be had yet, for want of: type information.\n"
		  "Until then Python programs of this user are sampled from outside.\n" },
		{ { CHECK_RECEIVER, CHECK_LIBCURL }, GRADE_OK,
		  "\nPython programs can be profiled, but not as asked for, for want of: libcurl, "
		  "receiver.\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *text;

		begin_made(NULL);
		made.findings[CHECK_OUTSIDE].grade = rows[i].outside;
		for (int j = 0; j < 2; j++)
			made.findings[rows[i].missing[j]].grade = GRADE_MISSING;
		text = made_text(false);
		assert_string_equal(strstr(text, NOBODY) + strlen(NOBODY), rows[i].end);
	}
}

/* The lines of a process, behind its number. */
static void check_process(const struct examined_process *p, const char *expected)
{
	const char *text;

	begin_made(NULL);
	add_made(p);
	text = made_text(false);
	assert_memory_equal(text, HEAD SOMEBODY "  71       ", strlen(HEAD SOMEBODY "  71       "));
	text += strlen(HEAD SOMEBODY "  71       ");
	assert_memory_equal(text, expected, strlen(expected));
	assert_string_equal(text + strlen(expected), FIT);
	examined_free(&made);
	begin_made(NULL);
}

TEST(processes)
{
	struct examined_process p = made_process(HEX_3_13, "3.13.2");

	check_process(&p, "app: CPython 3.13.2, layout proved, with the GIL, asyncio is not loaded\n");
	p.identity.asyncio = 1;
	check_process(&p, "app: CPython 3.13.2, layout proved, with the GIL, asyncio's tasks can be read\n");
	strcpy(p.identity.reason, "unusual offsets");
	check_process(&p, "app: CPython 3.13.2, layout proved: unusual offsets, with the GIL, "
			  "asyncio's tasks can be read\n");
	p = made_process(HEX_3_14, "");
	p.identity.verdict = VERDICT_UNPROVED;
	p.identity.asyncio = 1;
	p.identity.layout.free_threaded = true;
	check_process(&p, "app: CPython of unknown version, layout not proved yet (no thread runs Python "
			  "code), free-threaded, asyncio's tasks cannot be read\n");
	p = made_process(HEX_3_7, "3.7.5");
	check_process(&p, "app: CPython 3.7.5, layout proved, with the GIL, asyncio's tasks: from 3.8 on, "
			  "with the GIL up to 3.13\n");
	p.identity.verdict = VERDICT_NO_LAYOUT;
	strcpy(p.identity.reason, "no such release");
	check_process(&p, "app: CPython 3.7.5, layout refused: no such release\n");
	p.identity.verdict = VERDICT_NOT_PYTHON;
	strcpy(p.identity.reason, "no file of it is one");
	check_process(&p, "app: not Python: no file of it is one\n");
	p.error = -ESRCH;
	check_process(&p, "cannot be looked at: No such process\n");
}

TEST(native_code)
{
	struct examined_process p = made_process(HEX_3_13, "3.13.2");
	const char *head = "app: CPython 3.13.2, layout proved, with the GIL, asyncio is not loaded\n"
			   "           native code: ";
	static const struct {
		struct native_code native;
		const char *line;
	} rows[] = {
		{ { .error = -EPERM }, "cannot be looked at: Operation not permitted\n" },
		{ { .files = 7, .named = 6, .complete = 2 }, "7 files; names in 6, of all functions in 2\n" },
		{ { .files = 7, .unread = 3, .made = MADE_CODE_NAMELESS },
		  "7 files; names in 0, of all functions in 0; 3 cannot be read; code made at run time, "
		  "without names\n" },
		{ { .files = 7, .blind = 2, .blind_names = { "a.so", "b.so" }, .made = MADE_CODE_NAMED },
		  "7 files; names in 0, of all functions in 0; callers are not found in parts of 2 (a.so, "
		  "b.so); code made at run time, with names\n" },
		{ { .files = 7, .blind = 3, .blind_names = { "a.so", "b.so", "c.so" } },
		  "7 files; names in 0, of all functions in 0; callers are not found in parts of 3 (a.so, "
		  "b.so, c.so)\n" },
		{ { .files = 7, .blind = 4, .blind_names = { "a.so", "b.so", "c.so" } },
		  "7 files; names in 0, of all functions in 0; callers are not found in parts of 4 (a.so, "
		  "b.so, c.so, ...)\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char expected[512];

		p.native = rows[i].native;
		p.native.looked = true;
		snprintf(expected, sizeof(expected), "%s%s", head, rows[i].line);
		check_process(&p, expected);
	}
}

TEST(processes_of_others)
{
	made.unreadable = 12;
	assert_string_equal(made_text(false), HEAD NOBODY "  Processes that cannot be looked at: 12\n" FIT);
}

/* Bytes of foreign names do nothing to a terminal, and end no line. */
TEST(foreign_bytes)
{
	struct examined_process p = made_process(HEX_3_13, "3.13.2");
	const char *text;

	strcpy(p.name, "a\033[2J\nb\xff");
	finding_say(finding(CHECK_KUBELET), GRADE_NOTE, "x\033]0;y\007\nz");
	add_made(&p);
	text = made_text(false);
	for (const char *c = text; *c; c++)
		assert_true((unsigned char)*c >= ' ' || *c == '\n');
	assert_null(strstr(text, "\nz"));
	assert_null(strstr(text, "\nb"));
}

AROUND_EACH(begin_made, end_made);
