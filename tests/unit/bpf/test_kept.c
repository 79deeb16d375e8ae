// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kept.c - the copies of processes that a CPU keeps: they are used as long as nothing about any process
 * has changed, and say so too of one that is not in the table.
 */

#include "tests/forge/hosted.h"
#include "tests/forge/no_memory.h"
#include "tests/forge/test.h"

#define FIRST 100

static int setup(void **state)
{
	(void)state;
	memset(&hosted, 0, sizeof(hosted));
	processes_stamp = 7;
	return hosted_begin();
}

/* The table has one process, which is this one now, under this id; 0 = it has none. */
static void table_has(__u32 tgid, __u32 id)
{
	hosted_task.tgid = id ? (int)tgid : 0;
	hosted.process = (struct process){ .id = id, .state = PROCESS_PYTHON };
}

/* The id of the process, as the sampler has it; 0 = there is none. */
static __u32 known(__u32 tgid)
{
	const struct process *p = process_copy(hosted.scratch, tgid);

	return p ? p->id : 0;
}

TEST(several_are_kept)
{
	for (__u32 i = 0; i < KEPT_PROCESSES; i++) {
		table_has(FIRST + i, 1 + i);
		assert_int_equal(known(FIRST + i), 1 + i);
	}
	table_has(0, 0);
	for (__u32 i = 0; i < KEPT_PROCESSES; i++) {
		assert_int_equal(known(FIRST + i), 1 + i);
		assert_int_equal(hosted.scratch->who.known_tgid, FIRST + i);
	}
}

/* ... and each is made again once anything has changed, also the one that was used last. */
TEST(a_change_is_seen)
{
	table_has(FIRST, 1);
	assert_int_equal(known(FIRST), 1);
	table_has(FIRST + 1, 2);
	assert_int_equal(known(FIRST + 1), 2);
	processes_stamp++;
	table_has(FIRST, 3);
	assert_int_equal(known(FIRST), 3);
	assert_int_equal(known(FIRST + 1), 0);
	processes_stamp++;
	table_has(0, 0);
	assert_int_equal(known(FIRST), 0);
}

TEST(one_that_is_absent)
{
	table_has(FIRST, 1);
	assert_int_equal(known(FIRST), 1);
	assert_int_equal(known(FIRST + 1), 0);
	/* What was used last is not lost by that. */
	assert_int_equal(hosted.scratch->who.known_tgid, FIRST);
	table_has(FIRST + 1, 2);
	assert_int_equal(known(FIRST + 1), 0);
	processes_stamp++;
	assert_int_equal(known(FIRST + 1), 2);
}

/* Two with one place take it from each other. */
TEST(one_place)
{
	table_has(FIRST, 1);
	assert_int_equal(known(FIRST), 1);
	table_has(FIRST + KEPT_PROCESSES, 2);
	assert_int_equal(known(FIRST + KEPT_PROCESSES), 2);
	assert_int_equal(known(FIRST), 0);
	assert_int_equal(known(FIRST + KEPT_PROCESSES), 2);
}

AROUND_EACH(setup, hosted_teardown);
