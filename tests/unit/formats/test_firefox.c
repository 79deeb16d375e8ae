// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_firefox.c - the JSON for the Firefox Profiler: which stacks, samples and markers a thread has. That
 * its own query engine takes it is tested by tests/e2e/output/test_firefox.py.
 */
#include <string.h>

#include "formats/firefox.h"
#include "profile/moments.h"
#include "tests/forge/test.h"

static struct profile *profile;
static struct buf out;

static int setup(void **state)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU) | EVENT_BIT(EVENT_GIL),
		.period_ns = 10000000,
		.start_unix_ns = 1500000,
		.duration_ns = 1000000000,
	};

	(void)state;
	return profile_new(&info, &profile);
}

static int teardown(void **state)
{
	(void)state;
	profile_free(profile);
	buf_free(&out);
	return 0;
}

static __u32 location(enum frame_kind kind, const char *name, const char *file, int line)
{
	__u32 function, id;

	assert_int_equal(profile_function(profile, kind, name, file, 1, &function), 0);
	assert_int_equal(profile_location(profile, function, line, 0, 0, &id), 0);
	return id;
}

/* A sample of n frames, leaf first. Returns its number. */
static __u32 add(enum event_kind kind, __u32 tid, __u64 count, const __u32 *locations, size_t n)
{
	const struct profile_labels labels = { .pid = 12, .tid = tid, .comm = "web", .thread = "t" };

	assert_int_equal(profile_sample(profile, kind, locations, n, &labels, count), 0);
	return profile_last_sample(profile);
}

static void note(__u32 sample, enum event_kind kind, __u64 begin, __u64 end, __u64 amount)
{
	assert_int_equal(profile_moment(profile, &(struct moment){ begin, end, amount, sample, kind }), 0);
}

static void assert_has(const char *text)
{
	buf_clear(&out);
	assert_int_equal(firefox_encode(profile, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	if (!strstr(out.data, text))
		fail_msg("no %s in %s", text, out.data);
}

TEST(stacks_are_one_tree)
{
	__u32 root = location(FRAME_PYTHON, "<module>", "/srv/a.py", 3),
	      f = location(FRAME_PYTHON, "f", "/srv/a.py", 5), g = location(FRAME_NATIVE, "g", "", 0);
	const __u32 one[] = { f, root }, other[] = { g, f, root }, third[] = { root };

	add(EVENT_CPU, 13, 2, one, 2);
	add(EVENT_CPU, 13, 1, other, 3);
	add(EVENT_CPU, 14, 1, third, 1);
	assert_has("\"stackTable\":{\"frame\":[0,1,2],\"prefixOffset\":[0,1,1],\"length\":3}");
	assert_has("\"func\":[0,1,2]");
	assert_has("\"category\":[0,0,1]");
	assert_has("\"line\":[3,5,null]");
	/* One behind the other, each thread by itself. */
	assert_has("\"stack\":[1,2],\"time\":[0.000000,20.000000],\"weight\":[2,1],"
		   "\"threadCPUDelta\":[20000000,10000000],\"weightType\":\"samples\",\"length\":2}");
	assert_has("\"stack\":[0],\"time\":[0.000000],\"weight\":[1]");
	assert_has("\"startTime\":1.500000");
}

TEST(waits_are_markers)
{
	__u32 f = location(FRAME_PYTHON, "f", "/srv/a.py", 5),
	      call = location(FRAME_SYSCALL, "[read]", "", 0);
	const __u32 runs[] = { f }, waits[] = { call, f };
	__u32 cpu = add(EVENT_CPU, 13, 3, runs, 1), off = add(EVENT_OFFCPU, 13, 70000000, waits, 2);

	note(cpu, EVENT_CPU, 1000000, 11000000, 2);
	note(off, EVENT_OFFCPU, 20000000, 60000000, 40000000);
	note(off, EVENT_OFFCPU, 60000000, 60000000, 30000000); /* of other waits, no time of its own */
	note(cpu, EVENT_CPU, 60000000, 60000000, 1);
	assert_has("\"stack\":[0,0],\"time\":[1.000000,60.000000],\"weight\":[2,1]");
	assert_has("\"markers\":{\"data\":[{\"type\":\"offcpu\",\"why\":\"[read]\",\"where\":\"f (a.py:5)\","
		   "\"amount\":40000000,\"cause\":{\"time\":20.000000,\"stack\":1}}],");
	assert_has("\"startTime\":[20.000000],\"endTime\":[60.000000],\"phase\":[1],\"category\":[2],"
		   "\"length\":1}");
}

TEST(who_held_the_gil)
{
	__u32 own = location(FRAME_PYTHON, "waits", "/srv/a.py", 5),
	      by = location(FRAME_WAIT, "[GIL held by]", "", 0),
	      outer = location(FRAME_PYTHON, "outer", "/srv/b.py", 6),
	      inner = location(FRAME_PYTHON, "holds", "/srv/b.py", 7);
	const __u32 waits[] = { inner, outer, by, own };
	__u32 gil = add(EVENT_GIL, 13, 5, waits, 4);

	note(gil, EVENT_GIL, 10, 15, 5);
	assert_has("{\"type\":\"gil\",\"why\":\"holds (b.py:7)\",\"where\":\"waits (a.py:5)\",\"amount\":5,");
}

TEST(hostile_names_stay_in_their_strings)
{
	__u32 f = location(FRAME_PYTHON, "\"],\n", "\\", 1), nameless = location(FRAME_PYTHON, "", "", 0);
	const __u32 stack[] = { f, nameless };

	add(EVENT_CPU, 13, 1, stack, 2);
	assert_has("\"stringArray\":[\"\",\"\\\"],\\u000a\",\"\\\\\",");
}

AROUND_EACH(setup, teardown);
