// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_own_time.c - whose time a stack's is: by functions never native code's, unless there is nothing else;
 * by packages native code of a package keeps it.
 */
#include "profile/own_time.h"
#include "tests/forge/test.h"

#define NUMPY "/v/lib/python3.11/site-packages/numpy/core/_x.so"

TEST(what_each_frame_may_have)
{
	static const struct {
		enum frame_kind kind;
		const char *file;
		enum own_time own;
	} rows[] = {
		{ FRAME_PYTHON, "/srv/app.py", OWN_TIME_ALWAYS },
		{ FRAME_PYTHON, "", OWN_TIME_ALWAYS },
		{ FRAME_MARKER, "", OWN_TIME_ALWAYS },
		{ FRAME_NATIVE, NUMPY, OWN_TIME_PACKAGES },
		{ FRAME_NATIVE, "/v/lib/python3.11/site-packages/numpy.libs/libblas.so", OWN_TIME_PACKAGES },
		{ FRAME_NATIVE, "/usr/lib/python3.11/lib-dynload/_json.so", OWN_TIME_PACKAGES },
		{ FRAME_NATIVE, "/usr/bin/python3.11", OWN_TIME_NEVER },
		{ FRAME_NATIVE, "/usr/lib/x86_64-linux-gnu/libc.so.6", OWN_TIME_NEVER },
		{ FRAME_NATIVE, "", OWN_TIME_NEVER },
		{ FRAME_SYSCALL, "", OWN_TIME_NEVER },
		{ FRAME_KERNEL, "[kernel.kallsyms]", OWN_TIME_NEVER },
		{ FRAME_UNPLACED, "", OWN_TIME_NEVER },
		{ FRAME_WAIT, "", OWN_TIME_NEVER },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(own_time_of(rows[i].kind, rows[i].file), rows[i].own);
		assert_int_equal(own_time_is_of(rows[i].kind), rows[i].own == OWN_TIME_ALWAYS);
	}
}

static __u32 location(struct profile *p, enum frame_kind kind, const char *file, __u32 mapping)
{
	__u32 function, id;

	assert_int_equal(profile_function(p, kind, "f", file, 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, 0, mapping, &id), 0);
	return id;
}

static __u32 found(const struct profile *p, const char *kinds, __u32 from, __u32 end)
{
	__u32 locations[8];
	struct profile_stack s = { .locations = locations };

	for (; kinds[s.n]; s.n++)
		locations[s.n] = kinds[s.n] == 'p' ? 1 : 2;
	return own_time_frame(p, &s, from, end);
}

TEST(the_newest_that_may)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	_cleanup_profile_ struct profile *p = NULL;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(location(p, FRAME_PYTHON, "/srv/app.py", 0), 1);
	assert_int_equal(location(p, FRAME_NATIVE, NUMPY, 0), 2);
	assert_int_equal(found(p, "pnp", 0, 3), 0);
	assert_int_equal(found(p, "nnpp", 0, 4), 2);
	assert_int_equal(found(p, "nn", 0, 2), 0);
	assert_int_equal(found(p, "pnnp", 1, 4), 3);
	assert_int_equal(found(p, "pnnp", 1, 3), 1); /* not behind the end */
	assert_int_equal(found(p, "", 0, 0), 0);
}

static const char *file_of(const struct profile *p, __u32 location)
{
	return profile_get_string(p, own_time_file(p, location));
}

/* What debugging information says is where it was written, not where it lies. */
TEST(native_code_is_where_it_lies)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	_cleanup_profile_ struct profile *p = NULL;
	__u32 mapping;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_mapping(p, NUMPY, "", &mapping), 0);
	assert_string_equal(file_of(p, location(p, FRAME_NATIVE, "/b/x.c", mapping)), NUMPY);
	assert_string_equal(file_of(p, location(p, FRAME_PYTHON, "/a.py", mapping)), "/a.py");
	assert_string_equal(file_of(p, location(p, FRAME_NATIVE, "/b/x.so", 0)), "/b/x.so");
}
