// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_waiters.c - who waits for what: for who has the GIL, in a system call, or for nothing.
 */
#include <string.h>

#include "profile/profile.h"
#include "top/waiters.h"
#include "tests/forge/test.h"

static struct profile *profile;

static int setup(void **state)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_GIL), .period_ns = 1,
						  .duration_ns = 1 };

	(void)state;
	return profile_new(&info, &profile);
}

static int teardown(void **state)
{
	(void)state;
	profile_free(profile);
	return 0;
}

static __u32 location(enum frame_kind kind, const char *name)
{
	const char *file = kind == FRAME_PYTHON ? "/a.py" : "";
	__u32 function, id;

	assert_int_equal(profile_function(profile, kind, name, file, 1, &function), 0);
	assert_int_equal(profile_location(profile, function, 1, 0, 0, &id), 0);
	return id;
}

static double count(const struct profile *p, __u64 value)
{
	(void)p;
	return (double)value;
}

static void add(__u64 value, const __u32 *stack, size_t n)
{
	const struct profile_labels labels = { .pid = 1, .tid = 1, .comm = "python" };

	assert_int_equal(profile_sample(profile, EVENT_GIL, stack, n, &labels, value), 0);
}

static void assert_pair(const struct top_rows *r, const char *name, const char *where, int self)
{
	for (size_t i = 0; i < r->count; i++)
		if (!strcmp(r->rows[i].name, name) && !strcmp(r->rows[i].where, where)) {
			assert_int_equal((int)r->rows[i].self, self);
			return;
		}
	fail_msg("%s does not wait for %s", name, where);
}

TEST(pairs)
{
	const __u32 main = location(FRAME_PYTHON, "main"), serve = location(FRAME_PYTHON, "serve");
	const __u32 dumps = location(FRAME_PYTHON, "dumps"), held = location(FRAME_WAIT, "[GIL held by]");
	const __u32 nobody = location(FRAME_WAIT, "[nobody]");
	const __u32 futex = location(FRAME_SYSCALL, "[syscall futex]");
	const __u32 native = location(FRAME_NATIVE, "c_make_encoder");
	struct top_rows r = { 0 };

	add(10, (__u32[]){ native, dumps, main, held, serve, main }, 6);
	add(5, (__u32[]){ dumps, main, held, serve, main }, 5);
	add(3, (__u32[]){ nobody, held, serve, main }, 4);
	add(2, (__u32[]){ futex, serve, main }, 3);
	add(1, (__u32[]){ serve, main }, 2); /* no wait */
	add(1, (__u32[]){ held }, 1);
	assert_int_equal(waiters_add(profile, count, &r), 0);
	assert_int_equal(r.count, 4);
	assert_pair(&r, "serve", "GIL: dumps", 15);
	assert_pair(&r, "serve", "GIL: [nobody]", 3);
	assert_pair(&r, "serve", "[syscall futex]", 2);
	assert_pair(&r, "[GIL held by]", "[GIL held by]", 1);
	top_rows_free(&r);
}

AROUND_EACH(setup, teardown);
