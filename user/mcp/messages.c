// SPDX-License-Identifier: GPL-2.0-only
#include "mcp/messages.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

#define ID_BYTES_MAX 256

static int parse(const char *line, size_t size, struct json_object **ret, const char **ret_error)
{
	struct json_tokener *tokener = json_tokener_new_ex(MESSAGE_DEPTH_MAX);
	enum json_tokener_error error;
	int code = 0;

	*ret_error = "out of memory";
	if (!tokener)
		return RPC_INTERNAL_ERROR;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*ret = json_tokener_parse_ex(tokener, line, (int)size + 1); /* the 0 ends a number */
	error = json_tokener_get_error(tokener);
	if (error == json_tokener_error_depth)
		*ret_error = "the message is nested too deeply: at most 16 levels";
	else if (error != json_tokener_success || json_tokener_get_parse_end(tokener) != size)
		*ret_error = "the line is not one message of JSON";
	else
		*ret_error = NULL;
	if (*ret_error)
		code = RPC_PARSE_ERROR;
	json_tokener_free(tokener);
	return code;
}

static struct json_object *member_of_type(struct json_object *root, const char *name, enum json_type type)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(root, name, &value);
	return json_object_is_type(value, type) ? value : NULL;
}

static struct json_object *id_of(struct json_object *root)
{
	struct json_object *number = member_of_type(root, "id", json_type_int);
	struct json_object *text = member_of_type(root, "id", json_type_string);

	return text && json_object_get_string_len(text) <= ID_BYTES_MAX ? text : number;
}

int message_read(const char *line, size_t size, struct message *ret, const char **ret_error)
{
	struct json_object *version, *method;
	int code;

	*ret = (struct message){ 0 };
	code = parse(line, size, &ret->root, ret_error);
	if (code)
		return code;
	code = RPC_INVALID_REQUEST;
	*ret_error = "a message is an object, and there are no batches of them";
	if (!json_object_is_type(ret->root, json_type_object))
		return code;
	ret->id = id_of(ret->root);
	*ret_error = "a message has \"jsonrpc\":\"2.0\"";
	version = member_of_type(ret->root, "jsonrpc", json_type_string);
	if (!version || strcmp(json_object_get_string(version), "2.0"))
		return code;
	*ret_error = "id is a whole number, or a text of at most 256 bytes";
	if (!ret->id && json_object_object_get_ex(ret->root, "id", NULL))
		return code;
	*ret_error = "method is a text";
	method = member_of_type(ret->root, "method", json_type_string);
	if (!method && json_object_object_get_ex(ret->root, "method", NULL))
		return code;
	*ret_error = "a message has a method";
	if (!method && !json_object_object_get_ex(ret->root, "result", NULL) &&
	    !json_object_object_get_ex(ret->root, "error", NULL))
		return code;
	ret->method = method ? json_object_get_string(method) : NULL;
	ret->params = member_of_type(ret->root, "params", json_type_object);
	*ret_error = "params is an object";
	if (!ret->params && json_object_object_get_ex(ret->root, "params", NULL))
		return code;
	*ret_error = NULL;
	return 0;
}

static int write_all(const struct buf *b)
{
	size_t done = 0;

	while (done < b->size) {
		const ssize_t n = write(STDOUT_FILENO, b->data + done, b->size - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? n : 0;
	}
	return 0;
}

static int add_reply_head(struct json_object *id, struct buf *out)
{
	const char *text = id ? json_object_to_json_string_ext(id, JSON_C_TO_STRING_PLAIN) : "null";

	return !text ? -ENOMEM :
	       buf_add_string(out, "{\"jsonrpc\":\"2.0\",\"id\":") ?: buf_add_string(out, text);
}

int message_send_result(struct json_object *id, const char *result, size_t size)
{
	_cleanup_buf_ struct buf out = { 0 };
	int err = add_reply_head(id, &out) ?: buf_add_string(&out, ",\"result\":") ?:
		  buf_add(&out, result, size) ?: buf_add_string(&out, "}\n");

	return err ?: write_all(&out);
}

int message_send_error(struct json_object *id, int code, const char *text)
{
	_cleanup_buf_ struct buf out = { 0 };
	int err = add_reply_head(id, &out) ?:
		  buf_printf(&out, ",\"error\":{\"code\":%d,\"message\":", code) ?:
		  buf_add_json(&out, text) ?: buf_add_string(&out, "}}\n");

	return err ?: write_all(&out);
}

int message_send_progress(struct json_object *token, double done, double all)
{
	const char *text = json_object_to_json_string_ext(token, JSON_C_TO_STRING_PLAIN);
	_cleanup_buf_ struct buf out = { 0 };
	int err;

	if (!text)
		return -ENOMEM;
	err = buf_printf(&out,
			 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
			 "{\"progress\":%.1f,\"total\":%.1f,\"progressToken\":",
			 done, all);
	return err ?: buf_add_string(&out, text) ?: buf_add_string(&out, "}}\n") ?: write_all(&out);
}
