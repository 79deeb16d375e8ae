// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_flamegraph.c - the tree of a flame graph: which stacks share a frame, its values, what is left out,
 * and names that would break JSON.
 */
#include <stdio.h>
#include <string.h>

#include "profile/flamegraph.h"
#include "profile/frames.h"
#include "tests/forge/test.h"

static struct profile *new_profile(void)
{
	struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU), .period_ns = 10000000,
		.start_unix_ns = 1790000000500000000,
		.duration_ns = 2500000000,
		.frequency = 99,
	};
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

/* The stack is written root first, one letter for each function: "abc". */
static void add(struct profile *p, __u32 pid, const char *stack, int line, __u64 count)
{
	struct profile_labels labels = { .pid = pid, .tid = pid, .comm = "py" };
	__u32 locations[64], n = strlen(stack), function;

	for (__u32 i = 0; i < n; i++) {
		const char name[2] = { stack[i], '\0' }, *file = name[0] < 'x' ? "f.py" : "";
		enum frame_kind kind = name[0] == 'z' ? FRAME_MARKER : FRAME_PYTHON;

		assert_int_equal(profile_function(p, kind, name, file, *file ? 7 : 0, &function), 0);
		assert_int_equal(profile_location(p, function, line, 0, 0, &locations[n - 1 - i]), 0);
	}
	assert_int_equal(profile_sample(p, EVENT_CPU, locations, n, &labels, count), 0);
}

static void expect(struct profile *p, const char *children)
{
	_cleanup_buf_ struct buf out = {};
	char text[1536], kinds[768] = "";

	assert_int_equal(flamegraph_encode(p, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	for (int i = 0; i < FRAME_KINDS; i++)
		snprintf(kinds + strlen(kinds), sizeof(kinds) - strlen(kinds),
			 "%s{\"kind\":\"%s\",\"colour\":\"%s\",\"shown\":\"%s\"%s}", i ? "," : "",
			 frame_rows[i].key, frame_rows[i].colour, frame_rows[i].shown,
			 frame_is_native(i) ? ",\"native\":true" : "");
	snprintf(text, sizeof(text),
		 "{\"name\":\"all\",\"value\":%llu,\"values\":\"samples\",\"seconds\":2.5,"
		 "\"start\":1790000000,\"kinds\":[%s]%s}\n",
		 profile_total(p), kinds, children);
	assert_string_equal(out.data, text);
	profile_free(p);
}

#define F(letter, value) "{\"name\":\"" letter "\",\"file\":\"f.py:7\",\"value\":" value
#define CHILDREN	 ",\"children\":["

TEST(empty)
{
	expect(new_profile(), "");
}

/* Lines of one function are one frame; equal frames of two processes, or below other callers, are not. */
TEST(shared_frames)
{
	struct profile *p = new_profile();

	add(p, 1, "ab", 1, 3);
	add(p, 1, "a", 1, 2);
	add(p, 1, "ac", 1, 1);
	add(p, 1, "ab", 2, 4);
	add(p, 2, "ab", 1, 5);
	add(p, 1, "bb", 1, 6);
	expect(p, CHILDREN "{\"name\":\"py (pid 1)\",\"value\":16" CHILDREN
	       F("a", "10") CHILDREN F("b", "7") "}," F("c", "1") "}]},"
	       F("b", "6") CHILDREN F("b", "6") "}]}]},"
	       "{\"name\":\"py (pid 2)\",\"value\":5" CHILDREN F("a", "5") CHILDREN F("b", "5") "}]}]}]");
}

/* CPU time that is the kernel's account. */
TEST(time_of_the_account)
{
	const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1, .timed = true };
	const struct profile_labels labels = { .pid = 1, .tid = 1, .comm = "py" };
	_cleanup_profile_ struct profile *p = NULL;
	_cleanup_buf_ struct buf out = {};
	__u32 location = 1;

	assert_int_equal(profile_new(&info, &p), 0);
	add(p, 1, "a", 1, 3);
	assert_int_equal(profile_sample(p, PROFILE_TIME, &location, 1, &labels, 5000), 0);
	assert_int_equal(flamegraph_encode(p, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	assert_non_null(strstr(out.data, "\"value\":5000,\"values\":\"nanoseconds\""));
	assert_non_null(strstr(out.data, F("a", "5000")));
}

TEST(without_a_file)
{
	struct profile *p = new_profile();

	add(p, 1, "xz", 0, 1); /* z is a marker */
	expect(p, CHILDREN "{\"name\":\"py (pid 1)\",\"value\":1" CHILDREN
	       "{\"name\":\"x\",\"value\":1" CHILDREN
	       "{\"name\":\"z\",\"kind\":\"marker\",\"value\":1}]}]}]");
}

TEST(too_narrow)
{
	struct profile *p = new_profile();

	add(p, 1, "a", 1, FLAMEGRAPH_PARTS * 2 - 1);
	add(p, 1, "ab", 1, 1);
	expect(p, CHILDREN "{\"name\":\"py (pid 1)\",\"value\":8000" CHILDREN F("a", "8000") "}]}]");
}

TEST(hostile_names)
{
	struct profile *p = new_profile();
	struct profile_labels labels = { .pid = 1, .tid = 1, .comm = "\"\\\n\x1b</script>" };
	__u32 function, location;

	assert_int_equal(profile_function(p, FRAME_PYTHON, "\x7f\"\xff\xc3\xa4", "\\\t\"", 3, &function), 0);
	assert_int_equal(profile_location(p, function, 1, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, 1), 0);
	expect(p, CHILDREN "{\"name\":\"\\\"\\\\\\u000a\\u001b</script> (pid 1)\",\"value\":1" CHILDREN
	       "{\"name\":\"\\u007f\\\"\xef\xbf\xbd\xc3\xa4\",\"file\":\"\\\\\\u0009\\\":3\","
	       "\"value\":1}]}]");
}
