// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profile_request.c - clients that wait for a profile over forged tables. The test sets the time; the
 * sockets, and what there is to learn before a profile is whole, are real.
 */
#include "tests/forge/tables.h"
#include "tests/forge/test.h"
#include "tests/unit/http/discovery.h"
#include "tests/unit/http/waiting_client.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "http/profile_request.h"
#include "tree/window.h"

static struct windows windows;
static struct profile_requests all;
static enum health health;

static enum MHD_Result begin_request(const struct client *c, struct suspended **ret)
{
	return profile_request_begin(&all, health, c, ret);
}

/* Nobody's time is over by this, but who has been encoded for is answered. */
static void run_both(void)
{
	eventfd_t count;

	eventfd_read(all.eventfd, &count); /* as server.c does, which asks all subjects then */
	profile_requests_run(&all, 0);
	run_daemon();
}

static int setup_requests(void **state)
{
	int err = setup(state);

	counts = (struct answer_counts){ 0 };
	windows = (struct windows){
		.inputs = forged_inputs, .events = EVENT_BIT(EVENT_CPU), .frequency = 100,
	};
	health = HEALTH_SAMPLING;
	all = (struct profile_requests){
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.windows = &windows,
	};
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 0);
	set_root(27, 2, 0);
	set_node(28, 27, 101, 1, 0);
	start_server(wait_or_answer, begin_request, waiting_completed);
	let_server_work = run_both;
	return err;
}

static int teardown_requests(void **state)
{
	profile_requests_finish(&all);
	stop_server();
	assert_null(windows.first);
	assert_int_equal(all.open, 0);
	close(all.epoll);
	close(all.eventfd);
	close_discovery();
	return teardown(state);
}

static void begin(void)
{
	open_discovery(registry);
	all.discover = discover;
}

static int waiting(const char *request)
{
	return waiting_from(INADDR_LOOPBACK, request);
}

TEST(answered_when_its_time_is_over)
{
	double before = clock_seconds(), due;
	const char *a;
	int fd;

	begin();
	assert_true(profile_requests_next(&all) == HTTP_NEVER);
	nodes[26].count = 1000;
	fd = waiting(GET("/?seconds=7&format=folded"));
	due = profile_requests_next(&all);
	assert_true(due >= before + 7 && due <= clock_seconds() + 7);
	assert_true(connections_next(&connections) == HTTP_NEVER); /* it may wait that long */
	nodes[26].count += 3;
	profile_requests_run(&all, due - 0.001);
	assert_int_equal(all.open, 1);
	profile_requests_run(&all, due);
	assert_true(profile_requests_next(&all) == HTTP_NEVER); /* a thread encodes, and then tells */
	nodes[26].count += 100;					/* the next one's */
	a = hear(fd);
	assert_int_equal(all.open, 0);
	assert_int_equal(status_of(a), 200);
	assert_non_null(strstr(body_of(a), "outer"));
	assert_non_null(strstr(body_of(a), " 3\n"));
	assert_null(strstr(body_of(a), "inner"));
	assert_int_equal(all.served, 1);
	assert_int_equal(all.abandoned, 0);
	assert_int_equal(counts.answers, 1);
}

/* What is counted while names are waited for is not part of it. */
TEST(names_are_waited_for)
{
	const char *a;
	double due;
	int fd;

	begin();
	fd = waiting(GET("/?format=folded"));
	nodes[26].count = 3;
	ask_something();
	due = profile_requests_next(&all);
	profile_requests_run(&all, due);
	assert_int_equal(all.open, 1);
	nodes[26].count = 50;
	assert_true(profile_requests_next(&all) > due);
	assert_true(profile_requests_next(&all) <= due + 1);
	profile_requests_run(&all, due);
	assert_int_equal(all.open, 1);
	answer_it();
	assert_true(profile_requests_next(&all) == 0);
	profile_requests_run(&all, due);
	a = hear(fd);
	assert_non_null(strstr(body_of(a), " 3\n"));
}

TEST(but_not_for_ever)
{
	double due;
	int fd;

	begin();
	fd = waiting(GET("/?format=folded"));
	ask_something();
	due = profile_requests_next(&all);
	profile_requests_run(&all, due);
	due = profile_requests_next(&all);
	profile_requests_run(&all, due);
	assert_int_equal(discover_pending(discover), 1);
	assert_int_equal(status_of(hear(fd)), 200);
}

TEST(each_has_a_window_of_its_own)
{
	int a, b;

	begin();
	a = waiting(GET("/?seconds=100&format=folded"));
	nodes[26].count += 1;
	b = waiting(GET("/?seconds=50&format=folded&pid=100"));
	nodes[26].count += 10;
	nodes[28].count += 100;
	profile_requests_run(&all, clock_seconds() + 75);
	assert_string_equal(strrchr(body_of(hear(b)), ' '), " 10\n");
	assert_int_equal(all.open, 1);
	nodes[26].count += 1000;
	profile_requests_finish(&all);
	assert_non_null(strstr(body_of(hear(a)), " 1011\n"));
	assert_int_equal(all.served, 2);
}

TEST(as_a_file)
{
	const char *a;
	int fd;

	begin();
	fd = waiting(GET("/"));
	nodes[26].count += 10;
	profile_requests_finish(&all);
	a = hear(fd);
	assert_true(has_header(a, "Content-Type: application/octet-stream"));
	assert_true(has_header(a, "Content-Disposition: attachment; filename=\"profile.pb.gz\""));
	assert_true(has_header(a, "Pyperf-Samples: 1"));
	assert_memory_equal(body_of(a), "\x1f\x8b", 2);
}

TEST(refused)
{
	begin();
	assert_int_equal(status_of(ask(GET("/?seconds=0"))), 400);
	assert_int_equal(status_of(ask(GET("/?format=png"))), 400);
	health = HEALTH_STARTING;
	assert_string_equal(body_of(ask(GET("/"))), "not sampling yet\n");
	health = HEALTH_ENDING;
	assert_string_equal(body_of(ask(GET("/"))), "not sampling any more\n");
	assert_int_equal(counts.refusals, 4);
	assert_int_equal(all.open, 0);
	assert_null(windows.first);
}

/* As many as there are places for one after the other, each of another address. Returns how many. */
static int fill(const char *request, in_addr_t step, int fds[32], const char *expected)
{
	int n = 0;
	const char *a;

	for (;; n++) {
		assert_in_range(n, 0, 31);
		fds[n] = connect_client_from(INADDR_LOOPBACK + n * step);
		say(fds[n], request);
		for (int i = 0; i < 20; i++)
			let_server_work();
		if (all.open != (unsigned int)n + 1)
			break;
	}
	a = hear(fds[n]);
	assert_int_equal(status_of(a), 503);
	assert_true(has_header(a, "Retry-After: 5"));
	if (!strstr(body_of(a), expected))
		fail_msg("%s", body_of(a));
	return n;
}

static void end_all(const int *fds, int n)
{
	profile_requests_finish(&all);
	for (int i = 0; i < n; i++)
		assert_int_equal(status_of(hear(fds[i])), 200);
}

TEST(not_more_than_that_at_once)
{
	int fds[32], n;

	begin();
	n = fill(GET("/"), 1, fds, "profiles are being taken, which is the most\n");
	assert_in_range(n, 4, 16);
	end_all(fds, n);
}

/* The places that it may not have are for others. */
TEST(not_all_for_one_address)
{
	int fds[32], others[32], most, n;

	begin();
	most = fill(GET("/"), 1, fds, "which is the most\n");
	end_all(fds, most);
	n = fill(GET("/"), 0, fds, "for this address, which is the most for one");
	assert_int_equal(n, most - most / 4);
	for (int i = n; i < most; i++)
		others[i] = waiting_from(INADDR_LOOPBACK + 1, GET("/"));
	assert_int_equal(all.open, most);
	end_all(fds, n);
	end_all(others + n, most - n);
}

/* However many addresses ask for long ones, there is soon a place for a short one. */
TEST(not_all_for_long_ones)
{
	int fds[32], most, n, other;

	begin();
	most = fill(GET("/?seconds=60"), 1, fds, "which is the most\n");
	end_all(fds, most);
	n = fill(GET("/?seconds=61"), 1, fds, "ask for a shorter one");
	assert_int_equal(n, most / 2);
	other = waiting(GET("/?seconds=60"));
	assert_int_equal(all.open, n + 1);
	end_all(fds, n);
	end_all(&other, 1);
}

/* MHD does not look at who waits: the socket is watched for it. */
TEST(client_that_goes_away)
{
	struct epoll_event e;
	int fd;

	begin();
	fd = waiting(GET("/"));
	assert_int_equal(epoll_wait(all.epoll, &e, 1, 0), 0);
	close(fd);
	assert_int_equal(epoll_wait(all.epoll, &e, 1, PATIENCE_SECONDS * 1000), 1);
	profile_request_gone(e.data.ptr);
	assert_int_equal(all.open, 0);
	assert_null(windows.first);
	assert_int_equal(all.abandoned, 1);
	assert_int_equal(epoll_wait(all.epoll, &e, 1, 0), 0);
	for (int i = 0; connections.first && i < 1000; i++)
		let_server_work();
	assert_null(connections.first);
	assert_int_equal(all.served, 0);
	assert_int_equal(counts.answers + counts.refusals, 0);
}

/* While a thread encodes for it: its place is taken until that has ended, or threads would have no bound. */
TEST(client_that_goes_away_late)
{
	struct pollfd done = { .fd = all.eventfd, .events = POLLIN };
	struct epoll_event e;
	int fd;

	begin();
	for (int i = 0; i < 20; i++) {
		fd = waiting(GET("/"));
		profile_requests_run(&all, profile_requests_next(&all));
		assert_int_equal(all.open, 1);
		if (i % 2) /* it is done, and has not been looked at */
			assert_int_equal(poll(&done, 1, PATIENCE_SECONDS * 1000), 1);
		close(fd);
		assert_int_equal(epoll_wait(all.epoll, &e, 1, PATIENCE_SECONDS * 1000), 1);
		profile_request_gone(e.data.ptr);
		assert_int_equal(all.open, 1);
		assert_int_equal(epoll_wait(all.epoll, &e, 1, 0), 0);
		for (double end = clock_seconds() + PATIENCE_SECONDS; connections.first;) {
			let_server_work();
			assert_true(clock_seconds() < end);
		}
		assert_int_equal(all.open, 0);
	}
	assert_null(windows.first);
	assert_int_equal(all.abandoned, 20);
	assert_int_equal(all.served, 0);
}

/* The end of the run comes while a thread encodes: that is waited for. */
TEST(ends_meanwhile)
{
	int fd;

	begin();
	fd = waiting(GET("/?format=folded"));
	nodes[26].count += 3;
	profile_requests_run(&all, profile_requests_next(&all));
	profile_requests_finish(&all);
	assert_non_null(strstr(body_of(hear(fd)), " 3\n"));
	assert_int_equal(all.served, 1);
}

AROUND_EACH(setup_requests, teardown_requests);
AROUND_ALL(NULL, close_kernel);
