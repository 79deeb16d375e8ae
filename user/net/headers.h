/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * headers.h - headers of requests, one by one and of a file, and the one of answers that gRPC has. The file
 * may have a token, which somebody renews.
 */
#ifndef PYPERF_NET_HEADERS_H
#define PYPERF_NET_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <curl/curl.h>

/* Appends a line "Name: value". 0 or -ENOMEM, and then the list is as it was. */
int headers_add(struct curl_slist **list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Appends the file's lines "Name: value" to the list. Empty lines, and those that begin with #, are left out.
 * 0; the -errno of open or read; -EFBIG beyond bytes_max; -EINVAL for any other line; -ENOMEM. After a
 * failure *list may have some of the lines.
 */
int headers_read(const char *path, size_t bytes_max, struct curl_slist **list);

#define GRPC_OK	       0
#define GRPC_NO_STATUS 99 /* is none of gRPC's: what was answered is no number of theirs */

/*
 * Whether a line of an answer, which need not be terminated, is "grpc-status: N". Then *ret_status is N, of
 * two digits at most, or GRPC_NO_STATUS: only who says 0 has succeeded.
 */
bool headers_grpc_status(const char *line, size_t size, int *ret_status);

#endif
