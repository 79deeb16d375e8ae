/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answer.h - what goes back to a client. All of it is in memory first, so a length can be given, and a client
 * that is slow costs nothing but that memory.
 */
#ifndef PYPERF_HTTP_ANSWER_H
#define PYPERF_HTTP_ANSWER_H

#include "base/buf.h"
#include "http/internal.h"

#define TYPE_TEXT "text/plain; charset=utf-8"
#define TYPE_HTML "text/html; charset=utf-8"
#define TYPE_JSON "application/json"

/* Takes over what is in body. */
enum MHD_Result answer_buf(struct visit *v, unsigned int status, const char *type, struct buf *body);
/* The same, with one more header. */
enum MHD_Result answer_buf_with(struct visit *v, unsigned int status, const char *type, struct buf *body,
				const char *header, const char *value);
/* For data that stays. */
enum MHD_Result answer_static(struct visit *v, const char *type, const void *data, size_t size);
/* A line of text; the newline is added. */
enum MHD_Result answer_line(struct visit *v, unsigned int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* For an -errno of our own. */
enum MHD_Result answer_failure(struct visit *v, int err);

#endif
