// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_services.c - where the name of a service comes from: each source alone, all orders of two, and what
 * is no order.
 */
#include <errno.h>
#include <stdio.h>

#include "profile/profile.h"
#include "profile/services.h"
#include "tests/forge/test.h"

static const char *const keys[SERVICE_SOURCES] = {
#define SERVICE_SOURCE(name, key, is_default, help) [SERVICE_FROM_##name] = key,
#include "profile/services.def"
#undef SERVICE_SOURCE
};

/* The name by this order of somebody with these labels. */
static void named(const char *from, const struct profile_labels *labels, const char *expected)
{
	_cleanup_profile_ struct profile *p = NULL;
	struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1,
				     .extra = { "app", "team" }, .extra_count = 2, .extra_in_series = 2 };
	__u32 function, location;

	if (from)
		assert_int_equal(service_order_parse(from, &info.services), 0);
	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "f.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, labels, 1), 0);
	assert_string_equal(service_name(p, profile_get_owner(p, 1)), expected);
}

static const struct profile_labels all = {
	.service = "by context", .container = "by pod", .pod = "web-1", .comm = "by comm",
	.extra = { NULL, "by label" },
};

TEST(each_alone_and_before_another)
{
	const struct profile_labels none = { .pid = 1 };
	char from[64], expected[64];

	for (int i = 0; i < SERVICE_SOURCES; i++) {
		snprintf(expected, sizeof(expected), "by %s", keys[i]);
		named(keys[i], &all, expected);
		named(keys[i], &none, "unknown");
		for (int k = 0; k < SERVICE_SOURCES; k++) {
			if (k == i)
				continue;
			snprintf(from, sizeof(from), "%s,%s", keys[i], keys[k]);
			named(from, &all, expected);
		}
	}
}

TEST(what_is_not_there_is_passed_over)
{
	named("context,label,pod,comm", &(struct profile_labels){ .comm = "c", .extra = { "a", "b" } }, "a");
	named("context,label,pod,comm", &(struct profile_labels){ .comm = "c", .pod = "p" }, "p");
	named("context,label", &(struct profile_labels){ .comm = "c", .pod = "p" }, "unknown");
}

TEST(the_usual_order)
{
	named(NULL, &all, "by context");
	named(NULL, &(struct profile_labels){ .container = "x", .comm = "c", .extra = { "a" } }, "x");
	named(NULL, &(struct profile_labels){ .comm = "c", .extra = { "a" } }, "c"); /* not by labels */
	named(NULL, &(struct profile_labels){ .pid = 1 }, "unknown");
}

TEST(which_are_looked_at)
{
	struct service_order o = {};

	assert_true(service_order_has(&o, SERVICE_FROM_CONTEXT) && service_order_has(&o, SERVICE_FROM_COMM));
	assert_false(service_order_has(&o, SERVICE_FROM_LABEL));
	assert_int_equal(service_order_parse("label,pod", &o), 0);
	assert_true(service_order_has(&o, SERVICE_FROM_LABEL) && service_order_has(&o, SERVICE_FROM_POD));
	assert_false(service_order_has(&o, SERVICE_FROM_CONTEXT) || service_order_has(&o, SERVICE_FROM_COMM));
}

TEST(what_is_no_order)
{
	static const char *const bad[] = { "", ",", "comm,", ",comm", "comm,comm", "Comm", "com", "comms",
					   "context pod", "context,,comm", "context,label,pod,comm,context" };
	struct service_order o = { .count = 1 };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(service_order_parse(bad[i], &o), -EINVAL);
	assert_int_equal(o.count, 1);
	assert_int_equal(service_order_parse("context,label,pod,comm", &o), 0);
	assert_int_equal(o.count, SERVICE_SOURCES);
}
