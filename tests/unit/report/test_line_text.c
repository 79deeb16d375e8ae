// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_line_text.c - text of a file on this machine is shown only for code that was in it: not for what ran
 * in a container, not where the function is elsewhere, and of no other files than those of Python.
 */
#include <fcntl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/line_text.h"
#include "tests/forge/recording.h"

static char folder[] = "/tmp/test_line_text.XXXXXX";
static char path[64];

/* A profile of one stack: f, which begins in line 2 of the file. key: a label that the stack has, or NULL. */
static void make(struct recorded *r, const char *file, const char *key)
{
	const struct recorded_function f = { recording_string(r, "A.f"), recording_string(r, file), 2 };
	struct recorded_place p = { .line = 3 };
	struct recorded_label label = { .key = key ? recording_string(r, key) : 0,
					.text = recording_string(r, "x") };
	__u32 place;

	r->type_count = 1;
	assert_int_equal(recorded_function(r, &f, &p.function), 0);
	assert_int_equal(recorded_place(r, &p, &place), 0);
	assert_int_equal(recorded_add(r, &place, 1, &label, !!key, (__s64[]){ 1 }), 0);
}

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fputs(text, f) < 0, 0);
	assert_int_equal(fclose(f), 0);
}

static enum line_text_state state_of(const char *file, const char *key, __s64 start_ns)
{
	_cleanup_recorded_ struct recorded r = { .start_ns = start_ns };
	struct line_text s;
	enum line_text_state state;

	make(&r, file, key);
	assert_int_equal(line_text_read(&r, recording_string(&r, "A.f"), recording_string(&r, file), &s), 0);
	state = s.state;
	assert_int_equal(!!line_text_get(&s, 3), state == LINE_TEXT_SHOWN || state == LINE_TEXT_NEWER);
	if (s.text) {
		assert_string_equal(line_text_get(&s, 3), "\treturn 1");
		assert_null(line_text_get(&s, 0));
		assert_null(line_text_get(&s, 100));
	}
	line_text_free(&s);
	return state;
}

TEST(what_is_there_is_shown)
{
	write_file("class A:\n    def f(self):\n\treturn 1\n");
	assert_int_equal(state_of(path, NULL, 0), LINE_TEXT_SHOWN);
	assert_int_equal(state_of(path, NULL, INT64_MAX), LINE_TEXT_SHOWN);
	assert_int_equal(state_of(path, NULL, 1), LINE_TEXT_NEWER);
	assert_int_equal(state_of(path, "comm", 0), LINE_TEXT_SHOWN);
	write_file("\n    @property\n\treturn 1");
	assert_int_equal(state_of(path, NULL, 0), LINE_TEXT_SHOWN);
}

/* Of a profile of process 5, which says that this is when processes began. */
static enum line_text_state state_with(const char *file, const char *starts)
{
	_cleanup_recorded_ struct recorded r = { .start_ns = INT64_MAX };
	const struct recorded_function f = { recording_string(&r, "A.f"), recording_string(&r, file), 2 };
	struct recorded_label label = { recording_string(&r, "pid"), 0, 1, 0, 5 };
	struct recorded_place p = { .line = 3 };
	enum line_text_state state;
	struct line_text s;
	__u32 place;

	r.type_count = 1;
	assert_int_equal(recorded_function(&r, &f, &p.function), 0);
	assert_int_equal(recorded_place(&r, &p, &place), 0);
	assert_int_equal(recorded_add(&r, &place, 1, &label, 1, (__s64[]){ 1 }), 0);
	recorded_comment(&r, recording_string(&r, starts));
	assert_int_equal(r.comment_count, 0);
	assert_int_equal(line_text_read(&r, f.name, f.file, &s), 0);
	state = s.state;
	assert_int_equal(!!line_text_get(&s, 3), state == LINE_TEXT_SHOWN);
	line_text_free(&s);
	return state;
}

#define STARTS "processes began, in ms since 1970: "

/* The time of its text says otherwise, as cp -p leaves it. */
TEST(what_was_put_there_later_is_not)
{
	const struct timespec times[] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	char link[80], through[96];

	write_file("class A:\n    def f(self):\n\treturn 1\n");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(state_with(path, STARTS "5 4000000000000"), LINE_TEXT_SHOWN);
	assert_int_equal(state_with(path, STARTS "4 1700000000000, 5 4000000000000"), LINE_TEXT_SHOWN);
	assert_int_equal(state_with(path, STARTS "5 1700000000000"), LINE_TEXT_CHANGED);
	assert_int_equal(state_with(path, STARTS "others 1700000000000"), LINE_TEXT_CHANGED);
	assert_int_equal(state_with("/usr/lib/python3.11/no_such.py", STARTS "5 1"), LINE_TEXT_UNREADABLE);
	snprintf(link, sizeof(link), "%s/link", folder);
	snprintf(through, sizeof(through), "%s/x.py", link);
	assert_int_equal(symlink(folder, link), 0);
	assert_int_equal(state_with(through, STARTS "5 4000000000000"), LINE_TEXT_SHOWN);
	assert_int_equal(state_with(through, STARTS "5 1700000000000"), LINE_TEXT_CHANGED);
	assert_int_equal(unlink(link), 0);
}

TEST(lines_that_cannot_have_run)
{
	static const char *const idle[] = { "", "   ", "\t# return 1", "\f", "\r" };
	char text[96];

	for (size_t i = 0; i < ARRAY_SIZE(idle); i++) {
		snprintf(text, sizeof(text), "class A:\n    def f(self):\n%s\n\treturn 1\n", idle[i]);
		write_file(text);
		assert_int_equal(state_of(path, NULL, 0), LINE_TEXT_IDLE);
		assert_false(line_text_can_run(idle[i]));
	}
	write_file("class A:\n    def f(self): pass");
	assert_int_equal(state_of(path, NULL, 0), LINE_TEXT_IDLE);
	assert_false(line_text_can_run(NULL));
	assert_true(line_text_can_run("# of an f-string: {x}"));
	assert_true(line_text_can_run(")"));
}

TEST(what_is_of_a_container_is_not)
{
	write_file("class A:\n    def f(self):\n\treturn 1\n");
	assert_int_equal(state_of(path, "container_id", 0), LINE_TEXT_CONTAINER);
	assert_int_equal(state_of(path, "container", 0), LINE_TEXT_CONTAINER);
	assert_int_equal(state_of(path, "pod", 0), LINE_TEXT_CONTAINER);
}

TEST(what_is_elsewhere_is_not)
{
	write_file("    def f(self):\n    def g(self):\n\treturn 1\n");
	assert_int_equal(state_of(path, NULL, 0), LINE_TEXT_OTHER);
	write_file("");
	assert_int_equal(state_of(path, NULL, 0), LINE_TEXT_OTHER);
}

TEST(what_is_no_python_is_not_read)
{
	assert_int_equal(state_of("/etc/passwd", NULL, 0), LINE_TEXT_NONE);
	assert_int_equal(state_of("<string>", NULL, 0), LINE_TEXT_NONE);
	assert_int_equal(state_of("relative.py", NULL, 0), LINE_TEXT_NONE);
	assert_int_equal(state_of("/no/such/file.py", NULL, 0), LINE_TEXT_UNREADABLE);
}

/* A profiler: what it was asked, and what it says. */
static struct line_wanted asked;
static const char *said;

static int answer(void *context, const struct line_wanted *wanted, struct buf *text)
{
	assert_ptr_equal(context, &asked);
	asked = *wanted;
	return said ? buf_add_string(text, said) : -EPROTO;
}

/* What comes of a question about lines up to this one. pid: 0 for no such label; a number, or a text. */
static int ask(const char *file, __s64 pid, bool is_text, __s64 last, struct line_text *ret)
{
	static const struct line_asker asker = { answer, &asked };
	_cleanup_recorded_ struct recorded r = { 0 };
	const struct recorded_function f = { recording_string(&r, "A.f"), recording_string(&r, file), 2 };
	struct recorded_label label = { recording_string(&r, "pid"), recording_string(&r, "x"), !is_text, 0,
					pid };
	struct recorded_place p = { .line = 3 };
	__u32 place;

	r.type_count = 1;
	assert_int_equal(recorded_function(&r, &f, &p.function), 0);
	assert_int_equal(recorded_place(&r, &p, &place), 0);
	assert_int_equal(recorded_add(&r, &place, 1, &label, !!pid, (__s64[]){ 1 }), 0);
	return line_text_ask(&r, f.name, f.file, last, &asker, ret);
}

TEST(a_profiler_is_asked)
{
	struct line_text s;

	said = "def f(self):\n\tx = 1\n\treturn 1\n";
	assert_int_equal(ask("/a.py", 4711, false, 4, &s), 0);
	assert_int_equal(s.state, LINE_TEXT_SHOWN);
	assert_int_equal(asked.pid, 4711);
	assert_int_equal(asked.begins, 2);
	assert_int_equal(asked.from, 2);
	assert_int_equal(asked.to, 4);
	assert_null(line_text_get(&s, 1));
	assert_string_equal(line_text_get(&s, 2), "def f(self):");
	assert_string_equal(line_text_get(&s, 3), "\tx = 1");
	assert_string_equal(line_text_get(&s, 4), "\treturn 1");
	assert_null(line_text_get(&s, 5));
	line_text_free(&s);
	assert_int_equal(ask("/a.py", 1, false, 5000, &s), 0);
	assert_int_equal(asked.to, 1 + LINE_WANTED_MAX);
	line_text_free(&s);
}

/* Line 3 was counted. */
TEST(a_profiler_whose_file_was_changed)
{
	struct line_text s;

	said = "def f(self):\n\t# not yet\n\treturn 1\n";
	assert_int_equal(ask("/a.py", 4711, false, 4, &s), 0);
	assert_int_equal(s.state, LINE_TEXT_IDLE);
	assert_int_equal(s.idle, 3);
	assert_null(line_text_get(&s, 2));
	line_text_free(&s);
	said = "def f(self):\n";
	assert_int_equal(ask("/a.py", 4711, false, 4, &s), 0);
	assert_int_equal(s.state, LINE_TEXT_SHOWN); /* less than was asked for */
	line_text_free(&s);
}

TEST(a_profiler_that_has_none)
{
	struct line_text s;

	said = NULL;
	assert_int_equal(ask("/a.py", 1, false, 4, &s), -ENOENT);
	said = "";
	assert_int_equal(ask("/a.py", 1, false, 4, &s), -ENOENT);
	said = "x\n";
	asked = (struct line_wanted){ 0 };
	assert_int_equal(ask("/a.py", 0, false, 4, &s), -ENOENT);
	assert_int_equal(ask("/a.py", 1, true, 4, &s), -ENOENT);
	assert_int_equal(ask("a.py", 1, false, 4, &s), -ENOENT);
	assert_int_equal(ask("/etc/passwd", 1, false, 4, &s), -ENOENT);
	assert_int_equal(ask("/a.py", 1, false, 1, &s), -ENOENT);
	assert_int_equal(asked.pid, 0); /* nobody was asked */
}

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.py", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	return unlink(path) || rmdir(folder);
}

AROUND_ALL(make_folder, remove_folder);
