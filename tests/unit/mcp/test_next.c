// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_next.c - which calls an answer names: such as can be made as they stand, for what is in the answer.
 */
#include <json-c/json.h>
#include <string.h>

#include "mcp/answer.h"
#include "mcp/next.h"
#include "options/commands.h"
#include "tests/forge/test.h"

#define ROW(id, self) "{\"name\":\"f\",\"file\":\"/a.py\",\"self\":" self ",\"id\":\"" id "\"}"
#define TABLE(rows)   "{\"tables\":[{\"rows\":[" rows "]}]}"

static struct json_object *parse(const char *text)
{
	struct json_object *root = answer_parse(text, strlen(text));

	assert_non_null(root);
	return root;
}

/* wanted: without what is said of why. */
static void names(int tool, const char *given, const char *answer, const char *made, const char *wanted)
{
	struct json_object *arguments = parse(given), *root = answer ? parse(answer) : NULL, *calls;
	_cleanup_buf_ struct buf named = { 0 }, all = { 0 };

	assert_int_equal(next_calls(&tools[tool], arguments, root, made, &named), 0);
	assert_int_equal(buf_add(&named, "", 1), 0);
	assert_int_equal(buf_printf(&all, "[%s]", named.data), 0);
	calls = parse(all.data);
	for (size_t i = 0; i < json_object_array_length(calls); i++)
		json_object_object_del(json_object_array_get_idx(calls, i), "why");
	assert_string_equal(json_object_to_json_string_ext(calls, JSON_C_TO_STRING_PLAIN), wanted);
	json_object_put(calls);
	json_object_put(arguments);
	json_object_put(root);
}

TEST(a_recording_leads_to_its_hottest_function)
{
	names(TOOL_RECORD, "{\"pid\":7}", TABLE(ROW("aa", "5") "," ROW("bb", "3")), "r2",
	      "[{\"tool\":\"report\",\"arguments\":{\"profile\":\"r2\",\"lines\":\"aa\"}},"
	      "{\"tool\":\"callers\",\"arguments\":{\"profile\":\"r2\",\"function\":\"aa\"}}]");
}

TEST(without_samples_it_leads_to_waits)
{
	names(TOOL_RECORD, "{\"pid\":7}", TABLE(""), "r2",
	      "[{\"tool\":\"record\",\"arguments\":{\"pid\":7,\"seconds\":10,\"event\":\"wall\"}},"
	      "{\"tool\":\"books\",\"arguments\":{\"profile\":\"r2\"}}]");
}

/* What has no file is a marker, an endpoint or a process: it has no lines and no callers. */
TEST(a_row_that_is_no_code_is_none)
{
	names(TOOL_REPORT, "{\"profile\":\"r1\",\"by\":\"endpoint\"}",
	      TABLE("{\"name\":\"shop\",\"self\":9,\"id\":\"aa\"}"), NULL,
	      "[{\"tool\":\"report\",\"arguments\":{\"profile\":\"r1\",\"by\":\"function\"}},"
	      "{\"tool\":\"report\",\"arguments\":{\"profile\":\"r1\",\"findings\":true}}]");
}

TEST(what_was_just_asked_is_not_named_but_of_another_moment)
{
	names(TOOL_REPORT, "{\"profile\":\"r1\",\"by\":\"function\"}", TABLE(""), NULL,
	      "[{\"tool\":\"report\",\"arguments\":{\"profile\":\"r1\",\"findings\":true}}]");
	names(TOOL_DUMP, "{\"pid\":7}", "{\"processes\":[]}", NULL,
	      "[{\"tool\":\"dump\",\"arguments\":{\"pid\":7}},"
	      "{\"tool\":\"record\",\"arguments\":{\"pid\":7,\"seconds\":10,\"event\":\"wall\"}}]");
}

TEST(a_difference_leads_to_what_grew)
{
	names(TOOL_DIFF, "{\"base\":\"r1\",\"new\":\"r2\"}",
	      "{\"rows\":[" ROW("aa", "-9") "," ROW("bb", "3") "]}", NULL,
	      "[{\"tool\":\"report\",\"arguments\":{\"profile\":\"r2\",\"lines\":\"bb\"}},"
	      "{\"tool\":\"callers\",\"arguments\":{\"profile\":\"r2\",\"function\":\"bb\"}}]");
}

TEST(of_processes_it_is_the_first_one)
{
	names(TOOL_PROCESSES, "{}", "{\"processes\":[{\"pid\":7},{\"pid\":8}]}", NULL,
	      "[{\"tool\":\"record\",\"arguments\":{\"pid\":7,\"seconds\":10}},"
	      "{\"tool\":\"dump\",\"arguments\":{\"pid\":7}}]");
	names(TOOL_PROCESSES, "{}", "{\"processes\":[]}", NULL, "[{\"tool\":\"doctor\",\"arguments\":{}}]");
}

/* Whatever an answer has in these places. */
TEST(answers_that_are_none)
{
	names(TOOL_PROCESSES, "{}", "{\"processes\":7}", NULL, "[{\"tool\":\"doctor\",\"arguments\":{}}]");
	names(TOOL_DIFF, "{}", "{\"rows\":[7,null,{\"file\":1,\"self\":\"x\"}]}", NULL, "[]");
	names(TOOL_CALLERS, "{}", "{\"tables\":[]}", NULL, "[]");
}

/* Each tool leads on, to arguments that the other one has. */
TEST(each_row_names_a_call_that_there_is)
{
	for (size_t i = 0; i < TOOLS; i++) {
		size_t count = 0;

		for (size_t j = 0; j < tool_next_count; j++)
			count += tool_next[j].tool == (int)i;
		assert_true(count >= 2);
	}
	for (size_t j = 0; j < tool_next_count; j++) {
		char text[256], *rest = NULL;

		snprintf(text, sizeof(text), "%s", tool_next[j].arguments);
		assert_string_equal(text, tool_next[j].arguments);
		for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
			char *value = strchr(word, '=');

			assert_non_null(value);
			*value++ = '\0';
			assert_non_null(tools_argument(&tools[tool_next[j].next], word));
			if (*value == '@' && strcmp(value, "@row") && strcmp(value, "@pid") &&
			    strcmp(value, "@made"))
				assert_non_null(tools_argument(&tools[tool_next[j].tool], value + 1));
		}
	}
}
