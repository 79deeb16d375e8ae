// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_c_threads.c - threads of C are added up by library: that of their outermost function outside of the C
 * library, whatever they do in the leaf. Other stacks are none of them.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/forge/test.h"
#include "views/c_threads.h"

static struct profile *profile;

static int setup(void **state)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 10000000 };

	(void)state;
	return profile_new(&info, &profile);
}

static int teardown(void **state)
{
	(void)state;
	profile_free(profile);
	profile = NULL;
	return 0;
}

static __u32 frame(enum frame_kind kind, const char *name, const char *mapped)
{
	__u32 function, mapping = 0, id;

	if (mapped)
		assert_int_equal(profile_mapping(profile, mapped, "", &mapping), 0);
	assert_int_equal(profile_function(profile, kind, name, "", 0, &function), 0);
	assert_int_equal(profile_location(profile, function, 0, 0, mapping, &id), 0);
	return id;
}

static __u32 native(const char *name, const char *file)
{
	return frame(FRAME_NATIVE, name, file);
}

/* Leaf first, 0 at its end. */
static void add(__u64 count, const __u32 *stack)
{
	const struct profile_labels labels = { .pid = 1, .tid = 1, .comm = "c", .thread = "t" };
	size_t n = 0;

	while (stack[n])
		n++;
	assert_int_equal(profile_sample(profile, EVENT_CPU, stack, n, &labels, count), 0);
}

#define ADD(count, ...) add(count, (const __u32[]){ __VA_ARGS__, 0 })

static const char *printed(void)
{
	static char text[512];
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_non_null(f);
	memset(text, 0, sizeof(text));
	c_threads_print(profile, 1, "", "", f);
	assert_int_equal(fclose(f), 0);
	return text;
}

TEST(by_library)
{
	const __u32 thread = frame(FRAME_C_THREAD, "[C thread]", NULL);
	const __u32 starts = native("start_thread", "/lib/libc.so.6");

	ADD(5, native("kernel", "/a/libopenblas.so"), native("server", "/a/libopenblas.so"), starts, thread);
	ADD(2, native("memcpy", "/lib/libc.so.6"), native("server", "/a/libopenblas.so"), starts, thread);
	ADD(2, frame(FRAME_SYSCALL, "[syscall futex]", NULL), native("JIT", "/b/libjvm.so"), starts, thread);
	ADD(1, starts, thread);
	ADD(10, frame(FRAME_PYTHON, "f", NULL));
	assert_string_equal(printed(),
			    "\nThreads of C: 35.0% libopenblas.so, 10.0% libjvm.so, 5.0% libc.so.6\n");
}

TEST(without_native)
{
	const __u32 thread = frame(FRAME_C_THREAD, "[C thread]", NULL);

	ADD(10, frame(FRAME_PYTHON, "f", NULL));
	ADD(1, frame(FRAME_MARKER, "[no thread state]", NULL));
	assert_string_equal(printed(), "");
	ADD(9, thread);
	assert_string_equal(printed(), "\nThreads of C: 45.0% (--native leaf names their libraries)\n");
	ADD(20, native("f", "/x/a_library_with_a_name_that_is_longer_than_it_is_shown.so"), thread);
	assert_string_equal(printed(), "\nThreads of C: 50.0% a_library_with_a_name_that_is_longer_tha, "
				       "22.5% [unknown]\n");
}

AROUND_EACH(setup, teardown);
