// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_options_line.c - what only the whole command line decides: the target, lists and durations, the
 * format, where COMMAND begins; and that an error is one line whatever was asked.
 */
#include <limits.h>

#include "tests/unit/options/parse_line.h"

static void one_line_whatever_the_value(void **state)
{
	char longest[5000];

	(void)state;
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

static void pids(void **state)
{
	static const char *const bad[] = {
		"", ",", "1,", ",1", "1,,2", "0", "-1", "1,0", "x", "1x", "1 2", "1;2", "1.5", "0x10",
		"2147483648", "all", "1, x", "1,-2", "99999999999999999999", "\xff",
	};
	static char many[60000];
	size_t used = 0;

	(void)state;
	ACCEPT("-p", "4711");
	assert_int_equal(o.pid_count, 1);
	assert_int_equal(o.pid_list[0], 4711);
	ACCEPT("--pid=1,22,2147483647");
	assert_int_equal(o.pid_count, 3);
	assert_int_equal(o.pid_list[0], 1);
	assert_int_equal(o.pid_list[1], 22);
	assert_int_equal(o.pid_list[2], INT_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		REFUSE("--pid", "-p", bad[i]);
	/* The densest list there is: a digit for each process. */
	for (int i = 0; i < 10000; i++)
		used += snprintf(many + used, sizeof(many) - used, "%s%d", i ? "," : "", i % 9 + 1);
	ACCEPT("-p", many);
	assert_int_equal(o.pid_count, 10000);
	assert_int_equal(o.pid_list[9999], 9999 % 9 + 1);
	options_free(&o);
	assert_null(o.pid_list);
	options_free(&o);
}

static void durations(void **state)
{
	static const struct {
		const char *text;
		double seconds;
	} good[] = { { "10", 10 }, { "0.25", 0.25 }, { ".5", 0.5 }, { "1e2", 100 }, { "1000000000", 1e9 } };
	static const char *const bad[] = {
		"", "0", "-1", "0.0", "-0", "nan", "inf", "-inf", "1e10", "1e999", "1e-999", "10s", "1,5",
		"x", "1 ", "1 2", "--", "ten",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		ACCEPT("-a", "-d", good[i].text);
		assert_true(o.seconds == good[i].seconds);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		REFUSE("--duration", "-a", "-d", bad[i], "-v");
}

static void formats(void **state)
{
	static const struct {
		const char *file;
		enum format format;
	} cases[] = {
		{ "x.folded", FORMAT_FOLDED },	 { "x.pb.gz", FORMAT_PPROF },
		{ "-", FORMAT_PPROF },		 { "dir.folded/x", FORMAT_PPROF },
		{ "x.folded.gz", FORMAT_PPROF }, { "folded", FORMAT_PPROF },
		{ "x.Folded", FORMAT_PPROF },	 { "/a/b/c.d.folded", FORMAT_FOLDED },
		{ "xfolded", FORMAT_PPROF },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ACCEPT("-a", "-o", cases[i].file);
		assert_int_equal(o.format, cases[i].format);
		/* What is said outright wins. */
		ACCEPT("-a", "-o", cases[i].file, "--format", "folded");
		assert_int_equal(o.format, FORMAT_FOLDED);
		ACCEPT("-a", "--format=pprof", "-o", cases[i].file);
		assert_int_equal(o.format, FORMAT_PPROF);
	}
	REFUSE("--output", "-a", "-o", "");
	REFUSE("--output", "-a", "--output=");
	for (int i = 0; i < FORMATS; i++) {
		char file[64];

		snprintf(file, sizeof(file), "x%s", format_rows[i].suffix);
		ACCEPT("-a", "-o", file);
		assert_int_equal(o.format, i);
		ACCEPT("-a", "-o", "x.txt", "--format", format_rows[i].name);
		assert_int_equal(o.format, i);
		if (i != FORMAT_PPROF)
			REFUSE(format_rows[i].name, "-a", "--output-dir", "d", "--format",
			       format_rows[i].name);
	}
}

static void exactly_one_target(void **state)
{
	(void)state;
	ACCEPT("-a");
	ACCEPT("-p", "1");
	ACCEPT("--", "true");
	ACCEPT("true");
	REFUSE("--all-python", "-v");
	REFUSE("only one of", "-a", "-p", "1");
	REFUSE("only one of", "-a", "--", "true");
	REFUSE("only one of", "-p", "1", "true");
	REFUSE("only one of", "-a", "-p", "1", "--", "true");
	refuse("--all-python", NULL); /* no argument at all */
	/* These two answer without a target. */
	ACCEPT("-h");
	ACCEPT("-V");
}

/* --native and --kernel are as they were asked for, or as the target and the other one say. */
static void native_and_kernel(void **state)
{
	(void)state;
	ACCEPT("-a");
	assert_int_equal(o.native, NATIVE_MODE_OFF);
	assert_int_equal(o.kernel, KERNEL_MODE_OFF);
	ACCEPT("-a", "--native", "leaf");
	assert_int_equal(o.kernel, KERNEL_MODE_SYSCALL);
	ACCEPT("-a", "--native", "leaf", "--kernel", "off");
	assert_int_equal(o.kernel, KERNEL_MODE_OFF);
	ACCEPT("-a", "--kernel", "syscall");
	assert_int_equal(o.native, NATIVE_MODE_OFF);
	assert_int_equal(o.kernel, KERNEL_MODE_SYSCALL);
#if defined(__x86_64__)
	ACCEPT("-a", "--kernel", "full");
	assert_int_equal(o.kernel, KERNEL_MODE_FULL);
	REFUSE("--trigger timer", "-a", "--kernel", "full", "--trigger", "timer");
	ACCEPT("--all");
	assert_int_equal(o.native, NATIVE_MODE_FULL);
	assert_int_equal(o.kernel, KERNEL_MODE_SYSCALL);
	ACCEPT("--all", "--native", "leaf");
	assert_int_equal(o.native, NATIVE_MODE_LEAF);
	REFUSE("--native off", "--all", "--native", "off");
#else
	REFUSE("x86-64 only", "-a", "--kernel", "full");
	REFUSE("x86-64 only", "--all");
	REFUSE("x86-64 only", "-a", "--native", "top");
#endif
	REFUSE("only one of", "--all", "-a");
	REFUSE("only one of", "--all", "-p", "1");
	REFUSE("only one of", "--all", "--", "true");
}

static void command_keeps_its_options(void **state)
{
	(void)state;
	ACCEPT("-F", "7", "--", "python3", "-a", "-F", "8", "--help", "--wrong", "--", "-p");
	assert_int_equal(o.frequency, 7);
	assert_false(o.all_python || o.help || o.pids);
	assert_string_equal(o.command[0], "python3");
	assert_string_equal(o.command[1], "-a");
	assert_string_equal(o.command[7], "-p");
	assert_null(o.command[8]);
	/* The -- may be left out: the first argument that is not an option is COMMAND. */
	ACCEPT("-v", "python3", "-q", "--");
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

static void last_one_wins(void **state)
{
	(void)state;
	ACCEPT("-a", "-F", "1", "-F", "2", "--format", "folded", "--format", "pprof", "-o", "a", "-o",
	       "b.folded");
	assert_int_equal(o.frequency, 2);
	assert_int_equal(o.format, FORMAT_PPROF);
	assert_string_equal(o.output, "b.folded");
}

static void listening(void **state)
{
	(void)state;
	ACCEPT("-a");
	assert_int_equal(o.listen_address.size, 0);
	assert_int_equal(o.metrics_address.size, 0);
	ACCEPT("-a", "--listen", "7070");
	assert_null(o.output); /* clients take the profiles */
	assert_true(http_address_is_local(&o.listen_address));
	assert_int_equal(o.metrics_address.size, 0);
	ACCEPT("-a", "--listen", ":7070", "-o", "x");
	assert_string_equal(o.output, "x");
	ACCEPT("-a", "--listen-metrics", "0.0.0.0:7071");
	assert_string_equal(o.output, "profile.pb.gz");
	assert_false(http_address_is_local(&o.metrics_address));
	ACCEPT("-a", "--output-dir", "d", "--listen", "1", "--listen-metrics", "2");
	assert_null(o.output);
	REFUSE("--listen wants", "-a", "--listen", "here");
	REFUSE("--listen wants", "-a", "--listen", "");
	REFUSE("--listen-metrics wants", "-a", "--listen-metrics", "70000");
	ACCEPT("-a", "--listen-health", "*:7072");
	assert_int_equal(o.listen_address.size, 0);
	assert_false(http_address_is_local(&o.health_address));
	REFUSE("--listen-health wants", "-a", "--listen-health", "probe");
	ACCEPT("-a", "--listen", "7070", "--listen-token-file", "t");
	assert_string_equal(o.listen_token_file, "t");
	REFUSE("--listen-token-file goes with", "-a", "--listen-token-file", "t");
	REFUSE("--listen-token-file goes with", "-a", "--listen-metrics", "7071", "--listen-token-file", "t");
}

static void continuous(void **state)
{
	static const struct {
		const char *text;
		unsigned long long files, bytes;
	} good[] = {
		{ "1", 1, 0 },
		{ "24", 24, 0 },
		{ "500MiB", 0, 500ULL << 20 },
		{ "1KiB", 0, 1024 },
		{ "2GiB", 0, 2ULL << 30 },
		{ "3TiB", 0, 3ULL << 40 },
	};
	static const char *const bad[] = { "", "0", "-1", "0MiB", "MiB", "1.5GiB", "5MB", "5M", "5 MiB",
					   "5MiBs",
					   "99999999999999999999", "18446744073709551615KiB", "\xff",
					   "0x10" };

	(void)state;
	ACCEPT("-a");
	assert_false(o.continuous);
	ACCEPT("-a", "--output-dir", "d");
	assert_true(o.continuous);
	assert_true(o.interval_seconds == 60);
	assert_true(o.keep_bytes == 500ULL << 20 && !o.keep_files);
	ACCEPT("-a", "--output-dir", "d", "--interval", "0.5");
	assert_true(o.interval_seconds == 0.5);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		ACCEPT("-a", "--output-dir", "d", "--keep", good[i].text);
		assert_true(o.keep_files == good[i].files && o.keep_bytes == good[i].bytes);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		REFUSE("--keep", "-a", "--output-dir", "d", "--keep", bad[i]);
	REFUSE("--interval", "-a", "--output-dir", "d", "--interval", "0.01");
	REFUSE("--interval", "-a", "--output-dir", "d", "--interval", "1m");
	REFUSE("--output-dir", "-a", "--interval", "1");
	REFUSE("--output-dir", "-a", "--keep", "1");
	REFUSE("--output", "-a", "--output-dir", "d", "-o", "x");
	REFUSE("folded", "-a", "--output-dir", "d", "--format", "folded");
	REFUSE("--output-dir", "-a", "--output-dir", "");
}

static int teardown(void **state)
{
	(void)state;
	options_free(&o);
	return 0;
}

/* dump and tasks take what selects processes and what is theirs, and nothing else. */
static void looks(void **state)
{
	(void)state;
	ACCEPT("tasks", "--pid", "7");
	assert_true(o.tasks && !o.dump);
	ACCEPT("tasks", "-a", "--pod", "cart*", "--table");
	assert_true(o.table);
	ACCEPT("dump", "-a", "--json");
	assert_true(o.dump && !o.tasks);
	ACCEPT("tasks", "-a", "--json");
	ACCEPT("dump", "-a", "--async");
	REFUSE("--async", "tasks", "-a", "--async");
	ACCEPT("-a", "--async");
	assert_true(o.async);
	REFUSE("tasks", "tasks");
	REFUSE("threads", "dump");
	REFUSE("--push does not go with tasks", "tasks", "-a", "--push", "http://x");
	REFUSE("--table does not go with dump", "dump", "-a", "--table");
	REFUSE("--table", "-a", "--table");
	REFUSE("--json", "-a", "--json");
	REFUSE("--table", "tasks", "-a", "--json", "--table");
	REFUSE("--all does not go with tasks", "tasks", "--all");
	REFUSE("one of --all-python and --pid PID", "tasks", "--", "true");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_whatever_the_value),
		cmocka_unit_test(pids),
		cmocka_unit_test(durations),
		cmocka_unit_test(formats),
		cmocka_unit_test(exactly_one_target),
		cmocka_unit_test(native_and_kernel),
		cmocka_unit_test(command_keeps_its_options),
		cmocka_unit_test(last_one_wins),
		cmocka_unit_test(listening),
		cmocka_unit_test(continuous),
		cmocka_unit_test(looks),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
