// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_interval_push.c - the profiles of the intervals over forged tables, on their way to a real server: one
 * for each service, with labels whose names a receiver takes, and words for people when it does not take
 * them.
 */
#include <errno.h>
#include <sys/utsname.h>

#include "tests/forge/fail_malloc.h"
#include "tests/forge/http_server.h"
#include "tests/forge/test.h"
#include "tests/forge/windows.h"
#include "tests/forge/decode.h"
#include "tests/forge/logged.h"

#include "base/clock.h"
#include "base/job.h"
#include "export/interval_push.h"

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

static struct interval_push pushes;
static struct export_stats done;
static struct pod_label_names names;
static char url[64];

static int setup_pushes(void **state)
{
	done = (struct export_stats){ 0 };
	pushes = (struct interval_push){ .stats = &done };
	names = (struct pod_label_names){ 0 };
	return setup_windows(state);
}

static int teardown_pushes(void **state)
{
	interval_push_close(&pushes);
	all.first = NULL; /* its window was the only one */
	server_stop();
	return teardown_windows(state);
}

static struct push_options options(void)
{
	snprintf(url, sizeof(url), "pyroscope+http://127.0.0.1:%u", server.port);
	return (struct push_options){ .url = url, .format = -1, .timeout_seconds = 60 };
}

static void open_to(const char *answer)
{
	struct push_options o;

	server_start(answer);
	o = options();
	assert_int_equal(interval_push_open(&pushes, &o, &names, &all), 0);
	grow_tree();
}

static void turn(void)
{
	struct pollfd fd = { .fd = interval_push_fd(&pushes), .events = POLLIN };
	int ms = interval_push_timeout_ms(&pushes);

	poll(&fd, 1, ms >= 0 && ms < 100 ? ms : 100);
	interval_push_run(&pushes);
}

static void turn_until_sent(void)
{
	while (pushes.due || pushes.job || push_waiting(pushes.push))
		turn();
}

/* Until nothing waits any more. Returns what was said meanwhile. */
static const char *send_all(void)
{
	return LOGGED(turn_until_sent());
}

static unsigned long long samples_in_request(void)
{
	/* The profile is the end of the message. */
	const char *body = memmem(server.seen->request, server.seen->size, "\x1f\x8b\x08", 3);
	struct buf b = { .data = (char *)body, .size = server.seen->size - (body - server.seen->request) };
	Pyperf__Profile *d = decode(&b);
	unsigned long long sum = 0;

	for (size_t i = 0; i < d->n_sample; i++)
		sum += d->sample[i]->value[0];
	pyperf__profile__free_unpacked(d, NULL);
	return sum;
}

TEST(what_was_counted_arrives)
{
	struct utsname u;
	char node[256];

	open_to(OK);
	nodes[27].count = 5;
	assert_int_equal(window_mark(pushes.window), 0);
	nodes[27].count = 100; /* the next one's */
	interval_push_add(&pushes);
	send_all();
	assert_int_equal(server_requests(), 1);
	assert_int_equal(samples_in_request(), 5);
	uname(&u);
	snprintf(node, sizeof(node), "\x0a\x04node\x12%c%s", (int)strlen(u.nodename), u.nodename);
	assert_non_null(memmem(server.seen->request, server.seen->size, node, strlen(node)));
	assert_non_null(memmem(server.seen->request, server.seen->size, "service_name\x12\x08main-now", 22));
	assert_int_equal(done.pushed, 1);
	assert_int_equal(done.push_failures + done.push_dropped, 0);
	interval_push_add(&pushes);
	send_all();
	assert_int_equal(samples_in_request(), 95);
	assert_int_equal(pushes.taken.samples[EVENT_CPU], 100);
}

TEST(each_service_is_one_profile)
{
	open_to(OK);
	set_root(30, 2, 0); /* another process */
	set_node(31, 30, 100, 1, 0);
	nodes[27].count = 5;
	nodes[31].count = 7;
	interval_push_add(&pushes);
	send_all();
	assert_int_equal(server_requests(), 2);
	assert_int_equal(done.pushed, 2);
	assert_int_equal(pushes.taken.samples[EVENT_CPU], 12);
}

TEST(nothing_was_counted)
{
	open_to(OK);
	interval_push_add(&pushes);
	send_all();
	assert_int_equal(server_requests(), 0);
	assert_int_equal(done.pushed, 0);
}

/* Said once, and once more when it is over. */
TEST(trouble_is_said)
{
	struct push_options o;
	const char *said;

	open_to("HTTP/1.1 400 No\r\nContent-Length: 8\r\n\r\ntoo late");
	for (int i = 0; i < 3; i++) {
		nodes[27].count++;
		interval_push_add(&pushes);
		said = send_all();
		if (i)
			assert_string_equal(said, "");
		else
			assert_non_null(strstr(
				said,
				"warning: profiles cannot be pushed: the receiver answers 400: too late; "
				"each is tried 5 times, where that may help"));
	}
	assert_int_equal(done.push_failures, 3);
	assert_int_equal(done.push_dropped, 3);
	server_stop();
	server_start(OK);
	o = (struct push_options){ .url = "gopher://x", .format = -1 };
	assert_int_equal(interval_push_set(&pushes, &o), -EINVAL);
	o = options();
	assert_int_equal(interval_push_set(&pushes, &o), 0);
	nodes[27].count += 20;
	interval_push_add(&pushes);
	said = send_all();
	assert_non_null(strstr(said, "profiles are pushed again"));
	assert_int_equal(samples_in_request(), 20);
}

/* The loop is not kept waiting: the window goes on, and the thread says when it is done. */
TEST(a_thread_makes_them_ready)
{
	struct pollfd fd = { .events = POLLIN };

	open_to(OK);
	fd.fd = interval_push_fd(&pushes);
	nodes[27].count = 5;
	assert_true(interval_push_timeout_ms(&pushes) != 0);
	interval_push_add(&pushes);
	assert_int_equal(interval_push_timeout_ms(&pushes), 0);
	interval_push_run(&pushes);
	assert_non_null(pushes.job);
	nodes[27].count = 12;
	interval_push_add(&pushes); /* its turn comes when the first one is done */
	assert_true(interval_push_timeout_ms(&pushes) != 0);
	assert_int_equal(poll(&fd, 1, 60000), 1);
	send_all();
	assert_int_equal(server_requests(), 2);
	assert_int_equal(samples_in_request(), 7);
}

/* A large profile is harvested in parts, one in each turn. */
TEST(in_parts)
{
	int turns = 0;

	open_to(OK);
	nodes[26].count = 5;
	nodes[27].count = 6;
	assert_int_equal(window_mark(pushes.window), 0);
	interval_push_add(&pushes);
	for (all.pause_ns = 1; pushes.due; turns++) {
		assert_int_equal(interval_push_timeout_ms(&pushes), 0);
		interval_push_run(&pushes);
	}
	assert_true(turns > 2);
	send_all();
	assert_int_equal(samples_in_request(), 11);
}

TEST(the_last_one_is_made_ready)
{
	open_to(OK);
	nodes[27].count = 5;
	interval_push_add(&pushes);
	interval_push_run(&pushes);
	nodes[27].count = 12;
	assert_int_equal(interval_push_last(&pushes, clock_seconds() + 60), 0);
	assert_false(pushes.due || pushes.job);
	interval_push_finish(&pushes, clock_seconds() + 60);
	assert_int_equal(server_requests(), 2);
	assert_int_equal(done.pushed, 2);
	assert_int_equal(pushes.taken.samples[EVENT_CPU], 12);
}

/* The end comes when an interval is over, but its profile is not taken yet: what came after it is in it. */
TEST(the_last_one_is_two)
{
	open_to(OK);
	nodes[27].count = 5;
	assert_int_equal(window_mark(pushes.window), 0);
	interval_push_add(&pushes);
	nodes[27].count = 12;
	assert_int_equal(interval_push_last(&pushes, clock_seconds() + 60), 0);
	interval_push_finish(&pushes, clock_seconds() + 60);
	assert_int_equal(samples_in_request(), 12);
}

TEST(options_that_are_wrong)
{
	const struct push_options o = { .url = "gopher://x", .format = -1 };
	const char *said;
	int err;

	said = LOGGED(err = interval_push_open(&pushes, &o, &names, &all));
	assert_int_equal(err, -EINVAL);
	assert_non_null(strstr(said, "error: profiles cannot be pushed: Invalid argument"));
}

TEST(the_end_waits_for_the_receiver)
{
	int err = -1;

	open_to(OK);
	nodes[27].count = 5;
	interval_push_add(&pushes);
	assert_string_equal(LOGGED(err = interval_push_finish(&pushes, clock_seconds() + 60)), "");
	assert_int_equal(err, 0);
	assert_int_equal(done.pushed, 1);
	assert_int_equal(server_requests(), 1);
	assert_int_equal(push_waiting(pushes.push), 0);
}

/* What failed is tried once more, without a pause before it, and not again. */
TEST(the_end_has_no_pauses)
{
	const char *said;
	int err = 0;

	open_to("HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n");
	nodes[27].count = 5;
	interval_push_add(&pushes);
	assert_false(interval_push_fails(&pushes));
	while (!done.push_failures)
		turn();
	assert_true(interval_push_fails(&pushes));
	said = LOGGED(err = interval_push_finish(&pushes, clock_seconds() + 60));
	assert_non_null(strstr(said, "error: 0 of 1 profiles delivered: the receiver answers 503\n"));
	assert_int_equal(err, -EIO);
	assert_int_equal(done.push_failures, 2);
	assert_int_equal(done.push_dropped, 1);
}

/* Nor does it wait for a receiver that says nothing. */
TEST(the_end_does_not_wait_for_ever)
{
	const double begin = clock_seconds();
	const char *said;
	int err = 0;

	open_to(NULL);
	nodes[27].count = 5;
	interval_push_add(&pushes);
	said = LOGGED(err = interval_push_finish(&pushes, begin + 0.3));
	assert_int_equal(err, -EIO);
	assert_non_null(strstr(said, "0 of 1 profiles delivered\n"));
	assert_true(clock_seconds() - begin >= 0.3);
	assert_non_null(strstr(said, "1 profiles are not pushed: the receiver takes too long"));
	assert_int_equal(done.pushed, 0);
	assert_int_equal(done.push_dropped, 1);
	assert_int_equal(push_waiting(pushes.push), 0);
}

static void run_without_memory(long n)
{
	allocations_left = n;
	interval_push_run(&pushes);
	while (pushes.job && !job_is_done(pushes.job))
		usleep(500);
	fails_once = allocations_left < 0; /* it did */
	allocations_left = -1;
}

/* Whichever allocation fails: a profile that was taken out of the tree arrives, or is counted as lost. */
TEST(without_memory_it_arrives_or_is_counted)
{
	__u64 taken = 0;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	open_to(OK);
	fails_once = true;
	for (long n = 0; fails_once; n++) {
		const __u64 before = pushes.taken.samples[EVENT_CPU];

		nodes[27].count++;
		assert_int_equal(window_mark(pushes.window), 0);
		nodes[27].count++;
		interval_push_add(&pushes);
		LOGGED(run_without_memory(n));
		send_all();
		taken += pushes.taken.samples[EVENT_CPU] != before;
		assert_int_equal(done.pushed + done.push_dropped, taken);
		assert_int_equal(server_requests(), done.pushed);
	}
	assert_true(done.push_dropped > 5);
	assert_int_equal(interval_push_last(&pushes, clock_seconds() + 60), 0);
	send_all();
	assert_int_equal(pushes.taken.samples[EVENT_CPU], nodes[27].count);
}

/* Without memory at an interval's end, what comes after it is not left behind at the end of the run. */
TEST(the_last_one_has_what_failed)
{
	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	open_to(OK);
	nodes[27].count = 5;
	assert_int_equal(window_mark(pushes.window), 0);
	interval_push_add(&pushes);
	LOGGED(run_without_memory(0));
	nodes[27].count = 25;
	assert_int_equal(interval_push_last(&pushes, clock_seconds() + 60), 0);
	send_all();
	assert_int_equal(samples_in_request(), 25);
	assert_int_equal(done.push_dropped, 0);
}

AROUND_EACH(setup_pushes, teardown_pushes);
AROUND_ALL(server_begin, NULL);
