// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_speedscope.c - the exact JSON for speedscope: frames, a profile for each thread and kind, weights.
 * That speedscope takes it is tested by tests/e2e/output/test_speedscope.py.
 */
#include <string.h>

#include "formats/speedscope.h"
#include "tests/forge/test.h"

#define HEAD                                                                                                 \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","                               \
	"\"exporter\":\"pyperf-bpf\",\"shared\":{\"frames\":["
#define PROFILE "\n{\"type\":\"sampled\",\"name\":"

static struct profile *new_profile(__u32 events, bool timed)
{
	const struct profile_info info = { .events = events, .period_ns = 1000, .timed = timed };
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

static __u32 location(struct profile *p, const char *name, const char *file, int line, int column)
{
	__u32 function, id;

	assert_int_equal(profile_function(p, FRAME_PYTHON, name, file, 1, &function), 0);
	assert_int_equal(profile_location(p, function, line, column, 0, &id), 0);
	return id;
}

static void add(struct profile *p, enum event_kind kind, __u32 leaf, __u32 root, __u32 tid, __u64 count)
{
	const struct profile_labels labels = { .pid = 12, .tid = tid, .comm = "web", .thread = "t" };
	const __u32 stack[] = { leaf, root };

	assert_int_equal(profile_sample(p, kind, stack, 2, &labels, count), 0);
}

static void assert_encoded(const struct profile *p, const char *expected)
{
	_cleanup_buf_ struct buf out = {};

	assert_int_equal(speedscope_encode(p, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	assert_string_equal(out.data, expected);
}

TEST(each_thread_is_a_profile)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_CPU), false);
	__u32 root = location(p, "<module>", "/srv/a.py", 3, 0), f = location(p, "f", "/srv/a.py", 5, 7),
	      g = location(p, "[truncated]", "", 0, 0);

	add(p, EVENT_CPU, g, root, 13, 2);
	add(p, EVENT_CPU, f, root, 14, 4);
	add(p, EVENT_CPU, f, root, 13, 1);
	assert_encoded(p, HEAD "\n{\"name\":\"<module>\",\"file\":\"/srv/a.py\",\"line\":3},"
			       "\n{\"name\":\"f\",\"file\":\"/srv/a.py\",\"line\":5,\"col\":7},"
			       "\n{\"name\":\"[truncated]\"}]},\"profiles\":["
			  PROFILE "\"web (pid 12), t (tid 13)\",\"period\":1000,\"unit\":\"nanoseconds\","
				  "\"startValue\":0,\"endValue\":3000,\"samples\":[[0,1],[0,2]],"
				  "\"weights\":[1000,2000]},"
			  PROFILE "\"web (pid 12), t (tid 14)\",\"period\":1000,\"unit\":\"nanoseconds\","
				  "\"startValue\":0,\"endValue\":4000,\"samples\":[[0,1]],\"weights\":[4000]}"
			  "],\n\"activeProfileIndex\":1}\n");
}

/* Labels that differ from sample to sample part no thread. */
TEST(states_of_a_thread_are_one_profile)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_CPU), false);
	struct profile_labels labels = { .pid = 1, .gil = "holds" };
	__u32 f = location(p, "f", "a.py", 1, 0);
	_cleanup_buf_ struct buf out = {};

	assert_int_equal(profile_sample(p, EVENT_CPU, &f, 1, &labels, 1), 0);
	labels.gil = "released";
	assert_int_equal(profile_sample(p, EVENT_CPU, &f, 1, &labels, 2), 0);
	assert_int_equal(speedscope_encode(p, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	assert_non_null(strstr(out.data, "\"samples\":[[0],[0]],\"weights\":[1000,2000]}]"));
}

TEST(each_kind_has_its_unit)
{
	_cleanup_profile_ struct profile *p =
		new_profile(EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU) | EVENT_BIT(EVENT_MEMORY), true);
	__u32 f = location(p, "f", "a.py", 1, 0);

	add(p, EVENT_CPU, f, f, 13, 2);
	add(p, PROFILE_TIME, f, f, 13, 77);
	add(p, EVENT_OFFCPU, f, f, 13, 5);
	add(p, EVENT_MEMORY, f, f, 13, 6);
	assert_encoded(p, HEAD "\n{\"name\":\"f\",\"file\":\"a.py\",\"line\":1}]},\"profiles\":["
			  PROFILE "\"cpu: web (pid 12), t (tid 13)\",\"unit\":\"nanoseconds\","
				  "\"startValue\":0,\"endValue\":77,\"samples\":[[0,0]],\"weights\":[77]},"
			  PROFILE "\"offcpu: web (pid 12), t (tid 13)\",\"unit\":\"nanoseconds\","
				  "\"startValue\":0,\"endValue\":5,\"samples\":[[0,0]],\"weights\":[5]},"
			  PROFILE "\"memory: web (pid 12), t (tid 13)\",\"unit\":\"bytes\",\"startValue\":0,"
				  "\"endValue\":6,\"samples\":[[0,0]],\"weights\":[6]}"
			  "],\n\"activeProfileIndex\":0}\n");
}

TEST(hostile_names_stay_in_their_strings)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_CPU), false);
	__u32 f = location(p, "\"},{\n", "\\", 0, 9), nameless = location(p, "", "", 0, 0);

	add(p, EVENT_CPU, f, nameless, 13, 1);
	assert_encoded(p, HEAD "\n{\"name\":\"\\\"},{\\u000a\",\"file\":\"\\\\\"},"
			       "\n{\"name\":\"?\"}]},\"profiles\":["
			  PROFILE "\"web (pid 12), t (tid 13)\",\"period\":1000,\"unit\":\"nanoseconds\","
				  "\"startValue\":0,\"endValue\":1000,\"samples\":[[1,0]],\"weights\":[1000]}"
			  "],\n\"activeProfileIndex\":0}\n");
}

TEST(nothing_is_no_profile)
{
	_cleanup_profile_ struct profile *p = new_profile(EVENT_BIT(EVENT_CPU), false);

	assert_encoded(p, HEAD "]},\"profiles\":[],\n\"activeProfileIndex\":0}\n");
}
