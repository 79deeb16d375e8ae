// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_gil.c - whether a thread waits for the GIL (bpf/events/gil.h), by a clock that goes on by step_ns at
 * each look: what a check may take and what it costs, and that its event's stack, the GIL's holder and it
 * have one time together.
 */

#include "bpf/base/loop.h"
#include "tests/forge/test.h"

#define PATIENCE 100000

static __u64 forged_now, step_ns;

static __u64 forged_clock(void)
{
	return forged_now += step_ns;
}

#define bpf_ktime_get_ns() forged_clock()

#include "tests/forge/interpreter.h"
#include "tests/forge/hosted.h"

const volatile __u8 opt_gil = 1;
const volatile __u8 opt_budget = 1;
const volatile __u32 opt_patience_wait = PATIENCE;

#include "bpf/events/gil.h"

#define OTHERS	 300 /* threads, more than a search looks at */
#define OVER	 (1ULL << 40) /* ns owed: whoever costs is thinned as far as that goes */

static __u64 reads;
static struct wait w;

static int mem_read(void *dst, __u32 size, __u64 address)
{
	reads++;
	return py_read(dst, size, address);
}

static int setup(void **state)
{
	(void)state;
	memset(&hosted, 0, sizeof(hosted));
	memset(&w, 0, sizeof(w));
	rates = (struct rates){ .budget = (1 << COST_SHIFT) / 100, .budget_free = 23 };
	forged_now = 1000000000;
	step_ns = 0;
	hosted_task.pid = hosted_task.tgid = 77;
	hosted_task.thread_pointer = py_self();
	return hosted_begin();
}

static struct scratch *scratch(void)
{
	return hosted.scratch;
}

/* A process of this thread, whose stack is so deep, and of so many others, which are met before it. */
static struct py_thread *process_of(unsigned int depth, unsigned int others)
{
	struct py_thread *t = py_begin_with_thread(0x30d);

	for (unsigned int i = 0; i < depth; i++)
		py_push(t, py_code("work"), 3);
	for (unsigned int i = 0; i < others; i++)
		py_add_thread(4096 + i, true);
	hosted.layout = py.l;
	hosted.process =
		(struct process){ .runtime = py_address(py.runtime), .id = 1, .state = PROCESS_PYTHON };
	return t;
}

/* The thread goes to sleep in a futex that is so far behind the GIL's begin. */
static int asks(__u64 offset)
{
	int is;

	gil_begin(scratch());
	is = gil_is_wanted(scratch(), &hosted.stats, &w, &hosted_regs, py_address(py.gil) + offset,
			   forged_now);
	gil_keep(scratch(), &w);
	return is;
}

static __u64 find(struct thread *t, __u64 now)
{
	return tstate_find(scratch(), &hosted.stats, t, &hosted.process, &hosted.layout, now);
}

/* It has released the GIL, and stands in the list behind more than one search looks at. */
TEST(a_known_thread_state_stays_known_wherever_it_is_in_the_list)
{
	struct py_thread *own = process_of(1, OTHERS);
	struct thread t = { .interp = py_address(py.interp) };

	forge_put(own->tstate, py.l.tstate_status, py.l.status_living, 4);
	budget_begin(&scratch()->walk, 0);
	self_begin(scratch(), &hosted_task);
	assert_int_equal(find(&t, 100), 0);
	t.misses = 0;
	t.tstate = py_address(own->tstate);
	t.interp = py_address(py.interp);
	assert_int_equal(find(&t, 101), t.tstate);
	assert_int_equal(t.tstate, py_address(own->tstate));
	assert_int_equal(hosted.stats.thread_searches, 2);
}

/* A search for the thread state ends when the sample's time is over. */
TEST(a_search_has_an_end)
{
	struct thread t = {};

	process_of(1, OTHERS);
	budget_begin(&scratch()->walk, 0);
	self_begin(scratch(), &hosted_task);
	tstate_search(scratch(), &t, &hosted.process, &hosted.layout);
	assert_int_equal(scratch()->search.found, 0);
	assert_int_equal(scratch()->search.budget, 0); /* but for that it looks at as many as it may */

	step_ns = PATIENCE / 4;
	budget_begin(&scratch()->walk, PATIENCE);
	tstate_search(scratch(), &t, &hosted.process, &hosted.layout);
	assert_int_equal(scratch()->search.found, 0);
	assert_true(scratch()->search.budget > SEARCH_MAX / 2);
	assert_in_range(forged_now, scratch()->walk.deadline, scratch()->walk.deadline + step_ns);
}

/* However late the sample before it was. */
TEST(a_check_has_its_own_time)
{
	process_of(1, 100);
	scratch()->walk.patience = 1;
	scratch()->walk.deadline = 1;
	step_ns = PATIENCE / 20;
	assert_int_equal(asks(0), 1);
	assert_int_equal(asks(GIL_BYTES - 8), 1);
	assert_int_equal(asks(GIL_BYTES), 0);
}

/* What the check has left is all that the stack of the same event has. */
TEST(a_stack_has_what_the_check_left)
{
	struct walk *walk = &scratch()->walk;
	__u64 deadline;

	process_of(200, 100);
	step_ns = PATIENCE / 10; /* half of it is over when the thread is found */
	assert_int_equal(asks(0), 1);
	deadline = scratch()->gil.deadline;
	assert_true(deadline);
	scratch()->cost.deadline = deadline;
	assert_int_equal(sample_task(scratch(), &hosted.stats, EVENT_GIL), OUTCOME_OVER_BUDGET);
	assert_int_equal(walk->deadline, deadline);
	assert_true(walk->end == WALK_LATE && forged_now <= deadline + 3 * step_ns);

	scratch()->cost.deadline = 0; /* a wait for which there was no check */
	assert_int_equal(sample_task(scratch(), &hosted.stats, EVENT_OFFCPU), OUTCOME_OVER_BUDGET);
	assert_true(walk->deadline > deadline + PATIENCE / 2);
	scratch()->cost.deadline = deadline; /* a tick begins anew */
	sample_tick();
	assert_int_equal(walk->deadline, 0);
}

/* The stack of this thread, and then of one that has the GIL, so deep. Returns whether that was found. */
static int blame(unsigned int holder_depth, __u64 step)
{
	struct py_thread *holder;
	const __u64 before = hosted.stats.gil_held;

	process_of(20, 0);
	holder = py_start_thread(4096);
	for (unsigned int i = 0; i < holder_depth; i++)
		py_push_generator(holder, py_code("hold"), 3); /* each is read by itself */
	forge_put(py.gil, py.l.gil_holder, py_address(holder->tstate), 8);
	forge_put(py.gil, py.l.gil_holder + 8, 1, 4);
	assert_int_equal(asks(0), 1);
	step_ns = step;
	scratch()->cost.deadline = scratch()->gil.deadline;
	assert_int_equal(sample_task(scratch(), &hosted.stats, EVENT_GIL), OUTCOME_WHOLE);
	gil_blame(scratch(), &hosted.stats);
	assert_int_equal(hosted.stats.gil_held + hosted.stats.gil_unknown, before + 1);
	return hosted.stats.gil_held > before;
}

TEST(a_holder_has_what_the_stack_left)
{
	assert_true(blame(200, 100));
	assert_int_equal(hosted_teardown(NULL), 0);
	assert_int_equal(setup(NULL), 0);
	assert_false(blame(200, PATIENCE / 5));
	assert_in_range(forged_now, scratch()->walk.deadline, scratch()->walk.deadline + 4 * step_ns);
}

TEST(a_check_is_charged)
{
	process_of(1, 100);
	step_ns = 1000;
	asks(0);
	assert_true(hosted.stats.cost_ns >= step_ns);
	assert_int_equal(scratch()->cost.all.owed, hosted.stats.cost_ns);
	assert_int_equal(scratch()->cost.ticks.owed, 0);
	assert_true(w.gil.cost);
}

/*
 * Where checks cost more than the budget only some are made. The others know the GIL from those, and of the
 * musl kind what such a futex was last.
 */
TEST(checks_are_thinned)
{
	__u64 made;

	process_of(1, 100);
	step_ns = 1000;
	asks(0);
	made = hosted.stats.cost_ns;
	reads = 0;
	for (int i = 0; i < 10000; i++) {
		pace_pass(&w.pace, 10000);
		scratch()->cost.all.owed = OVER;
		assert_int_equal(asks(0), 1);
		assert_int_equal(scratch()->gil.address, py_address(py.gil));
		assert_int_equal(asks(GIL_BYTES), 0);
	}
	assert_true(reads < 1000 && hosted.stats.cost_ns - made < 1000 * step_ns);

	hosted_regs.sp = py_address(py.gil) + 2 * GIL_BYTES;
	for (int is = 0; is < 2; is++) {
		const __u64 futex = hosted_regs.sp + 64 + (MUSL_WORD & 7);

		w.gil.on_stack = is ? GIL_ON_STACK : GIL_NOT_ON_STACK;
		assert_int_equal(gil_recall(scratch(), &w, futex, hosted_regs.sp), is);
	}
}

/* Of a thread without an entry nothing is known, and within the budget each one is looked at. */
TEST(within_the_budget_each_is_made)
{
	process_of(1, 0);
	step_ns = 100;
	for (int i = 0; i < 1000; i++) {
		memset(&w, 0, sizeof(w));
		assert_int_equal(asks(0), 1);
		forged_now += 1000000;
	}
	w.gil.address = 0;
	assert_int_equal(gil_recall(scratch(), &w, py_address(py.gil), 0), 0);
	assert_int_equal(gil_recall(scratch(), NULL, py_address(py.gil), 0), 0);
}

AROUND_EACH(setup, hosted_teardown);
