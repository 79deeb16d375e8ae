/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof_example.h - a profile to be encoded as pprof, and what the tests make their own of.
 */
#ifndef PYPERF_TESTS_PPROF_EXAMPLE_H
#define PYPERF_TESTS_PPROF_EXAMPLE_H

#include "formats/pprof.h"
#include "tests/forge/decode.h"

#define PERIOD 10000000 /* 10 ms */

static inline struct profile *new_profile(void)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = PERIOD,
						  .start_unix_ns = 1700000000000000000,
						  .duration_ns = 2000000000,
						  .frequency = 100 };
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

static inline __u32 location(struct profile *p, const char *name, const char *file, int start, int line,
			     __u32 mapping)
{
	__u32 function, id;

	assert_int_equal(profile_function(p, FRAME_PYTHON, name, file, start, &function), 0);
	assert_int_equal(profile_location(p, function, line, 0, mapping, &id), 0);
	return id;
}

/* Two processes and interpreters, marker and odd names, one text that is not UTF-8. */
static inline struct profile *example(void)
{
	struct profile *p = new_profile();
	__u32 one, two, function, lambda;

	assert_int_equal(profile_mapping(p, "/usr/bin/python3.11", "aabbcc", &one), 0);
	assert_int_equal(profile_mapping(p, "/usr/lib/libpython3.13.so.1.0", NULL, &two), 0);
	__u32 module = location(p, "<module>", "/srv/app.py", 1, 3, one);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "<lambda>", "/srv/app.py", 7, &function), 0);
	assert_int_equal(profile_location(p, function, 7, 12, one, &lambda), 0);
	__u32 local = location(p, "A.work.<locals>.inner", "/srv/b\xff.py", 8, 9, two);
	__u32 cpp = location(p, "_Z3foov", "/srv/c.py", 0, 0, two);
	__u32 marker = location(p, "[truncated]", "", 0, 0, 0);
	const __u32 a[] = { lambda, module }, b[] = { cpp, local, local, marker };
	struct profile_labels main = { .pid = 12, .tid = 12, .comm = "python3", .thread = "MainThread" };
	struct profile_labels process = { .pid = 99,
					  .comm = "worker",
					  .container_id = "c0ffee",
					  .container = "py",
					  .pod = "app-1",
					  .namespace = "demo",
					  .pod_uid = "9e449ecd" };

	assert_int_equal(profile_sample(p, EVENT_CPU, a, 2, &main, 40), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, b, 4, &process, 2), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &module, 1, &process, 1), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, a, 2, &main, 7), 0);
	return p;
}

#endif
