// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_messages.c - lines that are messages, and lines that are none: each has one code, and one sentence.
 */
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "mcp/messages.h"
#include "tests/forge/test.h"

static void refuse(const char *line, int wanted, bool has_id)
{
	struct message m;
	const char *error = NULL;
	int code = message_read(line, strlen(line), &m, &error);

	if (code != wanted || !error || !m.id != !has_id)
		fail_msg("%s: %d, '%s'", line, code, error);
	json_object_put(m.root);
}

TEST(what_is_none)
{
	refuse("nonsense", RPC_PARSE_ERROR, false);
	refuse("{\"jsonrpc\":\"2.0\"", RPC_PARSE_ERROR, false);
	refuse("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"} x", RPC_PARSE_ERROR, false);
	refuse("{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", RPC_PARSE_ERROR, false);
	refuse("[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]", RPC_PARSE_ERROR, false);
	refuse("[]", RPC_INVALID_REQUEST, false);
	refuse("5", RPC_INVALID_REQUEST, false);
	refuse("null", RPC_INVALID_REQUEST, false);
	refuse("{\"id\":1,\"method\":\"a\"}", RPC_INVALID_REQUEST, true);
	refuse("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"a\"}", RPC_INVALID_REQUEST, true);
	refuse("{\"jsonrpc\":\"2.0\",\"id\":1}", RPC_INVALID_REQUEST, true);
	refuse("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", RPC_INVALID_REQUEST, true);
	refuse("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", RPC_INVALID_REQUEST, false);
	refuse("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"a\"}", RPC_INVALID_REQUEST, false);
	refuse("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"a\"}", RPC_INVALID_REQUEST, false);
	refuse("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[1]}", RPC_INVALID_REQUEST, true);
}

TEST(a_byte_of_0)
{
	static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\0{}";
	struct message m;
	const char *error;

	assert_int_equal(message_read(line, sizeof(line) - 1, &m, &error), RPC_PARSE_ERROR);
	json_object_put(m.root);
}

TEST(an_id_that_is_too_long)
{
	char line[512];

	snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":\"%0300d\",\"method\":\"a\"}", 1);
	refuse(line, RPC_INVALID_REQUEST, false);
}

static void accept(const char *line, const char *method, bool has_id, bool has_params)
{
	struct message m;
	const char *error;
	int code = message_read(line, strlen(line), &m, &error);

	if (code)
		fail_msg("%s: %s", line, error);
	assert_int_equal(!m.id, !has_id);
	assert_int_equal(!m.params, !has_params);
	if (method)
		assert_string_equal(m.method, method);
	else
		assert_null(m.method);
	json_object_put(m.root);
}

TEST(what_is_one)
{
	accept("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"a\"}", "a", true, false);
	accept(" {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"a/b\",\"params\":{}} \r", "a/b", true, true);
	accept("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}", "a", false, false);
	accept("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", NULL, true, false);
	accept("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", NULL, true, false);
}
