// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tools.c - tools.def beside the lists of commands and options: every command is a tool or says why not,
 * and no tool hands a command what that does not take.
 */
#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "mcp/tools.h"
#include "options/commands.h"

static void every_command_is_one_or_says_why_not(void **state)
{
	int known[COMMANDS] = { 0 };

	(void)state;
	for (int i = 0; i < TOOLS; i++)
		known[tools[i].command] |= 1;
#define NO_TOOL(command, why) known[COMMAND_##command] += 2 * !!*why;
#include "mcp/tools.def"
	for (int i = 0; i < COMMANDS; i++)
		if (known[i] != 1 && known[i] != 2)
			fail_msg("tools.def: %s is a tool or NO_TOOL, and not both", command_rows[i].name);
}

static void options_are_those_of_the_command(void **state)
{
	(void)state;
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
static void no_argument_names_a_file_to_write(void **state)
{
	static const char *const writes[] = { "output", "output-dir", "stats-json",
					      "push",	"listen",     "config" };

	(void)state;
	for (size_t i = 0; i < tool_arguments_count; i++)
		for (size_t j = 0; j < ARRAY_SIZE(writes); j++)
			assert_false(tool_arguments[i].option &&
				     !strcmp(tool_arguments[i].option, writes[j]));
}

static void found_by_their_names(void **state)
{
	(void)state;
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

static void the_list_has_all_of_them(void **state)
{
	_cleanup_buf_ struct buf out = { 0 };
	struct json_object *root, *list;

	(void)state;
	assert_int_equal(tools_list(&out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	root = json_tokener_parse(out.data);
	assert_true(json_object_object_get_ex(root, "tools", &list));
	assert_int_equal(json_object_array_length(list), TOOLS);
	json_object_put(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command_is_one_or_says_why_not),
		cmocka_unit_test(options_are_those_of_the_command),
		cmocka_unit_test(no_argument_names_a_file_to_write),
		cmocka_unit_test(found_by_their_names),
		cmocka_unit_test(the_list_has_all_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
