// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_config.c - options from a file: keys, errors with their line, and the command line that wins.
 */
#include "tests/forge/test.h"
#include "tests/unit/options/config_file.h"

TEST(values)
{
	put("# of the test\n"
	    "\n"
	    "all-python = yes\n"
	    "  frequency=199   # a comment\r\n"
	    "\toutput-dir\t=\t/var/lib/with blank#and sharp \n"
	    "labels = process\n"
	    "interval = 2.5\n"
	    "keep = 3\n"
	    "quiet = no"); /* the last line has no end */
	ACCEPT("--config", path);
	assert_true(o.all_python && !o.quiet);
	assert_int_equal(o.frequency, 199);
	assert_string_equal(o.output_dir, "/var/lib/with blank#and sharp");
	assert_int_equal(o.labels, LABELS_PROCESS);
	assert_true(o.interval_seconds == 2.5 && o.continuous);
	assert_int_equal(o.keep_files, 3);
	assert_int_equal(o.max_depth, 1024);
}

TEST(empty_file)
{
	ACCEPT("-a", "--config", path);
	assert_int_equal(o.frequency, 99);
	REFUSE("name what to profile", "--config", path);
}

TEST(command_line_wins)
{
	put("all-python = yes\nfrequency = 5\noutput = file.pb.gz\nverbose = yes\nmax-depth = 7\n");
	ACCEPT("--config", path, "-F", "6", "-o", "line.pb.gz");
	assert_int_equal(o.frequency, 6);
	assert_string_equal(o.output, "line.pb.gz");
	assert_int_equal(o.max_depth, 7);
	assert_true(o.verbose && o.all_python);
	/* On either side of it. */
	ACCEPT("-F", "6", "--config", path);
	assert_int_equal(o.frequency, 6);
	/* So does its target. */
	ACCEPT("--config", path, "-p", "5");
	assert_false(o.all_python);
	assert_int_equal(o.pid_list[0], 5);
	ACCEPT("--config", path, "--", "true");
	assert_string_equal(o.command[0], "true");
	assert_false(o.all_python);
}

TEST(says_which_line)
{
	static const struct {
		const char *text, *line, *word;
	} bad[] = {
		{ "frequencies = 5\n", ":1: ", "frequencies" },
		{ "\n\nfrequency = 0\n", ":3: ", "--frequency" },
		{ "frequency = \n", ":1: ", "--frequency" },
		{ "frequency\n", ":1: ", "key = value" },
		{ "= 5\n", ":1: ", "unknown key" },
		{ "labels = both\n", ":1: ", "both" },
		{ "verbose = 1\n", ":1: ", "yes or no" },
		{ "verbose = \n", ":1: ", "yes or no" },
		{ "config = x\n", ":1: ", "config" },
		{ "help = yes\n", ":1: ", "help" },
		{ "version = yes\n", ":1: ", "version" },
		{ "frequency = 5\nfrequency = 5\n", ":2: ", "line 1" },
		{ "-F = 5\n", ":1: ", "unknown key" },
		{ "--frequency = 5\n", ":1: ", "unknown key" },
		/* What is found out only when all of it is read. */
		{ "#\noutput-dir = x\ninterval = soon\n", ":3: ", "soon" },
		{ "output-dir = x\nkeep = 5MB\n", ":2: ", "5MB" },
		{ "keep = 5\n", ":1: ", "--output-dir" },
		{ "duration = -1\n", ":1: ", "--duration" },
		{ "push = gopher://x\n", ":1: ", "--push" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char place[64];

		snprintf(place, sizeof(place), "%s%s", path, bad[i].line);
		put(bad[i].text);
		REFUSE(place, "-a", "--config", path);
		if (!strstr(error, bad[i].word))
			fail_msg("'%s' is not in: %s", bad[i].word, error);
	}
	/* An error of the command line is not one of the file. */
	put("output-dir = x\ninterval = 5\n");
	REFUSE("--interval", "-a", "--config", path, "--interval", "soon");
	assert_null(strstr(error, path));
	write_bytes("output = a\0b\n", 13);
	REFUSE(":1: ", "-a", "--config", path);
}

TEST(file_that_is_none)
{
	REFUSE("/nowhere/at/all: No such file", "-a", "--config", "/nowhere/at/all");
	REFUSE("/tmp", "-a", "--config", "/tmp");
	REFUSE("/dev/zero", "-a", "--config", "/dev/zero");
	ACCEPT("-h", "--config", "/nowhere");
}

AROUND_EACH(make_file, remove_file);
