/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * transfers.h - HTTP requests of ours while they are under way, by libcurl. Nothing here waits: the caller
 * polls transfers_fd() and calls transfers_run(). Certificates of https are verified, and redirects are not
 * followed.
 */
#ifndef PYPERF_NET_TRANSFERS_H
#define PYPERF_NET_TRANSFERS_H

#include <curl/curl.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/cleanup.h"

#define TRANSFER_HEADERS_MAX (1 << 20) /* bytes of an answer's headers, also of those behind its body */

/* What is kept of an answer's headers. It begins with 0 bytes, and lives as long as the request. */
struct transfer_headers {
	size_t bytes;						       /* that have come */
	void (*on_line)(const char *data, size_t size, void *context); /* NULL = nobody reads them */
	void *context;
};

/* The settings that every request has, whatever it is for. They are borrowed until the request has ended. */
struct transfer {
	const char *url;
	long protocols; /* CURLPROTO_ bits, which libcurl knows since 7.19 */
	struct curl_slist *headers;
	const struct buf *body;		   /* to be POSTed; NULL: a GET */
	struct transfer_headers *answered; /* beyond TRANSFER_HEADERS_MAX the request fails */
	const char *ca_file;		   /* PEM certificates to trust; NULL = the system's */
	bool insecure;			   /* whoever answers is trusted: no certificate is verified */
	long timeout_seconds;
	char *error; /* CURL_ERROR_SIZE bytes */
	size_t (*on_body)(char *data, size_t size, size_t n, void *context);
	void *context;
	void *private; /* CURLINFO_PRIVATE */
};

/* Tells libcurl all of it. CURLE_OK, or why libcurl refused something, mostly for want of memory. */
CURLcode transfer_prepare(CURL *easy, const struct transfer *t);

struct transfers;

/*
 * transfers_run() calls on_end when a request has ended; the caller then removes it. at_once is how many the
 * caller has under way at a time; as many connections are kept open for its next ones. 0 or -errno; those of
 * libcurl_open() among them, which libcurl_strerror() says in words.
 */
int transfers_open(struct transfers **ret, long at_once,
		   void (*on_end)(void *context, CURL *easy, CURLcode code), void *context);
/* The caller has removed everything that it added. NULL is fine. */
void transfers_close(struct transfers *t);

/* Starts the request. 0 or -ENOMEM. */
int transfers_add(struct transfers *t, CURL *easy);
/*
 * Ends the request. The socket is closed once the handle is freed, so nobody gets an answer that comes late.
 */
void transfers_remove(struct transfers *t, CURL *easy);

/* A descriptor, the same for its whole life, that is readable when transfers_run() has something to do. */
int transfers_fd(const struct transfers *t);
/* When transfers_run() is due in any case, CLOCK_MONOTONIC, s; 0 = never. */
double transfers_due(const struct transfers *t);
void transfers_run(struct transfers *t);

/* Milliseconds until that time, as poll() wants them; -1 for a time of 0, which means never. */
int transfers_timeout_ms(double when);

#endif
