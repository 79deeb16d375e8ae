// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_packages.c - a profile by packages, by the rule of profile/own_time.h: native code of a package is its
 * own, that of no package its caller's, and a stack is in the total of a package once.
 */
#include <string.h>

#include "profile/profile.h"
#include "top/packages.h"
#include "tests/forge/test.h"

static __u32 location(struct profile *p, enum frame_kind kind, const char *name, const char *file)
{
	__u32 function, id;

	assert_int_equal(profile_function(p, kind, name, file, 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, 0, 0, &id), 0);
	return id;
}

static double count(const struct profile *p, __u64 value)
{
	(void)p;
	return (double)value;
}

static const struct top_row *row(const struct top_rows *r, const char *name)
{
	for (size_t i = 0; i < r->count; i++)
		if (!strcmp(r->rows[i].name, name))
			return &r->rows[i];
	fail_msg("no row is called %s", name);
	return NULL;
}

static void add(struct profile *p, __u64 value, const __u32 *stack, size_t n)
{
	const struct profile_labels labels = { .pid = 1, .tid = 1, .comm = "python" };

	assert_int_equal(profile_sample(p, EVENT_CPU, stack, n, &labels, value), 0);
}

TEST(of_each)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1,
						  .duration_ns = 1 };
	_cleanup_profile_ struct profile *p = NULL;
	struct top_rows r = { 0 };

	assert_int_equal(profile_new(&info, &p), 0);
	const __u32 own = location(p, FRAME_PYTHON, "main", "/srv/app.py");
	const __u32 get = location(p, FRAME_PYTHON, "get", "/v/lib/python3.11/site-packages/requests/api.py");
	const __u32 send = location(p, FRAME_PYTHON, "send", "/v/lib/python3.11/site-packages/requests/x.py");
	const __u32 libc = location(p, FRAME_NATIVE, "memcpy", "/lib/libc.so.6");
	const __u32 sort = location(p, FRAME_NATIVE, "sort", "/v/lib/python3.11/site-packages/numpy/x.so");
	const __u32 other = location(p, FRAME_NATIVE, "main", "/srv/libother.so");
	const __u32 lost = location(p, FRAME_MARKER, "[no thread state]", "");

	add(p, 5, (__u32[]){ libc, send, get, own }, 4);
	add(p, 3, (__u32[]){ libc, sort, own }, 3);
	add(p, 4, (__u32[]){ libc, other }, 2);
	add(p, 2, (__u32[]){ own }, 1);
	add(p, 1, (__u32[]){ lost }, 1);
	assert_int_equal(packages_add(p, count, &r), 0);
	assert_int_equal(r.count, 5);
	assert_string_equal(row(&r, "requests")->where, "package");
	assert_int_equal((int)row(&r, "requests")->self, 5);
	assert_int_equal((int)row(&r, "requests")->total, 5);
	assert_int_equal((int)row(&r, "program")->self, 2);
	assert_int_equal((int)row(&r, "program")->total, 10);
	assert_int_equal((int)row(&r, "numpy")->self, 3);
	assert_int_equal((int)row(&r, "numpy")->total, 3);
	assert_int_equal((int)row(&r, "libc.so.6")->self, 4); /* no other frame may have it */
	assert_int_equal((int)row(&r, "libc.so.6")->total, 4);
	assert_int_equal((int)row(&r, "libother.so")->self, 0);
	assert_int_equal((int)row(&r, "libother.so")->total, 4);
	top_rows_free(&r);
}
