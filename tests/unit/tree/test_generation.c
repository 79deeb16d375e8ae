// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_generation.c - generations of the call tree over the real kernel side: one begins when something is
 * nearly full, waits for names but not for long, loses no count while the ticks go on, and forgets what
 * nobody needs any more; not before. Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/tree/generations.h"

static void add_code(__u32 code)
{
	struct record_code e = { .type = RECORD_CODE, .code = code, .first_line = 1 };

	e.name = (struct code_part){ .length = 4, .bytes = 4, .kind = 1 };
	e.file = (struct code_part){ .flags = PART_FAULT };
	e.table = (struct code_part){ .flags = PART_FAULT };
	memcpy(e.data, "name", 4);
	assert_int_equal(codes_add(codes, &e, offsetof(struct record_code, data) + 4), 0);
}

static void add_process(__u32 id, __u32 pid)
{
	struct registry_entry e = { .id = id, .pid = pid, .binary = "", .build_id = "", .layout = -1 };

	assert_int_equal(registry_add(registry, &e), 0);
}

/* Has the next look at how full it is take place now, and find that names take too much. */
static bool begin_for_names(void)
{
	bool began;

	g.next_look = 0;
	g.codes_bytes_max = 1;
	add_code(CODE_FIRST);
	began = generation_begin(&g);
	g.codes_bytes_max = 1 << 20;
	return began;
}

static bool same_bank(struct kernel_bank a, struct kernel_bank b)
{
	return a.nodes.first == b.nodes.first;
}

/* --- when one begins ----------------------------------------------------------------------------------- */

TEST(nothing_is_full)
{
	double looked;

	open_all();
	assert_int_equal(generation_timeout_ms(&g), -1); /* nothing begun yet */
	assert_false(generation_begin(&g));
	assert_in_range(generation_timeout_ms(&g), 0, 1001);
	looked = g.looked;
	g.next_look = clock_seconds() + 100;
	assert_false(generation_begin(&g));
	assert_true(g.looked == looked); /* not each turn */
	generation_clear(&g, false);
	assert_int_equal(g.count, 0);
}

TEST(begins_when_names_take_too_much)
{
	struct kernel_bank before;
	size_t bytes;

	open_all();
	before = kernel_other_bank(kernel);
	add_code(CODE_FIRST);
	bytes = codes_get_stats(codes)->bytes;
	g.codes_bytes_max = bytes * 4 / 3 + 2; /* just below three quarters */
	assert_false(generation_begin(&g));
	assert_true(same_bank(kernel_other_bank(kernel), before));
	g.next_look = 0;
	g.codes_bytes_max = bytes * 4 / 3 - 2;
	assert_true(generation_begin(&g));
	assert_false(same_bank(kernel_other_bank(kernel), before)); /* the ticks go on there */
	assert_in_range(generation_timeout_ms(&g), 0, 501);
	/* Another one cannot begin before this one's bank is empty. */
	g.next_look = 0;
	assert_false(generation_begin(&g));
}

TEST(begins_when_many_processes_came)
{
	open_all();
	for (__u32 id = 1; id <= 32768; id++)
		add_process(id, id);
	assert_false(generation_begin(&g));
	add_process(32769, 32769);
	g.next_look = 0;
	assert_true(generation_begin(&g));
	generation_clear(&g, false);
	assert_int_equal(g.count, 1);
	/*
	 * All are over by now, but may still have counts in the other bank. What was there before does not
	 * count.
	 */
	assert_int_equal(registry_held(registry), 32769);
	g.next_look = 0;
	assert_false(generation_begin(&g));
}

/* Half of the time that is left at the pace of late, but never more than a second, nor less than 20 ms. */
TEST(looks_more_often_the_faster_it_fills)
{
	double begun, wait;

	open_all();
	add_code(CODE_FIRST);
	g.codes_bytes_max = codes_get_stats(codes)->bytes * 2; /* half full */
	begun = g.looked = clock_seconds() - 1;
	assert_false(generation_begin(&g));
	wait = g.next_look - g.looked;
	/* From 0 to 0.5 since then: to 0.75 it takes half as long again, and half of that is a quarter. */
	assert_true(wait > 0.249 * (g.looked - begun) && wait < 0.251 * (g.looked - begun));
	g.next_look = 0;
	assert_false(generation_begin(&g));
	assert_true(g.next_look - g.looked == 1); /* it does not fill any more */
	g.fullness = 0;				  /* it was empty a moment ago */
	g.looked = clock_seconds() - 1e-6;
	g.next_look = 0;
	assert_false(generation_begin(&g));
	assert_true(g.next_look - g.looked >= 0.0199);
}

/* --- when a bank is cleared ----------------------------------------------------------------------------- */

TEST(waits_for_names_but_not_for_long)
{
	open_all();
	assert_true(begin_for_names());
	g.wait_end = clock_seconds() + 100; /* half a second, if nobody stopped this process meanwhile */
	generation_clear(&g, true);
	assert_int_equal(g.count, 0);
	g.wait_end = clock_seconds();
	generation_clear(&g, true);
	assert_int_equal(g.count, 1);
	/* That was it until another one begins. */
	generation_clear(&g, false);
	assert_int_equal(g.count, 1);
	assert_true(begin_for_names());
	generation_clear(&g, false);
	assert_int_equal(g.count, 2);
}

/* Those of the other bank are in use. */
TEST(forgets_the_names_of_that_bank)
{
	struct kernel_range high;

	open_all();
	high = kernel_other_bank(kernel).codes;
	add_code(high.first - 1);
	add_code(high.first);
	add_code(high.end - 1);
	assert_true(begin_for_names());
	generation_clear(&g, false);
	assert_int_equal(codes_get_stats(codes)->codes, 2);
	assert_true(begin_for_names());
	generation_clear(&g, false);
	assert_int_equal(codes_get_stats(codes)->codes, 1); /* which begin_for_names() has added */
}

static struct process known(pid_t pid)
{
	struct record_process listed = find_process(kernel, pid);

	return (struct process){
		.start_time = listed.start_time,
		.exec_id = listed.exec_id,
		.id = kernel_new_process_id(kernel),
		.state = PROCESS_NO_LAYOUT,
	};
}

static void next_generation(void)
{
	assert_true(begin_for_names());
	generation_clear(&g, false);
}

/* A process that is over may have counts in both banks: it goes with the second that is cleared. */
TEST(ended_processes_go_a_generation_later)
{
	struct process alive, other_image, exiting;

	open_all();
	start_child();
	exiting = known(child);
	alive = known(getpid());
	assert_int_equal(kernel_set_process(kernel, getpid(), &alive), 0);
	add_process(alive.id, getpid());
	add_process(1001, 4000001);  /* of which the kernel side knows nothing any more */
	add_process(1002, getpid()); /* its pid has another image, since an exec */
	exiting.id = 1003;	     /* its end was told, and the kernel side still has it */
	assert_int_equal(kernel_set_process(kernel, child, &exiting), 0);
	add_process(1003, child);
	registry_end(registry, 1003);
	assert_int_not_equal(alive.id, 1002);
	next_generation();
	assert_int_equal(registry_held(registry), 4);
	assert_false(registry_find(registry, alive.id)->over);
	for (__u32 id = 1001; id <= 1003; id++)
		assert_true(registry_find(registry, id)->over);
	next_generation();
	assert_int_equal(registry_held(registry), 1);
	assert_non_null(registry_find(registry, alive.id));
	/* Its end is found at the next one. */
	other_image = known(getpid());
	assert_int_equal(kernel_set_process(kernel, getpid(), &other_image), 0);
	next_generation();
	assert_int_equal(registry_held(registry), 1);
	next_generation();
	assert_int_equal(registry_held(registry), 0);
}

/* Of a code object with a line table that is too long for a record: 3000 bytes, at their layout's places. */
static struct record_code large_table(__u32 number, const struct layout *l)
{
	static __u8 bytes[4096];
	struct record_code e = {
		.type = RECORD_CODE, .code = number, .process = 1, .pid = getpid(), .first_line = 1
	};

	*(__u64 *)(bytes + l->bytes_size) = 3000;
	e.line_format = l->line_format;
	e.name = e.file = (struct code_part){ .kind = 1 };
	e.table = (struct code_part){ .address = (uintptr_t)bytes, .length = 3000, .flags = PART_CUT };
	return e;
}

/* The worker's answer comes when its number means another code object, whose table is as long. */
TEST(late_answers_are_dropped)
{
	const struct layout *l = &layout_find(0x030c01f0)->layout;
	struct registry_entry e = { .id = 1, .pid = getpid(), .binary = "", .build_id = "" };
	struct record_code sent, other;
	__u64 ticks, bytes;
	__u32 number;

	open_all();
	number = kernel_other_bank(kernel).codes.first - 1; /* of the bank that is left first */
	assert_int_equal(procfs_start_ticks(getpid(), &ticks), 0);
	e.start_time = ticks * (NS_PER_SECOND / sysconf(_SC_CLK_TCK));
	e.layout = kernel_add_layout(kernel, l, 0);
	assert_true(e.layout >= 0);
	assert_int_equal(registry_add(registry, &e), 0);
	sent = other = large_table(number, l);
	assert_int_equal(discover_record(discover, &sent, offsetof(struct record_code, data)), 0);
	assert_int_equal(discover_pending(discover), 1);
	next_generation();
	other.first_line = 2;
	assert_int_equal(codes_add(codes, &other, offsetof(struct record_code, data)), 0);
	bytes = codes_get_stats(codes)->bytes;
	while (discover_pending(discover)) {
		poll(&(struct pollfd){ .fd = worker_fd(worker), .events = POLLIN }, 1,
		     worker_timeout_ms(worker));
		worker_check_deadline(worker);
		discover_replies(discover);
	}
	assert_int_equal(codes_get_stats(codes)->bytes, bytes);
}

/* The number of a process is given to nobody else while it is in the registry. */
TEST(numbers_of_processes_are_free_again)
{
	__u32 next;

	open_all();
	next = kernel_new_process_id(kernel) + 1;
	kernel_hold_process_id(kernel, next, true);
	add_process(next, 4000001);
	next_generation();
	next_generation();
	assert_null(registry_find(registry, next));
	assert_int_equal(kernel_new_process_id(kernel), next);
}

/* --- the counts ----------------------------------------------------------------------------------------- */

/* This process, as a Python of an unknown layout: each of its ticks is a sample with a marker. */
static void watch_self(void)
{
	struct process self = known(getpid());

	assert_int_equal(kernel_set_process(kernel, getpid(), &self), 0);
	add_process(self.id, getpid());
}

static __u64 taken(void)
{
	struct harvest_stats stats;
	struct profile *p;
	__u64 total;

	assert_int_equal(window_take(window, &p, &stats), 0);
	total = profile_total(p);
	profile_free(p);
	return total;
}

static __u64 sampled(void)
{
	struct kernel_stats s;

	kernel_stats(kernel, &s);
	assert_int_equal(outcome_sum(&s), s.sum.ticks);
	return s.sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT];
}

TEST(no_count_is_lost)
{
	open_all();
	watch_self();
	start(kernel);
	for (int i = 0; i < 6; i++) {
		burn(0.05);
		assert_true(begin_for_names());
		burn(0.02); /* meanwhile the ticks use the other bank */
		generation_clear(&g, false);
	}
	burn(0.05);
	kernel_stop(kernel);
	assert_int_equal(g.count, 6);
	assert_true(sampled() > 50);
	assert_int_equal(taken(), sampled());
}

/*
 * An interval that ends now, while names are waited for, has what was counted in both banks until they are
 * cleared.
 */
TEST(marks_move_to_the_clearing)
{
	open_all();
	watch_self();
	start(kernel);
	burn(0.05);
	assert_int_equal(window_mark(window), 0);
	assert_true(begin_for_names());
	burn(0.05);
	kernel_stop(kernel);
	generation_clear(&g, false);
	assert_int_equal(taken(), sampled());
}

/* Said once; tried again a second later, and then all is as if nothing had been. */
TEST(memory_runs_short)
{
	const char *said, *again;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	open_all();
	watch_self();
	start(kernel);
	burn(0.05);
	kernel_stop(kernel);
	assert_true(begin_for_names());
	said = LOGGED({
		allocations_left = 0;
		generation_clear(&g, false);
		allocations_left = -1;
	});
	assert_non_null(
		strstr(said, "the full half of the call tree cannot be emptied: Cannot allocate memory"));
	assert_int_equal(g.count, 0);
	assert_true(g.wait_end > 0);
	assert_in_range(generation_timeout_ms(&g), 0, 1001);
	g.wait_end = clock_seconds() + 100; /* it is a second, but the machine may be busy */
	generation_clear(&g, false);	    /* not yet */
	assert_int_equal(g.count, 0);
	g.next_look = 0;
	assert_false(generation_begin(&g)); /* nor another one */
	again = LOGGED({
		g.wait_end = clock_seconds();
		allocations_left = 0;
		generation_clear(&g, false);
		allocations_left = -1;
	});
	assert_null(strstr(again, "cannot be emptied"));
	g.wait_end = clock_seconds();
	generation_clear(&g, false);
	assert_int_equal(g.count, 1);
	assert_int_equal(taken(), sampled());
	assert_true(begin_for_names());
}

AROUND_EACH(setup, teardown_all);
