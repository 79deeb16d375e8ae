// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_folded.c - the exact text of folded stacks, and that hostile names cannot add a line, a frame or a
 * count.
 */

#include <string.h>

#include "formats/folded.h"
#include "profile/short_path.h"
#include "tests/forge/test.h"

/* As the command line does. */
static int begin(void **state)
{
	(void)state;
	short_path_begin("/srv");
	return 0;
}

AROUND_ALL(begin, NULL);

static struct profile *new_profile(void)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU),
		.period_ns = 10000000,
	};
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

static __u32 location(struct profile *p, const char *name, const char *file, int start, int line)
{
	__u32 function, id;

	assert_int_equal(profile_function(p, FRAME_PYTHON, name, file, start, &function), 0);
	assert_int_equal(profile_location(p, function, line, 0, 0, &id), 0);
	return id;
}

static void assert_folded(const struct profile *p, const char *expected)
{
	_cleanup_buf_ struct buf out = { 0 };

	assert_int_equal(buf_add_string(&out, "kept\n"), 0);
	assert_int_equal(folded_encode(p, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	assert_memory_equal(out.data, "kept\n", 5);
	assert_string_equal(out.data + 5, expected);
}

/* An editor finds a file by its whole path, and a name has no quote to end the quotes around it. */
TEST(as_pyspy_writes_it)
{
	_cleanup_profile_ struct profile *p = new_profile();
	const __u32 work = location(p, "work", "/srv/app.py", 8, 9);
	const struct profile_labels labels = { .pid = 12, .comm = "a\"b;c" };
	_cleanup_buf_ struct buf out = { 0 };

	assert_int_equal(profile_sample(p, EVENT_CPU, &work, 1, &labels, 3), 0);
	assert_int_equal(pyspy_encode(p, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	assert_string_equal(out.data, "process 12:\"a'b:c\";work (/srv/app.py:9) 3\n");
}

TEST(lines_are_root_first_and_sorted)
{
	_cleanup_profile_ struct profile *p = new_profile();
	__u32 module = location(p, "<module>", "/srv/app.py", 1, 3),
	      work = location(p, "A.work", "/srv/app.py", 8, 9);
	__u32 nowhere = location(p, "[truncated]", "", 0, 0), unknown = location(p, "f", "/srv/b.py", 8, 0);
	const __u32 a[] = { work, module }, b[] = { module }, c[] = { unknown, nowhere };
	struct profile_labels process = { .pid = 12, .tid = 0, .comm = "python3", .thread = NULL };
	struct profile_labels thread = { .pid = 12, .tid = 13, .comm = "python3", .thread = "Main Thread" };

	assert_int_equal(profile_sample(p, EVENT_CPU, a, 2, &thread, 42), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, a, 2, &process, 5), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, b, 1, &process, 6), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, c, 2, &process, 7), 0);
	assert_folded(p, "python3 (pid 12);<module> (app.py:3) 6\n"
			 "python3 (pid 12);<module> (app.py:3);A.work (app.py:9) 5\n"
			 "python3 (pid 12);[truncated];f (b.py) 7\n"
			 "python3 (pid 12);Main Thread (tid 13);<module> (app.py:3);A.work (app.py:9) 42\n");
}

TEST(equal_texts_are_one_line)
{
	_cleanup_profile_ struct profile *p = new_profile();
	__u32 one = location(p, "f", "/srv/x.py", 1, 2), two = location(p, "f", "/srv/x.py", 2, 2);
	__u32 longer = location(p, "f", "/srv/x.py", 1, 22), function, column;
	struct profile_labels labels = { .pid = 1 };

	assert_int_equal(profile_sample(p, EVENT_CPU, &one, 1, &labels, 2), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &longer, 1, &labels, 1), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &two, 1, &labels, 3), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "/srv/x.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 2, 9, 0, &column), 0);
	assert_int_not_equal(column, two);
	assert_int_equal(profile_sample(p, EVENT_CPU, &column, 1, &labels, 4), 0);
	assert_folded(p, "pid 1;f (x.py:2) 9\npid 1;f (x.py:22) 1\n");
}

/* Files are called as in tables; those that would have one name are written whole. */
TEST(files_of_one_name_are_told_apart)
{
	static const char *const files[] = {
		"/srv/api/__init__.py", "/srv/jobs/__init__.py",
		"/opt/a/shop/views.py", "/opt/b/shop/views.py",
		"/v/lib/python3.11/site-packages/numpy/linalg/__init__.py",
		"/usr/lib/python3.11/json/__init__.py",
		"/one/libx.so", "/two/libx.so", "<frozen os>",
	};
	_cleanup_profile_ struct profile *p = new_profile();
	const struct profile_labels labels = { .pid = 1 };

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const __u32 l = location(p, "f", files[i], 1, 2);

		assert_int_equal(profile_sample(p, EVENT_CPU, &l, 1, &labels, i + 1), 0);
	}
	assert_folded(p, "pid 1;f (/one/libx.so:2) 7\n"
			 "pid 1;f (/opt/a/shop/views.py:2) 3\n"
			 "pid 1;f (/opt/b/shop/views.py:2) 4\n"
			 "pid 1;f (/two/libx.so:2) 8\n"
			 "pid 1;f (<frozen os>:2) 9\n"
			 "pid 1;f (api/__init__.py:2) 1\n"
			 "pid 1;f (jobs/__init__.py:2) 2\n"
			 "pid 1;f (json/__init__.py:2) 6\n"
			 "pid 1;f (numpy/linalg/__init__.py:2) 5\n");
}

TEST(hostile_names_stay_in_their_frame)
{
	_cleanup_profile_ struct profile *p = new_profile();
	__u32 l = location(p, "f\n;g 9", "/x/\x1b[31m;a.py", 1, 2), slash = location(p, "", "/dir/", 1, 2);
	struct profile_labels labels = { .pid = 1, .tid = 2, .comm = "a;b\nc 3\n", .thread = "t;\r" };
	const __u32 stack[] = { slash, l };

	assert_int_equal(profile_sample(p, EVENT_CPU, stack, 2, &labels, 1), 0);
	assert_folded(p, "a:b?c 3? (pid 1);t:? (tid 2);f?:g 9 (x/?[31m:a.py:2);? (/dir/:2) 1\n");
}

/* Tables with a place for each: one too few, and the next allocation is damaged for some of these numbers. */
TEST(any_number_of_places)
{
	for (int n = 1; n <= 12; n++) {
		_cleanup_profile_ struct profile *p = new_profile();
		_cleanup_buf_ struct buf wanted = { 0 };
		const struct profile_labels labels = { .pid = 1 };

		for (int i = 1; i <= n; i++) {
			const __u32 l = location(p, "f", "/srv/x.py", 1, 10 + i);

			assert_int_equal(profile_sample(p, EVENT_CPU, &l, 1, &labels, i), 0);
			assert_int_equal(buf_printf(&wanted, "pid 1;f (x.py:%d) %d\n", 10 + i, i), 0);
		}
		assert_int_equal(buf_add(&wanted, "", 1), 0);
		assert_folded(p, wanted.data);
	}
}

TEST(no_samples_are_no_lines)
{
	_cleanup_profile_ struct profile *p = new_profile();

	location(p, "f", "x.py", 1, 2);
	assert_folded(p, "");
}
