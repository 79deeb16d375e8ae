// SPDX-License-Identifier: GPL-2.0-only
#include "options/line.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/distance.h"
#include "options/row.h"

#define FIRST_LONG 256 /* getopt's value of row i is FIRST_LONG + i */

/* Other names of options. */
static const struct {
	char short_name;
	const char *long_name, *of;
} aliases[] = {
#define ALIAS(short_name, long_name, of) { short_name, long_name, of },
#include "options/options.def"
};

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

/* The name of an option in getopt's tables. Returns how many letters were written to shorts. */
static size_t add_letter(char *shorts, char letter, const struct option_row *r)
{
	shorts[0] = letter;
	shorts[1] = ':';
	return !letter ? 0 : r->kind == OPTION_FLAG ? 1 : 2;
}

static struct option long_of(const char *name, const struct option_row *r)
{
	return (struct option){ name, r->kind == OPTION_FLAG ? no_argument : required_argument, NULL,
				FIRST_LONG + (int)(r - option_rows) };
}

static void build_getopt(const struct command_row *command, struct option *longs, char *shorts)
{
	size_t n = 0, c = 0;

	if (!command->words) /* COMMAND has options of its own */
		shorts[c++] = '+';
	shorts[c++] = ':'; /* tell a missing argument from an unknown option */
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];

		if (r->kind == OPTION_HEADING ||
		    row_find(r->long_name, strlen(r->long_name), command->takes) != r)
			continue;
		longs[n++] = long_of(r->long_name, r);
		c += add_letter(shorts + c, r->short_name, r);
	}
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++) {
		const struct option_row *r = row_find(aliases[i].of, strlen(aliases[i].of), command->takes);

		if (strcmp(aliases[i].long_name, aliases[i].of))
			longs[n++] = long_of(aliases[i].long_name, r);
		c += add_letter(shorts + c, aliases[i].short_name, r);
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
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (aliases[i].short_name == value)
			return row_find(aliases[i].of, strlen(aliases[i].of), ~0u);
	return NULL;
}

/*
 * What getopt refused. While it is inside a bundle such as -vx, optind is still at the bundle: optopt tells.
 */
static int fail_option(const struct options *o, int value, char **argv, char *error, size_t size)
{
	const struct option_row *nearest = NULL;
	char word[DISTANCE_WORD_MAX + 1];
	char letter[3] = { '-', (char)optopt, '\0' };
	const char *name = optopt && optopt < FIRST_LONG ? letter : argv[optind - 1];

	if (value == ':')
		return options_fail(error, size, "%s wants a value; --help shows which", name);
	if (optopt >= FIRST_LONG)
		return options_fail(error, size, "--%s takes no value",
				    option_rows[optopt - FIRST_LONG].long_name);
	if (!strncmp(name, "--", 2)) {
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(name + 2, "="), name + 2);
		nearest = row_nearest(word, o->subcommand->takes);
	}
	if (nearest)
		return options_fail(error, size,
				    "unknown option '%s': did you mean --%s? --help all lists them", name,
				    nearest->long_name);
	return options_fail(error, size, "unknown option '%s'; --help all lists them", name);
}

/* A word that is neither a command nor behind the dashes: what is mistyped is not run as a program. */
static int fail_word(const struct options *o, const char *word, char *error, size_t size)
{
	const char *nearest = o->named ? NULL : commands_nearest(word);

	if (!o->named && commands_find(word))
		return options_fail(error, size, "the command stands first: pyperf-bpf %s ...", word);
	if (nearest)
		return options_fail(error, size,
				    "there is no command '%s': did you mean %s? A program comes after --",
				    word, nearest);
	if (o->subcommand->takes & GROUP_PROGRAMS)
		return options_fail(error, size,
				    "'%s' is no command; to start and profile it: pyperf-bpf -- %s", word,
				    word);
	return options_fail(error, size, "'%s' does not go with %s", word, o->subcommand->name);
}

/* The word behind --help, or help: a command, or all. */
static int read_help(struct options *o, char *error, size_t size)
{
	const char *word = o->command ? o->command[0] : NULL;
	const struct command_row *c = word ? commands_find(word) : NULL;
	const char *nearest = word ? commands_nearest(word) : NULL;

	o->command = NULL;
	if (!word || o->named)
		return 0;
	o->help_all = !strcmp(word, "all");
	if (c) {
		o->subcommand = c;
		o->named = true;
	}
	if (c || o->help_all)
		return 0;
	if (nearest)
		return options_fail(error, size, "there is no command '%s': did you mean %s?", word, nearest);
	return options_fail(error, size, "there is no command '%s'; --help lists them", word);
}

int line_read(struct options *o, int *line_of, char *error, size_t size)
{
	struct option longs[OPTION_ROWS + ARRAY_SIZE(aliases) + 1];
	char shorts[2 * (OPTION_ROWS + ARRAY_SIZE(aliases)) + 3];
	const char *last_value = NULL;
	char **argv = o->argv + o->named; /* argv[0] is the program's name, or the command's */
	int argc = o->argc - o->named, value;
	bool dashes;

	if (argc > 1 && !o->named && !strcmp(argv[1], "help")) {
		o->help = true;
		o->command = argc > 2 ? argv + 2 : NULL;
		return read_help(o, error, size);
	}
	build_getopt(o->subcommand, longs, shorts);
	opterr = 0;
	optind = 0;
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (value == '?' || value == ':')
			return fail_option(o, value, argv, error, size);
		if (row_set(o, find_row(value), optarg, error, size))
			return -EINVAL;
		line_of[find_row(value) - option_rows] = 0;
		last_value = optarg;
	}
	dashes = optind < argc && argv[optind - 1] != last_value && !strcmp(argv[optind - 1], "--");
	if (optind < argc && !dashes && !o->help && !o->subcommand->words)
		return fail_word(o, argv[optind], error, size);
	if (optind < argc)
		o->command = argv + optind;
	else if (argc > 1 && argv[argc - 1] != last_value && !strcmp(argv[argc - 1], "--"))
		return options_fail(error, size, "-- wants a COMMAND after it");
	return o->help && !dashes ? read_help(o, error, size) : 0;
}
