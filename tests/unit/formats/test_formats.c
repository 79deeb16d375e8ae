// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_formats.c - every row of formats.def: that it encodes, is found by its name and its suffix, and is in
 * the texts that are made of the list.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/formats.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

static struct profile *new_profile(void)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU),
		.period_ns = 10000000,
		.start_unix_ns = 17,
	};
	static const struct profile_labels labels = { .pid = 12, .tid = 12, .comm = "web", .thread = "main" };
	struct profile *p;
	__u32 function, location;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "work", "/srv/app.py", 3, &function), 0);
	assert_int_equal(profile_location(p, function, 4, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, 42), 0);
	return p;
}

/* Behind what is there, the same each time, and each format another. */
TEST(each_encodes)
{
	_cleanup_profile_ struct profile *p = new_profile();
	_cleanup_buf_ struct buf all = {};

	for (int i = 0; i < FORMATS; i++) {
		_cleanup_buf_ struct buf one = {}, two = {};

		assert_int_equal(format_rows[i].encode(p, &one), 0);
		assert_true(one.size > 20);
		assert_null(all.size ? memmem(all.data, all.size, one.data, one.size) : NULL);
		assert_int_equal(buf_add_string(&two, "kept"), 0);
		assert_int_equal(format_rows[i].encode(p, &two), 0);
		assert_int_equal(two.size, one.size + 4);
		assert_memory_equal(two.data, "kept", 4);
		assert_memory_equal(two.data + 4, one.data, one.size);
		assert_int_equal(buf_add(&all, one.data, one.size), 0);
	}
}

TEST(memory_runs_short)
{
	_cleanup_profile_ struct profile *p = NULL;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	p = new_profile();
	for (int i = 0; i < FORMATS; i++) {
		int failures = 0, err;

		do {
			_cleanup_buf_ struct buf out = {};

			assert_int_equal(buf_add_string(&out, "kept"), 0);
			allocations_left = failures;
			err = format_rows[i].encode(p, &out);
			allocations_left = -1;
			if (!err)
				break;
			assert_int_equal(err, -ENOMEM);
			assert_int_equal(out.size, 4);
			failures++;
		} while (err);
		assert_true(failures > 0);
	}
}

TEST(found_by_name)
{
	char choices[256] = "|", choice[64];

	snprintf(choices, sizeof(choices), "|%s|", format_choices);
	for (int i = 0; i < FORMATS; i++) {
		assert_int_equal(format_find(format_rows[i].name), i);
		snprintf(choice, sizeof(choice), "|%s|", format_rows[i].name);
		assert_non_null(strstr(choices, choice));
		assert_non_null(strstr(format_names, format_rows[i].name));
	}
	assert_int_equal(format_find(""), -1);
	assert_int_equal(format_find("png"), -1);
	assert_int_equal(format_find("PPROF"), -1);
}

/* Suffixes differ, and none hides another one. */
TEST(found_by_suffix)
{
	char path[64];

	for (int i = 0; i < FORMATS; i++) {
		const char *suffix = format_rows[i].suffix;

		assert_int_equal(suffix[0], '.');
		snprintf(path, sizeof(path), "/a/x%s", suffix);
		assert_int_equal(format_of_file(path), i);
		assert_int_equal(format_of_file(suffix), 0);
		strcat(path, ".pdf");
		assert_int_equal(format_of_file(path), -1);
		snprintf(path, sizeof(path), "x%s", format_rows[i].also ?: suffix); /* the last of them */
		assert_int_equal(format_of_file(path), i);
		path[strcspn(path, " ")] = 0; /* the first */
		assert_int_equal(format_of_file(path), i);
		assert_true(i == 0 || strstr(format_help, suffix));
	}
	assert_int_equal(format_of_file(""), 0);
}

/* What stands behind a dot need not say anything of a format. */
TEST(names_without_an_ending)
{
	static const char *const names[] = { "x", "-", "/dev/stdout", "/a.b/x", "x.", ".profile",
					     "x.2026-11-29", "x.1", "a.b c" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(format_of_file(names[i]), 0);
	assert_int_equal(format_of_file("x.prof"), FORMAT_PPROF);
	assert_int_equal(format_of_file("x.json"), FORMAT_SPEEDSCOPE);
	assert_int_equal(format_of_file("x.pdf"), -1);
	assert_int_equal(format_of_file("/a/x.PNG"), -1);
	assert_int_equal(format_of_file("x.mp3"), -1);
}

TEST(how_to_open)
{
	for (int i = 0; i < FORMATS; i++) {
		_cleanup_buf_ struct buf out = {};

		assert_int_equal(format_add_how_to_open(i, "/tmp/my%sfile", &out), 0);
		assert_int_equal(buf_add(&out, "", 1), 0);
		assert_null(strstr(out.data, "FILE"));
		assert_int_equal(!strstr(out.data, "/tmp/my%sfile"), !strstr(format_rows[i].open, "FILE"));
		assert_int_equal(strncmp(out.data, "Open it", 7), 0);
	}
}

TEST(types_are_types)
{
	for (int i = 0; i < FORMATS; i++)
		assert_non_null(strchr(format_rows[i].type, '/'));
}
