// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_answer.c - what a command said, as an answer: what is asked for stays, and what was cut is said.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "mcp/answer.h"
#include "tests/forge/test.h"

static struct json_object *parse(const char *text)
{
	struct json_object *root = answer_parse(text, strlen(text));

	assert_non_null(root);
	return root;
}

static void shape(int tool, const char *given, const char *text, const char *wanted, const char *cut)
{
	struct json_object *arguments = parse(given), *root = parse(text);
	_cleanup_buf_ struct buf cuts = { 0 };

	assert_int_equal(answer_shape(&tools[tool], arguments, root, &cuts), 0);
	assert_string_equal(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN), wanted);
	assert_int_equal(buf_add(&cuts, "", 1), 0);
	if (!strstr(cuts.data, cut) || (!*cut && cuts.size > 1))
		fail_msg("'%s' is not '%s'", cuts.data, cut);
	json_object_put(arguments);
	json_object_put(root);
}

TEST(long_lists_are_cut_wherever_they_are)
{
	shape(TOOL_DUMP, "{\"frames\":1}", "{\"processes\":[{\"frames\":[1,2,3]},{\"frames\":[4,5]}]}",
	      "{\"processes\":[{\"frames\":[1]},{\"frames\":[4]}]}",
	      "{\"what\":\"frames\",\"left_out\":3,\"rest\":\"call it with frames, which was 1: ");
	shape(TOOL_DUMP, "{\"frames\":2,\"processes\":1}", "{\"processes\":[{\"frames\":[1,2]},{}]}",
	      "{\"processes\":[{\"frames\":[1,2]}]}", "{\"what\":\"processes\",\"left_out\":1,");
	shape(TOOL_DUMP, "{}", "{\"processes\":[{\"frames\":[1]}]}", "{\"processes\":[{\"frames\":[1]}]}",
	      "");
}

TEST(a_filter_keeps_one)
{
	shape(TOOL_DUMP, "{\"thread\":8}", "{\"processes\":[{\"threads\":[{\"tid\":7},{\"tid\":8},3]}]}",
	      "{\"processes\":[{\"threads\":[{\"tid\":8}]}]}", "");
	shape(TOOL_TASKS, "{\"task\":\"0x1\"}", "{\"tasks\":[{\"id\":\"0x1\"},{\"id\":\"0x2\"}]}",
	      "{\"tasks\":[{\"id\":\"0x1\"}]}", "");
}

TEST(only_some_members)
{
	shape(TOOL_PROCESSES, "{}", "{\"version\":\"1\",\"processes\":[],\"checks\":[1],\"unreadable\":1}",
	      "{\"processes\":[],\"unreadable\":1}", "");
}

TEST(books_without_what_counts_nothing)
{
	const char *text = "{\"ticks\":5,\"a\":1,\"gil_outcomes\":{\"b\":0},\"outcomes\":{\"c\":1,\"d\":0}}";
	struct json_object *root = parse(text);
	_cleanup_buf_ struct buf cuts = { 0 };

	assert_int_equal(answer_shape_books(&tools[TOOL_RECORD], root, &cuts), 0);
	assert_string_equal(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN),
			    "{\"ticks\":5,\"outcomes\":{\"c\":1}}");
	assert_true(cuts.size > 0);
	json_object_put(root);
}

TEST(what_was_said)
{
	struct buf said = { .data = (char *)"pyperf-bpf: one\npyperf-bpf: warning: two\n\nthree" };
	_cleanup_buf_ struct buf all = { 0 }, warnings = { 0 };

	said.size = strlen(said.data);
	assert_int_equal(answer_said(&said, false, &all), 0);
	assert_int_equal(buf_add(&all, "", 1), 0);
	assert_string_equal(all.data, "\"one\",\"warning: two\",\"three\"");
	assert_int_equal(answer_said(&said, true, &warnings), 0);
	assert_int_equal(buf_add(&warnings, "", 1), 0);
	assert_string_equal(warnings.data, "\"warning: two\"");
}

TEST(what_is_no_document)
{
	char deep[4 * ANSWER_DEPTH_MAX];
	struct json_object *list = parse("[1]");
	_cleanup_buf_ struct buf cuts = { 0 };

	memset(deep, '[', sizeof(deep));
	assert_null(answer_parse(deep, sizeof(deep)));
	assert_null(answer_parse("", 0));
	assert_null(answer_parse("{\"a\":", 5));
	assert_int_equal(answer_shape(&tools[TOOL_DUMP], NULL, list, &cuts), -EINVAL);
	assert_int_equal(answer_shape_books(&tools[TOOL_BOOKS], list, &cuts), -EINVAL);
	json_object_put(list);
}
