/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * transfers.h - our own HTTP requests while they are under way, by libcurl. Nothing here waits: the owner polls
 * transfers_fd() and calls transfers_run(). Certificates of https are verified and redirects are not followed.
 */
#ifndef PYPERF_NET_TRANSFERS_H
#define PYPERF_NET_TRANSFERS_H

#include <curl/curl.h>
#include <stdbool.h>

#include "base/cleanup.h"

/* What every request says, whatever it is for. Borrowed until the request has ended. */
struct transfer {
	const char *url;
	const char *protocols; /* as CURLOPT_PROTOCOLS_STR: "https" */
	struct curl_slist *headers;
	const char *ca_file; /* PEM certificates to trust; NULL = the system's */
	bool insecure;	     /* whoever answers is trusted */
	long timeout_seconds;
	char *error; /* CURL_ERROR_SIZE bytes */
	size_t (*on_body)(char *data, size_t size, size_t n, void *context);
	void *context;
	void *owner; /* CURLINFO_PRIVATE */
};

/* CURLE_OK or what libcurl refused, mostly for want of memory. */
CURLcode transfer_prepare(CURL *easy, const struct transfer *t);

struct transfers;

/*
 * on_end is called by transfers_run() when a request has ended; it is still to be removed. at_once: how many the owner
 * has at work at a time; as many connections are kept open for its next ones. -errno.
 */
int transfers_open(struct transfers **ret, long at_once, void (*on_end)(void *context, CURL *easy, CURLcode code),
		   void *context);
/* NULL is fine. Those that were added have been removed. */
void transfers_close(struct transfers *t);

/* 0 or -ENOMEM. */
int transfers_add(struct transfers *t, CURL *easy);
/* The socket is closed once the handle is freed, so a late answer is nobody's. */
void transfers_remove(struct transfers *t, CURL *easy);

/* Readable (level-triggered) when transfers_run() has something to do. The same for its whole life. */
int transfers_fd(const struct transfers *t);
/* When transfers_run() is due in any case (CLOCK_MONOTONIC), 0 = never. */
double transfers_due(const struct transfers *t);
void transfers_run(struct transfers *t);

/* Milliseconds until then, as poll() wants them; 0 = never: -1. */
int transfers_timeout_ms(double when);

#endif
