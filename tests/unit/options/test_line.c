// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_line.c - what the command line alone decides: where options end and COMMAND begins, what is no
 * option, and that an error is one line whatever was asked.
 */
#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"
#include "options/row.h"

TEST(missing_values)
{
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];
		char name[64], letter[3] = { '-', r->short_name, '\0' },
			       bundle[4] = { '-', 'v', r->short_name, '\0' };

		if (r->kind == OPTION_FLAG || r->kind == OPTION_HEADING)
			continue;
		snprintf(name, sizeof(name), "--%s", r->long_name);
		REFUSE(name, "-a", name);
		if (r->short_name) {
			REFUSE(letter, "-a", letter);
			REFUSE(letter + 1, "-a", bundle);
		}
	}
}

TEST(unknown_options)
{
	char text[8];

	REFUSE("'--wrong'", "--wrong");
	REFUSE("'--wrong=1'", "-a", "--wrong=1");
	REFUSE("'-x'", "-a", "-x");
	REFUSE("'-?'", "-a", "-?");
	REFUSE("'-:'", "-a", "-:");
	/* In a bundle getopt has not passed the argument yet. */
	REFUSE("'-z'", "-zv", "-a");
	REFUSE("'-z'", "-a", "-vzq");
	REFUSE("'-z'", "-a", "-vz");
	REFUSE("'--f'", "-a", "--f", "9"); /* frequency or format */
	for (int c = 1; c < 256; c++) {
		bool known = c == '-';

		for (size_t i = 0; i < OPTION_ROWS; i++)
			known |= option_rows[i].short_name == c;
		known |= c == 'r' || c == 's' || c == 'f';
		snprintf(text, sizeof(text), "-%c", c);
		if (!known)
			REFUSE("unknown option", "-a", text);
	}
}

TEST(one_line_whatever_the_value)
{
	char longest[5000];

	REFUSE("--frequency", "-a", "-F", "9\n9");
	REFUSE("--frequency", "-a", "-F", "\033[2J\r");
	REFUSE("--format", "-a", "--format", "pprof\nerror: forged");
	REFUSE("--pid", "-p", "1\n2");
	REFUSE("--duration", "-a", "-d", "1\n");
	REFUSE("unknown option", "-a", "--wrong\nerror: forged");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	REFUSE("--frequency", "-a", "-F", longest);
	REFUSE("--pid", "-p", longest);
	memcpy(longest, "--", 2);
	REFUSE("unknown option", "-a", longest);
	/* A small buffer is filled, not overrun. */
	memset(error, '#', sizeof(error));
	assert_int_equal(options_parse(&o, 2, (char *[]){ (char *)"p", (char *)"-Fx", NULL }, error, 8),
			 -EINVAL);
	assert_int_equal(strlen(error), 7);
	assert_int_equal(error[8], '#');
}

TEST(command_keeps_its_options)
{
	ACCEPT("-F", "7", "--", "python3", "-a", "-F", "8", "--help", "--wrong", "--", "-p");
	assert_int_equal(o.frequency, 7);
	assert_false(o.all_python || o.help || o.pids);
	assert_string_equal(o.command[0], "python3");
	assert_string_equal(o.command[1], "-a");
	assert_string_equal(o.command[7], "-p");
	assert_null(o.command[8]);
	ACCEPT("-v", "--", "python3", "-q", "--");
	assert_true(o.verbose && !o.quiet);
	assert_string_equal(o.command[0], "python3");
	assert_string_equal(o.command[2], "--");
	assert_null(o.command[3]);
	ACCEPT("--", "--");
	assert_string_equal(o.command[0], "--");
	ACCEPT("--", "-a");
	assert_string_equal(o.command[0], "-a");
	assert_false(o.all_python);
	REFUSE("COMMAND", "--");
	REFUSE("COMMAND", "-v", "--");
	REFUSE("COMMAND", "-a", "--");
	/* Here the dashes are an option's value. */
	ACCEPT("-a", "-o", "--");
	assert_string_equal(o.output, "--");
	REFUSE("--pid", "-p", "--");
}

/* What is mistyped is not run as a program, and the word that was perhaps meant is named. */
TEST(mistyped)
{
	REFUSE("there is no command 'dmup': did you mean dump?", "dmup");
	REFUSE("there is no command 'dmup'", "-v", "dmup", "--pid", "1");
	REFUSE("to start and profile it: pyperf-bpf -- python3", "python3", "app.py");
	REFUSE("to start and profile it: pyperf-bpf -- app", "profile", "app", "--", "x");
	REFUSE("'top' does not go with dump", "dump", "top");
	REFUSE("unknown option '--durtaion=1': did you mean --duration?", "-a", "--durtaion=1");
	REFUSE("did you mean --frequency?", "-a", "--frequancy", "9");
	REFUSE("unknown option '--kubelt'; --help", "dump", "--kubelt", "x"); /* it does not take that */
}

/* Those of other profilers. */
TEST(other_names)
{
	ACCEPT("record", "-r", "7", "-s", "-p", "1", "-f", "folded");
	assert_ptr_equal(o.subcommand, &command_rows[COMMAND_PROFILE]);
	assert_int_equal(o.frequency, 7);
	assert_true(o.children);
	assert_int_equal(o.format, FORMAT_FOLDED);
	ACCEPT("record", "--rate=8", "--subprocesses", "--", "true");
	assert_int_equal(o.frequency, 8);
	assert_true(o.children && o.command);
	REFUSE("--frequency does not go with dump", "dump", "-a", "-r", "7");
	REFUSE("--rate wants a value", "-a", "--rate");
}

TEST(last_one_wins)
{
	ACCEPT("-a", "-F", "1", "-F", "2", "--format", "folded", "--format", "pprof", "-o", "a", "-o",
	       "b.folded");
	assert_int_equal(o.frequency, 2);
	assert_int_equal(o.format, FORMAT_PPROF);
	assert_string_equal(o.output, "b.folded");
}

AROUND_ALL(NULL, free_options);
