/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * messages.h - messages of JSON-RPC 2.0, one a line: those that come in, of unknown origin and form, and
 * those that go out.
 */
#ifndef PYPERF_MCP_MESSAGES_H
#define PYPERF_MCP_MESSAGES_H

#include <stddef.h>

#define MESSAGE_DEPTH_MAX 16

enum {
	RPC_PARSE_ERROR = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_METHOD_NOT_FOUND = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_INTERNAL_ERROR = -32603,
	RPC_BUSY = -32000, /* of the server's own range */
};

struct json_object;

struct message {
	struct json_object *root;   /* to be put */
	struct json_object *id;	    /* a string or a whole number; NULL = it is a notification */
	const char *method;	    /* NULL = it is an answer, to a question that was never asked */
	struct json_object *params; /* an object; NULL = there are none */
};

/*
 * Reads one; line[size] is 0. Returns 0; or an RPC_ code with one line in *ret_error, and then id is set
 * where it could be found. Put root in each case.
 */
int message_read(const char *line, size_t size, struct message *ret, const char **ret_error);

/* Write one to stdout. id: NULL where it is not known. 0 or -errno. */
int message_send_result(struct json_object *id, const char *result, size_t size);
/* That `done` of `all` seconds are over, of a request that had this token of a string or a whole number. */
int message_send_progress(struct json_object *token, double done, double all);
int message_send_error(struct json_object *id, int code, const char *text);

#endif
