// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_summary.c - the numbers of the page are right (recursion counted once, lines and processes merged) and
 * no line is wider than it may be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "profile/summary.h"

static struct profile *new_profile(void)
{
	static const struct profile_info info = { .period_ns = 10000000,
						  .duration_ns = 500000000,
						  .frequency = 100 };
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

static __u32 location(struct profile *p, const char *name, const char *file, int start, int line,
		      __u32 mapping)
{
	__u32 function, id;

	assert_int_equal(profile_function(p, name, file, start, &function), 0);
	assert_int_equal(profile_location(p, function, line, mapping, &id), 0);
	return id;
}

static char *summary(const struct profile *p, bool colour, int rows)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	summary_print(p, f, colour, rows);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void assert_has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no \"%s\" in:\n%s", line, text);
}

static struct profile *example(void)
{
	struct profile *p = new_profile();
	__u32 mapping;
	__u32 module = location(p, "<module>", "/srv/app.py", 1, 3, 0);
	__u32 fib = location(p, "fib", "/srv/app.py", 8, 9, 0), fib_other;
	const __u32 recursive[] = { fib, fib, fib, module }, top[] = { module };
	struct profile_labels main = { 12, 12, "main", NULL }, other = { 12, 13, "other", NULL },
			      more = { 9, 9, "x", "" };

	assert_int_equal(profile_mapping(p, "python3", "", &mapping), 0);
	fib_other = location(p, "fib", "/srv/app.py", 8, 9, mapping);
	assert_int_equal(profile_sample(p, top, 1, &main, 10), 0);
	assert_int_equal(profile_sample(p, recursive, 4, &other, 60), 0);
	assert_int_equal(profile_sample(p, &fib_other, 1, &more, 30), 0);
	return p;
}

static void numbers_are_right(void **state)
{
	_cleanup_profile_ struct profile *p = example();
	_cleanup_free_ char *text = summary(p, false, 10);

	(void)state;
	assert_has(text, "100 samples, 1.00 s of CPU in 0.5 s (2.00 CPUs busy), 100 Hz\n");
	assert_has(text, "\n 90.00%   90.00%  fib                               /srv/app.py:8\n"
			 " 10.00%   70.00%  <module>                          /srv/app.py:1\n");
	assert_has(text, "\n 90.00%  fib                                        /srv/app.py:9\n"
			 " 10.00%  <module>                                   /srv/app.py:3\n");
	assert_has(text, "\n 70.00%     0.70 s          12  main\n 30.00%     0.30 s           9  x\n");
	assert_null(strchr(text, '\033'));
}

static void rows_are_limited_and_colour_is_reset(void **state)
{
	_cleanup_profile_ struct profile *p = example();
	_cleanup_free_ char *one = summary(p, true, 1), *none = summary(p, false, 0);
	int on = 0, off = 0;

	(void)state;
	assert_has(one, "\033[31m 90.00%\033[0m  \033[31m 90.00%\033[0m  fib ");
	assert_null(strstr(one, "<module>"));
	for (const char *at = one; (at = strchr(at, '\033')); at++)
		*(strncmp(at, "\033[0m", 4) ? &on : &off) += 1;
	assert_int_equal(on, off);
	assert_string_equal(none, "100 samples, 1.00 s of CPU in 0.5 s (2.00 CPUs busy), 100 Hz\n");
}

static void no_line_is_wider_than_the_page(void **state)
{
	_cleanup_profile_ struct profile *p = new_profile();
	_cleanup_buf_ struct buf path = { 0 }, name = { 0 };
	struct profile_labels labels = { ~0U, ~0U, NULL, NULL };
	_cleanup_free_ char *text = NULL;
	char *line, *rest;

	(void)state;
	for (int i = 0; i < 60; i++) {
		assert_int_equal(buf_add_string(&path, "/f\xc3\xb6lder"), 0);
		assert_int_equal(buf_add_string(&name, "\xc3\xa4\x1b[2J\n"), 0);
	}
	assert_int_equal(buf_add(&path, "/last.py", 9), 0);
	assert_int_equal(buf_add(&name, "", 1), 0);
	labels.comm = labels.thread = name.data;
	__u32 l = location(p, name.data, path.data, 0x7fffffff, 0x7fffffff, 0);
	__u32 flat = location(p, "short", name.data, 1, 1, 0);
	assert_int_equal(profile_sample(p, &l, 1, &labels, 1), 0);
	assert_int_equal(profile_sample(p, &flat, 1, &labels, 1), 0);
	__u32 marker = location(p, "[no Python frames]", "", 0, 0, 0);
	assert_int_equal(profile_sample(p, &marker, 1, &labels, 2), 0);
	text = summary(p, false, 10);
	assert_has(text, " 50.00%   50.00%  [no Python frames]\n");
	assert_has(text, "\n 50.00%  [no Python frames]\n");
	assert_has(text, "  .../f\xc3\xb6lder/f\xc3\xb6lder/f\xc3\xb6lder/last.py:2147483647\n");
	assert_has(text, "\xc3\xa4?[2J?\xc3\xa4?[2J?\xc3\xa4?[2J?\xc3\xa4?[2J?\xc3\xa4?[2J...");
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		size_t columns = 0;

		for (const char *at = line; *at; at += buf_utf8_length(at), columns++)
			assert_int_not_equal(buf_utf8_length(at), 0);
		assert_in_range(columns, 1, SUMMARY_WIDTH);
	}
}

static void a_profile_without_samples_says_so(void **state)
{
	_cleanup_profile_ struct profile *p = new_profile();
	_cleanup_free_ char *text = summary(p, false, 10);

	(void)state;
	assert_string_equal(text, "0 samples, 0.00 s of CPU in 0.5 s (0.00 CPUs busy), 100 Hz\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_right),
		cmocka_unit_test(rows_are_limited_and_colour_is_reset),
		cmocka_unit_test(no_line_is_wider_than_the_page),
		cmocka_unit_test(a_profile_without_samples_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
