// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_newcomers.c - which processes of the machine are handed on to be looked at, and how often they are
 * gone over: those of interest that the kernel side does not know, or has to ask about again, and nobody at
 * all unless the time of tasks is counted. The kernel side and the event loop are the test's.
 */
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/loop.h"
#include "kern/asleep.h"
#include "kern/process_table.h"
#include "targets/newcomers.h"
#include "targets/verdicts.h"
#include "tests/forge/test.h"

#define PID	   100
#define START_TIME 7
#define EXEC_ID	   3
#define LATER	   (~0ULL)

/* --- the kernel side ------------------------------------------------------------------------------------ */

static struct asleep_programs programs;
static bool takes_tasks;
static struct record_process there; /* the one process of the machine */
static struct process known;	    /* what the kernel side knows of it */
static bool is_known;
static int lists;
static struct kernel *const kernel = (struct kernel *)&programs;

const struct asleep_programs *kernel_asleep(const struct kernel *k)
{
	assert_ptr_equal(k, kernel);
	return &programs;
}

bool asleep_takes_tasks(const struct asleep_programs *a)
{
	assert_ptr_equal(a, &programs);
	return takes_tasks;
}

int kernel_list_processes(struct kernel *k, int (*fn)(void *context, const struct record_process *p),
			  void *context)
{
	(void)k;
	lists++;
	return fn(context, &there);
}

int kernel_get_process(struct kernel *k, __u32 pid, struct process *ret)
{
	(void)k;
	assert_int_equal(pid, there.pid);
	if (!is_known)
		return -ENOENT;
	*ret = known;
	return 0;
}

/* --- who is to be looked at ----------------------------------------------------------------------------- */

static struct verdicts *const verdicts = (struct verdicts *)&there;
static int met;

void verdicts_met(struct verdicts *v, const struct record_process *p)
{
	assert_ptr_equal(v, verdicts);
	assert_ptr_equal(p, &there);
	met++;
}

/* --- turns of the loop ---------------------------------------------------------------------------------- */

static struct loop loop; /* not open */
static struct newcomers newcomers;

static int setup(void **state)
{
	(void)state;
	there = (struct record_process){ .pid = PID, .start_time = START_TIME, .exec_id = EXEC_ID };
	known = (struct process){ .start_time = START_TIME, .exec_id = EXEC_ID, .state = PROCESS_NOT_PYTHON };
	is_known = takes_tasks = true;
	programs = (struct asleep_programs){ .all = true };
	met = lists = 0;
	newcomers = (struct newcomers){ .kernel = kernel, .verdicts = verdicts };
	loop = (struct loop){ 0 };
	return newcomers_watch(&newcomers, &loop);
}

static int due_ms(void)
{
	return loop.rows[0].timeout_ms(loop.rows[0].context);
}

static void turn(void)
{
	loop.rows[0].run(loop.rows[0].context, 0);
}

/* A turn in which it is due; whether the process was handed on. */
static bool is_met(void)
{
	newcomers.due = 0;
	met = 0;
	turn();
	return met;
}

TEST(nobody_without_tasks)
{
	is_known = takes_tasks = false;
	assert_int_equal(due_ms(), -1);
	turn();
	assert_int_equal(lists, 0);
}

/* With a selection of processes those that are wanted are in the table already. */
TEST(one_that_is_new)
{
	is_known = false;
	assert_true(is_met());
	programs.all = false;
	assert_false(is_met());
}

TEST(one_that_has_the_pid_of_one_that_ended)
{
	known.state = PROCESS_PYTHON;
	known.start_time--;
	assert_true(is_met());
	programs.all = false;
	assert_false(is_met());
}

/* It runs another program now: whatever it was, and also where it was selected. */
TEST(one_that_has_called_exec)
{
	programs.all = false;
	there.exec_id++;
	for (int s = PROCESS_WANTED; s <= PROCESS_PROGRAM; s++) {
		known.state = s;
		assert_true(is_met());
	}
}

TEST(one_whose_verdict_holds)
{
	for (int s = PROCESS_WANTED; s <= PROCESS_PROGRAM; s++) {
		known.state = s;
		known.check_after = LATER;
		assert_false(is_met());
	}
	known.state = PROCESS_NOT_PYTHON;
	known.check_after = 0; /* never again */
	assert_false(is_met());
}

/* The time has come at which it may be another one; a selected process that nobody has looked at has none. */
TEST(one_that_is_to_be_looked_at_again)
{
	known.check_after = 1;
	assert_true(is_met());
	known.state = PROCESS_PYTHON;
	assert_false(is_met());
	known.state = PROCESS_WANTED;
	assert_true(is_met());
	known.check_after = 0;
	assert_true(is_met());
}

TEST(never_the_profiler_itself)
{
	there.pid = getpid();
	is_known = false;
	assert_false(is_met());
}

/* A COMMAND has only begun at first; later a new process may wait for a second. */
TEST(pauses_grow_up_to_a_second)
{
	__u64 pause = 50 * NS_PER_MS;

	assert_int_equal(due_ms(), 0);
	for (int i = 1; i < 10; i++) {
		const __u64 begin = clock_ns();

		newcomers.due = 0;
		turn();
		assert_int_equal(lists, i);
		assert_int_equal(newcomers.pause, pause);
		assert_true(newcomers.due >= begin + pause && newcomers.due <= clock_ns() + pause);
		pause = pause < NS_PER_SECOND / 2 ? 2 * pause : NS_PER_SECOND;
	}
	assert_int_equal(newcomers.pause, NS_PER_SECOND);
	newcomers.due = LATER;
	turn(); /* too early */
	assert_int_equal(lists, 9);
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(setup, NULL);
