// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_owner_text.c - the texts of processes and threads, with what is not known of them, and with hostile
 * names.
 */

#include "profile/owner_text.h"
#include "tests/forge/test.h"

/* A profile with one sample, of this owner, which is number 1. */
static struct profile *new_profile(const struct profile_labels *labels)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	struct profile *p;
	__u32 function, location;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "a.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, labels, 1), 0);
	return p;
}

static void assert_texts(const struct profile_labels *labels, const char *process, const char *thread)
{
	_cleanup_profile_ struct profile *p = new_profile(labels);
	_cleanup_buf_ struct buf out = {};

	assert_int_equal(owner_text_process(p, 1, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	assert_string_equal(out.data, process);
	assert_int_equal(owner_text_has_thread(p, 1), thread != NULL);
	if (!thread)
		return;
	buf_clear(&out);
	assert_int_equal(owner_text_thread(p, 1, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	assert_string_equal(out.data, thread);
}

TEST(what_is_known_is_told)
{
	assert_texts(&(struct profile_labels){ .pid = 12, .tid = 13, .comm = "web", .thread = "main" },
		     "web (pid 12)", "main (tid 13)");
	assert_texts(&(struct profile_labels){ .pid = 12, .tid = 13 }, "pid 12", "tid 13");
	assert_texts(&(struct profile_labels){ .pid = 12, .comm = "web" }, "web (pid 12)", NULL);
	assert_texts(&(struct profile_labels){ .pid = 12, .thread = "main" }, "pid 12", "main");
}

TEST(hostile_names_break_nothing)
{
	assert_texts(&(struct profile_labels){ .pid = 1, .tid = 2, .comm = "a;b\n", .thread = "\x1b[31m" },
		     "a:b? (pid 1)", "?[31m (tid 2)");
}
