// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_interval_request.c - the last interval as a browser gets it: made in a thread, once for each profile
 * and query, and not at any price.
 */
#include "tests/forge/tables.h"
#include "tests/forge/test.h"
#include "tests/unit/http/waiting_client.h"

#include "http/interval_request.h"
#include "http/recent.h"

static struct interval_requests intervals;
static struct recent recent;
static struct interval newest; /* the test's: its users never end */

static enum MHD_Result begin_request(const struct client *c, struct suspended **ret)
{
	return interval_request_begin(&intervals, c, ret);
}

static void run_both(void)
{
	interval_requests_run(&intervals, 0);
	run_daemon();
}

static int setup_intervals(void **state)
{
	int err = setup(state);

	recent = (struct recent){ .serial = 7 };
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 1);
	set_root(27, 2, 0);
	set_node(28, 27, 101, 1, 3);
	intervals = (struct interval_requests){ .eventfd = -1, .recent = &recent }; /* run_both() looks */
	start_server(wait_or_answer, begin_request, waiting_completed);
	let_server_work = run_both;
	return err;
}

static int teardown_intervals(void **state)
{
	interval_requests_finish(&intervals);
	stop_server();
	interval_requests_free(&intervals);
	assert_int_equal(intervals.lent_count, 0);
	return teardown(state);
}

/* There is a profile from here on. */
static void profile_is_there(void)
{
	run();
	newest = (struct interval){ .profile = profile, .serial = 7, .users = 1 };
	recent.history.rows[0] = &newest;
	recent.history.count = 1;
}

TEST(what_is_drawn)
{
	const char *a;

	a = ask(GET("/"));
	assert_int_equal(status_of(a), 503);
	assert_string_equal(body_of(a), "the first interval has not ended yet\n");
	profile_is_there();
	a = ask(GET("/"));
	assert_int_equal(status_of(a), 200);
	assert_true(has_header(a, "Content-Type: application/json"));
	assert_true(has_header(a, "X-Content-Type-Options: nosniff"));
	assert_non_null(strstr(body_of(a), "outer"));
	assert_non_null(strstr(body_of(a), "inner"));
	a = ask(GET("/?pid=200"));
	assert_int_equal(status_of(a), 200);
	assert_null(strstr(body_of(a), "outer"));
	assert_non_null(strstr(body_of(a), "inner"));
	a = ask(GET("/?comm=main%2Dnow"));
	assert_non_null(strstr(body_of(a), "outer"));
	assert_null(strstr(body_of(a), "inner"));
}

TEST(what_it_cannot_be_asked)
{
	static const char *const queries[] = {
		GET("/?pid=x"), GET("/?pid"), GET("/?what=1"), GET("/?pid=1&pid=2"), GET("/?=1"),
	};

	profile_is_there();
	for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
		const char *a = ask(queries[i]);

		assert_int_equal(status_of(a), 400);
		assert_true(strlen(body_of(a)) > 10);
	}
}

/* A profile that is not looked at cannot be missed: while its number is the same, nothing is made of it. */
TEST(made_once)
{
	static const char *const requests[] = { GET("/"), GET("/?pid=200") };
	static const char not_looked_at;

	profile_is_there();
	for (int i = 0; i < 2; i++)
		assert_non_null(strstr(body_of(ask(requests[i])), "inner"));
	newest.profile = (void *)&not_looked_at;
	for (int i = 0; i < 10; i++)
		assert_non_null(strstr(body_of(ask(requests[i % 2])), "inner"));
	newest.profile = profile;
	recent.serial++;
	assert_null(strstr(body_of(ask(GET("/?pid=100"))), "inner"));
	assert_null(intervals.whole); /* what was made of the old one is gone */
	assert_null(intervals.rows[0].response);
}

TEST(some_are_kept)
{
	struct MHD_Response *first;
	char request[256];

	profile_is_there();
	ask(GET("/"));
	for (int i = 0; i < INTERVAL_ROWS; i++) {
		snprintf(request, sizeof(request), GET("/?pid=%d"), 1000 + i);
		assert_int_equal(status_of(ask(request)), 200);
	}
	first = intervals.rows[0].response;
	ask(GET("/?pid=1000"));
	assert_ptr_equal(intervals.rows[0].response, first);
	assert_string_equal(intervals.rows[0].filter.values[LABEL_pid], "1000");
	ask(GET("/?pid=2000"));
	assert_string_equal(intervals.rows[0].filter.values[LABEL_pid], "2000");
	assert_string_equal(intervals.rows[1].filter.values[LABEL_pid], "1001");
	assert_non_null(intervals.whole);
}

/* However many there are: the newest is there for who waits for it, and older ones while there is room. */
TEST(large_ones_are_not_kept)
{
	profile_is_there();
	assert_int_equal(status_of(ask(GET("/?pid=1"))), 200);
	assert_int_equal(status_of(ask(GET("/?pid=2"))), 200);
	assert_in_range(intervals.rows[0].size, 1, 4096);
	intervals.rows[0].size = intervals.rows[1].size = INTERVAL_BYTES_MAX / 2;
	assert_int_equal(status_of(ask(GET("/?pid=3"))), 200);
	assert_non_null(intervals.rows[0].response);
	intervals.rows[2].size = 1;
	assert_int_equal(status_of(ask(GET("/?pid=4"))), 200);
	assert_null(intervals.rows[0].response); /* the oldest */
	assert_non_null(intervals.rows[1].response);
	assert_non_null(intervals.rows[2].response);
	intervals.rows[3].size = INTERVAL_BYTES_MAX + 1;
	assert_int_equal(status_of(ask(GET("/?pid=5"))), 200);
	for (int i = 0; i < 4; i++)
		assert_null(intervals.rows[i].response);
	assert_non_null(intervals.rows[4].response);
}

TEST(not_at_any_price)
{
	const char *a;

	profile_is_there();
	assert_int_equal(status_of(ask(GET("/?pid=200"))), 200);
	assert_true(intervals.spent > 0);
	intervals.spent = INTERVAL_SECONDS_SAVED + 3;
	intervals.looked = clock_seconds();
	a = ask(GET("/?pid=100"));
	assert_int_equal(status_of(a), 503);
	assert_true(has_header(a, "Retry-After: 5"));
	assert_int_equal(status_of(ask(GET("/?pid=200"))), 200); /* it is there */
	assert_int_equal(status_of(ask(GET("/"))), 200);	 /* once for each profile */
	intervals.looked -= 3 / INTERVAL_SHARE + 1;
	assert_int_equal(status_of(ask(GET("/?pid=100"))), 200);
	assert_true(intervals.spent < INTERVAL_SECONDS_SAVED);
}

/* A client whose request has come, and whose answer is being made; meanwhile nobody looks at jobs. */
static int waiting(const char *request)
{
	int fd;

	let_server_work = run_daemon;
	fd = waiting_from(INADDR_LOOPBACK, request);
	let_server_work = run_both;
	return fd;
}

/* One job at a time; who asks for something else has it made after that. */
TEST(all_who_wait_are_answered)
{
	static const char *const requests[] = { GET("/"), GET("/?pid=200"), GET("/?pid=100"), GET("/"),
						GET("/?pid=200") };
	int fds[ARRAY_SIZE(requests)];

	profile_is_there();
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		fds[i] = waiting(requests[i]);
	assert_true(connections_next(&connections) == HTTP_NEVER); /* nobody leaves for others meanwhile */
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		const char *a = hear(fds[i]);

		assert_int_equal(status_of(a), 200);
		assert_int_equal(strstr(body_of(a), "inner") != NULL, i != 2);
		assert_int_equal(strstr(body_of(a), "outer") != NULL, i != 1 && i != 4);
	}
	assert_null(intervals.job);
	assert_int_equal(intervals.next, 2); /* each was made once */
}

TEST(not_too_many_wait)
{
	int fds[INTERVAL_WAITING_MAX];
	const char *a;

	profile_is_there();
	for (int i = 0; i < INTERVAL_WAITING_MAX; i++)
		fds[i] = waiting(GET("/"));
	let_server_work = run_daemon;
	a = ask(GET("/"));
	let_server_work = run_both;
	assert_int_equal(status_of(a), 503);
	assert_non_null(strstr(body_of(a), "clients wait for an interval, which is the most"));
	for (int i = 0; i < INTERVAL_WAITING_MAX; i++)
		assert_int_equal(status_of(hear(fds[i])), 200);
}

/* What was lent is there until the job has ended; it is the answer to who waited, and to nobody else. */
TEST(next_profile_comes_meanwhile)
{
	struct profile *next = NULL;
	struct interval next_one;
	int fd;

	profile_is_there();
	fd = waiting(GET("/"));
	assert_int_equal(newest.users, 2);
	assert_int_equal(profile_new(profile_get_info(profile), &next), 0);
	next_one = (struct interval){ .profile = next, .serial = 8, .users = 1 };
	recent.history.rows[0] = &next_one; /* the history has let the first one go */
	recent.serial++;
	assert_non_null(strstr(body_of(hear(fd)), "inner"));
	assert_int_equal(newest.users, 1);
	assert_null(strstr(body_of(ask(GET("/"))), "inner"));
	profile_free(next);
}

/* Several intervals are one profile; what was made of them stays when there is another newest one. */
TEST(stretches)
{
	struct interval older;
	const char *a;

	profile_is_there();
	older = newest;
	older.serial = 6;
	recent.history.rows[0] = &older;
	recent.history.rows[1] = &newest;
	recent.history.count = 2;
	a = ask(GET("/?to=9999999999&type=cpu"));
	assert_int_equal(status_of(a), 200);
	assert_non_null(strstr(body_of(a), "\"total\":8,"));
	assert_int_equal(intervals.rows[0].stretch.first, 6);
	assert_int_equal(intervals.rows[0].stretch.last, 7);
	assert_int_equal(older.users, 1);
	recent.serial++;
	a = ask(GET("/"));
	assert_non_null(strstr(body_of(a), "\"total\":4,"));
	assert_non_null(intervals.rows[0].response);
	a = ask(GET("/?from=9999999999"));
	assert_int_equal(status_of(a), 404);
	assert_string_equal(body_of(a), "no interval of that time is kept\n");
	assert_int_equal(status_of(ask(GET("/?from=2&to=1"))), 400);
	recent.history.count = 0;
}

/* In any format, under a name where a browser would not show it. */
TEST(formats)
{
	const char *a;

	profile_is_there();
	for (int i = 0; i < FORMATS; i++) {
		char request[128];

		snprintf(request, sizeof(request), GET("/?format=%s"), format_rows[i].name);
		a = ask(request);
		assert_int_equal(status_of(a), 200);
	}
	a = ask(GET("/?format=pprof"));
	assert_true(has_header(a, "Content-Disposition: attachment; filename=\"profile.pb.gz\""));
	a = ask(GET("/?format=folded"));
	assert_null(strstr(a, "Content-Disposition"));
	assert_int_equal(status_of(ask(GET("/?format=x"))), 400);
}

TEST(ends)
{
	int fd;

	profile_is_there();
	fd = waiting(GET("/"));
	interval_requests_finish(&intervals);
	assert_null(intervals.first);
	assert_null(intervals.job);
	assert_int_equal(status_of(hear(fd)), 503);
	assert_string_equal(body_of(ask(GET("/?pid=1"))), "not sampling any more\n");
}

AROUND_EACH(setup_intervals, teardown_intervals);
