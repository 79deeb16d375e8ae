/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * headers.h - the header file of a push, such as a token that somebody renews.
 */
#ifndef PYPERF_EXPORT_PUSH_HEADERS_H
#define PYPERF_EXPORT_PUSH_HEADERS_H

#include <stddef.h>
#include <curl/curl.h>

/*
 * Appends the file's lines "Name: value" to the list; empty ones and those that begin with # are left out.
 * -errno of open or read, -EFBIG, -EINVAL for another line, -ENOMEM; then *list may have some of them.
 */
int push_headers_read(const char *path, size_t bytes_max, struct curl_slist **list);

#endif
