// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_journal_rings.c - the journal of the real kernel side, on a child that burns CPU time: each tick of it
 * is there once, with its time, and what was not read in time is counted. Needs root.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

#include <sched.h>

#include "base/clock.h"
#include "kern/banks.h"
#include "kern/journal_rings.h"
#include "kern/object.h"

static struct {
	__u64 count, amount, first, last;
	bool in_order;
} seen;

static int take(void *context, const struct journal_sample *s)
{
	(void)context;
	assert_int_equal(s->kind, EVENT_CPU);
	assert_false(s->is_span);
	assert_true(s->node < kernel_tables(kernel)->node_count);
	seen.in_order &= s->ns >= seen.last;
	seen.first = seen.first ?: s->ns;
	seen.last = s->ns;
	seen.count++;
	seen.amount += s->amount;
	return 0;
}

/* A process without a layout, on one CPU, so that its samples are in one ring. */
static void start_burning(__u32 frequency)
{
	struct kernel_options o = { .needs = NEEDS_TICKS, .frequency = frequency, .max_depth = 64,
				    .follow = true, .log = true };
	cpu_set_t one;
	struct record_process e;

	memset(&seen, 0, sizeof(seen));
	seen.in_order = true;
	kernel = open_kernel(o);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		CPU_ZERO(&one);
		CPU_SET(0, &one);
		sched_setaffinity(0, sizeof(one), &one);
		for (;;)
			continue;
	}
	e = find_process(kernel, child);
	assert_int_equal(kernel_set_process(kernel, child,
					    &(struct process){ .start_time = e.start_time,
							       .exec_id = e.exec_id,
							       .id = 7,
							       .state = PROCESS_NO_LAYOUT }),
			 0);
	start(kernel);
}

static __u64 counted(void)
{
	struct kernel_stats s;

	kernel_stats(kernel, &s);
	return s.sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT];
}

static void wait_for(__u64 samples)
{
	while (counted() < samples)
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
}

TEST(each_sample_is_there_once)
{
	const __u64 begin = clock_ns();

	start_burning(199);
	wait_for(20);
	assert_int_equal(kernel_read_journal(kernel, take, NULL), 0);
	assert_true(seen.count >= 20);
	wait_for(seen.amount + 20);
	kernel_stop(kernel);
	assert_int_equal(kernel_read_journal(kernel, take, NULL), 0);
	assert_int_equal(seen.amount, counted());
	assert_true(seen.in_order && seen.first > begin && seen.last < clock_ns());
	assert_true(kernel_journal_fullness(kernel) == 0);
}

TEST(what_was_written_over_is_counted)
{
	__s64 lost;

	start_burning(20000);
	wait_for(2 * JOURNAL_RECORDS);
	kernel_stop(kernel);
	assert_true(kernel_journal_fullness(kernel) > 1);
	lost = kernel_read_journal(kernel, take, NULL);
	assert_true(lost > 0 && seen.count >= JOURNAL_RECORDS); /* some may be of another CPU, at first */
	assert_int_equal(seen.count + lost, counted());
	assert_int_equal(kernel_read_journal(kernel, take, NULL), 0);
	assert_int_equal(seen.count + lost, counted());
}

static int stop_it(void *context, const struct journal_sample *s)
{
	(void)s;
	++*(int *)context;
	return -ENOMEM;
}

TEST(who_takes_them_may_fail)
{
	int calls = 0;

	start_burning(199);
	wait_for(5);
	assert_int_equal(kernel_read_journal(kernel, stop_it, &calls), -ENOMEM);
	assert_int_equal(calls, 1);
	assert_int_equal(kernel_read_journal(kernel, take, NULL), 0);
	assert_true(seen.count >= 5);
}

TEST(without_it)
{
	kernel = open_kernel(selected);
	assert_null(kernel->journal.rings);
	assert_int_equal(kernel_read_journal(kernel, take, NULL), 0);
	assert_true(kernel_journal_fullness(kernel) == 0);
}

AROUND_EACH(NULL, teardown);
