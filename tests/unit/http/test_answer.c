// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_answer.c - what a client gets, byte by byte: status, headers, body; and how it is counted and timed.
 */
#include "tests/forge/test.h"
#include "tests/unit/http/client.h"

#include "base/buf.h"

static answer_function *answer;

static int setup(void **state)
{
	(void)state;
	counts = (struct answer_counts){ 0 };
	start_server(answer_at_once, &answer, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	stop_server();
	return 0;
}

static const char *answered(answer_function *f)
{
	answer = f;
	return ask(GET("/"));
}

static enum MHD_Result binary(const struct client *c)
{
	struct buf body = {};
	enum MHD_Result result;

	assert_int_equal(buf_add(&body, "\x1f\x8b\0x", 4), 0);
	result = answer_buf_with(c, 200, "application/x-test", &body,
				 (const struct answer_header[]){
					 { "X-More", "a b" },
					 { "X-Two", "2" },
					 { 0 },
				 });
	assert_null(body.data); /* it is the answer's now */
	buf_free(&body);
	return result;
}

TEST(buf_with_a_header)
{
	const char *a = answered(binary);

	assert_int_equal(status_of(a), 200);
	assert_true(has_header(a, "Content-Type: application/x-test"));
	assert_true(has_header(a, "X-Two: 2"));
	assert_true(has_header(a, "Content-Length: 4"));
	assert_true(has_header(a, "X-More: a b"));
	assert_memory_equal(body_of(a), "\x1f\x8b\0x", 4);
}

static enum MHD_Result fixed(const struct client *c)
{
	return answer_static(c, TYPE_HTML, "<p>x</p>tail", 8);
}

/* Nothing of what is shown may be kept, guessed at, or run from elsewhere. */
TEST(headers_of_all)
{
	const char *a = answered(fixed);

	assert_string_equal(body_of(a), "<p>x</p>");
	assert_true(has_header(a, "Content-Type: text/html; charset=utf-8"));
	assert_true(has_header(a, "Cache-Control: no-store"));
	assert_true(has_header(a, "X-Content-Type-Options: nosniff"));
	assert_non_null(strstr(a, "Content-Security-Policy: default-src 'none'; script-src 'self';"));
	assert_false(has_header(a, "Retry-After: 5"));
}

static enum MHD_Result hostile_line(const struct client *c)
{
	return answer_line(c, 400, "no %s", "\x1b[2J\n\xff'");
}

TEST(line_of_foreign_text)
{
	const char *a = answered(hostile_line), *body = body_of(a);

	assert_int_equal(status_of(a), 400);
	assert_true(has_header(a, "Content-Type: text/plain; charset=utf-8"));
	assert_int_equal(strncmp(body, "no ", 3), 0);
	assert_int_equal(body[strlen(body) - 1], '\n');
	for (const char *s = body; s[1]; s++)
		assert_true((unsigned char)*s >= ' ' && *s != 0x7f);
}

static enum MHD_Result long_line(const struct client *c)
{
	char text[5000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	return answer_line(c, 503, "%s", text);
}

TEST(line_that_is_cut)
{
	const char *a = answered(long_line);
	size_t n = strlen(body_of(a));

	assert_int_equal(status_of(a), 503);
	assert_true(has_header(a, "Retry-After: 5"));
	assert_true(n > 600 && n < 5000);
	assert_int_equal(body_of(a)[n - 1], '\n');
}

static enum MHD_Result no_memory(const struct client *c)
{
	return answer_failure(c, -ENOMEM);
}

TEST(failure_of_our_own)
{
	const char *a = answered(no_memory);

	assert_int_equal(status_of(a), 500);
	assert_string_equal(body_of(a), "Cannot allocate memory\n");
}

static enum MHD_Result redirect(const struct client *c)
{
	return answer_line(c, 399, "elsewhere");
}

TEST(counted)
{
	answered(fixed);
	answered(binary);
	answered(redirect);
	assert_int_equal(counts.answers, 3);
	assert_int_equal(counts.refusals, 0);
	answered(hostile_line);
	answered(no_memory);
	assert_int_equal(counts.answers, 3);
	assert_int_equal(counts.refusals, 2);
}

static double deadline_after_answer;

static enum MHD_Result timed(const struct client *c)
{
	enum MHD_Result result = fixed(c);

	deadline_after_answer = connections_next(&connections);
	return result;
}

TEST(client_has_a_minute_to_take_it)
{
	double now = clock_seconds();

	answered(timed);
	assert_true(deadline_after_answer >= now + CONNECTION_ANSWER_SECONDS);
	assert_true(deadline_after_answer <= clock_seconds() + CONNECTION_ANSWER_SECONDS);
}

AROUND_EACH(setup, teardown);
