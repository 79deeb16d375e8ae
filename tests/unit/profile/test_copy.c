// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_copy.c - samples copied into other profiles: with all that belongs to them and nothing else, into
 * several profiles one after the other, and when memory runs short.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profile/copy.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

static const struct profile_info info = {
	.events = EVENT_BIT(EVENT_CPU),
	.period_ns = 10000000, .start_unix_ns = 5, .duration_ns = 7,
};
static struct profile *from;

static __u32 frame(const char *function, int line, int column, const char *binary)
{
	__u32 f, mapping = 0, id;

	if (binary)
		assert_int_equal(profile_mapping(from, binary, "b1d", &mapping), 0);
	assert_int_equal(profile_function(from, FRAME_PYTHON, function, "/srv/app.py", 3, &f), 0);
	assert_int_equal(profile_location(from, f, line, column, mapping, &id), 0);
	return id;
}

/* Sample 1 is "leaf < root", sample 2 "other < root", sample 3 "root" in another interpreter. */
static int setup(void **state)
{
	static const struct profile_labels labels = { .pid = 12, .comm = "web", .pod = "web-1" };

	(void)state;
	assert_int_equal(profile_new(&info, &from), 0);
	__u32 root = frame("root", 9, 0, "/usr/bin/python3");
	__u32 other_root = frame("root", 9, 0, "/opt/python3");
	const __u32 a[] = { frame("leaf", 4, 8, "/usr/bin/python3"), root };
	const __u32 b[] = { frame("other", 5, 0, NULL), root };

	assert_int_equal(profile_sample(from, EVENT_CPU, a, 2, &labels, 5), 0);
	assert_int_equal(profile_sample(from, EVENT_CPU, b, 2, &labels, 7), 0);
	assert_int_equal(profile_sample(from, EVENT_CPU, &other_root, 1, &labels, 11), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	profile_free(from);
	return 0;
}

/* The samples of a profile: "leaf:4:8@python3 < root:9:0@python3 = 5 web-1". */
static const char *shown(const struct profile *p)
{
	static char text[1024];
	size_t used = 0;

	for (__u32 id = 1; id <= profile_count(p, PROFILE_SAMPLE); id++) {
		struct profile_stack s = profile_get_sample(p, id);

		for (__u32 i = 0; i < s.n; i++) {
			const struct profile_location *l = profile_get_location(p, s.locations[i]);
			__u32 name = profile_get_function(p, l->function)->name;
			__u32 file = l->mapping ? profile_get_mapping(p, l->mapping)->file : 0;

			used += snprintf(text + used, sizeof(text) - used, "%s%s:%u:%u@%s", i ? " < " : "",
					 profile_get_string(p, name), l->line, l->column,
					 profile_get_string(p, file));
		}
		used += snprintf(text + used, sizeof(text) - used, " = %llu %s\n", s.count,
				 profile_get_labels(p, s.owner).pod);
	}
	return text;
}

static int add(struct copier *c, __u32 sample)
{
	struct profile_stack s = profile_get_sample(from, sample);
	struct profile_labels labels = profile_get_labels(from, s.owner);

	return copier_add(c, &s, &labels);
}

TEST(complete_and_no_more)
{
	_cleanup_profile_ struct profile *to = NULL;
	_cleanup_copier_ struct copier *c = NULL;

	assert_int_equal(profile_new(&info, &to), 0);
	assert_int_equal(copier_new(&c, from), 0);
	copier_begin(c, to);
	assert_int_equal(add(c, 2), 0);
	assert_string_equal(shown(to), "other:5:0@ < root:9:0@/usr/bin/python3 = 7 web-1\n");
	assert_int_equal(profile_count(to, PROFILE_FUNCTION), 2);
	assert_int_equal(profile_count(to, PROFILE_LOCATION), 2);
	assert_int_equal(profile_count(to, PROFILE_MAPPING), 1);
	assert_int_equal(add(c, 1), 0);
	assert_int_equal(profile_count(to, PROFILE_LOCATION), 3);
}

/* Ids of the first have no meaning in the second, though the copier knows them. */
TEST(one_after_the_other)
{
	_cleanup_profile_ struct profile *first = NULL, *second = NULL;
	_cleanup_copier_ struct copier *c = NULL;

	assert_int_equal(profile_new(&info, &first), 0);
	assert_int_equal(profile_new(&info, &second), 0);
	assert_int_equal(copier_new(&c, from), 0);
	copier_begin(c, first);
	assert_int_equal(add(c, 1), 0);
	assert_int_equal(add(c, 3), 0);
	copier_begin(c, second);
	assert_int_equal(add(c, 3), 0);
	assert_int_equal(add(c, 2), 0);
	assert_string_equal(shown(first), "leaf:4:8@/usr/bin/python3 < root:9:0@/usr/bin/python3 = 5 web-1\n"
					  "root:9:0@/opt/python3 = 11 web-1\n");
	assert_string_equal(shown(second), "root:9:0@/opt/python3 = 11 web-1\n"
					   "other:5:0@ < root:9:0@/usr/bin/python3 = 7 web-1\n");
}

/* Labels are the caller's choice: samples that were apart by them become one. */
TEST(under_other_labels)
{
	static const struct profile_labels nobody, somebody = { .pid = 99 };
	_cleanup_profile_ struct profile *to = NULL;
	_cleanup_copier_ struct copier *c = NULL;
	struct profile_stack s = profile_get_sample(from, 1);

	assert_int_equal(profile_sample(from, EVENT_CPU, s.locations, s.n, &somebody, 100), 0);
	assert_int_equal(profile_new(&info, &to), 0);
	assert_int_equal(copier_new(&c, from), 0);
	copier_begin(c, to);
	assert_int_equal(copier_add(c, &s, &nobody), 0);
	s = profile_get_sample(from, 4);
	assert_int_equal(copier_add(c, &s, &nobody), 0);
	assert_string_equal(shown(to), "leaf:4:8@/usr/bin/python3 < root:9:0@/usr/bin/python3 = 105 \n");
}

static int copy_all(void)
{
	_cleanup_profile_ struct profile *to = NULL;
	_cleanup_copier_ struct copier *c = NULL;
	int err = profile_new(&info, &to) ?: copier_new(&c, from);

	if (err)
		return err;
	copier_begin(c, to);
	for (__u32 id = 1; !err && id <= profile_count(from, PROFILE_SAMPLE); id++)
		err = add(c, id);
	if (!err)
		assert_int_equal(profile_total(to), profile_total(from));
	return err;
}

TEST(memory_runs_short)
{
	int failures = 0;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	for (int n = 0;; n++, failures++) {
		int err;

		allocations_left = n;
		err = copy_all();
		allocations_left = -1;
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
	}
	assert_true(failures > 5);
	copier_free(NULL);
}

AROUND_EACH(setup, teardown);
