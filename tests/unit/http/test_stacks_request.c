// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_stacks_request.c - clients that wait for a look at a real interpreter by a real worker. The test is
 * the event loop: it decides whether the worker's answers are taken, and what time it is.
 */
#include "tests/forge/test.h"
#include "tests/unit/http/waiting_client.h"
#include "tests/unit/targets/discovering.h"

#include <sys/eventfd.h>

#include "http/stacks_request.h"

static struct stacks_requests all;
static enum health health;
static bool worker_is_heard;

static enum MHD_Result begin_request(const struct client *c, struct suspended **ret)
{
	return stacks_request_begin(&all, health, c, ret);
}

static void run_all(void)
{
	if (worker_is_heard) {
		worker_check_deadline(worker);
		discover_replies(discover);
	}
	stacks_requests_run(&all, clock_seconds());
	run_daemon();
}

static int setup_requests(void **state)
{
	int err = open_parts(state);

	counts = (struct answer_counts){ 0 };
	health = HEALTH_SAMPLING;
	worker_is_heard = true;
	all = (struct stacks_requests){ .eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
					.registry = registry };
	start_server(wait_or_answer, begin_request, waiting_completed);
	let_server_work = run_all;
	return err;
}

static int teardown_requests(void **state)
{
	stacks_requests_finish(&all);
	assert_null(all.first);
	assert_null(all.job);
	stop_server();
	close(all.eventfd);
	return teardown(state);
}

/* Opens the rest, or skips the test. The pid of an interpreter that is profiled. */
static __u32 begin_with_interpreter(void)
{
	begin();
	all.discover = discover;
	return start_interpreter();
}

static const char *request_for(const char *query)
{
	static char request[256];

	snprintf(request, sizeof(request), REQUEST_TO("GET", "/debug/pyperf/stacks?%s", "localhost"), query);
	return request;
}

static const char *query_for(__u32 pid, const char *more)
{
	static char query[128];

	snprintf(query, sizeof(query), "pid=%u%s", pid, more);
	return query;
}

TEST(one_process)
{
	__u32 pid = begin_with_interpreter();
	char start[64];
	const char *a;

	a = ask(request_for(query_for(pid, "")));
	snprintf(start, sizeof(start), "Process %u \"python3\": CPython 3.", pid);
	assert_int_equal(status_of(a), 200);
	assert_true(has_header(a, "Content-Type: text/plain; charset=utf-8"));
	assert_memory_equal(body_of(a), start, strlen(start));
	a = ask(request_for(query_for(pid, "&format=json&async=1")));
	snprintf(start, sizeof(start), "{\"processes\":[\n{\"pid\":%u,", pid);
	assert_int_equal(status_of(a), 200);
	assert_true(has_header(a, "Content-Type: application/json"));
	assert_memory_equal(body_of(a), start, strlen(start));
	assert_null(strstr(a, "left_out"));
	assert_int_equal(counts.answers, 2);
}

TEST(every_process)
{
	struct registry_entry gone = { .id = 4711, .pid = 4194304, .binary = "", .build_id = "" };
	__u32 pid;
	const char *a;

	begin();
	all.discover = discover;
	assert_string_equal(body_of(ask(request_for(""))), "no Python process is profiled\n");
	assert_string_equal(body_of(ask(request_for("format=json"))),
			    "{\"processes\":[\n\n],\"left_out\":0}\n");
	pid = start_interpreter();
	assert_int_equal(registry_add(registry, &gone), 0); /* nothing has said yet that it has ended */
	a = ask(request_for("format=json"));
	assert_non_null(strstr(a, query_for(pid, "") + strlen("pid=")));
	assert_non_null(strstr(a, "]}\n],\"left_out\":1}\n"));
	a = ask(request_for(""));
	assert_int_equal(status_of(a), 200);
	assert_non_null(strstr(a, "\n[1 processes are left out: "));
}

TEST(who_has_ended)
{
	__u32 pid = begin_with_interpreter();
	char line[64];
	const char *a;

	end_child(pid); /* which the registry is not told */
	a = ask(request_for(query_for(pid, "")));
	assert_int_equal(status_of(a), 404);
	snprintf(line, sizeof(line), "process %u has ended\n", pid);
	assert_string_equal(body_of(a), line);
}

TEST(who_has_no_stacks)
{
	static const struct selection everything, nothing = { .comm = "no-such-name" };
	__u32 pid = begin_with_interpreter();
	pid_t other = start_child(NULL);
	char line[128];
	const char *a;

	a = ask(request_for("pid=4194304"));
	assert_int_equal(status_of(a), 404);
	assert_string_equal(body_of(a), "there is no process 4194304\n");
	snprintf(line, sizeof(line), "process %d is no Python that is profiled\n", other);
	assert_string_equal(body_of(ask(request_for(query_for(other, "")))), line);
	all.selection = &everything; /* what is profiled is found out by the look */
	snprintf(line, sizeof(line), "process %d is not Python\n", other);
	assert_string_equal(body_of(ask(request_for(query_for(other, "")))), line);
	forget_all();
	assert_int_equal(status_of(ask(request_for(query_for(pid, "")))), 200);
	all.selection = &nothing;
	snprintf(line, sizeof(line), "process %u is no Python that is profiled\n", pid);
	assert_string_equal(body_of(ask(request_for(query_for(pid, "")))), line);
	all.selection = NULL;
	assert_string_equal(body_of(ask(request_for(query_for(pid, "")))), line);
	assert_int_equal(status_of(ask(request_for("pid=x"))), 400);
	health = HEALTH_ENDING;
	assert_int_equal(status_of(ask(request_for("pid=1"))), 503);
}

/* One look after the other; who comes when as many wait as may is told so. */
TEST(as_many_as_may_wait)
{
	__u32 pid = begin_with_interpreter();
	const char *request = request_for(query_for(pid, ""));
	int fds[STACKS_WAITING_MAX];
	size_t n = 0;

	worker_is_heard = false;
	while (n < STACKS_OF_ONE)
		fds[n++] = waiting_from(INADDR_LOOPBACK, request);
	assert_non_null(strstr(ask(request), "as many requests for stacks wait as there may be\n"));
	while (n < STACKS_WAITING_MAX)
		fds[n++] = waiting_from(INADDR_LOOPBACK + 1, request);
	n = connect_client_from(INADDR_LOOPBACK + 2);
	say(n, request);
	assert_int_equal(status_of(hear(n)), 503);
	assert_non_null(all.job);
	worker_is_heard = true;
	for (n = 0; n < STACKS_WAITING_MAX; n++) {
		int status = status_of(hear(fds[n]));

		assert_true(status == 200 || status == 503); /* on a machine so busy that it took too long */
	}
	assert_null(all.first);
	assert_true(stacks_requests_next(&all) == HTTP_NEVER);
}

/* While the first one's look goes on, those behind it wait no longer than they may. */
TEST(who_waits_too_long)
{
	__u32 pid = begin_with_interpreter();
	const char *request = request_for(query_for(pid, ""));
	int first, second;

	worker_is_heard = false;
	first = waiting_from(INADDR_LOOPBACK, request);
	second = waiting_from(INADDR_LOOPBACK, request);
	assert_true(stacks_requests_next(&all) <= clock_seconds() + STACKS_WAIT_SECONDS);
	stacks_requests_run(&all, clock_seconds() + STACKS_WAIT_SECONDS);
	assert_string_equal(body_of(hear(second)), "other requests for stacks took too long\n");
	stacks_requests_finish(&all);
	assert_string_equal(body_of(hear(first)), "not sampling any more\n");
}

/* After a look there is a pause as long as it took. */
TEST(not_before_its_time)
{
	__u32 pid = begin_with_interpreter();
	int fd;

	all.next = clock_seconds() + 5;
	fd = waiting_from(INADDR_LOOPBACK, request_for(query_for(pid, "")));
	assert_true(stacks_requests_next(&all) == all.next);
	stacks_requests_run(&all, all.next - 1);
	assert_null(all.job);
	stacks_requests_run(&all, all.next);
	assert_non_null(all.job);
	assert_int_equal(status_of(hear(fd)), 200);
}

/* Nobody waits for a worker that is not heard any more. */
TEST(at_the_end)
{
	__u32 pid = begin_with_interpreter();
	int fds[2];

	worker_is_heard = false;
	for (int i = 0; i < 2; i++)
		fds[i] = waiting_from(INADDR_LOOPBACK, request_for(query_for(pid, "")));
	stacks_requests_finish(&all);
	for (int i = 0; i < 2; i++)
		assert_string_equal(body_of(hear(fds[i])), "not sampling any more\n");
}

/* It is given up with its child, and the next look is that of a new one. */
TEST(a_worker_that_hangs)
{
	__u32 pid = begin_with_interpreter();
	const char *a;

	assert_int_equal(kill(worker_pid(worker), SIGSTOP), 0);
	a = ask(request_for(query_for(pid, "")));
	assert_int_equal(status_of(a), 503);
	assert_string_equal(body_of(a), "the look was given up: it took too long\n");
	assert_int_equal(status_of(ask(request_for(query_for(pid, "")))), 200);
}

AROUND_EACH(setup_requests, teardown_requests);
AROUND_ALL(NULL, close_kernel);
