// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_follow.c - processes of a registry are followed from when they are Python until they have ended; the
 * one that is due for longest is next; pauses grow up to a bound.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "remote_polls/follow.h"
#include "targets/registry.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

#define AT	 (1000 * NS_PER_SECOND) /* when each test begins, of a clock that it moves itself */
#define FOLLOW_NS (200 * NS_PER_MS)	/* between two comparisons with the registry, at least */

struct known {
	struct followed followed;
	void *more;
};

static struct registry *registry;
static struct follow follow;
static int released;

static void release(struct followed *p)
{
	free(((struct known *)p)->more);
	released++;
}

static int setup(void **state)
{
	(void)state;
	released = 0;
	follow = (struct follow){ .size = sizeof(struct known), .release = release };
	if (registry_new(&registry))
		return -1;
	follow.registry = registry;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	follow_end(&follow);
	assert_null(follow.processes);
	registry_free(TAKE_PTR(registry));
	return 0;
}

static void add(__u32 id, int layout)
{
	const struct registry_entry e = { .id = id, .pid = 100 + id, .start_time = 7, .layout = layout };

	assert_int_equal(registry_add(registry, &e), 0);
}

TEST(from_when_it_is_python_until_it_ends)
{
	struct known *k;

	add(1, -1);
	add(2, 0);
	follow_registry(&follow, AT);
	assert_null(follow_find(&follow, 1));
	k = (struct known *)follow_find(&follow, 2);
	assert_non_null(k);
	assert_true(k->followed.pid == 102 && k->followed.start_time == 7 && k->followed.due == AT);
	assert_null(k->more);
	k->more = malloc(1);
	add(1, 3);
	follow_registry(&follow, AT + FOLLOW_NS - 1); /* that is not due */
	assert_null(follow_find(&follow, 1));
	follow_registry(&follow, AT + FOLLOW_NS);
	assert_non_null(follow_find(&follow, 1));
	assert_ptr_equal(follow_find(&follow, 2), k);
	registry_end(registry, 2);
	follow_registry(&follow, AT + 2 * FOLLOW_NS);
	assert_null(follow_find(&follow, 2));
	assert_int_equal(released, 1);
	follow_registry(&follow, AT + 3 * FOLLOW_NS); /* it is not new again */
	assert_null(follow_find(&follow, 2));
}

/* Or programs that come and go all the time would keep the looks from those that stay. */
TEST(who_is_new_comes_behind_those_who_are_due)
{
	add(1, 0);
	follow_registry(&follow, AT);
	follow_find(&follow, 1)->due = AT + 1;
	add(2, 0);
	follow_registry(&follow, AT + FOLLOW_NS);
	assert_int_equal(follow_due(&follow, AT + FOLLOW_NS)->id, 1);
	follow_find(&follow, 1)->due = AT + FOLLOW_NS + 1;
	assert_int_equal(follow_due(&follow, AT + FOLLOW_NS)->id, 2);
}

static bool forget_all(void *context, struct registry_entry *e)
{
	(void)context;
	(void)e;
	return true;
}

TEST(one_that_the_registry_has_forgotten)
{
	add(1, 0);
	follow_registry(&follow, AT);
	registry_forget(registry, forget_all, NULL);
	follow_registry(&follow, AT + FOLLOW_NS);
	assert_null(follow_find(&follow, 1));
}

TEST(who_is_next)
{
	assert_null(follow_next(&follow));
	for (__u32 id = 1; id <= 3; id++)
		add(id, 0);
	follow_registry(&follow, AT);
	follow_find(&follow, 1)->due = AT + 30;
	follow_find(&follow, 2)->due = AT + 20;
	follow_find(&follow, 3)->due = FOLLOW_NEVER;
	assert_int_equal(follow_next(&follow)->id, 2);
	assert_null(follow_due(&follow, AT + 19));
	assert_int_equal(follow_due(&follow, AT + 20)->id, 2);
	follow.next_look = AT + 40;
	assert_null(follow_due(&follow, AT + 39));
	assert_int_equal(follow_due(&follow, AT + 40)->id, 2);
	follow_find(&follow, 2)->due = FOLLOW_NEVER;
	assert_int_equal(follow_next(&follow)->id, 1);
	follow_find(&follow, 1)->due = FOLLOW_NEVER;
	assert_null(follow_next(&follow));
}

TEST(when_something_is_due)
{
	struct followed *p;

	add(1, 0);
	assert_int_equal(follow_due_ms(&follow, AT, false), 0); /* the registry */
	follow_registry(&follow, AT);
	assert_int_equal(follow_due_ms(&follow, AT, false), 0); /* a look */
	assert_int_equal(follow_due_ms(&follow, AT, true), -1);
	p = follow_find(&follow, 1);
	p->due = AT + 50 * NS_PER_MS;
	assert_int_equal(follow_due_ms(&follow, AT, false), 51);
	follow.next_look = AT + 80 * NS_PER_MS;
	assert_int_equal(follow_due_ms(&follow, AT, false), 81);
	follow.next_look = AT + NS_PER_SECOND;
	assert_int_equal(follow_due_ms(&follow, AT, false), 1001);
	add(2, 0); /* another process has come */
	assert_int_equal(follow_due_ms(&follow, AT, false), 201);
	assert_int_equal(follow_due_ms(&follow, AT, true), 201);
	assert_int_equal(follow_due_ms(&follow, AT + NS_PER_SECOND, true), 0);
	follow_registry(&follow, AT + NS_PER_SECOND);
	follow_find(&follow, 2)->due = p->due = FOLLOW_NEVER;
	assert_int_equal(follow_due_ms(&follow, AT, false), -1);
}

/* A registry in which nothing changes is not gone through, and nobody is woken for it. */
TEST(only_what_has_changed)
{
	__u64 at = AT;

	assert_false(follow_registry(&follow, at));
	assert_int_equal(follow_due_ms(&follow, at, false), -1);
	add(1, 0);
	assert_true(follow_registry(&follow, at));
	assert_false(follow_registry(&follow, at += FOLLOW_NS));
	add(1, 0);
	assert_false(follow_registry(&follow, at += FOLLOW_NS));
	add(2, 0);
	assert_true(follow_registry(&follow, at += FOLLOW_NS));
	registry_end(registry, 2);
	assert_true(follow_registry(&follow, at += FOLLOW_NS));
	registry_end(registry, 2);
	assert_false(follow_registry(&follow, at += FOLLOW_NS));
	add(3, -1);
	assert_true(follow_registry(&follow, at += FOLLOW_NS));
	add(3, 1);
	assert_true(follow_registry(&follow, at += FOLLOW_NS));
	assert_non_null(follow_find(&follow, 3));
	registry_forget(registry, forget_all, NULL);
	assert_true(follow_registry(&follow, at += FOLLOW_NS));
}

TEST(pauses_grow)
{
	const struct follow_pauses pauses = { 8 * NS_PER_SECOND, 11 * NS_PER_SECOND, 4 };
	const __u64 begin = clock_ns(), expected[] = { 8, 10, 11, 11 };
	struct followed p = { 0 };

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		follow_pause(&p, &pauses);
		assert_int_equal(p.pause, expected[i] * NS_PER_SECOND);
		assert_true(p.due >= begin + p.pause && p.due <= clock_ns() + p.pause);
	}
	follow_rest(&follow, NS_PER_SECOND);
	assert_true(follow.next_look >= begin + NS_PER_SECOND);
}

/* Whichever allocation fails: the process is followed, or it is the next time. */
TEST(without_memory)
{
	__u64 at = AT;
	int failed = 0;

	if (!fail_malloc_works())
		skip();
	add(1, 0);
	for (int left = 0; left < 4; left++) {
		follow_end(&follow);
		allocations_left = left;
		follow_registry(&follow, at += FOLLOW_NS);
		allocations_left = -1;
		failed += !follow_find(&follow, 1);
		assert_true(follow_find(&follow, 1) || follow_due_ms(&follow, at, true) >= 0);
		follow_registry(&follow, at += FOLLOW_NS);
		assert_non_null(follow_find(&follow, 1));
	}
	assert_true(failed > 0 && failed < 4);
}

AROUND_EACH(setup, teardown);
