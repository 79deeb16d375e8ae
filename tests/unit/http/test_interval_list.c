// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_interval_list.c - the list of intervals and the books, as JSON.
 */
#include "tests/forge/tables.h"
#include "tests/forge/test.h"
#include "tests/unit/http/client.h"

#include "http/history.h"
#include "http/interval_list.h"
#include "stats/run_facts.h"

static struct history history;
static struct run_facts facts;
static answer_function *answer;

static int setup_intervals(void **state)
{
	int err = setup(state);

	facts = (struct run_facts){ .events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU) };
	start_server(answer_at_once, &answer, NULL);
	return err;
}

static int teardown_intervals(void **state)
{
	stop_server();
	history_clear(&history);
	return teardown(state);
}

static enum MHD_Result list(const struct client *c)
{
	const struct interval_offers offers = { .log = true };

	return interval_list_answer(&history, NULL, &facts, &offers, c);
}

static const char *asked(void)
{
	answer = list;
	return ask(GET("/"));
}

/* Of both kinds, or of waits alone. */
static void add(unsigned long serial, __u32 events)
{
	const struct profile_info info = {
		.events = events, .period_ns = 1, .start_unix_ns = serial * 1000500000000LL,
		.duration_ns = 2000000000,
	};
	const struct profile_labels labels = { .pid = 1 };
	__u32 function, location;
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "f.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_OFFCPU, &location, 1, &labels, 5000), 0);
	if (events & EVENT_BIT(EVENT_CPU))
		assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, 7), 0);
	assert_int_equal(history_add(&history, p, serial), 0);
}

static void expect(const char *a, const char *part)
{
	if (!strstr(body_of(a), part))
		fail_msg("%s is not in %s", part, body_of(a));
}

TEST(before_the_first)
{
	const char *a = asked();

	assert_int_equal(status_of(a), 200);
	assert_true(has_header(a, "Content-Type: application/json"));
	expect(a, "{\"schema\":\"pyperf-bpf.intervals/1\",\"events\":[{\"event\":\"cpu\",\"unit\":\"count\","
		  "\"noun\":\"tick\",\"resource\":\"CPU\",\"total\":0,\"not_asked\":0,\"outside\":0,"
		  "\"outcomes\":[]},{\"event\":\"offcpu\",\"unit\":\"nanoseconds\"");
	expect(a, "\"chance\":{\"z\":1.959964,\"z_rare\":3.290527},\"formats\":[\"pprof\",\"folded\"");
	expect(a, "\"labels\":[\"pid\",\"comm\"");
	expect(a, "\"log\":true,\"source\":false,\"speedscope\":false,\"intervals\":[]}\n");
}

/* Totals are those of the run's kinds, in their order. */
TEST(in_their_order)
{
	const char *a;

	add(1, facts.events);
	add(2, EVENT_BIT(EVENT_OFFCPU));
	a = asked();
	expect(a, "\"intervals\":[{\"serial\":1,\"start\":1000.500,\"seconds\":2.000,\"totals\":[7,5000]},"
		  "{\"serial\":2,\"start\":2001.000,\"seconds\":2.000,\"totals\":[0,5000]}]}\n");
}

AROUND_EACH(setup_intervals, teardown_intervals);
