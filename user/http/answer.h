/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answer.h - what goes back to a client. An answer is whole in memory before it is sent, so its length can be
 * given, and a slow client costs nothing but that memory. All functions return what MHD's handler is to
 * return.
 */
#ifndef PYPERF_HTTP_ANSWER_H
#define PYPERF_HTTP_ANSWER_H

#include <microhttpd.h>
#include <stddef.h>
#include <linux/types.h>

struct buf;

#define ANSWER_SERVER "pyperf-bpf" /* the header Server, by which client_is_profiler() knows one */

#define TYPE_TEXT "text/plain; charset=utf-8"
#define TYPE_HTML "text/html; charset=utf-8"
#define TYPE_JSON "application/json"

/* How many answers there were. */
struct answer_counts {
	__u64 answers;	/* with a status below 400 */
	__u64 refusals; /* with any other */
};

/* The client that gets an answer, and the counts of answers. */
struct client {
	struct MHD_Connection *connection;
	struct answer_counts *counts;
};

/* Sends what is in body, and takes it over. type is a Content-Type. */
enum MHD_Result answer_buf(const struct client *c, unsigned int status, const char *type, struct buf *body);
/* A header that an answer has besides. */
struct answer_header {
	const char *name, *value;
};

/* As answer_buf(), with more headers: as many as have a name. */
enum MHD_Result answer_buf_with(const struct client *c, unsigned int status, const char *type,
				struct buf *body, const struct answer_header *headers);
/* Sends data that stays where it is for ever. */
enum MHD_Result answer_static(const struct client *c, const char *type, const void *data, size_t size);
/* Sends a line of text and a newline. What is foreign in it may be hostile. */
enum MHD_Result answer_line(const struct client *c, unsigned int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * An answer that is sent more than once: made of what is in body, which it takes over, and released by
 * MHD_destroy_response(). NULL: no memory, and body is as it was.
 */
struct MHD_Response *answer_make(const char *type, struct buf *body);
/* The headers that every answer has, and its Content-Type; the functions above have them in theirs. */
void answer_add_headers(struct MHD_Response *r, const char *type);
enum MHD_Result answer_send(const struct client *c, unsigned int status, struct MHD_Response *r);
/* Says that the profiler itself failed, with this -errno. */
enum MHD_Result answer_failure(const struct client *c, int err);

#endif
