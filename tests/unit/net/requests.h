/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * requests.h - requests by transfers.c in the hands of a caller that polls, as the tests of it use them.
 * Include it in one file of a test only.
 */
#ifndef PYPERF_TESTS_REQUESTS_H
#define PYPERF_TESTS_REQUESTS_H

#include "net/transfers.h"
#include "tests/forge/http_server.h"

#define AT_ONCE 4

struct request {
	CURL *easy;
	char url[96], error[CURL_ERROR_SIZE], body[256];
	size_t body_size;
	bool refuse_body;
	struct transfer_headers answered;
	int ends;
	CURLcode code; /* of its end */
};

static struct transfers *transfers;
static struct request requests[8];

static inline void on_end(void *context, CURL *easy, CURLcode code)
{
	struct request *r = NULL;

	assert_ptr_equal(context, &transfers);
	assert_int_equal(curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&r), CURLE_OK);
	assert_ptr_equal(r->easy, easy);
	r->ends++;
	r->code = code;
}

static inline size_t on_body(char *data, size_t size, size_t n, void *context)
{
	struct request *r = context;

	if (r->refuse_body)
		return 0;
	assert_true(r->body_size + size * n < sizeof(r->body));
	memcpy(r->body + r->body_size, data, size * n);
	r->body_size += size * n;
	return size * n;
}

static inline int setup(void **state)
{
	(void)state;
	memset(requests, 0, sizeof(requests));
	return transfers_open(&transfers, AT_ONCE, on_end, &transfers);
}

static inline void end(struct request *r)
{
	if (!r->easy)
		return;
	transfers_remove(transfers, r->easy);
	curl_easy_cleanup(r->easy);
	r->easy = NULL;
}

static inline int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		end(&requests[i]);
	transfers_close(transfers);
	transfers = NULL;
	server_stop();
	return 0;
}

static inline struct transfer to(struct request *r, const char *scheme, unsigned short port)
{
	snprintf(r->url, sizeof(r->url), "%s://127.0.0.1:%u/x", scheme, port);
	return (struct transfer){
		.url = r->url,
		.protocols = CURLPROTO_HTTP | CURLPROTO_HTTPS,
		.timeout_seconds = 60,
		.answered = &r->answered,
		.error = r->error,
		.on_body = on_body,
		.context = r,
		.private = r,
	};
}

static inline void add(struct request *r, struct transfer t)
{
	r->easy = curl_easy_init();
	assert_non_null(r->easy);
	assert_int_equal(transfer_prepare(r->easy, &t), CURLE_OK);
	assert_int_equal(transfers_add(transfers, r->easy), 0);
}

/* One turn of a caller's loop. */
static inline void turn(void)
{
	struct pollfd fd = { .fd = transfers_fd(transfers), .events = POLLIN };

	poll(&fd, 1, transfers_timeout_ms(transfers_due(transfers)));
	transfers_run(transfers);
}

static inline void turn_until_end(const struct request *r)
{
	while (!r->ends)
		turn();
	assert_int_equal(r->ends, 1);
}

static inline long status(const struct request *r)
{
	long ret = 0;

	curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &ret);
	return ret;
}

/* A proxy that whoever runs the tests may have set is not for them; nor do they end in a signal, or never. */
static inline void prepare(void)
{
	signal(SIGPIPE, SIG_IGN);
	alarm(120);
	unsetenv("http_proxy");
	unsetenv("https_proxy");
	unsetenv("HTTPS_PROXY");
	unsetenv("all_proxy");
	unsetenv("ALL_PROXY");
}

#endif
