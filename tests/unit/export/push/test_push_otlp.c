// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_push_otlp.c - the queue before a receiver of OTLP: what it has taken in part, when it wants to be left
 * alone, what it may be sent again, and profiles that were made for a receiver of another kind.
 */
#include "tests/forge/http_server.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "export/push/push.h"
#include "tests/forge/test.h"

static struct push *push;
static char url[64];

static void open_to(const char *answer)
{
	struct push_options o = { .url = url, .format = -1, .timeout_seconds = 60 };

	server_start(answer);
	snprintf(url, sizeof(url), "otlp+http://127.0.0.1:%u", server.port);
	assert_int_equal(push_open(&push, &o), 0);
	assert_int_equal(push_get_format(push), PUSH_OTLP);
}

static int teardown(void **state)
{
	(void)state;
	push_close(TAKE_PTR(push));
	server_stop();
	return 0;
}

static void add(const char *service, bool is_otlp)
{
	const struct push_profile p = { .series = "process_cpu",
					.service = service,
					.is_otlp = is_otlp,
					.encoded = "\x1f\x8b otlp",
					.size = 7 };
	struct push_list list = {};

	assert_int_equal(push_list_add(&list, &p), 0);
	push_add(push, &list);
}

static void turn(int limit_ms)
{
	struct pollfd fd = { .fd = push_fd(push), .events = POLLIN };
	int ms = push_timeout_ms(push);

	poll(&fd, 1, ms >= 0 && ms < limit_ms ? ms : limit_ms);
	push_run(push);
}

static void turn_until_sent(void)
{
	while (push_waiting(push))
		turn(100);
}

static void turn_until_failures(__u64 n)
{
	while (push_get_stats(push)->failures < n)
		turn(100);
}

#define EMPTY "Content-Length: 0\r\n\r\n"

TEST(what_a_collector_wants)
{
	open_to("HTTP/1.1 200 OK\r\n" EMPTY);
	add("web", true);
	turn_until_sent();
	assert_memory_equal(server.seen->request, "POST /v1development/profiles HTTP/1.1\r\n", 39);
	assert_non_null(strstr(server.seen->request, "\r\nContent-Type: application/x-protobuf\r\n"));
	assert_non_null(strstr(server.seen->request, "\r\nContent-Encoding: gzip\r\n"));
	assert_string_equal(strstr(server.seen->request, "\r\n\r\n") + 4, "\x1f\x8b otlp");
	assert_int_equal(push_get_stats(push)->delivered, 1);
	assert_int_equal(push_get_stats(push)->rejected, 0);
	assert_string_equal(push_remark(push), "");
}

/* It counts, is not sent again, and is said until nothing of it was said while the queue was worked off. */
TEST(taken_in_part)
{
	struct push_options o = { .url = url, .format = -1, .timeout_seconds = 60 };

	open_to("HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n\x0a\x0c\x08\x03\x12\x08too many");
	add("web", true);
	add("other", true);
	turn_until_sent();
	assert_int_equal(server_requests(), 2);
	assert_int_equal(push_get_stats(push)->delivered, 2);
	assert_int_equal(push_get_stats(push)->rejected, 6);
	assert_int_equal(push_get_stats(push)->failures + push_get_stats(push)->dropped, 0);
	assert_string_equal(push_remark(push), "3 profiles rejected: too many");
	assert_string_equal(push_trouble(push), "");
	server_stop();
	server_start("HTTP/1.1 200 OK\r\n" EMPTY);
	snprintf(url, sizeof(url), "otlp+http://127.0.0.1:%u", server.port);
	assert_int_equal(push_set_options(push, &o), 0);
	add("web", true);
	turn_until_sent();
	assert_string_equal(push_remark(push), "");
}

/* 429, 502, 503 and 504, and no other one, by the protocol; of other receivers also 408 and 500. */
TEST(what_may_be_sent_again)
{
	static const int again[] = { 429, 502, 503, 504 }, refused[] = { 400, 401, 404, 408, 413, 500, 501 };
	char answer[64];

	for (size_t i = 0; i < ARRAY_SIZE(again) + ARRAY_SIZE(refused); i++) {
		const bool is_again = i < ARRAY_SIZE(again);
		const int status = is_again ? again[i] : refused[i - ARRAY_SIZE(again)];

		snprintf(answer, sizeof(answer), "HTTP/1.1 %d No\r\n" EMPTY, status);
		open_to(answer);
		add("web", true);
		turn_until_failures(1);
		if (push_waiting(push) != is_again)
			fail_msg("%d", status);
		assert_int_equal(push_get_stats(push)->dropped, !is_again);
		teardown(state);
	}
}

TEST(a_refusal_is_said_in_its_words)
{
	open_to("HTTP/1.1 400 No\r\nContent-Type: application/x-protobuf\r\n"
		"Content-Length: 18\r\n\r\n\x08\x03\x12\x0eunexpected EOF");
	add("web", true);
	turn_until_failures(1);
	assert_string_equal(push_trouble(push),
			    "the receiver answers 400 to OTLP profiles of 1.11: unexpected EOF");
}

static int when_after(const char *retry_after)
{
	char answer[128];

	snprintf(answer, sizeof(answer), "HTTP/1.1 503 Later\r\nRetry-After: %s\r\n" EMPTY, retry_after);
	open_to(answer);
	add("web", true);
	turn_until_failures(1);
	add("other", true); /* which waits for it as well */
	return push_timeout_ms(push);
}

/* In seconds or as a date. */
TEST(a_receiver_is_left_alone)
{
	char date[64];
	time_t later = time(NULL) + 100;
	int ms = when_after("40");

	assert_true(ms > 35000 && ms <= 50000);
	turn(100);
	assert_int_equal(server_requests(), 1);
	push_hurry(push); /* the end of the run is no time to wait */
	turn_until_sent();
	assert_int_equal(server_requests(), 3);
	teardown(state);
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime(&later));
	ms = when_after(date);
	assert_int_equal(ms, 60000); /* a turn comes each minute */
	teardown(state);
	ms = when_after("99999999999999");
	assert_int_equal(ms, 60000);
	teardown(state);
	ms = when_after("-5");
	assert_int_equal(ms, 0); /* of the other one */
	teardown(state);
	ms = when_after("soon");
	assert_int_equal(ms, 0);
}

TEST(another_receiver_is_not_that_one)
{
	struct push_options o = { .url = url, .format = -1, .timeout_seconds = 60 };

	assert_true(when_after("40") > 35000);
	assert_int_equal(push_set_options(push, &o), 0);
	assert_int_equal(push_timeout_ms(push), 0);
}

/* SIGHUP with another kind of receiver: what was made for the one before is given up, and counted. */
TEST(a_receiver_of_another_kind)
{
	struct push_options o = { .url = "pyroscope+http://127.0.0.1:9",
				  .format = -1,
				  .timeout_seconds = 60 };

	open_to(NULL);
	add("web", true);
	push_run(push);
	add("web", true);
	assert_int_equal(push_waiting(push), 2);
	assert_int_equal(push_set_options(push, &o), 0);
	assert_int_equal(push_waiting(push), 0);
	assert_int_equal(push_get_stats(push)->dropped, 2);
	assert_non_null(strstr(push_trouble(push), "of another kind"));
	add("web", true); /* which a thread has made meanwhile */
	add("web", false);
	assert_int_equal(push_waiting(push), 1);
	assert_int_equal(push_get_stats(push)->dropped, 3);
}

AROUND_EACH(NULL, teardown);
AROUND_ALL(server_begin, NULL);
