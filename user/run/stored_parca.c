// SPDX-License-Identifier: GPL-2.0-only
/*
 * stored_parca.c - asks a Parca: calls of its QueryService (parca/query/v1alpha1/query.proto there), as
 * gRPC-Web over HTTP/1.1: a message in a frame, and behind it one with the status, which may stand in a
 * header, too.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/protobuf.h"
#include "base/wire.h"
#include "net/headers.h"
#include "run/stored_ask.h"

#define SERVICE	    "/parca.query.v1alpha1.QueryService/"
#define FRAME_SIZE  5 /* flags, and how long it is, the highest byte first */
#define IS_TRAILER  0x80
#define NOT_FOUND   5 /* of gRPC's statuses */

/* QueryRequest.mode, .merge, .report_type; MergeProfile; Timestamp; ValuesRequest; their answers. */
enum { FIELD_MODE = 1, FIELD_MERGE = 3, FIELD_REPORT = 5, MODE_MERGE = 2, REPORT_PPROF = 1 };
enum { FIELD_QUERY = 1, FIELD_START = 2, FIELD_END = 3, FIELD_SECONDS = 1, FIELD_NANOS = 2 };
enum { FIELD_LABEL = 1, FIELD_MATCH = 2, FIELD_VALUES_START = 3, FIELD_VALUES_END = 4 };
enum { FIELD_PPROF = 6, FIELD_VALUE = 1 };

struct grpc_status {
	int code; /* -1: it has not come */
	char message[200];
};

/* "grpc-status: 5" or "grpc-message: ...", of whatever length */
static void take_line(const char *data, size_t size, void *context)
{
	struct grpc_status *s = context;
	char line[sizeof(s->message)];
	const char *value;

	snprintf(line, sizeof(line), "%.*s", (int)(size < sizeof(line) ? size : sizeof(line) - 1), data);
	line[strcspn(line, "\r\n")] = '\0';
	value = strchr(line, ':') ? strchr(line, ':') + 1 : "";
	value += strspn(value, " ");
	if (headers_grpc_status(line, strlen(line), &s->code))
		return;
	if (!strncasecmp(line, "grpc-message:", strlen("grpc-message:")))
		snprintf(s->message, sizeof(s->message), "%s", value);
}

static void take_trailer(struct wire frame, struct grpc_status *s)
{
	while (frame.at < frame.end) {
		const __u8 *end = memchr(frame.at, '\n', frame.end - frame.at) ?: frame.end - 1;

		take_line((const char *)frame.at, end - frame.at, s);
		frame.at = end + 1;
	}
}

/* The message, and the status behind it. */
static int open_frames(struct wire w, struct wire *ret, struct grpc_status *s)
{
	*ret = wire_of(NULL, 0);
	while (w.end - w.at >= FRAME_SIZE) {
		const size_t size = (size_t)w.at[1] << 24 | w.at[2] << 16 | w.at[3] << 8 | w.at[4];
		struct wire frame;

		if (size > (size_t)(w.end - w.at) - FRAME_SIZE)
			return -EBADMSG;
		frame = (struct wire){ w.at + FRAME_SIZE, w.at + FRAME_SIZE + size };
		if (*w.at & IS_TRAILER)
			take_trailer(frame, s);
		else
			*ret = frame;
		w.at = frame.end;
	}
	return w.at == w.end ? 0 : -EBADMSG;
}

static int fail_with_status(const struct stored_asker *a, const struct grpc_status *s)
{
	_cleanup_buf_ struct buf shown = { 0 };

	if (!buf_add_shown(&shown, s->code >= 0 && *s->message ? s->message : "it is no answer of Parca's",
			   false))
		log_error("%.*s: %.*s", (int)strcspn(a->query->url, "?"), a->query->url, (int)shown.size,
			  shown.data ?: "");
	return -EPROTO;
}

/* message: what was answered, of the answer's bytes; nothing where the store has nothing of it. */
static int ask_parca(const struct stored_asker *a, const char *path, const struct buf *message,
		     struct buf *answer, struct wire *ret)
{
	struct grpc_status s = { .code = -1 };
	_cleanup_buf_ struct buf body = { 0 };
	struct awaited r = { .type = "application/grpc-web+proto", .body = &body, .on_header = take_line,
			     .context = &s };
	int err = protobuf_add_grpc_frame(&body, message);

	err = log_failure(err, "the query") ?: stored_ask_post(a, path, &r, answer);
	if (err)
		return err;
	if (open_frames(wire_of(answer->data, answer->size), ret, &s))
		s.code = -1;
	if (s.code == NOT_FOUND)
		*ret = wire_of(NULL, 0);
	return s.code != GRPC_OK && s.code != NOT_FOUND ? fail_with_status(a, &s) : 0;
}

static int add_time(struct buf *to, unsigned int field, __s64 ns)
{
	_cleanup_buf_ struct buf time = { 0 };

	return protobuf_add_number(&time, FIELD_SECONDS, ns / NS_PER_SECOND) ?:
	       protobuf_add_number(&time, FIELD_NANOS, ns % NS_PER_SECOND) ?:
	       protobuf_add_bytes(to, field, time.data, time.size);
}

static int make_query(const struct stored_asker *a, const char *type, const char *selector, struct buf *ret)
{
	_cleanup_buf_ struct buf query = { 0 }, merge = { 0 };

	return buf_printf(&query, "%s%s", type, selector) ?:
	       protobuf_add_bytes(&merge, FIELD_QUERY, query.data, query.size) ?:
	       add_time(&merge, FIELD_START, a->query->from_ns) ?:
	       add_time(&merge, FIELD_END, a->query->to_ns) ?:
	       protobuf_add_number(ret, FIELD_MODE, MODE_MERGE) ?:
	       protobuf_add_bytes(ret, FIELD_MERGE, merge.data, merge.size) ?:
	       protobuf_add_number(ret, FIELD_REPORT, REPORT_PPROF);
}

/* What is in a field of the message becomes all of the answer. */
static int keep_field(struct wire message, __u32 number, struct buf *answer)
{
	struct wire found = wire_of(NULL, 0);
	struct wire_field f;
	int more;

	while ((more = wire_next(&message, &f)) > 0)
		if (f.number == number && f.type == WIRE_BYTES)
			found = f.bytes;
	if (found.end > found.at)
		memmove(answer->data, found.at, found.end - found.at);
	answer->size = found.end - found.at;
	return more;
}

int stored_parca_profile(const struct stored_asker *a, const char *type, const char *selector,
			 struct buf *answer)
{
	_cleanup_buf_ struct buf message = { 0 };
	struct wire found;
	int err = log_failure(make_query(a, type, selector, &message), "the query");

	err = err ?: ask_parca(a, SERVICE "Query", &message, answer, &found);
	if (err)
		return err;
	return keep_field(found, FIELD_PPROF, answer) < 0 ?
		       fail_with_status(a, &(struct grpc_status){ -1, "" }) :
		       0;
}

int stored_parca_nodes(const struct stored_asker *a, const char *label, struct buf *ret)
{
	_cleanup_buf_ struct buf message = { 0 }, match = { 0 }, answer = { .size_max = STORED_ANSWER_MAX };
	struct wire_field f;
	struct wire found;
	int more = 0;
	int err = buf_printf(&match, "%s%s", a->query->type, a->query->selector) ?:
		  protobuf_add_text(&message, FIELD_LABEL, label) ?:
		  protobuf_add_bytes(&message, FIELD_MATCH, match.data, match.size) ?:
		  add_time(&message, FIELD_VALUES_START, a->query->from_ns) ?:
		  add_time(&message, FIELD_VALUES_END, a->query->to_ns);

	err = log_failure(err, "the query") ?: ask_parca(a, SERVICE "Values", &message, &answer, &found);
	while (!err && (more = wire_next(&found, &f)) > 0)
		if (f.number == FIELD_VALUE && f.type == WIRE_BYTES)
			err = stored_ask_add_name(f.bytes, ret);
	return err ?: more < 0 ? fail_with_status(a, &(struct grpc_status){ -1, "" }) : 0;
}
