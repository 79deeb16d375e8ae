// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tools.c - tools.def beside the lists of commands and options: every command is a tool or says why not,
 * and no tool hands a command what that does not take.
 */
#include <json-c/json.h>
#include <string.h>

#include "mcp/tools.h"
#include "options/commands.h"
#include "tests/forge/test.h"

TEST(every_command_is_one_or_says_why_not)
{
	int known[COMMANDS] = { 0 };

	for (int i = 0; i < TOOLS; i++)
		known[tools[i].command] |= 1;
#define NO_TOOL(command, why) known[COMMAND_##command] += 2 * !!*why;
#include "mcp/tools.def"
	for (int i = 0; i < COMMANDS; i++)
		if (known[i] != 1 && known[i] != 2)
			fail_msg("tools.def: %s is a tool or NO_TOOL, and not both", command_rows[i].name);
}

TEST(options_are_those_of_the_command)
{
	for (size_t i = 0; i < tool_arguments_count; i++) {
		const struct argument *a = &tool_arguments[i];
		const struct command_row *c = &command_rows[tools[a->tool].command];

		if (!a->option)
			continue;
		assert_non_null(tools_option(a->option));
		if (!(c->takes & tools_option(a->option)->group))
			fail_msg("tools.def: %s hands --%s to %s", tools[a->tool].name, a->option, c->name);
		assert_true(a->about || *tools_option(a->option)->help);
	}
}

/* No tool but those of record writes, and that only where it is told to by us. */
TEST(no_argument_names_a_file_to_write)
{
	static const char *const writes[] = { "output", "output-dir", "stats-json",
					      "push",	"listen",     "config" };

	for (size_t i = 0; i < tool_arguments_count; i++)
		for (size_t j = 0; j < ARRAY_SIZE(writes); j++)
			assert_false(tool_arguments[i].option &&
				     !strcmp(tool_arguments[i].option, writes[j]));
}

TEST(found_by_their_names)
{
	for (size_t i = 0; i < tool_arguments_count; i++) {
		const struct argument *a = &tool_arguments[i];

		assert_ptr_equal(tools_argument(&tools[a->tool], a->name), a); /* of two the second is not */
	}
	for (int i = 0; i < TOOLS; i++)
		assert_ptr_equal(tools_find(tools[i].name), &tools[i]);
	assert_null(tools_find("repor"));
	assert_null(tools_argument(&tools[TOOL_REPORT], "output"));
	assert_null(tools_option("reports"));
}

TEST(the_list_has_all_of_them)
{
	_cleanup_buf_ struct buf out = { 0 };
	struct json_object *root, *list;

	assert_int_equal(tools_list(&out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	root = json_tokener_parse(out.data);
	assert_true(json_object_object_get_ex(root, "tools", &list));
	assert_int_equal(json_object_array_length(list), TOOLS);
	json_object_put(root);
}
