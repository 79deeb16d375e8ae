// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tally.c - the sums of a profile by function, line, marker, process and thread: each sample is counted
 * once in each, rows that a reader cannot tell apart are one, and the hottest is first.
 */
#include <errno.h>
#include <string.h>

#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"
#include "views/tally.h"

static struct profile *profile;
static struct tally tally;

static int setup(void **state)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU),
		.period_ns = 10000000, .frequency = 100,
	};

	(void)state;
	return profile_new(&info, &profile);
}

static int teardown(void **state)
{
	(void)state;
	tally_free(&tally);
	profile_free(TAKE_PTR(profile));
	return 0;
}

static __u32 location_of(enum frame_kind kind, __u32 mapping, const char *name, int line, int column)
{
	const char *file = kind == FRAME_PYTHON ? "a.py" : "";
	__u32 function, id;

	assert_int_equal(profile_function(profile, kind, name, file, 1, &function), 0);
	assert_int_equal(profile_location(profile, function, line, column, mapping, &id), 0);
	return id;
}

static __u32 location(const char *name, int line)
{
	return location_of(FRAME_PYTHON, 0, name, line, 0);
}

/* count samples of a stack, leaf first and 0 at its end, of a thread of process 10. */
static void add_of(struct profile_labels labels, __u64 count, const __u32 *stack)
{
	size_t n = 0;

	while (stack[n])
		n++;
	assert_int_equal(profile_sample(profile, EVENT_CPU, stack, n, &labels, count), 0);
}

#define OF(p, t, name) ((struct profile_labels){ .pid = (p), .tid = (t), .comm = "server", .thread = (name) })
#define ADD(count, ...) add_of(OF(10, 10, "main"), count, (const __u32[]){ __VA_ARGS__, 0 })

static void make(void)
{
	tally_free(&tally);
	assert_int_equal(tally_make(profile, &tally), 0);
}

/* The row of that function, by its rank. */
static void function_is(const struct tally_rows *rows, __u32 rank, const char *name, __u64 self, __u64 total)
{
	const struct tally_row *r = &rows->rows[rank];

	assert_true(rank < rows->n);
	assert_string_equal(profile_get_string(profile, profile_get_function(profile, r->id)->name), name);
	assert_int_equal(r->self, self);
	assert_int_equal(r->total, total);
}

static void line_is(__u32 rank, const char *function, __u32 line, __u64 self)
{
	const struct tally_row *r = &tally.lines.rows[rank];
	__u32 name;

	assert_true(rank < tally.lines.n);
	name = profile_get_function(profile, r->id)->name;
	assert_string_equal(profile_get_string(profile, name), function);
	assert_int_equal(r->line, line);
	assert_int_equal(r->self, self);
}

/* Of processes or threads: the row, and the name of the thread that stands for it. */
static void owner_is(const struct tally_rows *rows, __u32 rank, __u32 id, __u64 self, const char *name)
{
	const struct tally_row *r = &rows->rows[rank];

	assert_true(rank < rows->n);
	assert_int_equal(r->id, id);
	assert_int_equal(r->self, self);
	assert_string_equal(profile_get_string(profile, profile_get_owner(profile, r->line)->thread), name);
}

TEST(nothing_was_sampled)
{
	make();
	assert_int_equal(tally.functions.n + tally.lines.n + tally.markers.n, 0);
	assert_int_equal(tally.processes.n + tally.threads.n + tally.pid, 0);
}

TEST(self_is_the_leafs_and_total_everybodys)
{
	__u32 a = location("a", 1), b = location("b", 2), c = location("c", 3);

	ADD(5, c, b, a);
	ADD(3, b, a);
	make();
	assert_int_equal(tally.functions.n, 3);
	function_is(&tally.functions, 0, "c", 5, 5);
	function_is(&tally.functions, 1, "b", 3, 8);
	function_is(&tally.functions, 2, "a", 0, 8);
	line_is(0, "c", 3, 5);
	line_is(1, "b", 2, 3);
}

TEST(recursion_counts_a_sample_once)
{
	__u32 f = location("f", 1), deeper = location("f", 2), g = location("g", 9);

	ADD(7, f, deeper, deeper, g, deeper, f);
	make();
	assert_int_equal(tally.functions.n, 2);
	function_is(&tally.functions, 0, "f", 7, 7);
	function_is(&tally.functions, 1, "g", 0, 7);
}

/* Two columns of one line, and one file run by two interpreters, are one line to a reader. */
TEST(rows_of_one_line_are_merged)
{
	__u32 one, other;

	assert_int_equal(profile_mapping(profile, "/usr/bin/python3.11", "", &one), 0);
	assert_int_equal(profile_mapping(profile, "/usr/bin/python3.13", "", &other), 0);
	ADD(1, location_of(FRAME_PYTHON, one, "f", 4, 5));
	ADD(20, location_of(FRAME_PYTHON, one, "f", 4, 9));
	ADD(300, location_of(FRAME_PYTHON, other, "f", 4, 5));
	ADD(4000, location_of(FRAME_PYTHON, one, "f", 5, 5));
	make();
	assert_int_equal(tally.lines.n, 2);
	line_is(0, "f", 5, 4000);
	line_is(1, "f", 4, 321);
	function_is(&tally.functions, 0, "f", 4321, 4321);
}

/* The kind of a frame decides, not what it is called. */
TEST(markers_are_apart)
{
	__u32 idle = location_of(FRAME_MARKER, 0, "[no Python frames]", 0, 0);
	__u32 cut = location_of(FRAME_MARKER, 0, "[truncated]", 0, 0), f = location("f", 1);

	ADD(3, idle);
	ADD(20, f, cut);
	ADD(100, location("[truncated]", 2));
	make();
	assert_int_equal(tally.markers.n, 2);
	function_is(&tally.markers, 0, "[no Python frames]", 3, 3);
	function_is(&tally.markers, 1, "[truncated]", 0, 20);
	assert_int_equal(tally.functions.n, 2);
	function_is(&tally.functions, 0, "[truncated]", 100, 100);
	function_is(&tally.functions, 1, "f", 20, 20);
	assert_int_equal(tally.lines.n, 2);
	line_is(0, "[truncated]", 2, 100);
	line_is(1, "f", 1, 20);
}

/* Equal heat: the one that calls more, and then the one that came first. */
TEST(ties_have_an_order)
{
	__u32 a = location("a", 1), b = location("b", 2), c = location("c", 3);

	ADD(2, a);
	ADD(2, b);
	ADD(2, c);
	ADD(1, location("d", 4), c);
	make();
	function_is(&tally.functions, 0, "c", 2, 3);
	function_is(&tally.functions, 1, "a", 2, 2);
	function_is(&tally.functions, 2, "b", 2, 2);
	function_is(&tally.functions, 3, "d", 1, 1);
}

/* Of two functions the one that came first, wherever its line is; of one function the line above. */
TEST(ties_of_lines_have_an_order)
{
	const __u32 late = location("a", 9), other = location("b", 3), early = location("a", 5);

	ADD(2, late);
	ADD(2, other);
	ADD(2, early);
	make();
	line_is(0, "a", 5, 2);
	line_is(1, "a", 9, 2);
	line_is(2, "b", 3, 2);
}

/* Its main thread names a process, however little it did; else the busiest does. */
TEST(processes_are_sums_of_their_threads)
{
	const __u32 f[] = { location("f", 1), 0 };

	add_of(OF(10, 12, "busy"), 40, f);
	add_of(OF(10, 10, "main"), 1, f);
	add_of(OF(10, 11, "helper"), 4, f);
	add_of(OF(20, 22, "less"), 20, f);
	add_of(OF(20, 21, "most"), 35, f);
	make();
	assert_int_equal(tally.processes.n, 2);
	owner_is(&tally.processes, 0, 20, 55, "most");
	owner_is(&tally.processes, 1, 10, 45, "main");
	for (__u32 id = 1; id <= profile_count(profile, PROFILE_OWNER); id++)
		if (profile_get_owner(profile, id)->tid == 12)
			assert_int_equal(tally.owners[id - 1], 40);
}

TEST(threads_of_a_process_that_has_most)
{
	const __u32 f[] = { location("f", 1), 0 };

	add_of(OF(10, 10, "main"), 50, f);
	add_of(OF(10, 11, "worker"), 30, f);
	add_of(OF(20, 20, "other"), 20, f);
	make();
	assert_int_equal(tally.pid, 10); /* 80 of 100 */
	assert_int_equal(tally.threads.n, 2);
	owner_is(&tally.threads, 0, 10, 50, "main");
	owner_is(&tally.threads, 1, 11, 30, "worker");
	add_of(OF(20, 20, "other"), 1, f);
	make();
	assert_int_equal(tally.pid, 0); /* 80 of 101 */
	assert_int_equal(tally.threads.n, 0);
}

TEST(no_table_of_one_thread)
{
	const __u32 f[] = { location("f", 1), 0 };

	add_of(OF(10, 10, "main"), 100, f);
	make();
	assert_int_equal(tally.pid, 0);
	assert_int_equal(tally.threads.n, 0);
	assert_int_equal(tally.processes.n, 1);
}

/* pid 0: counts of which nothing is known, such as [table full]. They are no process with threads. */
TEST(unknown_owners_have_no_threads)
{
	const __u32 f[] = { location_of(FRAME_MARKER, 0, "[table full]", 0, 0), 0 };

	add_of(OF(0, 0, ""), 90, f);
	add_of(OF(0, 1, ""), 9, f);
	make();
	assert_int_equal(tally.threads.n, 0);
	assert_int_equal(tally.pid, 0);
}

/* Native code has a table of its own, and counts for the line below it as well. */
TEST(native_code)
{
	__u32 function, location_of_native;

	assert_int_equal(profile_function(profile, FRAME_NATIVE, "deflate", "libz.so", 0, &function), 0);
	assert_int_equal(profile_location_native(profile, function, 0, 0x100, &location_of_native), 0);
	ADD(3, location_of_native, location("f", 1));
	ADD(4, location("f", 1));
	assert_int_equal(tally_make(profile, &tally), 0);
	assert_int_equal(tally.functions.n, 1);
	function_is(&tally.functions, 0, "f", 7, 7);
	assert_int_equal(tally.lines.n, 1);
	assert_int_equal(tally.lines.rows[0].self, 7);
	assert_int_equal(tally.natives.n, 1);
	function_is(&tally.natives, 0, "deflate", 3, 3);
}

static void library_is(__u32 row, const char *function, const char *library, __u64 count)
{
	const struct tally_row *r = &tally.libraries.rows[row];
	const struct profile_function *f = profile_get_function(profile, r->id);

	assert_true(row < tally.libraries.n);
	assert_string_equal(profile_get_string(profile, f->name), function);
	assert_string_equal(profile_get_string(profile, r->line), library);
	assert_int_equal(r->self, count);
}

/* In which library a Python function's own time is: that of the leaf, whatever is between. */
TEST(libraries)
{
	__u32 function, z, other_z, c, call;

	assert_int_equal(profile_function(profile, FRAME_NATIVE, "deflate", "/lib/libz.so", 0, &function), 0);
	assert_int_equal(profile_location_native(profile, function, 0, 0x100, &z), 0);
	assert_int_equal(profile_function(profile, FRAME_NATIVE, "adler32", "/lib/libz.so", 0, &function), 0);
	assert_int_equal(profile_location_native(profile, function, 0, 0x200, &other_z), 0);
	assert_int_equal(profile_function(profile, FRAME_NATIVE, "memcpy", "/lib/libc.so", 0, &function), 0);
	assert_int_equal(profile_location_native(profile, function, 0, 0x100, &c), 0);
	assert_int_equal(profile_function(profile, FRAME_SYSCALL, "[syscall read]", "", 0, &function), 0);
	assert_int_equal(profile_location(profile, function, 0, 0, 0, &call), 0);
	ADD(3, z, location("f", 1));
	ADD(4, other_z, location("f", 2), location("g", 1));
	ADD(8, c, z, location("f", 1));
	ADD(1, call, location("f", 1));
	ADD(16, location("f", 1));
	ADD(2, c, location("g", 1), location("f", 1));
	ADD(32, z);
	assert_int_equal(tally_make(profile, &tally), 0);
	assert_int_equal(tally.libraries.n, 4);
	library_is(0, "f", "/lib/libc.so", 8);
	library_is(1, "f", "/lib/libz.so", 7);
	library_is(2, "f", "[syscall read]", 1);
	library_is(3, "g", "/lib/libc.so", 2);
}

TEST(memory_runs_short)
{
	int failures = 0, err;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	ADD(5, location("f", 1));
	for (int n = 0;; n++) {
		allocations_left = n;
		err = tally_make(profile, &tally);
		allocations_left = -1;
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		tally_free(&tally); /* as the header wants it */
		failures++;
	}
	assert_int_equal(failures, 10);
	function_is(&tally.functions, 0, "f", 5, 5);
}

AROUND_EACH(setup, teardown);
