// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_transfers.c - requests over real sockets, in the hands of a caller that polls: each ends once and says
 * how, and none keeps the caller awake or waits.
 */
#include <fcntl.h>

#include "base/clock.h"
#include "tests/forge/own_fds.h"
#include "tests/forge/test.h"
#include "tests/unit/net/requests.h"

#define ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

TEST(nothing_is_due_without_requests)
{
	transfers_run(transfers);
	assert_true(transfers_due(transfers) == 0);
	assert_int_equal(transfers_timeout_ms(transfers_due(transfers)), -1);
	assert_int_equal(poll(&(struct pollfd){ .fd = transfers_fd(transfers), .events = POLLIN }, 1, 0), 0);
}

TEST(timeouts_in_milliseconds)
{
	double now = clock_seconds();

	assert_int_equal(transfers_timeout_ms(0), -1);
	assert_int_equal(transfers_timeout_ms(-1), -1);
	assert_int_equal(transfers_timeout_ms(now), 0);
	assert_int_equal(transfers_timeout_ms(1e-9), 0);
	assert_in_range(transfers_timeout_ms(now + 30), 1, 30001);
	assert_int_equal(transfers_timeout_ms(now + 3600), 60000); /* a caller may look too early */
}

TEST(a_request_and_its_answer)
{
	struct curl_slist *headers = curl_slist_append(NULL, "X-Who: me");
	struct request *r = &requests[0];
	struct transfer t;

	server_start(ANSWER);
	t = to(r, "http", server.port);
	t.headers = headers;
	add(r, t);
	assert_int_equal(r->ends, 0); /* only transfers_run() acts */
	turn_until_end(r);
	assert_int_equal(r->code, CURLE_OK);
	assert_int_equal(status(r), 200);
	assert_string_equal(r->body, "hello");
	assert_int_equal(server_requests(), 1);
	assert_non_null(strstr(server.seen->request, "GET /x HTTP/1.1\r\n"));
	assert_non_null(strstr(server.seen->request, "\r\nX-Who: me\r\n"));
	assert_non_null(strstr(server.seen->request, "\r\nUser-Agent: pyperf-bpf/" PYPERF_VERSION "\r\n"));
	end(r);
	curl_slist_free_all(headers);
}

/* More than a socket's buffer takes at once. */
TEST(a_large_body)
{
	struct request *r = &requests[0];
	_cleanup_free_ char *body = calloc(1, 32 << 20);
	struct transfer t;

	assert_non_null(body);
	server_start(ANSWER);
	t = to(r, "http", server.port);
	r->easy = curl_easy_init();
	assert_int_equal(transfer_prepare(r->easy, &t), CURLE_OK);
	curl_easy_setopt(r->easy, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(r->easy, CURLOPT_POSTFIELDSIZE, 32L << 20);
	assert_int_equal(transfers_add(transfers, r->easy), 0);
	turn_until_end(r);
	assert_int_equal(r->code, CURLE_OK);
	assert_int_equal(server_requests(), 1);
	assert_true(server.seen->size > 32 << 20);
	end(r);
}

/* Each ends once, whatever becomes of the others, and the descriptor to wait for stays the same. */
TEST(several_at_once)
{
	int fd = transfers_fd(transfers), left = ARRAY_SIZE(requests);

	server_start(ANSWER);
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		add(&requests[i], to(&requests[i], "http", server.port));
	while (left) {
		turn();
		left = 0;
		for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
			left += !requests[i].ends;
	}
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		assert_int_equal(requests[i].ends, 1);
		assert_int_equal(requests[i].code, CURLE_OK);
		assert_string_equal(requests[i].body, "hello");
	}
	assert_int_equal(server_requests(), ARRAY_SIZE(requests));
	assert_int_equal(transfers_fd(transfers), fd);
}

TEST(redirects_are_not_followed)
{
	struct request *r = &requests[0];

	server_start("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
	add(r, to(r, "http", server.port));
	turn_until_end(r);
	assert_int_equal(r->code, CURLE_OK);
	assert_int_equal(status(r), 302);
	assert_int_equal(server_requests(), 1);
}

TEST(protocols_that_are_not_wanted)
{
	struct transfer t;

	server_start(ANSWER);
	t = to(&requests[0], "http", server.port);
	t.protocols = CURLPROTO_HTTPS;
	add(&requests[0], t);
	turn_until_end(&requests[0]);
	assert_int_equal(requests[0].code, CURLE_UNSUPPORTED_PROTOCOL);
	assert_int_equal(server_requests(), 0);
	t = to(&requests[1], "file", 0);
	t.url = "file:///etc/passwd";
	add(&requests[1], t);
	turn_until_end(&requests[1]);
	assert_int_equal(requests[1].code, CURLE_UNSUPPORTED_PROTOCOL);
}

TEST(nobody_listens)
{
	struct request *r = &requests[0];
	unsigned short port;
	int fd = server_bind(&port);

	add(r, to(r, "http", port));
	turn_until_end(r);
	assert_int_equal(r->code, CURLE_COULDNT_CONNECT);
	assert_true(*r->error); /* libcurl's own words */
	close(fd);
}

/* The caller sleeps meanwhile: two seconds are a handful of turns. */
TEST(an_answer_that_never_comes)
{
	struct request *r = &requests[0];
	struct transfer t;
	double begin = clock_seconds();
	int turns = 0;

	server_start(NULL);
	t = to(r, "http", server.port);
	t.timeout_seconds = 2;
	add(r, t);
	for (; !r->ends; turns++)
		turn();
	assert_int_equal(r->code, CURLE_OPERATION_TIMEDOUT);
	assert_true(clock_seconds() - begin >= 1.9);
	assert_true(turns < 50);
	assert_int_equal(server_requests(), 1);
}

TEST(answers_that_break_off)
{
	struct request *r = &requests[0];

	server_start("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhello");
	add(r, to(r, "http", server.port));
	turn_until_end(r);
	assert_int_equal(r->code, CURLE_PARTIAL_FILE);
	server_stop();
	server_start("");
	add(&requests[1], to(&requests[1], "http", server.port));
	turn_until_end(&requests[1]);
	assert_int_equal(requests[1].code, CURLE_GOT_NOTHING);
}

TEST(body_that_its_reader_refuses)
{
	struct request *r = &requests[0];

	server_start(ANSWER);
	r->refuse_body = true;
	add(r, to(r, "http", server.port));
	turn_until_end(r);
	assert_int_equal(r->code, CURLE_WRITE_ERROR);
}

/* Many headers, and those behind a body in chunks: each is short. */
TEST(headers_without_end)
{
	static const char *const begins[] = { "HTTP/1.1 200 OK\r\n",
					      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" };

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		const size_t line = strlen("X-More: xxxxxxxx\r\n"), begin = strlen(begins[i]);
		_cleanup_free_ char *answer = malloc(begin + TRANSFER_HEADERS_MAX + 2 * line);
		struct request *r = &requests[i];
		size_t size = begin;

		assert_non_null(answer);
		strcpy(answer, begins[i]);
		while (size < TRANSFER_HEADERS_MAX + line) {
			strcpy(answer + size, "X-More: xxxxxxxx\r\n");
			size += line;
		}
		server_start(answer);
		add(r, to(r, "http", server.port));
		turn_until_end(r);
		assert_int_not_equal(r->code, CURLE_OK); /* libcurl has a limit of its own before a body */
		if (i)
			assert_int_equal(r->code, CURLE_WRITE_ERROR);
		assert_true(r->answered.bytes <= TRANSFER_HEADERS_MAX + line);
		end(r);
		server_stop();
	}
}

TEST(removed_while_under_way)
{
	struct request *r = &requests[0], *next = &requests[1];
	int fds = count_fds();

	server_start(NULL);
	add(r, to(r, "http", server.port));
	while (!server_requests())
		turn();
	assert_true(count_fds() > fds);
	end(r);
	assert_int_equal(count_fds(), fds);
	transfers_run(transfers);
	assert_int_equal(r->ends, 0);
	assert_int_equal(poll(&(struct pollfd){ .fd = transfers_fd(transfers), .events = POLLIN }, 1, 0), 0);
	/* What comes later is not disturbed. */
	server_stop();
	server_start(ANSWER);
	add(next, to(next, "http", server.port));
	turn_until_end(next);
	assert_int_equal(next->code, CURLE_OK);
	assert_int_equal(r->ends, 0);
}

/* A child that is forked meanwhile has the sockets as well, and what arrives there is not for us any more. */
TEST(removed_while_a_child_has_its_socket)
{
	struct request *r = &requests[0];
	pid_t child;

	server_start(NULL);
	add(r, to(r, "http", server.port));
	while (!server_requests())
		turn();
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	end(r);
	server_stop(); /* the end of the connection arrives */
	assert_int_equal(poll(&(struct pollfd){ .fd = transfers_fd(transfers), .events = POLLIN }, 1, 0), 0);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST(nothing_is_left_open)
{
	struct transfers *t;
	int fds = count_fds();

	assert_int_equal(transfers_open(&t, AT_ONCE, on_end, &transfers), 0);
	assert_true(count_fds() > fds);
	assert_true(fcntl(transfers_fd(t), F_GETFD) & FD_CLOEXEC);
	transfers_close(t);
	assert_int_equal(count_fds(), fds);
	transfers_close(NULL);
}

static int begin(void **state)
{
	(void)state;
	prepare();
	return 0;
}

AROUND_EACH(setup, teardown);
AROUND_ALL(begin, NULL);
