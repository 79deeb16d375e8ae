// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_arguments.c - arguments of calls as words of command lines, and what is refused.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "mcp/arguments.h"
#include "tests/forge/test.h"

static const struct recordings recorded = { .folder = "/nowhere", .last = 1, .done = { 1 }, .count = 1 };

static int line_of(int tool, const char *json, struct buf *line, char *error, size_t size)
{
	_cleanup_(words_free) struct words words = { 0 };
	struct json_object *given = json_tokener_parse(json);
	int err = arguments_words(&tools[tool], given, &recorded, &words, error, size);

	if (!err)
		err = words_text(&words, line) ?: buf_add(line, "", 1);
	json_object_put(given);
	return err;
}

static void expect(int tool, const char *json, const char *wanted)
{
	_cleanup_buf_ struct buf line = { 0 };
	char error[512] = "";

	if (line_of(tool, json, &line, error, sizeof(error)))
		fail_msg("%s: %s", json, error);
	assert_string_equal(line.data, wanted);
}

static void refuse(int tool, const char *json, const char *why)
{
	_cleanup_buf_ struct buf line = { 0 };
	char error[512] = "";

	assert_int_equal(line_of(tool, json, &line, error, sizeof(error)), -EINVAL);
	if (!strstr(error, why))
		fail_msg("%s: '%s' does not say '%s'", json, error, why);
}

TEST(words_of_each_kind)
{
	expect(TOOL_PROCESSES, "{}", "pyperf-bpf doctor --json");
	expect(TOOL_RECORD, "{\"pid\":7,\"native\":\"top\",\"async\":true,\"children\":false}",
	       "pyperf-bpf profile --format=pprof --duration=10 --pid=7 --frequency=99 --native=top --async");
	expect(TOOL_RECORD, "{\"pid\":\"7,8\",\"seconds\":0.5,\"frequency\":199}",
	       "pyperf-bpf profile --format=pprof --duration=0.500 --pid=7,8 --frequency=199");
	expect(TOOL_REPORT, "{\"profile\":\"r1\",\"by\":null,\"top\":3}",
	       "pyperf-bpf report --json --top=3 -- /nowhere/r1.pb.gz");
	expect(TOOL_CALLERS, "{\"profile\":\"a b\",\"function\":\"f\"}",
	       "pyperf-bpf report --json --callers=f --top=10 --wary -- 'a b'");
	expect(TOOL_DIFF, "{\"base\":\"r1\",\"new\":\"./r2\"}",
	       "pyperf-bpf diff --json --top=10 --wary -- /nowhere/r1.pb.gz ./r2");
	expect(TOOL_REPORT, "{\"profile\":\"http://[::1]:7070\",\"findings\":true}",
	       "pyperf-bpf report --json --findings --top=10 --wary -- 'http://[::1]:7070'");
	expect(TOOL_DUMP, "{\"pid\":7,\"threads\":3,\"thread\":9}", "pyperf-bpf dump --json --pid=7");
}

/* What looks like an option, or like a shell's word, stays the value that it is. */
TEST(a_value_is_no_option)
{
	expect(TOOL_REPORT, "{\"profile\":\"--output=x\",\"focus\":\"--help\"}",
	       "pyperf-bpf report --json --focus=--help --top=10 --wary -- --output=x");
	expect(TOOL_RECORD, "{\"pid\":\"1 -o /etc/passwd\"}",
	       "pyperf-bpf profile --format=pprof --duration=10 '--pid=1 -o /etc/passwd' --frequency=99");
}

TEST(what_is_refused)
{
	refuse(TOOL_RECORD, "{\"output\":\"x\"}", "has no argument 'output'");
	refuse(TOOL_RECORD, "{\"seconds\":61}", "at most 60");
	refuse(TOOL_RECORD, "{\"seconds\":0}", "more than 0");
	refuse(TOOL_RECORD, "{\"seconds\":\"5\"}", "wants a number");
	refuse(TOOL_RECORD, "{\"pid\":true}", "pid wants");
	refuse(TOOL_RECORD, "{\"pid\":-1}", "pid wants");
	refuse(TOOL_RECORD, "{\"frequency\":1001}", "from 1 to 1000");
	refuse(TOOL_RECORD, "{\"frequency\":9.5}", "whole number");
	refuse(TOOL_RECORD, "{\"async\":\"yes\"}", "true or false");
	refuse(TOOL_REPORT, "{}", "report wants profile");
	refuse(TOOL_REPORT, "{\"profile\":\"-\"}", "or a path");
	refuse(TOOL_REPORT, "{\"profile\":5}", "or a path");
	refuse(TOOL_REPORT, "{\"profile\":\"http://example.org/p.pb.gz\"}", "no other address");
	refuse(TOOL_REPORT, "{\"profile\":\"http://127.0.0.1:80/admin\"}", "no other address");
	refuse(TOOL_REPORT, "{\"profile\":\"http://127.0.0.1:80@example.org\"}", "no other address");
	refuse(TOOL_REPORT, "{\"profile\":\"http://localhost:\"}", "no other address");
	refuse(TOOL_DIFF, "{\"base\":\"r1\",\"new\":\"ftp://localhost:21\"}", "no other address");
	refuse(TOOL_REPORT, "{\"profile\":\"r2\"}", "there is no profile r2");
	refuse(TOOL_REPORT, "{\"profile\":\"r1\",\"by\":\"\"}", "wants a text");
	refuse(TOOL_REPORT, "{\"profile\":\"r1\",\"by\":\"a\\u0000b\"}", "wants a text");
	refuse(TOOL_DUMP, "{\"thread\":[1]}", "thread wants");
	refuse(TOOL_DUMP, "{\"frames\":0}", "frames wants");
}

TEST(what_else_is_known_of_them)
{
	struct json_object *given = json_tokener_parse("{\"profile\":\"r1\",\"seconds\":2.5,\"frames\":7}");
	const struct argument *frames = tools_argument(&tools[TOOL_DUMP], "frames");
	struct recording_paths paths;

	assert_true(arguments_recording(&tools[TOOL_BOOKS], given, &recorded, &paths));
	assert_string_equal(paths.books, "/nowhere/r1.json");
	assert_false(arguments_recording(&tools[TOOL_DUMP], given, &recorded, &paths));
	assert_true(arguments_seconds(given) == 2.5);
	assert_true(arguments_seconds(NULL) == RECORD_SECONDS);
	assert_int_equal(arguments_number(frames, given), 7);
	assert_int_equal(arguments_number(frames, NULL), frames->value);
	json_object_put(given);
}
