// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_push.c - the queue of pushes against real sockets: one that nobody listens at, one that never answers.
 * What it holds is bounded, what it gives up is counted, and a pause is as long as promised.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "export/push/push.h"
#include "tests/forge/http_server.h"
#include "tests/forge/test.h"

static struct push *push;
static int silent = -1; /* a socket that takes connections and says nothing */
static char url[64];

static void open_push_to(const char *scheme, bool listens)
{
	struct push_options o = { .url = url, .format = -1, .timeout_seconds = 60 };
	unsigned short port;

	silent = server_bind(&port);
	if (listens)
		assert_int_equal(listen(silent, 16), 0);
	snprintf(url, sizeof(url), "%s://127.0.0.1:%u", scheme, port);
	assert_int_equal(push_open(&push, &o), 0);
	strcpy(url, "the options are copied");
}

static void open_push(bool listens)
{
	open_push_to("pyroscope+http", listens);
}

static int teardown(void **state)
{
	(void)state;
	push_close(push);
	push = NULL;
	if (silent >= 0)
		close(silent);
	silent = -1;
	return 0;
}

static void queue(const struct push_profile *p)
{
	struct push_list list = {};

	assert_int_equal(push_list_add(&list, p), 0);
	push_add(push, &list);
	assert_null(list.first);
}

static void add_of(__u64 user, const char *service, size_t size)
{
	struct push_profile p = {
		.series = "process_cpu",
		.service = service,
		.user = user,
		.labels = { { "node", "n" } },
		.label_count = 1,
		.size = size,
	};
	void *data = calloc(1, size);

	assert_non_null(data);
	p.encoded = data;
	queue(&p);
	free(data);
}

static void add(const char *service, size_t size)
{
	add_of(1, service, size);
}

static void turn(int limit_ms)
{
	struct pollfd fd = { .fd = push_fd(push), .events = POLLIN };
	int ms = push_timeout_ms(push);

	poll(&fd, 1, ms >= 0 && ms < limit_ms ? ms : limit_ms);
	push_run(push);
}

TEST(nothing_to_do)
{
	open_push(true);
	push_run(push);
	assert_int_equal(push_timeout_ms(push), -1);
	assert_int_equal(push_waiting(push), 0);
	assert_string_equal(push_trouble(push), "");
	assert_true(push_fd(push) >= 0);
}

TEST(number_is_bounded)
{
	open_push(true);
	for (int i = 0; i < PUSH_WAITING_MAX; i++)
		add("web", 10);
	assert_int_equal(push_waiting(push), PUSH_WAITING_MAX);
	assert_string_equal(push_trouble(push), "");
	for (int i = 0; i < 44; i++) {
		add("web", 10);
		push_run(push); /* one is under way meanwhile, and given up as well */
	}
	assert_int_equal(push_waiting(push), PUSH_WAITING_MAX);
	assert_int_equal(push_get_stats(push)->dropped, 44);
	assert_string_equal(push_trouble(push), "too many profiles wait");
	push_drop_all(push);
	assert_int_equal(push_get_stats(push)->dropped, 44 + PUSH_WAITING_MAX);
	assert_int_equal(push_get_stats(push)->delivered, 0);
	assert_int_equal(push_waiting(push), 0);
}

/* Of a receiver that does not answer. What the other user has stays, though it is the oldest. */
TEST(who_has_most_makes_room)
{
	char name[32];

	open_push(false);
	for (int i = 0; i < 10; i++)
		add_of(7, "honest", 10);
	for (int i = 0; i < 2 * PUSH_WAITING_MAX; i++) {
		snprintf(name, sizeof(name), "evil%d", i);
		add_of(666, name, 10);
	}
	assert_int_equal(push_waiting(push), PUSH_WAITING_MAX);
	assert_int_equal(push_waiting_of(push, 7), 10);
	for (int i = 0; i < 10; i++)
		add_of(7, "honest", 10);
	for (int i = 0; i < 100; i++)
		add_of(667, "large", 1 << 20);
	assert_int_equal(push_waiting_of(push, 7), 20);
}

TEST(bytes_are_bounded)
{
	open_push(true);
	for (int i = 0; i < 100; i++)
		add("web", 1 << 20);
	assert_int_equal(push_waiting(push), PUSH_BYTES_MAX >> 20);
	assert_int_equal(push_get_stats(push)->dropped, 100 - (PUSH_BYTES_MAX >> 20));
	/* One that is larger than all of it is there alone. */
	add("web", PUSH_BYTES_MAX + 1);
	assert_int_equal(push_waiting(push), 1);
	add("web", 1);
	assert_int_equal(push_waiting(push), 1);
	assert_int_equal(push_get_stats(push)->dropped, 101);
}

/* What was added is not the caller's any more by the time it is sent: all of it was copied. */
TEST(sends_what_was_added)
{
	char series[] = "process_cpu", service[] = "web", node[] = "n", pprof[] = "PPROF", request[4096];
	struct push_profile p = {
		.series = series,
		.service = service,
		.labels = { { "node", node } },
		.label_count = 1,
		.encoded = pprof,
		.size = sizeof(pprof) - 1,
	};
	struct pollfd listener = { .events = POLLIN };
	size_t size = 0;
	ssize_t n;
	int fd;

	open_push_to("parca+http", true);
	listener.fd = silent;
	queue(&p);
	*series = *service = *node = *pprof = '-';
	do
		turn(10);
	while (!poll(&listener, 1, 0));
	fd = accept(silent, NULL, NULL);
	assert_true(fd >= 0);
	do {
		turn(10);
		n = recv(fd, request + size, sizeof(request) - 1 - size, MSG_DONTWAIT);
		size += n > 0 ? n : 0;
		request[size] = '\0';
	} while (!strstr(request, "\"}]}]}") && n);
	close(fd);
	assert_non_null(strstr(request, "{\"name\":\"__name__\",\"value\":\"process_cpu\"}"));
	assert_non_null(strstr(request, "{\"name\":\"node\",\"value\":\"n\"}"));
	assert_non_null(strstr(request, "{\"name\":\"service_name\",\"value\":\"web\"}"));
	assert_non_null(strstr(request, "UFBST0Y=")); /* "PPROF" */
}

TEST(pauses_before_the_next_attempt)
{
	int ms;

	open_push(false);
	add("web", 10);
	assert_int_equal(push_timeout_ms(push), 0);
	while (!push_get_stats(push)->failures)
		turn(1000);
	assert_int_equal(push_waiting(push), 1);
	assert_true(*push_trouble(push));
	ms = push_timeout_ms(push);
	assert_true(ms > 0 && ms <= 1251);
	push_hurry(push);
	assert_int_equal(push_timeout_ms(push), 0);
	while (push_waiting(push))
		turn(1000);
	assert_int_equal(push_get_stats(push)->failures, 2);
	assert_int_equal(push_get_stats(push)->dropped, 1);
	assert_int_equal(push_timeout_ms(push), -1);
}

/* Of the connections that wait the first one is closed, or answered. */
static void serve(bool well)
{
	static const char ok[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
	const __u64 ended = push_get_stats(push)->failures + push_get_stats(push)->delivered;
	struct pollfd listener = { .fd = silent, .events = POLLIN };
	char request[4096];
	int fd;

	while (!poll(&listener, 1, 0))
		turn(10);
	fd = accept(silent, NULL, NULL);
	assert_true(fd >= 0);
	if (well) {
		while (recv(fd, request, sizeof(request), MSG_DONTWAIT) <= 0)
			turn(10);
		assert_int_equal(send(fd, ok, sizeof(ok) - 1, 0), sizeof(ok) - 1);
	}
	close(fd);
	while (push_get_stats(push)->failures + push_get_stats(push)->delivered == ended)
		turn(10);
}

/* Where pushes are spread over an interval the next one may be there before one is sent. */
TEST(trouble_is_over_though_one_always_waits)
{
	struct pollfd listener = { .events = POLLIN };

	open_push(true);
	listener.fd = silent;
	add("a", 10);
	serve(false);
	assert_true(*push_trouble(push));
	while (!poll(&listener, 1, 0)) /* it is tried again */
		turn(10);
	add("b", 10);
	serve(true);
	assert_true(*push_trouble(push));
	add("c", 10);
	serve(true);
	assert_int_equal(push_waiting(push), 1);
	assert_string_equal(push_trouble(push), "");
}

static double seconds_of_turns(int n)
{
	double begin = clock_seconds();

	while (n--)
		turn(200);
	return clock_seconds() - begin;
}

/* What waits behind one of its service, or for one of the four places, does not keep the caller awake. */
TEST(waits_without_spinning)
{
	open_push(true);
	add("web", 10);
	add("web", 10);
	assert_true(seconds_of_turns(20) > 2);
	for (int i = 0; i < 10; i++)
		add((const char *[]){ "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" }[i], 10);
	assert_true(seconds_of_turns(30) > 2);
	assert_int_equal(push_waiting(push), 12);
}

TEST(options_that_are_wrong_change_nothing)
{
	struct push_options bad = { .url = "gopher://x", .format = -1, .timeout_seconds = 1 };
	struct push *untouched = (void *)&bad;

	open_push(true);
	assert_int_equal(push_set_options(push, &bad), -EINVAL);
	add("web", 10);
	push_run(push);
	assert_int_equal(push_waiting(push), 1);
	assert_int_equal(push_open(&untouched, &bad), -EINVAL);
	assert_ptr_equal(untouched, &bad);
}

/* 192.0.2.0/24 is for documents (RFC 5737): nobody gets what is sent there. */
TEST(credentials_that_others_can_read)
{
	char file[] = "/tmp/pyperf-push.XXXXXX";
	struct push_options o = { .header_file = file, .format = -1, .timeout_seconds = 60 };
	static const char *const headers[] = { "X-Scope-OrgID: a\n", "authorization: Bearer abc\n" };
	int fd = mkstemp(file);

	assert_true(fd >= 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pwrite(fd, headers[i], strlen(headers[i]), 0), strlen(headers[i]));
		o.url = "pyroscope+http://192.0.2.1:9";
		assert_int_equal(push_open(&push, &o), 0);
		add("web", 10);
		assert_false(push_is_exposed(push));
		push_run(push);
		assert_int_equal(push_is_exposed(push), i == 1);
		o.url = "pyroscope+https://192.0.2.1:9";
		assert_int_equal(push_set_options(push, &o), 0);
		add("other", 10);
		push_run(push);
		assert_false(push_is_exposed(push));
		push_close(TAKE_PTR(push));
	}
	close(fd);
	unlink(file);
}

AROUND_EACH(NULL, teardown);
AROUND_ALL(server_begin, NULL);
