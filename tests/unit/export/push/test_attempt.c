// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_attempt.c - one request of a push as a server receives it, in each format, and what its answer means,
 * gRPC's among them.
 */
#include <fcntl.h>

#include "export/push/attempt.h"
#include "net/transfers.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/http_server.h"
#include "tests/forge/test.h"

static struct push_attempt attempt;
static struct transfers *transfers;
static bool ended;
static CURLcode code; /* of the end */
static char url[64], header_file[64];

static const struct push_profile profile = {
	.series = "process_cpu",
	.service = "web",
	.labels = { { "node", "n 1" } },
	.label_count = 1,
	.start_unix_ns = 1700000000000000000,
	.duration_ns = 10000000000,
	.encoded = "\x1f\x8b pprof",
	.size = 8,
};

static void on_end(void *context, CURL *easy, CURLcode c)
{
	struct push_attempt *owner = NULL;

	curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&owner);
	assert_ptr_equal(owner, context);
	ended = true;
	code = c;
}

static int setup(void **state)
{
	int fd;

	(void)state;
	ended = false;
	attempt = (struct push_attempt){ 0 };
	strcpy(header_file, "/tmp/pyperf-attempt.XXXXXX");
	fd = mkstemp(header_file);
	if (fd < 0 || write(fd, "Authorization: Bearer abc\n", 26) != 26 || close(fd))
		return -1;
	return transfers_open(&transfers, 1, on_end, &attempt);
}

static int teardown(void **state)
{
	(void)state;
	if (attempt.easy)
		transfers_remove(transfers, attempt.easy);
	push_attempt_end(&attempt);
	transfers_close(transfers);
	server_stop();
	return unlink(header_file);
}

static int make(enum push_format format, const char *headers)
{
	struct push_options o = { .header_file = headers, .timeout_seconds = 60 };
	struct push_target t = { .format = format, .url = url };

	snprintf(url, sizeof(url), "http://127.0.0.1:%u", server.port);
	return push_attempt_make(&attempt, &o, &t, &profile, &attempt);
}

static void turn_until_end(void)
{
	assert_int_equal(transfers_add(transfers, attempt.easy), 0);
	while (!ended) {
		struct pollfd fd = { .fd = transfers_fd(transfers), .events = POLLIN };

		poll(&fd, 1, transfers_timeout_ms(transfers_due(transfers)));
		transfers_run(transfers);
	}
}

/* Sends it to a server that answers so, and is what the answer means. */
static long status_of(enum push_format format, const char *answer)
{
	long status;

	server_start(answer);
	assert_int_equal(make(format, NULL), 0);
	turn_until_end();
	assert_int_equal(code, CURLE_OK);
	status = push_attempt_status(&attempt);
	transfers_remove(transfers, attempt.easy);
	return status;
}

static void again(void)
{
	push_attempt_end(&attempt);
	server_stop();
	ended = false;
}

#define EMPTY "Content-Length: 0\r\n\r\n"

/* The body as request.c makes it, which has a test of its own. */
TEST(sends_what_the_format_wants)
{
	static const struct {
		enum push_format format;
		const char *line, *type;
	} formats[] = {
		{ PUSH_PYROSCOPE, "POST /push.v1.PusherService/Push HTTP/1.1\r\n", "application/proto" },
		{ PUSH_PYROSCOPE_INGEST, "POST /ingest?name=web%7Bnode%3Dn_1%7D&",
		  "application/octet-stream" },
		{ PUSH_PARCA, "POST /api/profiles/writeraw HTTP/1.1\r\n", "application/json" },
		{ PUSH_OTLP, "POST /v1development/profiles HTTP/1.1\r\n", "application/x-protobuf" },
		{ PUSH_PARCA_GRPC,
		  "POST /parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw HTTP/1.1\r\n",
		  "application/grpc-web+proto" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const struct push_target t = { .format = formats[i].format, .url = url };
		_cleanup_buf_ struct buf expected = {}, no_url = {};
		const char *request, *body;
		char type[64];

		assert_int_equal(push_request_make(&t, &profile, &no_url, &expected), 0);
		status_of(formats[i].format, "HTTP/1.1 200 OK\r\n" EMPTY);
		request = server.seen->request;
		assert_memory_equal(request, formats[i].line, strlen(formats[i].line));
		snprintf(type, sizeof(type), "\r\nContent-Type: %s\r\n", formats[i].type);
		assert_non_null(strstr(request, type));
		assert_null(strstr(request, "Authorization"));
		assert_int_equal(!strstr(request, "\r\nContent-Encoding: gzip\r\n"),
				 formats[i].format != PUSH_OTLP);
		body = strstr(request, "\r\n\r\n") + 4;
		assert_int_equal(server.seen->size - (body - request), expected.size);
		assert_memory_equal(body, expected.data, expected.size);
		again();
	}
}

/* It is read for each attempt: somebody renews the token in it. */
TEST(sends_the_header_file)
{
	int fd;

	for (int renewed = 0; renewed < 2; renewed++) {
		server_start("HTTP/1.1 200 OK\r\n" EMPTY);
		assert_int_equal(make(PUSH_PYROSCOPE, header_file), 0);
		turn_until_end();
		transfers_remove(transfers, attempt.easy);
		assert_non_null(strstr(server.seen->request, renewed ? "\r\nAuthorization: Bearer new\r\n" :
								       "\r\nAuthorization: Bearer abc\r\n"));
		assert_non_null(strstr(server.seen->request, "\r\nContent-Type: application/proto\r\n"));
		fd = open(header_file, O_WRONLY | O_TRUNC | O_CLOEXEC);
		assert_int_equal(write(fd, "Authorization: Bearer new\n", 26), 26);
		close(fd);
		again();
	}
}

TEST(header_file_that_is_no_good)
{
	int fd = open(header_file, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_int_equal(write(fd, "Bearer abc\n", 11), 11);
	close(fd);
	assert_int_equal(make(PUSH_PARCA, header_file), -EINVAL);
	push_attempt_end(&attempt);
	assert_int_equal(make(PUSH_PARCA, "/nonexistent/token"), -ENOENT);
}

TEST(status_of_http)
{
	static const struct {
		const char *line;
		long status;
	} answers[] = { { "200 OK", 200 }, { "204 No Content", 204 }, { "429 Slow", 429 },
			{ "503 Later", 503 } };
	char answer[128];

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		snprintf(answer, sizeof(answer), "HTTP/1.1 %s\r\ngrpc-status: 3\r\n" EMPTY, answers[i].line);
		assert_int_equal(status_of(PUSH_PYROSCOPE, answer), answers[i].status);
		again();
	}
}

TEST(seconds_to_be_left_alone)
{
	static const struct {
		const char *header;
		double seconds;
	} answers[] = { { "X: y", 0 },
			{ "Retry-After: 7", 7 },
			{ "retry-after: 7", 7 },
			{ "Retry-After: 0", 0 },
			{ "Retry-After: -1", 0 },
			{ "Retry-After: x", 0 },
			{ "Retry-After: 9999999999", PUSH_RETRY_AFTER_MAX },
			{ "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT", 0 },
			{ "Retry-After: Fri, 31 Dec 2100 23:59:59 GMT", PUSH_RETRY_AFTER_MAX } };
	char answer[128];

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		snprintf(answer, sizeof(answer), "HTTP/1.1 503 Later\r\n%s\r\n" EMPTY, answers[i].header);
		server_start(answer);
		assert_int_equal(make(PUSH_OTLP, NULL), 0);
		turn_until_end();
		if (push_attempt_retry_after(&attempt) != answers[i].seconds)
			fail_msg("%s: %f", answers[i].header, push_attempt_retry_after(&attempt));
		transfers_remove(transfers, attempt.easy);
		again();
	}
}

/* "0" is a delivery, and nothing that only looks like it. */
TEST(grpc_statuses_that_are_none)
{
	static const char *const texts[] = { "",	" ",   "-1",  "0x0",	    "\033[2J",
					     "000", "0 0", "zero", "4294967296" };
	char answer[128];

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\ngrpc-status: %s\r\n" EMPTY, texts[i]);
		assert_int_equal(status_of(PUSH_PARCA_GRPC, answer), 502);
		again();
		snprintf(answer, sizeof(answer),
			 "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\ngrpc-status:%-26s\r\n", texts[i]);
		assert_int_equal(status_of(PUSH_PARCA_GRPC, answer), 502);
		again();
	}
	assert_int_equal(status_of(PUSH_PARCA_GRPC, "HTTP/1.1 200 OK\r\ngrpc-status:  00 \r\n" EMPTY), 200);
}

/* gRPC's own numbers (google.rpc.Code), as grpc-gateway shows them to clients of HTTP. */
TEST(status_of_a_grpc_header)
{
	static const struct {
		int grpc;
		long status;
	} known[] = { { 0, 200 },  { 1, 499 },	{ 2, 500 },  { 3, 400 },  { 4, 504 },  { 5, 404 },
		      { 6, 409 },  { 7, 403 },	{ 8, 429 },  { 9, 412 },  { 10, 409 }, { 11, 400 },
		      { 12, 501 }, { 13, 500 }, { 14, 503 }, { 15, 500 }, { 16, 401 }, { 17, 502 },
		      { -3, 502 }, { 2147483647, 502 } };
	char answer[128];

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\nGrpc-Status: %d\r\n" EMPTY,
			 known[i].grpc);
		assert_int_equal(status_of(PUSH_PARCA_GRPC, answer), known[i].status);
		again();
	}
	/* What is in front of it did not work, whatever it says of gRPC. */
	assert_int_equal(status_of(PUSH_PARCA_GRPC, "HTTP/1.1 503 Later\r\ngrpc-status: 0\r\n" EMPTY), 503);
}

/*
 * gRPC-Web may put it behind the message, in a frame whose first byte is 0x80. Nothing at all is no success.
 */
TEST(status_behind_a_grpc_answer)
{
	assert_int_equal(status_of(PUSH_PARCA_GRPC, "HTTP/1.1 200 OK\r\nContent-Length: 23\r\n\r\n"
						    "\x80\x7f\x7f\x7f\x12grpc-status: 13\r\n "),
			 500);
	again();
	assert_int_equal(status_of(PUSH_PARCA_GRPC, "HTTP/1.1 200 OK\r\n" EMPTY), 502);
}

/* For the log: the beginning, as text. */
TEST(keeps_the_beginning_of_an_answer)
{
	static char answer[2048];
	size_t header;

	assert_int_equal(status_of(PUSH_PARCA, "HTTP/1.1 400 No\r\nContent-Length: 8\r\n\r\ntoo late"), 400);
	assert_string_equal(attempt.answer, "too late");
	again();
	header = sprintf(answer, "HTTP/1.1 400 No\r\nContent-Length: 1500\r\n\r\n");
	memset(answer + header, 'x', 1500);
	assert_int_equal(status_of(PUSH_PARCA, answer), 400);
	assert_int_equal(strlen(attempt.answer), sizeof(attempt.answer) - 1);
	assert_int_equal(strspn(attempt.answer, "x"), sizeof(attempt.answer) - 1);
}

TEST(memory_runs_short)
{
	int failures = 0, err;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	server.port = 1;
	for (int n = 0;; n++) {
		allocations_left = n;
		err = make(PUSH_PARCA_GRPC, header_file);
		allocations_left = -1;
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		push_attempt_end(&attempt);
		assert_null(attempt.easy);
		failures++;
	}
	assert_true(failures > 10);
}

AROUND_EACH(setup, teardown);
AROUND_ALL(server_begin, NULL);
