// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_line_text.c - text of a file on this machine is shown only for code that was in it: not for what ran
 * in a container, not where the function is elsewhere, and of no other files than those of Python.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "answers/line_text.h"
#include "recorded/recorded.h"

static char folder[] = "/tmp/test_line_text.XXXXXX";
static char path[64];

static __u32 string(struct recorded *r, const char *text)
{
	__u32 id;

	assert_int_equal(recorded_string(r, text, strlen(text), &id), 0);
	return id;
}

/* A profile of one stack: f, which begins in line 2 of the file. key: a label that the stack has, or NULL. */
static void make(struct recorded *r, const char *file, const char *key)
{
	const struct recorded_function f = { string(r, "A.f"), string(r, file), 2 };
	struct recorded_place p = { .line = 3 };
	struct recorded_label label = { key ? string(r, key) : 0, string(r, "x"), 0, 0, 0 };
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
	assert_int_equal(line_text_read(&r, string(&r, "A.f"), string(&r, file), &s), 0);
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

static void what_is_there_is_shown(void **state)
{
	(void)state;
	write_file("class A:\n    def f(self):\n\treturn 1\n");
	assert_int_equal(state_of(path, NULL, 0), LINE_TEXT_SHOWN);
	assert_int_equal(state_of(path, NULL, INT64_MAX), LINE_TEXT_SHOWN);
	assert_int_equal(state_of(path, NULL, 1), LINE_TEXT_NEWER);
	assert_int_equal(state_of(path, "comm", 0), LINE_TEXT_SHOWN);
	write_file("\n    @property\n\treturn 1");
	assert_int_equal(state_of(path, NULL, 0), LINE_TEXT_SHOWN);
}

static void what_is_of_a_container_is_not(void **state)
{
	(void)state;
	write_file("class A:\n    def f(self):\n\treturn 1\n");
	assert_int_equal(state_of(path, "container_id", 0), LINE_TEXT_CONTAINER);
	assert_int_equal(state_of(path, "container", 0), LINE_TEXT_CONTAINER);
	assert_int_equal(state_of(path, "pod", 0), LINE_TEXT_CONTAINER);
}

static void what_is_elsewhere_is_not(void **state)
{
	(void)state;
	write_file("    def f(self):\n    def g(self):\n\treturn 1\n");
	assert_int_equal(state_of(path, NULL, 0), LINE_TEXT_OTHER);
	write_file("");
	assert_int_equal(state_of(path, NULL, 0), LINE_TEXT_OTHER);
}

static void what_is_no_python_is_not_read(void **state)
{
	(void)state;
	assert_int_equal(state_of("/etc/passwd", NULL, 0), LINE_TEXT_NONE);
	assert_int_equal(state_of("<string>", NULL, 0), LINE_TEXT_NONE);
	assert_int_equal(state_of("relative.py", NULL, 0), LINE_TEXT_NONE);
	assert_int_equal(state_of("/no/such/file.py", NULL, 0), LINE_TEXT_UNREADABLE);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_there_is_shown),
		cmocka_unit_test(what_is_of_a_container_is_not),
		cmocka_unit_test(what_is_elsewhere_is_not),
		cmocka_unit_test(what_is_no_python_is_not_read),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
