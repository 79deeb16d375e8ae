// SPDX-License-Identifier: GPL-2.0-only
#include "options/line.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "options/fail.h"
#include "options/row.h"

#define FIRST_LONG 256 /* getopt's value of row i is FIRST_LONG + i */

void line_begin(struct options *o, int argc, char **argv)
{
	const struct command_row *named = argc > 1 ? commands_find(argv[1]) : NULL;

	row_set_defaults(o);
	o->subcommand = named ?: &command_rows[0];
	o->named = named;
	o->argc = argc;
	o->argv = argv;
	/* A profile that is there says itself what it is of. */
	if (!(o->subcommand->takes & GROUP_NEEDS))
		o->event = NULL;
}

static void build_getopt(const struct command_row *command, struct option *longs, char *shorts)
{
	size_t n = 0, c = 0;

	if (!command->words) /* COMMAND has options of its own */
		shorts[c++] = '+';
	shorts[c++] = ':'; /* tell a missing argument from an unknown option */
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];
		bool has_value = r->kind != OPTION_FLAG;

		if (r->kind == OPTION_HEADING ||
		    row_find(r->long_name, strlen(r->long_name), command->takes) != r)
			continue;
		longs[n++] = (struct option){ r->long_name, has_value ? required_argument : no_argument, NULL,
					      FIRST_LONG + (int)i };
		if (!r->short_name)
			continue;
		shorts[c++] = r->short_name;
		if (has_value)
			shorts[c++] = ':';
	}
	longs[n] = (struct option){};
	shorts[c] = '\0';
}

static const struct option_row *find_row(int value)
{
	if (value >= FIRST_LONG)
		return &option_rows[value - FIRST_LONG];
	for (size_t i = 0; i < OPTION_ROWS; i++)
		if (option_rows[i].short_name && option_rows[i].short_name == value)
			return &option_rows[i];
	return NULL;
}

/*
 * What getopt refused. While it is inside a bundle such as -vx, optind is still at the bundle: optopt tells.
 */
static int fail_option(int value, char **argv, char *error, size_t size)
{
	char letter[3] = { '-', (char)optopt, '\0' };
	const char *name = optopt && optopt < FIRST_LONG ? letter : argv[optind - 1];

	if (value == ':')
		return options_fail(error, size, "%s wants a value; --help shows which", name);
	if (optopt >= FIRST_LONG)
		return options_fail(error, size, "--%s takes no value",
				    option_rows[optopt - FIRST_LONG].long_name);
	return options_fail(error, size, "unknown option '%s'; --help lists them", name);
}

int line_read(struct options *o, int *line_of, char *error, size_t size)
{
	struct option longs[OPTION_ROWS + 1];
	char shorts[2 * OPTION_ROWS + 3];
	const char *last_value = NULL;
	char **argv = o->argv + o->named; /* argv[0] is the program's name, or the command's */
	int argc = o->argc - o->named, value;

	build_getopt(o->subcommand, longs, shorts);
	opterr = 0;
	optind = 0;
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (value == '?' || value == ':')
			return fail_option(value, argv, error, size);
		if (row_set(o, find_row(value), optarg, error, size))
			return -EINVAL;
		line_of[find_row(value) - option_rows] = 0;
		last_value = optarg;
	}
	if (optind < argc)
		o->command = argv + optind;
	else if (argc > 1 && argv[argc - 1] != last_value && !strcmp(argv[argc - 1], "--"))
		return options_fail(error, size, "-- wants a COMMAND after it");
	return 0;
}
