// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_commands.c - every row of commands.def with every row of options.def: a command takes what its row
 * says, and refuses everything else in one line that says which commands take it.
 */
#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"
#include "options/row.h"

/* A word that the option takes, or NULL if it has none. Its default will do: it was named. */
static const char *value_of(const struct option_row *r)
{
	static char value[32];

	if (r->kind == OPTION_FLAG)
		return NULL;
	if (r->kind == OPTION_CHOICE)
		snprintf(value, sizeof(value), "%.*s", (int)strcspn(r->metavar, "|"), r->metavar);
	else
		snprintf(value, sizeof(value), "%ld", r->min);
	return value;
}

/* Whether the command takes another option of this name. */
static bool is_another(const struct option_row *r, const struct command_row *c)
{
	const struct option_row *found = row_find(r->long_name, strlen(r->long_name), c->takes);

	return found != r && found->group & c->takes;
}

TEST(takes_what_its_row_says)
{
	char name[64], reason[128];

	for (size_t c = 0; c < COMMANDS; c++)
		for (size_t i = 0; i < OPTION_ROWS; i++) {
			const struct option_row *r = &option_rows[i];

			if (r->kind == OPTION_HEADING || is_another(r, &command_rows[c]))
				continue;
			snprintf(name, sizeof(name), "--%s", r->long_name);
			snprintf(reason, sizeof(reason), "--%s does not go with %s, only with ", r->long_name,
				 command_rows[c].name);
			/* -h: what the option needs besides is of no matter. */
			if (command_rows[c].takes & r->group)
				ACCEPT(command_rows[c].name, "-h", name, value_of(r));
			else
				REFUSE(reason, command_rows[c].name, name, value_of(r));
		}
}

/* Whoever cannot have it in one place learns where it is at home. */
TEST(says_who_takes_it)
{
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];
		char name[64];

		if (r->kind == OPTION_HEADING)
			continue;
		snprintf(name, sizeof(name), "--%s", r->long_name);
		for (const struct command_row *c = command_rows; c < command_rows + COMMANDS; c++)
			for (size_t other = 0; other < COMMANDS; other++)
				if (!(c->takes & r->group) && command_rows[other].takes & r->group &&
				    !is_another(r, c))
					REFUSE(command_rows[other].name, c->name, name, value_of(r));
	}
}

TEST(every_option_is_taken)
{
	unsigned int taken = 0;

	for (size_t c = 0; c < COMMANDS; c++)
		taken |= command_rows[c].takes;
	for (size_t i = 0; i < OPTION_ROWS; i++)
		if (option_rows[i].kind != OPTION_HEADING && !(option_rows[i].group & taken))
			fail_msg("no command takes --%s", option_rows[i].long_name);
}

TEST(found_by_their_names)
{
	for (size_t c = 0; c < COMMANDS; c++) {
		assert_ptr_equal(commands_find(command_rows[c].name), &command_rows[c]);
		ACCEPT(command_rows[c].name, "-h");
		assert_ptr_equal(o.subcommand, &command_rows[c]);
		assert_true(o.named);
		/* As COMMAND it is a program like any other. */
		ACCEPT("--", command_rows[c].name);
		assert_ptr_equal(o.subcommand, &command_rows[0]);
		assert_string_equal(o.command[0], command_rows[c].name);
		REFUSE("the command stands first", "-v", command_rows[c].name);
	}
	assert_null(commands_find(""));
	assert_null(commands_find("dum"));
	assert_null(commands_find("dumps"));
	ACCEPT("-a");
	assert_ptr_equal(o.subcommand, &command_rows[0]);
	assert_false(o.named);
}

/* "", "a", "a and b", "a, b and c" */
static void join(unsigned int group, char *text)
{
	const char *takers[COMMANDS];
	size_t count = 0;

	for (size_t c = 0; c < COMMANDS; c++)
		if (command_rows[c].takes & group)
			takers[count++] = command_rows[c].name;
	*text = '\0';
	for (size_t i = 0; i < count; i++) {
		if (i)
			strcat(text, i + 1 == count ? " and " : ", ");
		strcat(text, takers[i]);
	}
}

TEST(names_in_a_sentence)
{
	char names[128], wanted[128], small[4];

	for (unsigned int bit = 0; bit < 32; bit++) {
		join(1u << bit, wanted);
		commands_names(1u << bit, names, sizeof(names));
		assert_string_equal(names, wanted);
	}
	commands_names(GROUP_TALK, small, sizeof(small));
	assert_memory_equal(small, command_rows[0].name, 3);
	assert_int_equal(small[3], '\0');
}

AROUND_ALL(NULL, free_options);
