// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_looks.c - all who look from outside are there, in their order, or none is. They are the test's here;
 * what each does is shown by test_asleep.c, test_task_targets.c and test_context_targets.c.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "remote_polls/asleep.h"
#include "remote_polls/context_targets.h"
#include "remote_polls/looks.h"
#include "remote_polls/task_targets.h"
#include "tests/forge/test.h"

static struct kernel *const kernel = (struct kernel *)1;
static const struct registry *const registry = (const struct registry *)2;
static struct questions *const questions = (struct questions *)3;
static struct captures *const captures = (struct captures *)4;
static struct loop *const loop = (struct loop *)5;
static const struct context_names *const names = (const struct context_names *)6;

/* One of them: threads that sleep, tasks, or context variables. */
static struct side {
	int refusal;		  /* what its next function returns, */
	int there, made, watched; /* watched: as which of all rows */
} sleepers, tasks, variables;
static int rows;

static int make(struct side *s)
{
	if (s->refusal)
		return s->refusal;
	s->there++;
	s->made++;
	return 0;
}

static int watch(struct side *s, const struct loop *l)
{
	assert_ptr_equal(l, loop);
	if (s->refusal)
		return s->refusal;
	s->watched = ++rows;
	return 0;
}

int asleep_targets_new(struct asleep_targets **ret, struct kernel *k, struct questions *q, struct captures *c)
{
	int err = make(&sleepers);

	assert_true(k == kernel && q == questions && c == captures);
	if (!err)
		*ret = (struct asleep_targets *)&sleepers;
	return err;
}

void asleep_targets_free(struct asleep_targets *t)
{
	if (t)
		((struct side *)t)->there--;
}

int asleep_watch(struct asleep_targets *t, struct loop *l)
{
	assert_ptr_equal(t, &sleepers);
	return watch(&sleepers, l);
}

int task_targets_new(struct task_targets **ret, struct kernel *k, const struct registry *r,
		     struct questions *q, struct captures *c)
{
	int err = make(&tasks);

	assert_true(k == kernel && r == registry && q == questions && c == captures);
	if (!err)
		*ret = (struct task_targets *)&tasks;
	return err;
}

void task_targets_free(struct task_targets *t)
{
	if (t)
		((struct side *)t)->there--;
}

int task_targets_watch(struct task_targets *t, struct loop *l)
{
	assert_ptr_equal(t, &tasks);
	return watch(&tasks, l);
}

int context_targets_new(struct context_targets **ret, struct kernel *k, const struct registry *r,
			struct questions *q, const struct context_names *n)
{
	int err = make(&variables);

	assert_true(k == kernel && r == registry && q == questions && n == names);
	if (!err)
		*ret = (struct context_targets *)&variables;
	return err;
}

void context_targets_free(struct context_targets *t)
{
	if (t)
		((struct side *)t)->there--;
}

int context_targets_watch(struct context_targets *t, struct loop *l)
{
	assert_ptr_equal(t, &variables);
	return watch(&variables, l);
}

/* --- tests ---------------------------------------------------------------------------------------------- */

static struct looks *looks;

static int open_looks(void)
{
	return looks_new(&looks, kernel, registry, questions, captures, names);
}

static int setup(void **state)
{
	(void)state;
	sleepers = tasks = variables = (struct side){ 0 };
	rows = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	looks_free(TAKE_PTR(looks));
	return 0;
}

TEST(all_are_there_until_the_end)
{
	assert_int_equal(open_looks(), 0);
	assert_true(sleepers.there == 1 && tasks.there == 1 && variables.there == 1);
	looks_free(TAKE_PTR(looks));
	assert_true(sleepers.there == 0 && tasks.there == 0 && variables.there == 0);
	looks_free(NULL);
}

TEST(threads_that_sleep_come_before_tasks)
{
	assert_int_equal(open_looks(), 0);
	assert_int_equal(looks_watch(looks, loop), 0);
	assert_int_equal(sleepers.watched, 1);
	assert_int_equal(tasks.watched, 2);
	assert_int_equal(variables.watched, 3);
}

/* Whichever of them has no memory: the others do not stay. */
TEST(none_is_there_alone)
{
	struct side *const sides[] = { &sleepers, &tasks, &variables };

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		setup(state);
		sides[i]->refusal = -ENOMEM;
		assert_int_equal(open_looks(), -ENOMEM);
		assert_null(looks);
		assert_true(sleepers.there == 0 && tasks.there == 0 && variables.there == 0);
		assert_true(sleepers.made == (i > 0) && tasks.made == (i > 1));
	}
}

TEST(a_loop_without_room)
{
	assert_int_equal(open_looks(), 0);
	tasks.refusal = -ENOSPC;
	assert_int_equal(looks_watch(looks, loop), -ENOSPC);
	sleepers.refusal = -ENOSPC;
	tasks.refusal = 0;
	assert_int_equal(looks_watch(looks, loop), -ENOSPC);
	assert_int_equal(tasks.watched, 0);
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(setup, teardown);
