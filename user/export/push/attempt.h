/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * attempt.h - one request of a push and its answer, as libcurl has it. For push.c alone.
 */
#ifndef PYPERF_EXPORT_PUSH_ATTEMPT_H
#define PYPERF_EXPORT_PUSH_ATTEMPT_H

#include <curl/curl.h>

#include "export/push/push.h"
#include "net/transfers.h"

struct push_attempt {
	CURL *easy; /* under way; else NULL */
	struct curl_slist *headers;
	struct buf url, body;
	enum push_format format;
	bool has_credentials; /* in a header */
	int grpc_status;      /* of a header; -1 = none */
	char answer[1024];    /* the beginning of it, NUL-terminated once it has ended */
	size_t answer_size;
	struct transfer_headers answered;
	char error[CURL_ERROR_SIZE];
};

/*
 * Makes the request. CURLINFO_PRIVATE is `private`. 0; the -errno of reading the header file;
 * -ENOMEM. The caller calls push_attempt_end() after a failure too.
 */
int push_attempt_make(struct push_attempt *a, const struct push_options *o, const struct push_target *t,
		      const struct push_profile *p, void *private);
void push_attempt_end(struct push_attempt *a);
/* The status of an answer: HTTP's, or the one of HTTP that says what gRPC's does. */
long push_attempt_status(struct push_attempt *a);
/* How many seconds the receiver wants to be left alone (Retry-After); 0 = it did not say. */
double push_attempt_retry_after(const struct push_attempt *a);

#endif
