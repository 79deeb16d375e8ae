/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * headers.h - reads the header file of a push. It may have a token, which somebody renews.
 */
#ifndef PYPERF_EXPORT_PUSH_HEADERS_H
#define PYPERF_EXPORT_PUSH_HEADERS_H

#include <stddef.h>
#include <curl/curl.h>

/*
 * Appends the file's lines "Name: value" to the list. Empty lines, and those that begin with #, are left out.
 * 0; the -errno of open or read; -EFBIG beyond bytes_max; -EINVAL for any other line; -ENOMEM. After a
 * failure *list may have some of the lines.
 */
int push_headers_read(const char *path, size_t bytes_max, struct curl_slist **list);

#endif
