// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_derive.c - kinds of events, durations, formats and addresses: values that are more than a number or
 * a word.
 */
#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"

TEST(kinds_of_events)
{
	const __u32 waits = EVENT_BIT(EVENT_OFFCPU) | EVENT_BIT(EVENT_RUNQUEUE);
	static const char *const wrong[] = {
		"", ",", "cpu,", ",cpu", "cpu,cpu", "cpu,cycles", "offcpu,offcpu", "gil,gil", "runqueue",
		"shrinkage", "memory,memory", "wall,wall", "tasks,tasks",
		"CPU", "cp", "cpux"
	};

	ACCEPT("-a", "--event", "cpu");
	assert_int_equal(o.events, EVENT_BIT(EVENT_CPU));
	ACCEPT("-a", "--event", "cpu-clock");
	assert_int_equal(o.events, EVENT_BIT(EVENT_CPU));
	assert_false(o.use_cycles);
	ACCEPT("-a", "--event", "offcpu");
	assert_int_equal(o.events, waits);
	assert_int_equal(o.min_wait_us, 100);
	ACCEPT("-a", "--event", "gil");
	assert_int_equal(o.events, EVENT_BIT(EVENT_GIL));
	ACCEPT("-a", "--event", "wall");
	assert_int_equal(o.events, EVENT_BIT(EVENT_WALL));
	assert_int_equal(o.threads, THREADS_ALL);
	ACCEPT("-a", "--event", "cpu,wall", "--threads", "main");
	assert_int_equal(o.events, EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_WALL));
	assert_int_equal(o.threads, THREADS_MAIN);
	ACCEPT("-a", "--event", "wall", "--threads", "active");
	assert_int_equal(o.threads, THREADS_ACTIVE);
	ACCEPT("-a", "--event", "cpu,offcpu,gil");
	assert_int_equal(o.events, EVENT_BIT(EVENT_CPU) | waits | EVENT_BIT(EVENT_GIL));
	ACCEPT("-a", "--event", "offcpu,cycles", "--min-wait", "0");
	assert_int_equal(o.events, EVENT_BIT(EVENT_CPU) | waits);
	assert_true(o.use_cycles);
	assert_int_equal(o.min_wait_us, 0);
	assert_int_equal(o.rss_step, 1024);
	ACCEPT("-a", "--event", "memory,offcpu", "--rss-step", "4");
	assert_int_equal(o.events, waits | EVENT_BIT(EVENT_MEMORY) | EVENT_BIT(EVENT_SHRINKAGE));
	assert_int_equal(o.rss_step, 4);
	ACCEPT("-a", "--event", "tasks,cpu");
	assert_int_equal(o.events, EVENT_BIT(EVENT_TASKS) | EVENT_BIT(EVENT_CPU));
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		REFUSE("--event wants cpu, cycles, offcpu, gil, wall, memory, loop, tasks", "-a", "--event",
		       wrong[i]);
}

TEST(durations)
{
	static const struct {
		const char *text;
		double seconds;
	} good[] = {
		{ "10", 10 },	{ "0.25", 0.25 }, { ".5", 0.5 },     { "1e2", 100 },	{ "1000000000", 1e9 },
		{ "10s", 10 },	{ "1.5m", 90 },	  { "1h", 3600 },    { "1h30m", 5400 }, { "250ms", 0.25 },
	};
	static const char *const bad[] = {
		"", "0", "-1", "0.0", "-0", "nan", "inf", "-inf", "1e10", "1e999", "1e-999", "10x", "1,5",
		"0s", "1 h", "99999d", "x", "1 ", "1 2", "--", "ten",
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		ACCEPT("-a", "-d", good[i].text);
		assert_true(o.seconds == good[i].seconds);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		REFUSE("--duration", "-a", "-d", bad[i], "-v");
}

/* A sign behind it is taken, as people write it. */
TEST(percent)
{
	ACCEPT("-a", "--budget", "2%");
	assert_true(o.budget_percent == 2);
	ACCEPT("-a", "--budget", "0");
	REFUSE("--budget", "-a", "--budget", "2%%");
	REFUSE("--budget", "-a", "--budget", "%");
	REFUSE("--budget", "-a", "--budget", "101%");
	REFUSE("--budget", "-a", "--budget", "0.0001");
	ACCEPT("diff", "--fail-over", "5%", "x", "y");
	assert_true(o.fail_share == 0.05);
	ACCEPT("diff", "--fail-over", "5", "x", "y");
	assert_true(o.fail_share == 0.05);
	ACCEPT("diff", "--fail-over", "2.5%", "x", "y");
	ACCEPT("diff", "--per", "12000,15000", "x", "y");
	for (size_t i = 0; i < 8; i++)
		REFUSE("--per", "diff", "--per",
		       ((const char *[]){ "5", "0,5", "5,0", "5,", ",5", "-1,5", "1,5x", "x" })[i], "x", "y");
	REFUSE("--per", "diff", "--per", "1,2", "--normalize", "time", "x", "y");
	REFUSE("--fail-over", "diff", "--fail-over", "0%", "x", "y");
	REFUSE("--fail-over", "diff", "--fail-over", "-5%", "x", "y");
	REFUSE("--fail-over", "diff", "--fail-over", "5 %", "x", "y");
	REFUSE("--fail-over", "diff", "--fail-over", "5s", "x", "y");
}

TEST(formats)
{
	static const struct {
		const char *file;
		enum format format;
	} cases[] = {
		{ "x.folded", FORMAT_FOLDED },	 { "x.pb.gz", FORMAT_PPROF },
		{ "-", FORMAT_PPROF },		 { "dir.folded/x", FORMAT_PPROF },
		{ "x.folded.gz", FORMAT_PPROF }, { "folded", FORMAT_PPROF },
		{ "xfolded", FORMAT_PPROF },	 { "/a/b/c.d.folded", FORMAT_FOLDED },
		{ "x.json", FORMAT_SPEEDSCOPE }, { "x.2026-11-29", FORMAT_PPROF },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ACCEPT("-a", "-o", cases[i].file);
		assert_int_equal(o.format, cases[i].format);
		/* What is said outright wins. */
		ACCEPT("-a", "-o", cases[i].file, "--format", "folded");
		assert_int_equal(o.format, FORMAT_FOLDED);
		ACCEPT("-a", "--format=pprof", "-o", cases[i].file);
		assert_int_equal(o.format, FORMAT_PPROF);
	}
	ACCEPT("-a", "-o", "x.Folded", "--format", "folded");
	REFUSE("no format ends so", "-a", "-o", "x.Folded");
	REFUSE("no format ends so", "-a", "-o", "x.pdf");
	REFUSE("no format ends so", "-a", "--log", "1", "--log-file", "x.pdf");
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

TEST(listening)
{
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
	ACCEPT("-a", "--listen", "7070", "--listen-host", "a.example,b");
	assert_string_equal(o.listen_host, "a.example,b");
	REFUSE("--listen-host goes with", "-a", "--listen-host", "a");
	REFUSE("--listen-host wants names of hosts", "-a", "--listen", "7070", "--listen-host", "a:80");
	REFUSE("--listen-token-file goes with", "-a", "--listen-metrics", "7071", "--listen-token-file", "t");
	ACCEPT("-a", "--listen", "7070", "--speedscope", "dir");
	ACCEPT("-a", "--event", "cpu,loop", "--loop-exact");
	REFUSE("it goes with --event loop", "-a", "--event", "cpu,offcpu", "--loop-exact");
	REFUSE("it goes with --event loop", "-a", "--loop-exact");
	REFUSE("--speedscope goes with", "-a", "--listen-metrics", "7071", "--speedscope", "dir");
	ACCEPT("-a", "--listen", "7070", "--listen-token-file", "t", "--listen-source");
	assert_true(o.listen_source);
	ACCEPT("-a", "--listen", "unix:/run/s", "--listen-source");
	REFUSE("--listen-source gives away files", "-a", "--listen-source");
	REFUSE("--listen-source gives away files", "-a", "--listen", "7070", "--listen-source");
	REFUSE("--listen-source gives away files", "-a", "--listen-metrics", "unix:/s", "--listen-source");
}

AROUND_ALL(NULL, free_options);
