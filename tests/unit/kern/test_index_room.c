// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_index_room.c - numbers of layouts, of asyncio's places and of context variables, over the real table
 * of processes: who has its share gets no more, whoever comes later does, and what nobody has is given again.
 * Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

#include "kern/object.h"
#include "kern/task_layouts.h"
#include "pyperf.skel.h"

#define FIRST_PID 5000000 /* above all real ones */

enum { CROWD = 1000, SERVICE = 1001, OTHER = 1002 };

static const struct {
	enum index_kind kind;
	__u32 max;
} kinds[] = {
	{ INDEX_LAYOUT, LAYOUTS_MAX },
	{ INDEX_TASKS, TASK_LAYOUTS_MAX },
	{ INDEX_CONTEXTS, CONTEXTS_MAX },
};

/* A process of this user has this index. */
static void has(enum index_kind kind, __u32 index, __u64 user)
{
	struct process p = { .start_time = 1, .user = user, .state = PROCESS_PROGRAM };

	if (kind == INDEX_LAYOUT) {
		p.state = PROCESS_PYTHON;
		p.layout = index;
	} else if (kind == INDEX_TASKS) {
		p.tasks = index + 1;
	} else {
		p.contexts = index + 1;
	}
	assert_int_equal(kernel_set_process(kernel, FIRST_PID + index, &p), 0);
}

static int find(struct index_room *r, int i, __u32 used, __u64 user)
{
	return index_room_find(r, &kernel->side.processes, kinds[i].kind, used, user);
}

static void open_empty(void)
{
	teardown(NULL);
	kernel = open_kernel(selected);
}

/* One user takes all that it gets, which is half. Another one and somebody else still find room. */
TEST(a_share_for_each_user)
{
	for (int i = 0; i < (int)ARRAY_SIZE(kinds); i++) {
		const __u32 max = kinds[i].max;
		struct index_room r = {};
		__u32 used = 0;
		int n;

		open_empty();
		while ((n = find(&r, i, used, CROWD)) >= 0) {
			assert_int_equal(n, used);
			has(kinds[i].kind, used++, CROWD);
		}
		assert_int_equal(n, -ENOSPC);
		assert_int_equal(used, max / 2);
		assert_int_equal(r.full, 1);
		assert_int_equal(find(&r, i, used, CROWD), -ENOSPC);
		assert_int_equal(r.full, 2);
		for (int j = 0; j < 3; j++) { /* what the others have is nothing of its share */
			assert_int_equal(find(&r, i, used, SERVICE), used);
			has(kinds[i].kind, used++, SERVICE);
		}
		assert_int_equal(find(&r, i, used, OTHER), used);
		assert_int_equal(r.full, 2);
	}
}

/* That an entry is used by two users takes nothing from either: it is one of each. */
TEST(one_that_several_have)
{
	struct index_room r = {};

	open_empty();
	for (__u32 i = 0; i < LAYOUTS_MAX / 2; i++)
		has(INDEX_LAYOUT, 3, CROWD); /* one process, one layout */
	assert_int_equal(find(&r, 0, LAYOUTS_MAX / 2, CROWD), LAYOUTS_MAX / 2);
}

/* All numbers were used once. */
TEST(what_nobody_has_any_more)
{
	struct index_room r = {};

	open_empty();
	for (__u32 i = 0; i < LAYOUTS_MAX; i++)
		if (i != 7 && i != 30)
			has(INDEX_LAYOUT, i, 100000 + i);
	assert_int_equal(find(&r, 0, LAYOUTS_MAX, OTHER), 7);
	has(INDEX_LAYOUT, 7, OTHER);
	/* The last one is left for whoever comes when one of the others has ended. */
	assert_int_equal(find(&r, 0, LAYOUTS_MAX, SERVICE), -ENOSPC);
	assert_int_equal(r.full, 1);
	has(INDEX_TASKS, 60, 1); /* that process is no Python any more */
	assert_int_equal(find(&r, 0, LAYOUTS_MAX, CROWD), 30);
	assert_int_equal(find(&r, 0, LAYOUTS_MAX, SERVICE), -ENOSPC); /* within a second nobody looks */
	usleep(1100000);
	assert_int_equal(find(&r, 0, LAYOUTS_MAX, SERVICE), 30);
}

/* By the doors of the three tables, with the counters that the warning, the books and each profile have. */
TEST(it_is_counted)
{
	struct kernel_options all = selected;
	struct context_vars v = { .head = 16 };
	struct task_layout t = { .task_size = 8 };
	struct layout l = { .version = 1 };
	struct process p = { .id = 5, .start_time = 1, .user = CROWD, .state = PROCESS_PYTHON };
	struct kernel_stats s;

	all.async = true;
	all.contexts = 1;
	kernel = open_kernel(all);
	for (int i = 0; i < TASK_LAYOUTS_MAX / 2; i++) {
		v.tstate_context = t.task_name = i + 1;
		p.layout = kernel_add_layout(kernel, &l, CROWD);
		p.tasks = task_layouts_add(kernel_task_layouts(kernel), &t, CROWD);
		assert_int_equal(kernel_set_process(kernel, FIRST_PID + i, &p), 0);
		assert_int_equal(contexts_set(kernel_contexts(kernel), FIRST_PID + i, 5, CROWD, &v), 0);
		l.version += i < LAYOUTS_MAX / 2 - 1;
	}
	kernel_stats(kernel, &s);
	assert_int_equal(s.sum.layouts_full + s.sum.task_layouts_full + s.sum.contexts_full, 0);
	v.tstate_context = t.task_name = 0xffff;
	l.version = 0xffff;
	assert_int_equal(kernel_add_layout(kernel, &l, CROWD), -ENOSPC);
	for (int i = 0; i < 2; i++)
		assert_int_equal(task_layouts_add(kernel_task_layouts(kernel), &t, CROWD), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(contexts_set(kernel_contexts(kernel), FIRST_PID, 5, CROWD, &v), -ENOSPC);
	kernel_stats(kernel, &s);
	assert_int_equal(s.sum.layouts_full, 1);
	assert_int_equal(s.sum.task_layouts_full, 2);
	assert_int_equal(s.sum.contexts_full, 3);
	assert_true(kernel_add_layout(kernel, &l, SERVICE) > 0);
	assert_true(task_layouts_add(kernel_task_layouts(kernel), &t, SERVICE) > 0);
	assert_int_equal(contexts_set(kernel_contexts(kernel), FIRST_PID, 5, SERVICE, &v), 0);
}

AROUND_EACH(NULL, teardown);
