/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answer.h - what goes back to a client. All of it is in memory first, so a length can be given, and a client
 * that is slow costs nothing but that memory.
 */
#ifndef PYPERF_HTTP_ANSWER_H
#define PYPERF_HTTP_ANSWER_H

#include <microhttpd.h>
#include <stddef.h>
#include <linux/types.h>

struct buf;

#define TYPE_TEXT "text/plain; charset=utf-8"
#define TYPE_HTML "text/html; charset=utf-8"
#define TYPE_JSON "application/json"

/* How many there were. */
struct answer_counts {
	__u64 answers;	/* with a status below 400 */
	__u64 refusals; /* others */
};

/* Who gets an answer, and where that is counted. */
struct client {
	struct MHD_Connection *connection;
	struct answer_counts *counts;
};

/* Takes over what is in body. */
enum MHD_Result answer_buf(const struct client *c, unsigned int status, const char *type, struct buf *body);
/* The same, with one more header. */
enum MHD_Result answer_buf_with(const struct client *c, unsigned int status, const char *type,
				struct buf *body, const char *header, const char *value);
/* For data that stays. */
enum MHD_Result answer_static(const struct client *c, const char *type, const void *data, size_t size);
/* A line of text; the newline is added. */
enum MHD_Result answer_line(const struct client *c, unsigned int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* For an -errno of our own. */
enum MHD_Result answer_failure(const struct client *c, int err);

#endif
