// SPDX-License-Identifier: GPL-2.0-only
#include "export/push/attempt.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "net/headers.h"
#include "net/transfers.h"

static size_t take_answer_part(char *data, size_t size, size_t n, void *context)
{
	struct push_attempt *a = context;
	size_t room = sizeof(a->answer) - 1 - a->answer_size, part = size * n < room ? size * n : room;

	memcpy(a->answer + a->answer_size, data, part);
	a->answer_size += part;
	return size * n;
}

static void on_header(const char *data, size_t size, void *context)
{
	struct push_attempt *a = context;

	headers_grpc_status(data, size, &a->grpc_status);
}

static CURLcode set_request(struct push_attempt *a, const struct push_options *o, void *private)
{
	a->answered = (struct transfer_headers){ .on_line = on_header, .context = a };
	return transfer_prepare(a->easy, &(struct transfer){
						 .url = a->url.data,
						 .protocols = CURLPROTO_HTTP | CURLPROTO_HTTPS,
						 .headers = a->headers,
						 .body = &a->body,
						 .answered = &a->answered,
						 .ca_file = o->ca_file,
						 .timeout_seconds = o->timeout_seconds,
						 .error = a->error,
						 .on_body = take_answer_part,
						 .context = a,
						 .private = private,
					 });
}

static bool are_credentials(const struct curl_slist *headers)
{
	for (; headers; headers = headers->next)
		if (!strncasecmp(headers->data, "Authorization:", strlen("Authorization:")))
			return true;
	return false;
}

static int make_headers(struct push_attempt *a, const struct push_options *o, enum push_format format)
{
	const char *encoding = receiver_rows[format].encoding;
	int err = headers_add(&a->headers, "Content-Type: %s", receiver_rows[format].type);

	if (!err && encoding)
		err = headers_add(&a->headers, "Content-Encoding: %s", encoding);
	if (!err && o->header_file)
		err = headers_read(o->header_file, PUSH_HEADERS_MAX, &a->headers);
	a->has_credentials = are_credentials(a->headers);
	return err;
}

int push_attempt_make(struct push_attempt *a, const struct push_options *o, const struct push_target *t,
		      const struct push_profile *p, void *private)
{
	int err;

	*a = (struct push_attempt){ .grpc_status = -1, .format = t->format };
	a->easy = curl_easy_init();
	if (!a->easy)
		return -ENOMEM;
	err = push_request_make(t, p, &a->url, &a->body) ?: make_headers(a, o, t->format);
	if (!err && set_request(a, o, private))
		err = -ENOMEM;
	return err;
}

void push_attempt_end(struct push_attempt *a)
{
	curl_easy_cleanup(a->easy);
	curl_slist_free_all(a->headers);
	buf_free(&a->url);
	buf_free(&a->body);
	a->easy = NULL;
	a->headers = NULL;
}

/* gRPC has statuses of its own, in a header or, behind the answer, in a frame of text; as HTTP has them. */
static long status_of_grpc(struct push_attempt *a)
{
	static const short http[] = { 200, 499, 500, 400, 504, 404, 409, 403, 429, 412, 409, 400, 501, 500,
				      503, 500, 401 };
	const char *text = memmem(a->answer, a->answer_size, "grpc-status:", 12);

	if (a->grpc_status < 0 && text)
		headers_grpc_status(text, a->answer + a->answer_size - text, &a->grpc_status);
	if (a->grpc_status < 0 || (size_t)a->grpc_status >= ARRAY_SIZE(http))
		return 502;
	return http[a->grpc_status];
}

long push_attempt_status(struct push_attempt *a)
{
	long status = 0;

	a->answer[a->answer_size] = '\0'; /* take_answer_part() leaves room */
	curl_easy_getinfo(a->easy, CURLINFO_RESPONSE_CODE, &status);
	return status == 200 && a->format == PUSH_PARCA_GRPC ? status_of_grpc(a) : status;
}

double push_attempt_retry_after(const struct push_attempt *a)
{
	curl_off_t seconds = 0;

	/* Of a libcurl before 7.66 it stays 0. */
	curl_easy_getinfo(a->easy, CURLINFO_RETRY_AFTER, &seconds);
	return seconds > 0 ? seconds < PUSH_RETRY_AFTER_MAX ? seconds : PUSH_RETRY_AFTER_MAX : 0;
}
