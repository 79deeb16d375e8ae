// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_graph.c - the table of nodes of the page: which stacks share a node, whose they are, texts that are
 * there once, and what is left out of a profile that is too large.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/forge/test.h"
#include "views/graph.h"
#include "views/graph_tables.h"

static struct profile *new_profile(__u32 events)
{
	struct profile_info info = {
		.events = events,
		.period_ns = 10000000,
		.start_unix_ns = 1790000000500000000,
		.duration_ns = 2500000000,
		.frequency = 99,
	};
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

/* The stack is written root first, one letter for each function: "abc". "z" is a marker. */
static void add(struct profile *p, enum event_kind kind, __u32 tid, const char *stack, int line, __u64 count)
{
	const struct profile_labels labels = { .pid = 7, .tid = tid, .comm = "py", .thread = "a\"b" };
	__u32 locations[64], n = strlen(stack), function;

	for (__u32 i = 0; i < n; i++) {
		const char name[2] = { stack[i], '\0' };
		const bool is_marker = name[0] == 'z';

		assert_int_equal(profile_function(p, is_marker ? FRAME_MARKER : FRAME_PYTHON, name,
						  is_marker ? "" : "f.py", is_marker ? 0 : 7, &function),
				 0);
		assert_int_equal(profile_location(p, function, line, 0, 0, &locations[n - 1 - i]), 0);
	}
	assert_int_equal(profile_sample(p, kind, locations, n, &labels, count), 0);
}

static const char *encoded(const struct profile *p, __u32 most)
{
	static struct buf out;

	buf_clear(&out);
	assert_int_equal(graph_encode_most(p, NULL, most, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	return out.data;
}

static void expect(const char *json, const char *part)
{
	if (!strstr(json, part))
		fail_msg("%s is not in %s", part, json);
}

/* Lines of one function are one node, threads are apart, and what ends above has a value there. */
TEST(nodes)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_CPU));
	const char *json;

	add(p, EVENT_CPU, 1, "ab", 1, 2);
	add(p, EVENT_CPU, 1, "ab", 2, 3);
	add(p, EVENT_CPU, 1, "a", 2, 4);
	add(p, EVENT_CPU, 1, "az", 2, 1);
	add(p, EVENT_CPU, 2, "ba", 1, 10);
	json = encoded(p, 100);
	expect(json, "{\"schema\":\"pyperf-bpf.graph/1\",\"event\":\"cpu\",\"type\":\"samples\","
		     "\"unit\":\"count\",\"total\":20,\"seconds\":2.500,\"start\":1790000000.500,"
		     "\"samples\":20,\"kinds\":[");
	expect(json, "\"nodes\":{\"depth\":[0,1,2,2,0,1,2],\"of\":[0,0,1,2,1,1,0],\"self\":[0,4,5,1,0,0,10]},"
		     "\"left_out\":{\"nodes\":0,\"value\":0}");
	expect(json, "\"owners\":{\"pid\":[7,7],\"tid\":[1,2],\"comm\":[1,1],\"thread\":[2,2]}");
	expect(json, "\"functions\":{\"name\":[3,4,5],\"file\":[6,6,0],\"line\":[7,7,0],\"kind\":[0,0,7],"
		     "\"package\":[0,0,-1],\"own\":[2,2,2]},\"packages\":[\"program\"]");
	expect(json, "\"strings\":[\"\",\"py\",\"a\\\"b\",\"a\",\"b\",\"z\",\"f.py\",\"[left out]\"]}\n");
}

/* Of each line what was there itself, and a stack once, however often it goes through it. */
TEST(lines)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_CPU));

	add(p, EVENT_CPU, 1, "aab", 3, 5);
	add(p, EVENT_CPU, 2, "aa", 4, 2);
	add(p, EVENT_CPU, 1, "a", 0, 7); /* not known */
	expect(encoded(p, 100), "\"lines\":{\"function\":[0,0,1],\"line\":[3,4,3],\"self\":[0,2,5],"
				"\"total\":[5,2,5]}");
}

static void add_frames(struct profile *p, enum event_kind kind, const char *const *frames, size_t n,
		       __u64 count)
{
	const struct profile_labels labels = { .pid = 7, .tid = 1, .comm = "py" };
	__u32 locations[8], function;

	for (size_t i = 0; i < n; i++) {
		const char *name = frames[i], *file = strchr(name, '@');
		const bool is_wait = *name == '[';
		char only[32];

		snprintf(only, sizeof(only), "%.*s", (int)strcspn(name, "@"), name);
		assert_int_equal(profile_function(p, is_wait ? FRAME_WAIT : FRAME_PYTHON, only,
						  file ? file + 1 : "", is_wait ? 0 : 7, &function),
				 0);
		assert_int_equal(profile_location(p, function, is_wait ? 0 : 10 + (int)i, 0, 0,
						  &locations[n - 1 - i]),
				 0);
	}
	assert_int_equal(profile_sample(p, kind, locations, n, &labels, count), 0);
}

#define ADD(p, kind, count, ...) \
	add_frames(p, kind, (const char *const[]){ __VA_ARGS__ }, \
		   sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *), count)
#define LIBRARY "wait@/usr/lib/python3.11/threading.py"

/* A line beside why it waits, or beside the caller that is of the program. Ticks have none of that. */
TEST(pairs)
{
	_cleanup_profile_ struct profile *waits = new_profile(EVENT_BIT(EVENT_OFFCPU));
	_cleanup_profile_ struct profile *memory = new_profile(EVENT_BIT(EVENT_MEMORY));
	_cleanup_profile_ struct profile *ticks = new_profile(EVENT_BIT(EVENT_CPU));

	ADD(waits, EVENT_OFFCPU, 5, "a@/srv/f.py", LIBRARY, "[I/O]");
	ADD(waits, EVENT_OFFCPU, 3, "b@/srv/f.py", LIBRARY, "[I/O]");
	ADD(waits, EVENT_OFFCPU, 2, "a@/srv/f.py", LIBRARY);
	ADD(waits, EVENT_OFFCPU, 1, "a@/srv/f.py", "[GIL held by]", LIBRARY);
	expect(encoded(waits, 100), "\"pairs\":{\"owner\":[0,0,0],\"package\":[2,2,2],"
				    "\"function\":[2,2,2],\"other\":[0,3,1],"
				    "\"line\":[11,11,12],\"other_line\":[10,0,0],\"self\":[2,8,1]}");
	ADD(memory, EVENT_MEMORY, 4, "a@/srv/f.py", LIBRARY);
	ADD(memory, EVENT_MEMORY, 6, "a@/srv/f.py");
	expect(encoded(memory, 100), "\"pairs\":{\"owner\":[0,0],\"package\":[0,1],"
				     "\"function\":[0,1],\"other\":[-1,0],"
				     "\"line\":[10,11],\"other_line\":[0,10],\"self\":[6,4]}");
	ADD(ticks, EVENT_CPU, 1, "a@/srv/f.py");
	assert_null(strstr(encoded(ticks, 100), "\"pairs\""));
}

/* Who holds the GIL beside who waits for it; where nobody does, that says so. */
TEST(pairs_of_the_gil)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_GIL));

	ADD(p, EVENT_GIL, 5, "main@f.py", "waits@f.py", "[GIL held by]", "main@f.py", "holds@f.py");
	ADD(p, EVENT_GIL, 3, "waits@f.py", "[GIL held by]", "[nobody]");
	ADD(p, EVENT_GIL, 2, "waits@f.py"); /* not known */
	expect(encoded(p, 100), "\"function\":[1,3,4],\"other\":[-1,1,1],\"line\":[10,14,0],"
				"\"other_line\":[0,11,10],\"self\":[2,5,3]}");
}

TEST(nothing)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_CPU));

	expect(encoded(p, 100), "\"nodes\":{\"depth\":[],\"of\":[],\"self\":[]}");
	expect(encoded(p, 0), "\"owners\":{},\"functions\":{\"name\":[]");
}

/* Of several kinds the first one is shown; stacks of others are not there. Waits are no samples. */
TEST(one_kind)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_OFFCPU) | EVENT_BIT(EVENT_MEMORY));
	const char *json;

	add(p, EVENT_MEMORY, 1, "ab", 1, 4096);
	add(p, EVENT_OFFCPU, 1, "a", 1, 1000000);
	json = encoded(p, 100);
	expect(json, "\"event\":\"offcpu\",\"type\":\"offcpu\",\"unit\":\"nanoseconds\",\"total\":1000000");
	expect(json, "\"nodes\":{\"depth\":[0,1],\"of\":[0,0],\"self\":[0,1000000]}");
	assert_null(strstr(json, "\"samples\":"));
}

/* The smallest go first, with all that they call; their sum stays where they were called. */
TEST(too_many)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_CPU));
	const char *json;

	add(p, EVENT_CPU, 1, "ab", 1, 100);
	add(p, EVENT_CPU, 1, "acd", 1, 3);
	add(p, EVENT_CPU, 1, "ae", 1, 2);
	add(p, EVENT_CPU, 1, "af", 1, 90);
	expect(encoded(p, 7), "\"left_out\":{\"nodes\":0,\"value\":0}");
	json = encoded(p, 4);
	expect(json, "\"depth\":[0,1,2,2,2],\"of\":[0,0,1,2,3],\"self\":[0,0,100,5,90]}");
	expect(json, "\"left_out\":{\"nodes\":2,\"value\":5}");
	expect(json, "\"name\":[3,4,-1,5,");
	expect(json, "\"kind\":[0,0,7,0,");
	json = encoded(p, 0);
	expect(json, "\"depth\":[0,1],\"of\":[0,0],\"self\":[0,195]}");
	expect(json, "\"left_out\":{\"nodes\":1,\"value\":195}");
}

TEST(is_stopped)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_CPU));
	_cleanup_buf_ struct buf out = {};
	const bool stop = true;

	add(p, EVENT_CPU, 1, "ab", 1, 1);
	assert_int_equal(buf_add_string(&out, "before"), 0);
	assert_int_equal(graph_encode_until(p, &stop, &out), -ECANCELED);
	assert_int_equal(out.size, strlen("before"));
}

/* CPU time that is the kernel's account. */
TEST(time_of_the_account)
{
	const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1, .timed = true };
	const struct profile_labels labels = { .pid = 7, .tid = 1, .comm = "py" };
	_cleanup_profile_ struct profile *p = NULL;
	__u32 location = 1;
	const char *json;

	assert_int_equal(profile_new(&info, &p), 0);
	add(p, EVENT_CPU, 1, "a", 1, 3);
	assert_int_equal(profile_sample(p, PROFILE_TIME, &location, 1, &labels, 5000), 0);
	json = encoded(p, 100);
	expect(json, "\"event\":\"cpu\",\"type\":\"cpu\",\"unit\":\"nanoseconds\",\"total\":5000,");
	expect(json, "\"samples\":3,");
	expect(json, "\"self\":[0,5000]");
}

TEST(hostile_names)
{
	const struct profile_labels labels = { .pid = 7, .tid = 1, .comm = "\"\\\n\x1b</script>" };
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_CPU));
	__u32 function, location;

	assert_int_equal(profile_function(p, FRAME_PYTHON, "\x7f\"\xff\xc3\xa4", "\\\t\"", 3, &function), 0);
	assert_int_equal(profile_location(p, function, 1, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, 1), 0);
	expect(encoded(p, 100), "\"strings\":[\"\",\"\\\"\\\\\\u000a\\u001b</script>\","
				"\"\\u007f\\\"\xef\xbf\xbd\xc3\xa4\",\"\\\\\\u0009\\\"\",\"[left out]\"]}\n");
}
