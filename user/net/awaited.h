/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * awaited.h - one HTTP request by libcurl that is waited for, for commands that do nothing else meanwhile.
 * Who answers may be anybody: what comes is bounded, in size and in time.
 */
#ifndef PYPERF_NET_AWAITED_H
#define PYPERF_NET_AWAITED_H

#include <stddef.h>

#include "base/buf.h"

/* Texts are borrowed. */
struct awaited {
	const char *url;	 /* http:// or https:// */
	const char *type;	 /* Content-Type of the body */
	const struct buf *body;	 /* to be POSTed; NULL: a GET */
	const char *token;	 /* NULL = none is shown */
	const char *header_file; /* whose lines are sent along (headers_read()); NULL = none */
	const char *tenant;	 /* X-Scope-OrgID; NULL = none is named */
	const char *ca_file;	 /* PEM certificates to trust; NULL = the system's */
	long seconds;		 /* until it is given up */
	/* Gets each line of the answer's headers, without a NUL; NULL = nobody reads them. */
	void (*on_header)(const char *data, size_t size, void *context);
	void *context;
};

/*
 * Appends the body of an answer to `answer`, up to its size_max, and puts its status into *status. 0; -EFBIG;
 * -ENOMEM; or -EIO, and why it failed is one line in error.
 */
int awaited_send(const struct awaited *q, struct buf *answer, long *status, char *error, size_t size);

#endif
