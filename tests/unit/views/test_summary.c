// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_summary.c - the numbers of the page are right (recursion counted once, lines, threads and processes
 * merged, markers apart), and no line is wider than it may be.
 */

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tests/forge/test.h"
#include "views/summary.h"

static struct profile *new_profile(void)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 10000000,
						  .duration_ns = 500000000,
						  .frequency = 100 };
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

static __u32 location_of(struct profile *p, enum frame_kind kind, const char *name, const char *file,
			 int start, int line, __u32 mapping)
{
	__u32 function, id;

	assert_int_equal(profile_function(p, kind, name, file, start, &function), 0);
	assert_int_equal(profile_location(p, function, line, 0, mapping, &id), 0);
	return id;
}

static __u32 location(struct profile *p, const char *name, const char *file, int start, int line,
		      __u32 mapping)
{
	return location_of(p, FRAME_PYTHON, name, file, start, line, mapping);
}

static __u32 marker_location(struct profile *p, const char *name)
{
	return location_of(p, FRAME_MARKER, name, "", 0, 0, 0);
}

static char *summary(const struct profile *p, bool colour, int rows)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	summary_print(p, f, colour, rows);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void assert_has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no \"%s\" in:\n%s", line, text);
}

/* Of 100,000 samples one is 0.001 %: of functions, lines, markers and processes no row says "0.00%". */
TEST(rows_of_nothing_are_left_out)
{
	struct profile *p = new_profile();
	const __u32 hot = location(p, "hot", "a.py", 1, 2, 0), cold = location(p, "cold", "a.py", 5, 6, 0);
	const __u32 lost = marker_location(p, "[truncated]"), main = location(p, "main", "a.py", 9, 9, 0);
	const __u32 hot_stack[] = { hot, main }, cold_stack[] = { cold, main };
	struct profile_labels one = { .pid = 1, .tid = 1, .comm = "one" };
	struct profile_labels other = { .pid = 2, .tid = 2, .comm = "other" };
	char *text;

	assert_int_equal(profile_sample(p, EVENT_CPU, hot_stack, 2, &one, 99998), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, cold_stack, 2, &other, 1), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &lost, 1, &other, 1), 0);
	text = summary(p, false, 10);
	assert_null(strstr(text, "cold"));
	assert_null(strstr(text, "truncated"));
	assert_null(strstr(text, "other\n"));
	assert_has(text, "hot");
	assert_has(text, "main"); /* which has nothing of its own, but all that it calls */
	free(text);
	profile_free(p);
}

static struct profile *example(void)
{
	struct profile *p = new_profile();
	__u32 mapping;
	__u32 module = location(p, "<module>", "/srv/app.py", 1, 3, 0);
	__u32 fib = location(p, "fib", "/srv/app.py", 8, 9, 0), fib_other, function, fib_column, mixed[3];
	const __u32 recursive[] = { fib, fib, fib, module }, top[] = { module };
	struct profile_labels main = { .pid = 12, .tid = 12, .comm = "main" };
	struct profile_labels other = { .pid = 12, .tid = 13, .comm = "other" };
	struct profile_labels more = { .pid = 9, .tid = 9, .comm = "x", .thread = "" };

	assert_int_equal(profile_mapping(p, "python3", "", &mapping), 0);
	fib_other = location(p, "fib", "/srv/app.py", 8, 9, mapping);
	assert_int_equal(profile_sample(p, EVENT_CPU, top, 1, &main, 10), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, recursive, 4, &other, 45), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "fib", "/srv/app.py", 8, &function), 0);
	assert_int_equal(profile_location(p, function, 9, 5, 0, &fib_column), 0);
	memcpy(mixed, (__u32[]){ fib_column, fib, module }, sizeof(mixed));
	assert_int_equal(profile_sample(p, EVENT_CPU, mixed, 3, &other, 15), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &fib_other, 1, &more, 30), 0);
	return p;
}

TEST(numbers_are_right)
{
	_cleanup_profile_ struct profile *p = example();
	_cleanup_free_ char *text = summary(p, false, 10);

	assert_has(text, "100 samples, 1.00 s of CPU in 0.5 s (2.00 CPUs busy), 100 Hz\n");
	assert_has(text, "  function                          defined at\n"
			 "  90.0%    90.0%  fib                               /srv/app.py:8\n"
			 "  10.0%    70.0%  <module>                          /srv/app.py:1\n");
	assert_has(text, "  function                                   line\n"
			 "  90.0%  fib                                        /srv/app.py:9\n"
			 "  10.0%  <module>                                   /srv/app.py:3\n");
	assert_has(text, "\nProcesses\n"
			 "  share          CPU         pid  name\n"
			 "  70.0%       0.70 s          12  main\n"
			 "  30.0%       0.30 s           9  x\n");
	assert_null(strstr(text, "tables"));
	assert_null(strchr(text, '\033'));
}

/* Below a function: where its own time was, as much of it as fits. */
TEST(libraries_of_a_function)
{
	_cleanup_profile_ struct profile *p = new_profile();
	struct profile_labels labels = { .pid = 12, .tid = 12, .comm = "main" };
	__u32 stack[2] = { 0, location(p, "pack", "/srv/app.py", 1, 3, 0) }, function;
	_cleanup_free_ char *text = NULL;
	char library[64];

	for (int i = 0; i < 10; i++) {
		snprintf(library, sizeof(library), "/usr/lib/lib-with-a-long-name-%d.so", i);
		assert_int_equal(profile_function(p, FRAME_NATIVE, "f", library, 0, &function), 0);
		assert_int_equal(profile_location_native(p, function, 0, 0x10 + i, &stack[0]), 0);
		assert_int_equal(profile_sample(p, EVENT_CPU, stack, 2, &labels, 10 - i), 0);
	}
	assert_int_equal(profile_sample(p, EVENT_CPU, &stack[1], 1, &labels, 45), 0);
	text = summary(p, false, 10);
	assert_has(text, " 100.0%   100.0%  pack                              /srv/app.py:1\n"
			 "                      10.0% in lib-with-a-long-name-0.so, "
			 "9.0% in lib-with-a-long-name-1.so\n\n");
}

/* A reason for a wait is no path, though there is a slash in it. */
TEST(reason_with_a_slash)
{
	_cleanup_profile_ struct profile *p = new_profile();
	struct profile_labels labels = { .pid = 12, .tid = 12, .comm = "main" };
	__u32 stack[2] = { 0, location(p, "load", "/srv/app.py", 1, 3, 0) }, function;
	_cleanup_free_ char *text = NULL;

	assert_int_equal(profile_function(p, FRAME_WAIT, "[I/O]", "", 0, &function), 0);
	assert_int_equal(profile_location(p, function, 0, 0, 0, &stack[0]), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, stack, 2, &labels, 10), 0);
	text = summary(p, false, 10);
	assert_has(text, "\n                      100.0% in [I/O]\n");
}

TEST(rows_are_limited_and_colour_is_reset)
{
	_cleanup_profile_ struct profile *p = example();
	_cleanup_free_ char *one = summary(p, true, 1), *none = summary(p, false, 0);
	int on = 0, off = 0;

	assert_has(one, "\033[31m  90.0%\033[0m  \033[31m  90.0%\033[0m  fib ");
	assert_null(strstr(one, "<module>"));
	for (const char *at = one; (at = strchr(at, '\033')); at++)
		*(strncmp(at, "\033[0m", 4) ? &on : &off) += 1;
	assert_int_equal(on, off);
	assert_string_equal(none, "100 samples, 1.00 s of CPU in 0.5 s (2.00 CPUs busy), 100 Hz\n");
}

TEST(ticks_that_are_missing)
{
	_cleanup_profile_ struct profile *p = example();
	struct profile_info info = *profile_get_info(p);
	_cleanup_free_ char *text = NULL;

	info.period_ns *= 2;
	info.ticks_came = 600;
	info.ticks_wanted = 1200;
	assert_int_equal(profile_set_info(p, &info), 0);
	text = summary(p, false, 0);
	assert_string_equal(text, "100 samples, 2.00 s of CPU in 0.5 s (4.00 CPUs busy), 100 Hz\n"
				  "600 of 1,200 ticks came: a sample stands for 20.00 ms\n");
}

/* CPU time that is the kernel's account is shown, whatever the ticks say; they are the samples. */
TEST(time_of_the_account)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 10000000,
						  .duration_ns = 2000000000, .frequency = 100,
						  .ticks_came = 6, .ticks_wanted = 12, .timed = true };
	const struct profile_labels busy = { .pid = 7, .tid = 7, .comm = "busy" };
	const struct profile_labels naps = { .pid = 8, .tid = 8, .comm = "naps" };
	_cleanup_free_ char *text = NULL;
	_cleanup_profile_ struct profile *p = NULL;
	__u32 f, g, unseen;

	assert_int_equal(profile_new(&info, &p), 0);
	f = location(p, "f", "/a.py", 1, 2, 0);
	g = location(p, "g", "/a.py", 5, 6, 0);
	unseen = marker_location(p, "[not seen by ticks]");
	assert_int_equal(profile_sample(p, EVENT_CPU, &f, 1, &busy, 9), 0);
	assert_int_equal(profile_sample(p, PROFILE_TIME, &f, 1, &busy, 200000000), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &g, 1, &naps, 1), 0);
	assert_int_equal(profile_sample(p, PROFILE_TIME, &g, 1, &naps, 700000000), 0);
	assert_int_equal(profile_sample(p, PROFILE_TIME, &unseen, 1, &busy, 100000000), 0);
	text = summary(p, false, 10);
	assert_has(text, "10 samples, 1.00 s of CPU in 2.0 s (0.50 CPUs busy), 100 Hz\n"
			 "6 of 12 ticks came: those of a thread share its CPU time\n");
	assert_has(text, "  70.0%    70.0%  g                                 /a.py:5\n"
			 "  20.0%    20.0%  f                                 /a.py:1\n");
	assert_has(text, "  70.0%       0.70 s           8  naps\n"
			 "  30.0%       0.30 s           7  busy\n");
	assert_has(text, "Not in the tables: 10.0% [not seen by ticks]");
}

static void assert_fits(const char *text);

TEST(tables_without_room)
{
	_cleanup_profile_ struct profile *p = example();
	struct profile_info info = *profile_get_info(p);
	_cleanup_free_ char *text = NULL, *largest = NULL;

	info.full[FULL_TABLE_processes_full] = 1234;
	assert_int_equal(profile_set_info(p, &info), 0);
	text = summary(p, false, 0);
	assert_has(text, "\n1,234 times a process found no room in the table of processes");
	for (int i = 0; i < FULL_TABLES; i++)
		info.full[i] = 9999999999;
	assert_int_equal(profile_set_info(p, &info), 0);
	largest = summary(p, false, 0);
	assert_fits(largest);
}

static void assert_fits(const char *text)
{
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		size_t columns = 0;

		for (const char *at = line; at < end; at += buf_utf8_length(at), columns++)
			assert_int_not_equal(buf_utf8_length(at), 0);
		if (columns > SUMMARY_WIDTH)
			fail_msg("%zu columns: %.*s", columns, (int)(end - line), line);
	}
}

/* `count` samples of one frame. */
static void add(struct profile *p, __u32 frame, __u32 pid, __u32 tid, const char *name, __u64 count)
{
	struct profile_labels labels = { .pid = pid, .tid = tid, .comm = "server", .thread = name };

	assert_int_equal(profile_sample(p, EVENT_CPU, &frame, 1, &labels, count), 0);
}

TEST(markers_are_below_the_tables)
{
	_cleanup_profile_ struct profile *p = new_profile();
	__u32 f = location(p, "f", "/a.py", 1, 2, 0), idle = marker_location(p, "[no Python frames]"),
	      early = marker_location(p, "[no thread state]"), cut = marker_location(p, "[truncated]");
	/* Whatever they are called, these are functions as others are. */
	__u32 named = location(p, "[unreadable name]", "/b.py", 3, 4, 0),
	      flat = location(p, "<frozen>", "", 0, 0, 0);
	const __u32 deep[] = { f, f, cut };
	struct profile_labels labels = { .pid = 5, .tid = 5, .comm = "server", .thread = "" };
	_cleanup_free_ char *text = NULL;

	add(p, f, 5, 5, "", 9000);
	add(p, idle, 5, 5, "", 120);
	add(p, early, 5, 5, "", 30);
	add(p, named, 5, 5, "", 500);
	add(p, flat, 5, 5, "", 300);
	assert_int_equal(profile_sample(p, EVENT_CPU, deep, 3, &labels, 50), 0);
	text = summary(p, false, 10);
	assert_has(text, "10,000 samples, 100.00 s of CPU");
	assert_has(text, "\n 90.50%   90.50%  f                                 /a.py:1\n"
			 "  5.00%    5.00%  [unreadable name]                 /b.py:3\n"
			 "  3.00%    3.00%  <frozen>\n\n");
	assert_has(text, "  3.00%  <frozen>\n"
			 "\nNot in the tables: 1.20% [no Python frames], 0.30% [no thread state]\n"
			 "\nIn the tables, but not whole: 0.50% [truncated]\n"
			 "\nProcesses\n");
	assert_has(text, "\n100.00%     100.00 s           5  server\n");
}

TEST(nothing_but_markers)
{
	_cleanup_profile_ struct profile *p = new_profile();
	_cleanup_free_ char *text = NULL;

	add(p, marker_location(p, "[unsupported Python]"), 5, 5, "", 10);
	text = summary(p, false, 10);
	assert_null(strstr(text, "Hottest"));
	assert_has(text, "Not in the tables: 100.0% [unsupported Python]\n");
}

TEST(names_are_short)
{
	static const struct {
		const char *name, *shown;
	} rows[] = {
		{ "view.<locals>.<listcomp>", "  view.<listcomp>  " },
		{ "a.<locals>.b.<locals>.c", "  a.b.c  " },
		{ "a.<locals>.<locals>.b", "  a.b  " },
		{ "<locals>.x", "  <locals>.x  " },
		{ "y.<locals>", "  y.<locals>  " },
		{ "", "                                    /empty.py:7\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_profile_ struct profile *p = new_profile();
		_cleanup_free_ char *text = NULL;

		add(p, location(p, rows[i].name, "/empty.py", 7, 8, 0), 5, 5, "", 1);
		text = summary(p, false, 10);
		assert_has(text, rows[i].shown);
	}
}

static void add_gil(struct profile *p, __u32 f, __u32 pid, __u32 tid, const char *gil, __u64 count)
{
	struct profile_labels labels = {
		.pid = pid, .tid = tid, .comm = "server", .thread = "worker", .gil = gil
	};

	assert_int_equal(profile_sample(p, EVENT_CPU, &f, 1, &labels, count), 0);
}

/* Columns that are there where it is known, and that leave less room for names. */
TEST(who_had_the_gil)
{
	_cleanup_profile_ struct profile *threads = new_profile(), *processes = new_profile();
	_cleanup_free_ char *text = NULL, *other = NULL;
	__u32 f = location(threads, "f", "/a.py", 1, 2, 0), g = location(processes, "f", "/a.py", 1, 2, 0);

	add_gil(threads, f, 5, 5, "holds", 450);
	add_gil(threads, f, 5, 5, "released", 150);
	add_gil(threads, f, 5, 6, "released", 300);
	add_gil(threads, f, 5, 6, "", 100);
	add_gil(threads, f, 5, 7, "", 50);
	add_gil(threads, f, 8, 8, "holds", 20);
	text = summary(threads, false, 10);
	assert_has(text, "\nThreads of server (pid 5)\n"
			 "  share          CPU  GIL held  released         tid  name\n"
			 " 56.07%       6.00 s       75.0%     25.0%         5  worker\n"
			 " 37.38%       4.00 s        0.0%     75.0%         6  worker\n"
			 "  4.67%       0.50 s                               7  worker\n"
			 "  1.87%       0.20 s                                  1 other process\n");
	add_gil(processes, g, 5, 5, "holds", 1);
	add_gil(processes, g, 6, 6, "released", 1);
	other = summary(processes, false, 10);
	assert_has(other, "\nProcesses\n  share          CPU  GIL held  released         pid  name\n"
			  "  50.0%       0.01 s      100.0%      0.0%         5  server\n");
}

TEST(threads_of_the_one_process)
{
	_cleanup_profile_ struct profile *p = new_profile();
	__u32 f = location(p, "f", "/a.py", 1, 2, 0);
	_cleanup_free_ char *all = NULL, *two = NULL, *less = NULL;

	add(p, f, 5, 5, "", 200);
	add(p, f, 5, 6, "worker", 500);
	add(p, f, 5, 7, "writer", 50);
	add(p, f, 5, 6, "renamed", 50);
	add(p, f, 8, 8, "", 120);
	add(p, f, 9, 9, "", 80);
	all = summary(p, false, 10);
	assert_has(all, "\nThreads of server (pid 5)\n"
			"  share          CPU         tid  name\n"
			" 55.00%       5.50 s           6  worker\n"
			" 20.00%       2.00 s           5  server\n"
			"  5.00%       0.50 s           7  writer\n"
			" 20.00%       2.00 s              2 other processes\n");
	assert_null(strstr(all, "Processes"));
	two = summary(p, false, 1);
	assert_has(two, "  worker\n"
			" 25.00%       2.50 s              2 other threads\n"
			" 20.00%       2.00 s              2 other processes\n");
	add(p, f, 9, 9, "", 1); /* now less than 80 % */
	less = summary(p, false, 10);
	assert_null(strstr(less, "Threads"));
	assert_has(less, "\nProcesses\n");
}

/* One thread, threads not told apart, or processes that nothing is known of: processes. */
TEST(no_threads_to_tell_apart)
{
	static const __u32 owners[][2][2] = { { { 5, 5 }, { 5, 5 } },
					      { { 5, 0 }, { 5, 0 } },
					      { { 0, 6 }, { 0, 7 } } };

	for (size_t i = 0; i < ARRAY_SIZE(owners); i++) {
		_cleanup_profile_ struct profile *p = new_profile();
		__u32 f = location(p, "f", "/a.py", 1, 2, 0);
		_cleanup_free_ char *text = NULL;

		for (int j = 0; j < 2; j++)
			add(p, f, owners[i][j][0], owners[i][j][1], j ? "b" : "a", 10);
		text = summary(p, false, 10);
		assert_null(strstr(text, "Threads"));
		assert_has(text, "\nProcesses\n");
	}
}

TEST(no_line_is_wider_than_the_page)
{
	_cleanup_profile_ struct profile *p = new_profile();
	_cleanup_buf_ struct buf path = { 0 }, name = { 0 };
	struct profile_labels labels = { .pid = ~0U, .tid = ~0U };
	_cleanup_free_ char *text = NULL;

	for (int i = 0; i < 60; i++) {
		assert_int_equal(buf_add_string(&path, "/f\xc3\xb6lder"), 0);
		assert_int_equal(buf_add_string(&name, "\xc3\xa4\x1b[2J\n"), 0);
	}
	assert_int_equal(buf_add(&path, "/last.py", 9), 0);
	assert_int_equal(buf_add(&name, "", 1), 0);
	labels.comm = labels.thread = name.data;
	__u32 l = location(p, name.data, path.data, 0x7fffffff, 0x7fffffff, 0);
	__u32 flat = location(p, "short", name.data, 1, 1, 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &l, 1, &labels, 1), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &flat, 1, &labels, 1), 0);
	for (int i = 0; i < 6; i++) { /* markers too: of our own length, and invented ones */
		_cleanup_buf_ struct buf text_of = { 0 };

		assert_int_equal(buf_printf(&text_of, "[%d %.*s]", i, i % 2 ? 20 : 200,
					    i % 2 ? "no Python frames ...." : name.data),
				 0);
		assert_int_equal(buf_add(&text_of, "", 1), 0);
		__u32 marker = marker_location(p, text_of.data);
		assert_int_equal(profile_sample(p, EVENT_CPU, &marker, 1, &labels, 2), 0);
	}
	text = summary(p, false, 10);
	assert_has(text, "  .../f\xc3\xb6lder/f\xc3\xb6lder/f\xc3\xb6lder/last.py:2147483647\n");
	assert_has(text, "\xc3\xa4?[2J?\xc3\xa4?[2J?\xc3\xa4?[2J?\xc3\xa4?[2J?\xc3\xa4?[2J...");
	assert_fits(text);
}

TEST(a_profile_without_samples_says_so)
{
	_cleanup_profile_ struct profile *p = new_profile();
	_cleanup_free_ char *text = summary(p, false, 10);

	assert_string_equal(text, "0 samples, 0.00 s of CPU in 0.5 s (0.00 CPUs busy), 100 Hz\n");
}
