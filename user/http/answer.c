// SPDX-License-Identifier: GPL-2.0-only
#include "http/answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "http/connections.h"

#define LINE_SIZE 1024 /* of text; what is longer is cut */

/*
 * Names of a hostile process are on the page: nothing but our own script runs there, and it loads only from
 * here.
 */
#define POLICY                                                                                               \
	"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "      \
	"img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

void answer_add_headers(struct MHD_Response *r, const char *type)
{
	MHD_add_response_header(r, "Server", ANSWER_SERVER);
	MHD_add_response_header(r, "Content-Type", type);
	MHD_add_response_header(r, "Cache-Control", "no-store");
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "Content-Security-Policy", POLICY);
}

enum MHD_Result answer_send(const struct client *c, unsigned int status, struct MHD_Response *r)
{
	connection_set_deadline(c->connection, clock_seconds() + CONNECTION_ANSWER_SECONDS);
	if (status < 400)
		c->counts->answers++;
	else
		c->counts->refusals++;
	return MHD_queue_response(c->connection, status, r);
}

static enum MHD_Result send_once(const struct client *c, unsigned int status, const char *type,
				 struct MHD_Response *r)
{
	enum MHD_Result result;

	if (!r)
		return MHD_NO; /* no memory: hang up */
	answer_add_headers(r, type);
	result = answer_send(c, status, r);
	MHD_destroy_response(r);
	return result;
}

static struct MHD_Response *take_body(struct buf *body)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(body->size, body->data, MHD_RESPMEM_MUST_FREE);

	if (r)
		*body = (struct buf){};
	return r;
}

struct MHD_Response *answer_make(const char *type, struct buf *body)
{
	struct MHD_Response *r = take_body(body);

	if (r)
		answer_add_headers(r, type);
	return r;
}

enum MHD_Result answer_buf_with(const struct client *c, unsigned int status, const char *type,
				struct buf *body, const struct answer_header *headers)
{
	struct MHD_Response *r = take_body(body);

	for (const struct answer_header *h = headers; r && h->name; h++)
		MHD_add_response_header(r, h->name, h->value);
	return send_once(c, status, type, r);
}

enum MHD_Result answer_buf(const struct client *c, unsigned int status, const char *type, struct buf *body)
{
	return answer_buf_with(c, status, type, body, (const struct answer_header[]){ { 0 } });
}

enum MHD_Result answer_static(const struct client *c, const char *type, const void *data, size_t size)
{
	return send_once(c, MHD_HTTP_OK, type,
			 MHD_create_response_from_buffer(size, (void *)data, MHD_RESPMEM_PERSISTENT));
}

enum MHD_Result answer_line(const struct client *c, unsigned int status, const char *format, ...)
{
	char line[LINE_SIZE];
	_cleanup_buf_ struct buf body = {};
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (buf_add_shown(&body, line, false) || buf_add_string(&body, "\n"))
		return MHD_NO;
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		return answer_buf_with(c, status, TYPE_TEXT, &body,
				       (const struct answer_header[]){ { "Retry-After", "5" }, { 0 } });
	return answer_buf(c, status, TYPE_TEXT, &body);
}

enum MHD_Result answer_failure(const struct client *c, int err)
{
	return answer_line(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "%s", strerror(-err));
}
