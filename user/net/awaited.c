// SPDX-License-Identifier: GPL-2.0-only
#define CURL_DISABLE_DEPRECATION /* CURLPROTO_ bits: see transfers.c */
#include "net/awaited.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "net/headers.h"
#include "net/libcurl.h"
#include "net/transfers.h"

struct answering {
	struct buf *answer;
	int err; /* why no more of it is taken */
};

static size_t on_body(char *data, size_t size, size_t n, void *context)
{
	struct answering *a = context;

	if (a->answer->size_max && a->answer->size + size * n > a->answer->size_max)
		a->err = -EFBIG;
	else
		a->err = buf_add(a->answer, data, size * n);
	return a->err ? 0 : size * n;
}

#define HEADERS_MAX 65536 /* bytes of the file */

static int make_headers(const struct awaited *q, struct curl_slist **list, char *error, size_t size)
{
	int err = q->header_file ? headers_read(q->header_file, HEADERS_MAX, list) : 0;

	if (err && err != -ENOMEM) {
		snprintf(error, size, "%s: %s", q->header_file,
			 err == -EINVAL ? "a line is not 'Name: value'" : strerror(-err));
		return -EIO;
	}
	err = err ?: q->type ? headers_add(list, "Content-Type: %s", q->type) : 0;
	err = err ?: q->token ? headers_add(list, "Authorization: Bearer %s", q->token) : 0;
	return err ?: q->tenant ? headers_add(list, "X-Scope-OrgID: %s", q->tenant) : 0;
}

static int send_it(CURL *e, const struct awaited *q, struct curl_slist *headers, struct answering *a,
		   long *status, char *error, size_t size)
{
	char why[CURL_ERROR_SIZE] = "";
	struct transfer_headers answered = { .on_line = q->on_header, .context = q->context };
	struct transfer t = {
		.url = q->url,
		.protocols = CURLPROTO_HTTP | CURLPROTO_HTTPS,
		.headers = headers,
		.body = q->body,
		.answered = &answered,
		.ca_file = q->ca_file,
		.timeout_seconds = q->seconds,
		.error = why,
		.on_body = on_body,
		.context = a,
	};
	CURLcode c = transfer_prepare(e, &t) ?: curl_easy_perform(e);

	if (a->err)
		return a->err;
	if (c) {
		snprintf(error, size, "%s", *why ? why : curl_easy_strerror(c));
		return c == CURLE_OUT_OF_MEMORY ? -ENOMEM : -EIO;
	}
	curl_easy_getinfo(e, CURLINFO_RESPONSE_CODE, status);
	return 0;
}

int awaited_send(const struct awaited *q, struct buf *answer, long *status, char *error, size_t size)
{
	struct answering a = { .answer = answer };
	struct curl_slist *headers = NULL;
	int err = libcurl_open();
	CURL *e;

	if (err) {
		snprintf(error, size, "%s", libcurl_strerror(err));
		return -EIO;
	}
	e = curl_easy_init();
	err = e ? make_headers(q, &headers, error, size) : -ENOMEM;
	err = err ?: send_it(e, q, headers, &a, status, error, size);
	curl_easy_cleanup(e);
	curl_slist_free_all(headers);
	return err;
}
