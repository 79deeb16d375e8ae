// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_help.c - --help: the page of all commands has every option, that of a command what it takes and
 * nothing else; what a page names is accepted, and its examples are.
 */
#include <stdlib.h>

#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"
#include "options/row.h"

static char *page;

static const char *print_page(bool colour)
{
	size_t size;
	FILE *f;

	free(page);
	page = NULL;
	f = open_memstream(&page, &size);
	assert_non_null(f);
	options_help(&o, f, colour);
	fclose(f);
	return page;
}

/* What --help prints after this word, or of everything. */
static const char *read_page(const char *word, bool colour)
{
	if (word)
		ACCEPT(word, "--help");
	else
		ACCEPT("--help", "all");
	return print_page(colour);
}

/* The page with one blank in place of each run of white space, so that it does not matter where lines end. */
static void join_lines(void)
{
	char *to = page;

	for (const char *from = page; *from; from++)
		if (*from != ' ' && *from != '\n')
			*to++ = *from;
		else if (to > page && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
}

/* Whether it has a line of its own for this option. */
static bool lists(const struct option_row *r)
{
	char wanted[128];

	if (r->short_name)
		snprintf(wanted, sizeof(wanted), "\n  -%c, --%s ", r->short_name, r->long_name);
	else
		snprintf(wanted, sizeof(wanted), "\n      --%s ", r->long_name);
	return strstr(page, wanted);
}

/* --event is explained by the rows of events.def: each kind that can be asked for, and no other one. */
TEST(names_the_kinds_of_events)
{
	read_page(NULL, false);
	join_lines();
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct event_row *e = &event_rows[kind];
		char wanted[128];

		snprintf(wanted, sizeof(wanted), "%s: %s", e->key, e->asked ?: "");
		assert_true(!strstr(page, wanted) == !e->asked);
	}
	assert_non_null(strstr(page, "busy; cycles: the same by a hardware counter; offcpu: where"));
}

TEST(lists_every_option)
{
	read_page(NULL, false);
	for (size_t i = 0; i < OPTION_ROWS; i++)
		if (option_rows[i].kind != OPTION_HEADING && !lists(&option_rows[i]))
			fail_msg("--help all does not have --%s: %s", option_rows[i].long_name, page);
	assert_non_null(strstr(page, "-- COMMAND"));
}

TEST(explains_every_option)
{
	char wanted[512];

	read_page(NULL, false);
	join_lines();
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];

		if (!strstr(page, r->help))
			fail_msg("--help all does not have '%s': %s", r->help, page);
		if (r->kind == OPTION_NUMBER) {
			snprintf(wanted, sizeof(wanted), "%s (default %ld) ", r->help, r->value);
			assert_non_null(strstr(page, wanted));
		} else if (r->kind == OPTION_CHOICE) {
			assert_non_null(strstr(page, r->metavar));
		}
	}
}

#define LINES	60
#define COLUMNS 100

static void check_columns(unsigned int most_lines)
{
	unsigned int lines = 0;

	for (const char *line = page; *line; line += strcspn(line, "\n") + 1, lines++)
		if (strcspn(line, "\n") > COLUMNS)
			fail_msg("%.*s", (int)strcspn(line, "\n"), line);
	assert_true(lines <= most_lines);
}

/* What most people need fits on a screen. */
TEST(first_page_is_short)
{
	static const char *const needed[] = { "all-python", "pid", "duration", "output", "format", "event" };

	ACCEPT("--help");
	print_page(false);
	check_columns(LINES);
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		assert_true(lists(row_find(needed[i], strlen(needed[i]), ~0u)));
	assert_false(lists(row_find("kubelet", 7, ~0u)));
	read_page(NULL, false);
	check_columns(1000);
	for (size_t c = 0; c < COMMANDS; c++) {
		read_page(command_rows[c].name, false);
		check_columns(1000);
	}
}

TEST(help_is_a_word_too)
{
	char *first, *second;

	ACCEPT("help");
	first = strdup(print_page(false));
	ACCEPT("-h");
	assert_string_equal(first, print_page(false));
	free(first);
	for (size_t c = 0; c < COMMANDS; c++) {
		second = strdup(read_page(command_rows[c].name, false));
		ACCEPT("help", command_rows[c].name);
		assert_string_equal(second, print_page(false));
		ACCEPT("--help", command_rows[c].name);
		assert_string_equal(second, print_page(false));
		free(second);
	}
	REFUSE("there is no command 'dmup': did you mean dump?", "help", "dmup");
	REFUSE("there is no command 'all-of-it'; --help lists them", "--help", "all-of-it");
}

TEST(lists_every_command)
{
	read_page(NULL, false);
	for (size_t c = 0; c < COMMANDS; c++) {
		const struct command_row *row = &command_rows[c];
		char wanted[256];

		snprintf(wanted, sizeof(wanted), "\n  %-10s %s\n", row->name, row->summary);
		assert_non_null(strstr(page, wanted));
		snprintf(wanted, sizeof(wanted), "%.*s\n", (int)strcspn(row->examples, "\n"), row->examples);
		assert_non_null(strstr(page, wanted));
	}
}

TEST(a_command_lists_what_it_takes)
{
	for (size_t c = 0; c < COMMANDS; c++) {
		const struct command_row *row = &command_rows[c];

		read_page(row->name, false);
		assert_non_null(strstr(page, row->about));
		assert_non_null(strstr(page, row->examples));
		assert_non_null(strstr(page, row->codes));
		assert_int_equal(strstr(page, "-- COMMAND [ARG...]") != NULL,
				 (row->takes & GROUP_PROGRAMS) != 0);
		for (size_t i = 0; i < OPTION_ROWS; i++) {
			const struct option_row *r = &option_rows[i];

			/* Another one of this name stands there. */
			if (r->kind != OPTION_HEADING &&
			    row_find(r->long_name, strlen(r->long_name), row->takes) != r)
				continue;
			if (r->kind != OPTION_HEADING && lists(r) != ((r->group & row->takes) != 0))
				fail_msg("--%s is on the page of %s, or missing: %s", r->long_name, row->name,
					 page);
		}
	}
}

/* Wherever it stands on the page: nobody is sent to an option that is refused. */
TEST(a_command_names_only_what_it_takes)
{
	for (size_t c = 0; c < COMMANDS; c++) {
		read_page(command_rows[c].name, false);
		for (const char *at = page; (at = strstr(at, "--")); at += 2) {
			const size_t length = strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");
			const struct option_row *r = row_find(at + 2, length, command_rows[c].takes);

			if (length && !r)
				fail_msg("--%.*s is no option", (int)length, at + 2);
			if (length && !(r->group & command_rows[c].takes))
				fail_msg("%s does not take --%s", command_rows[c].name, r->long_name);
		}
	}
}

/* Without an option no heading either, and no heading twice. */
TEST(headings_have_options_below)
{
	for (size_t c = 0; c < COMMANDS; c++) {
		bool wanted = false;

		read_page(command_rows[c].name, false);
		for (size_t i = OPTION_ROWS; i-- > 0;) {
			const struct option_row *r = &option_rows[i];
			char line[256];

			if (r->kind != OPTION_HEADING) {
				wanted |= r->group & command_rows[c].takes;
				continue;
			}
			snprintf(line, sizeof(line), "\n\n%s\n", r->help);
			assert_int_equal(strstr(page, line) != NULL, wanted);
			assert_true(!wanted || !strstr(strstr(page, line) + 1, line));
			wanted = false;
		}
	}
}

/* "  pyperf-bpf dump --pid 4711      what it shows" */
static void accept_example(const struct command_row *row, const char *line, size_t length)
{
	char *words[16], *rest, text[256];
	const char *end = strstr(line + 2, "  ");
	int count = 0;

	assert_true(end && end < line + length);
	snprintf(text, sizeof(text), "%.*s", (int)(end - line), line);
	for (char *w = strtok_r(text, " ", &rest); w && count < 15; w = strtok_r(NULL, " ", &rest))
		words[count++] = w;
	words[count] = NULL;
	assert_string_equal(words[0], "pyperf-bpf");
	options_free(&o);
	if (options_parse(&o, count, words, error, sizeof(error)))
		fail_msg("%.*s: %s", (int)length, line, error);
	assert_ptr_equal(o.subcommand, row);
}

TEST(examples_are_accepted)
{
	for (size_t c = 0; c < COMMANDS; c++) {
		const char *line = command_rows[c].examples;

		assert_true(*line);
		for (size_t length; (length = strcspn(line, "\n")); line += length + 1)
			accept_example(&command_rows[c], line, length);
	}
}

TEST(colours_where_they_are_wanted)
{
	assert_null(strchr(read_page(NULL, false), '\033'));
	assert_non_null(strstr(read_page(NULL, true), "\033[1m"));
	for (size_t c = 0; c < COMMANDS; c++) {
		assert_null(strchr(read_page(command_rows[c].name, false), '\033'));
		assert_non_null(strstr(read_page(command_rows[c].name, true), "\033[1m"));
	}
}

static int teardown(void **state)
{
	(void)state;
	options_free(&o);
	free(page);
	return 0;
}

AROUND_ALL(NULL, teardown);
