// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fair_queue.c - whose question is next: between users, between processes of one user, after answers
 * that took long; and how many may wait. There is no clock.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "guard/fair_queue.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

#define ROOM 512

static struct fair_queue *turns;
static __u64 now;

static int setup(void **state)
{
	(void)state;
	now = 1000;
	return fair_queue_new(&turns, ROOM);
}

static int teardown(void **state)
{
	(void)state;
	while (fair_queue_take(turns))
		;
	fair_queue_free(turns);
	return 0;
}

/* The questions are numbers. */
static int add_of(__u64 user, __u32 pid, bool identity, uintptr_t question)
{
	const struct queue_asker of = { .user = user, .pid = pid, .identity = identity };
	void *displaced = NULL;
	const int err = fair_queue_add(turns, &of, (void *)question, &displaced);

	assert_null(displaced);
	return err;
}

/* Who this process is, which began then and runs that program. What it displaces, 0 = nothing. */
static uintptr_t add_new(__u32 pid, __u64 start, __u64 program)
{
	const struct queue_asker of = { 1, pid, true, start, program, false };
	void *displaced = NULL;

	assert_int_equal(fair_queue_add(turns, &of, (void *)(uintptr_t)pid, &displaced), 0);
	return (uintptr_t)displaced;
}

static void add(__u64 user, __u32 pid, bool identity, uintptr_t question)
{
	assert_int_equal(add_of(user, pid, identity, question), 0);
}

static void add_all(const struct queue_asker *of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(of[i].user, of[i].pid, of[i].identity, i + 1);
}

static uintptr_t next(__u64 ms, bool failed)
{
	uintptr_t question = (uintptr_t)fair_queue_next(turns, now);

	now += ms;
	fair_queue_used(turns, now, ms, failed);
	return question;
}

static void expect(const uintptr_t *questions, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(next(1, false), questions[i]);
	assert_null(fair_queue_next(turns, now));
	assert_int_equal(fair_queue_due(turns, now), -1);
}

TEST(of_one_process)
{
	assert_null(fair_queue_next(turns, now));
	assert_int_equal(fair_queue_due(turns, now), -1);
	add(1, 10, false, 1);
	add(1, 10, false, 2);
	add(1, 10, true, 3);
	add(1, 10, false, 4);
	assert_int_equal(fair_queue_due(turns, now), 0);
	expect((uintptr_t[]){ 3, 1, 2, 4 }, 4);
}

TEST(processes_take_turns)
{
	static const struct queue_asker of[] = {
		{ .user = 1, .pid = 10 }, { .user = 1, .pid = 10 }, { .user = 1, .pid = 10 },
		{ .user = 1, .pid = 11, .identity = true },
		{ .user = 1, .pid = 12 }, { .user = 1, .pid = 12 },
	};

	add_all(of, ARRAY_SIZE(of));
	expect((uintptr_t[]){ 1, 4, 5, 2, 6, 3 }, 6);
}

/* Also where its user asks nothing else meanwhile, and everybody without a question is forgotten. */
TEST(who_is_asked_about_is_not_forgotten)
{
	int due;

	add(1, 10, false, 1);
	assert_int_equal((uintptr_t)fair_queue_next(turns, now), 1);
	assert_int_equal(fair_queue_due(turns, now + 1000), -1);
	now += 2 * QUEUE_BUDGET_MS;
	fair_queue_used(turns, now, 2 * QUEUE_BUDGET_MS, false);
	add(1, 10, false, 2);
	due = fair_queue_due(turns, now);
	assert_true(due > 0);
	assert_null(fair_queue_next(turns, now));
	fair_queue_used(turns, now, 2 * QUEUE_BUDGET_MS, false); /* of no question */
	assert_int_equal(fair_queue_due(turns, now), due);
}

/* Nor that of a question which was given and then was none: a next one was asked for. */
TEST(an_answer_counts_once)
{
	add(1, 10, false, 1);
	assert_int_equal(next(2 * QUEUE_BUDGET_MS, false), 1);
	fair_queue_used(turns, now, 100 * QUEUE_BUDGET_MS, false);
	add(2, 20, false, 2);
	assert_int_equal((uintptr_t)fair_queue_next(turns, now), 2);
	assert_null(fair_queue_next(turns, now));
	fair_queue_used(turns, now, 100 * QUEUE_BUDGET_MS, false);
	add(2, 20, false, 3);
	assert_int_equal(fair_queue_due(turns, now), 0);
	add(1, 10, false, 4);
	assert_int_equal(next(1, false), 3);
	assert_in_range(fair_queue_due(turns, now), 1, 2 * QUEUE_BUDGET_MS * QUEUE_LEAK);
}

/* However many processes one of them has. */
TEST(users_take_turns)
{
	for (int i = 0; i < 100; i++)
		add(1, 10 + i, true, 1 + i);
	add(2, 1000, true, 101);
	add(2, 1000, false, 102);
	assert_int_equal(next(1, false), 1);
	assert_int_equal(next(1, false), 101);
	assert_int_equal(next(1, false), 2);
	assert_int_equal(next(1, false), 102);
	assert_int_equal(next(1, false), 3);
}

/* Whose answers take long has fewer turns, and not by the time that they took alone: nobody waits for two. */
TEST(who_used_little_goes_first)
{
	for (int i = 0; i < 100; i++)
		add(1, 10 + i, true, 1);
	assert_int_equal(next(480, false), 1);
	for (int i = 0; i < 12; i++)
		add(2, 1000, false, 2);
	for (int i = 0; i < 12; i++)
		assert_int_equal(next(5, false), 2);
	assert_int_equal(next(480, false), 1);
}

/* The same between processes of one user: a new one goes before those that were late. */
TEST(a_new_process_goes_first)
{
	for (int i = 0; i < 3; i++)
		add(1, 10 + i, true, 1 + i);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(next(500, true), 1 + i);
		add(1, 10 + i, true, 1 + i);
	}
	add(1, 100, true, 9);
	assert_int_equal(next(1, false), 9);
	add(1, 100, false, 10);
	assert_int_equal(next(1, false), 10);
}

/* After six failures of half a second each a user waits; others do not, and he does not for ever. */
TEST(a_budget)
{
	int failures = 0, due;
	__u64 begin;

	for (int i = 0; i < 200; i++)
		add(1, 10 + i, false, 1);
	while (fair_queue_due(turns, now) == 0 && failures < 100) {
		assert_int_equal(next(500, true), 1);
		failures++;
	}
	assert_int_equal(failures, 6);
	assert_null(fair_queue_next(turns, now));
	due = fair_queue_due(turns, now);
	assert_true(due > 0 && due <= 500 * QUEUE_FAILED * QUEUE_LEAK);
	add(2, 1000, false, 2);
	assert_int_equal(fair_queue_due(turns, now), 0);
	assert_int_equal(next(5, false), 2);

	begin = now;
	for (failures = 0; now < begin + 600 * 1000; failures++) {
		now += fair_queue_due(turns, now);
		if (next(500, true) != 1)
			break;
		add(1, 1000 + failures, false, 1);
	}
	/* One in 7.7 s: 480 ms, times 4, times 4. */
	assert_in_range(failures, 70, 85);
}

/* Answers as they are usually cost nothing, however many there are. */
TEST(quick_answers_are_free)
{
	for (int i = 0; i < 5000; i++) {
		add(1, 10 + i, true, 1);
		assert_int_equal(next(QUEUE_FREE_MS, false), 1);
	}
	add(1, 10, true, 1);
	assert_int_equal(fair_queue_due(turns, now), 0);
}

/* A process has a few places, a user as many as are free, and there is always one for somebody else. */
TEST(places)
{
	int users, of_user[4];

	for (int i = 0; i < QUEUE_OF_PROCESS; i++)
		add(1, 10, false, 1);
	assert_int_equal(add_of(1, 10, false, 1), -EAGAIN);
	add(1, 10, true, 1);
	for (users = 0; users < 4; users++)
		for (of_user[users] = users ? 0 : QUEUE_OF_PROCESS;
		     !add_of(1 + users, 20 + of_user[users], false, 1); of_user[users]++)
			;
	assert_int_equal(of_user[0], ROOM / 2);
	assert_int_equal(of_user[1], ROOM / 4);
	assert_int_equal(of_user[2], ROOM / 8);
	assert_int_equal(of_user[3], ROOM / 16);
	add(9, 9, false, 1);
	add(1, 11, true, 1); /* these have places of their own */
}

/* Of one process it is asked once: what is known of it now counts. */
TEST(who_it_is_is_asked_once)
{
	assert_int_equal(add_new(10, 5, 7), 0);
	assert_int_equal(add_new(10, 5, 8), 10);
	assert_int_equal(next(1, false), 10);
	assert_null(fair_queue_next(turns, now));
}

/* Where a user has no more places, the process that began first gives its own to one that began later. */
TEST(the_latest_have_the_places)
{
	const struct queue_asker early = { 1, 5, true, 5, 0, false };
	void *displaced = NULL;

	for (__u32 i = 0; i < ROOM / 2; i++)
		assert_int_equal(add_new(10 + i, 10 + i, 0), 0);
	assert_int_equal(add_new(1000, 1000, 0), 10);
	assert_int_equal(add_new(1001, 1001, 0), 11);
	assert_int_equal(fair_queue_add(turns, &early, NULL, &displaced), -EAGAIN);
	assert_null(displaced);
	assert_int_equal(next(300, false), 1001);
	now += QUEUE_LEAK;
	assert_int_equal(add_new(1001, 1001, 0), 0);
	assert_int_equal(add_new(1002, 1002, 0), 1001); /* who has used the worker comes after all others */
}

/* Who is patient does not take the place of an older process, and keeps its own when it asks once more. */
TEST(who_is_patient_takes_no_place)
{
	const struct queue_asker late = { 1, 5000, true, 5000, 0, true };
	const struct queue_asker again = { 1, 10, true, 10, 0, true };
	void *displaced = NULL;

	for (__u32 i = 0; i < ROOM / 2; i++)
		assert_int_equal(add_new(10 + i, 10 + i, 0), 0);
	assert_int_equal(fair_queue_add(turns, &late, NULL, &displaced), -EAGAIN);
	assert_null(displaced);
	assert_int_equal(fair_queue_add(turns, &again, (void *)1, &displaced), 0);
	assert_int_equal((uintptr_t)displaced, 10);
	next(1, false);
	displaced = NULL;
	assert_int_equal(fair_queue_add(turns, &late, NULL, &displaced), 0);
	assert_null(displaced);
}

/* A crowd that was there before keeps no new one waiting, nor do those that come later without end. */
TEST(the_newest_and_who_waits_longest)
{
	int turns_of_old = 0, i;

	for (__u32 n = 0; n < 200; n++)
		add_new(10 + n, 10, 0);
	add_new(1000, 1000, 0);
	for (i = 0; next(200, false) != 1000; i++)
		;
	assert_in_range(i, 0, 1);
	for (i = 0; i < 20; i++) {
		add_new(2000 + i, 2000 + i, 0);
		turns_of_old += next(200, false) < 1000;
	}
	assert_int_equal(turns_of_old, 10);
}

/* However many processes it has, and however late they began. */
TEST(programs_take_turns)
{
	int i;

	for (i = 0; i < 100; i++) {
		add_new(10 + i, 10 + i, 7);
		next(100, false);
	}
	for (i = 0; i < 100; i++)
		add_new(1000 + i, 1000 + i, 7);
	add_new(5, 5, 8);
	assert_int_equal(next(1, false), 5);
	assert_true(next(1, false) >= 1000);
}

/* Who has used the worker up for all processes of a user does not keep a new one of them from it for long. */
TEST(newcomers_of_who_has_to_wait)
{
	int failures = 0;

	for (int i = 0; i < 200; i++)
		add_new(10 + i, 10 + i, 7);
	while (fair_queue_due(turns, now) == 0 && failures++ < 100)
		next(500, true);
	add_new(1000, 1000, 7);
	for (int waited = 0; waited < 3000;) {
		const int due = fair_queue_due(turns, now);

		assert_in_range(due, 0, 500 * QUEUE_REST);
		now += due;
		waited += due + 500;
		if (next(500, true) == 1000)
			return;
	}
	fail();
}

/* All of them together have a third of the time. */
TEST(newcomers_have_an_end)
{
	const __u64 begin = now + 1000 * 1000;
	__u64 used = 0;

	for (__u32 pid = 10; now < begin + 100 * 1000; pid++) {
		add_new(pid, pid, pid);
		while (fair_queue_due(turns, now))
			now += fair_queue_due(turns, now);
		assert_int_equal(next(200, false), pid);
		used += now > begin ? 200 : 0;
	}
	assert_in_range(used, 30 * 1000, 36 * 1000);
}

TEST(out_of_memory)
{
	int failures = 0, err;

	if (!fail_malloc_works())
		skip();
	for (;; failures++) {
		allocations_left = failures;
		err = add_of(1, 10, true, 7);
		allocations_left = -1;
		if (err != -ENOMEM)
			break;
		assert_null(fair_queue_next(turns, now));
	}
	assert_int_equal(err, 0);
	assert_true(failures >= 3);
	assert_int_equal(next(1, false), 7);
}

AROUND_EACH(setup, teardown);
