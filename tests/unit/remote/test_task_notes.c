// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_task_notes.c - which tasks of a look are read again, and which have ended.
 */
#include <string.h>

#include "remote/task_notes.h"
#include "tests/forge/test.h"

#define COUNT 4

/* 0 is awaited by 1, 1 by 2; 3 by nobody. All were in a list. */
static const __u32 by[] = { 1, 2 };
static struct task tasks[COUNT];
static struct task_note notes[COUNT];
static const struct task_notes all = { tasks, by, notes, COUNT };
static struct task_list found, now;

static __u64 address_of(size_t number)
{
	return 0x1000 + 0x100 * number;
}

static int begin(void **state)
{
	(void)state;
	memset(notes, 0, sizeof(notes));
	memset(tasks, 0, sizeof(tasks));
	task_list_free(&found);
	task_list_free(&now);
	if (task_list_new(&found, COUNT) || task_list_new(&now, COUNT))
		return -1;
	for (size_t i = 0; i < COUNT; i++) {
		tasks[i] = (struct task){ .address = address_of(i), .state = TASK_WAITS,
					  .first_awaiter = i < 2 ? i : 2, .awaiters = i < 2 };
		task_list_add(&found, address_of(i));
		found.found[i].listed = true;
	}
	return 0;
}

static int end(void **state)
{
	(void)state;
	task_list_free(&found);
	task_list_free(&now);
	return 0;
}

static void lists_again(size_t first, size_t last)
{
	for (size_t i = first; i <= last; i++)
		task_list_add(&now, address_of(i));
}

/* bits: the tasks of which it is true. */
static void assert_checked(unsigned int bits)
{
	task_notes_begin_check(&all);
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(task_notes_is_to_check(&all, i), bits >> i & 1);
}

static void assert_again(unsigned int bits)
{
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(notes[i].again, bits >> i & 1);
}

static void assert_ended(unsigned int bits)
{
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(notes[i].ended, bits >> i & 1);
}

TEST(awaited_ones_are_checked)
{
	for (size_t i = 0; i < COUNT; i++)
		notes[i].again = true;
	assert_checked(1 | 2);
	memset(notes, 0, sizeof(notes));
	assert_checked(0);
}

/* What it awaits, for what awaits it was read anew; and what awaits it, which was read before it. */
TEST(one_that_was_read_again)
{
	notes[1].again = true;
	assert_checked(1 | 2 | 4);
	notes[1].again = false;
	notes[2].again = true;
	assert_checked(2);
}

TEST(those_that_went_on)
{
	assert_int_equal(task_notes_mark_again(&all), 0);
	notes[0].gone = true;
	tasks[3].state = TASK_CHANGED;
	assert_int_equal(task_notes_mark_again(&all), 2);
	assert_again(1 | 8);
	notes[0].ended = true;
	assert_int_equal(task_notes_mark_again(&all), 1);
	assert_again(8);
}

TEST(one_in_no_list_has_ended)
{
	notes[0].again = notes[3].again = true;
	lists_again(1, 2);
	found.found[3].listed = false; /* so nothing is known of it */
	task_notes_mark_ended(&all, &found, &now);
	assert_ended(1);
	assert_again(8);
}

TEST(one_that_is_still_there)
{
	notes[0].again = true;
	lists_again(0, 3);
	now.found[0].running = 77;
	task_notes_mark_ended(&all, &found, &now);
	assert_ended(0);
	assert_again(1);
	assert_int_equal(found.found[0].running, 77);
}

/* 2 has ended, and with it what it awaited: 1 is there still, and awaited by another one. */
TEST(what_has_ended_awaits_nobody)
{
	notes[2].again = true;
	lists_again(0, 1);
	task_notes_mark_ended(&all, &found, &now);
	assert_ended(4);
	assert_again(2);
	assert_int_equal(begin(state), 0);
	notes[2].again = true;
	task_notes_mark_ended(&all, &found, &now);
	assert_ended(1 | 2 | 4);
	assert_again(0);
}

static int begin_all(void **state)
{
	(void)state;
	return 0;
}

AROUND_EACH(begin, NULL);
AROUND_ALL(begin_all, end);
