// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_leaf_kept.c - what is kept of a stack for which the sample's time was over (bpf/stack/stack.h),
 * whenever it was: in the walk, with the cache or without, or while frames were added to the tree. The clock
 * goes on by step_ns at each look.
 */
#include "bpf/base/loop.h"
#include "tests/forge/test.h"

static __u64 forged_now, step_ns;

static __u64 forged_clock(void)
{
	return forged_now += step_ns;
}

#define bpf_ktime_get_ns() forged_clock()

#include "tests/forge/interpreter.h"

#define HOSTED_NODES (1U << 12)
#define HOSTED_CODES (1U << 10)
#include "tests/forge/hosted.h"

#define PATIENCE 100000
#define DEPTH	 200
#define LOOKS	 80 /* more than a sample of such a stack takes */

const volatile __u32 opt_patience = PATIENCE;

static int mem_read(void *dst, __u32 size, __u64 address)
{
	return py_read(dst, size, address);
}

/* A process of this thread: DEPTH frames, each at a place of its own, and at an instruction of its own. */
static void begin(__u32 minor)
{
	struct py_thread *t = py_begin_with_thread(minor);
	const __u64 code = py_code("work");

	memset(&hosted, 0, sizeof(hosted));
	hosted_task.pid = hosted_task.tgid = 77;
	hosted_task.thread_pointer = py_self();
	assert_int_equal(hosted_begin(), 0);
	py_push(t, code, 1);
	for (__s32 i = 2; i <= DEPTH; i++)
		py_push_generator(t, code, i);
	hosted.layout = py.l;
	hosted.process =
		(struct process){ .runtime = py_address(py.runtime), .id = 1, .state = PROCESS_PYTHON };
}

/*
 * How many frames there are from the leaf on, one below the other: the leaf is at instruction DEPTH, its
 * caller at the one before. In 3.11 and 3.12 a frame has the instruction before.
 */
static __u32 frames_from_leaf(void)
{
	__u32 node = hosted.scratch->tree.node, count = 0;
	const __u32 leaf = node_instr(hosted.nodes[node].key);

	assert_in_range(leaf, DEPTH, DEPTH + 1);
	while (node_parent(hosted.nodes[node].key) && node_instr(hosted.nodes[node].key) == leaf - count) {
		node = node_parent(hosted.nodes[node].key);
		count++;
	}
	return count;
}

TEST(leaf_is_kept_whenever_it_is_late)
{
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u32 late = 0, whole = 0;

		for (__u32 look = 1; look <= LOOKS; look++) {
			enum outcome outcome;

			begin(forge_minors[v]);
			forged_now = 1000000000;
			step_ns = PATIENCE / look + 1; /* at look number `look` the time is over */
			outcome = sample_task(hosted.scratch, &hosted.stats, EVENT_CPU);
			if (outcome == OUTCOME_OVER_BUDGET)
				assert_int_equal(frames_from_leaf(), LATE_DEPTH);
			else
				assert_int_equal(frames_from_leaf(), DEPTH);
			late += outcome == OUTCOME_OVER_BUDGET;
			whole += outcome == OUTCOME_WHOLE;
			hosted_end();
		}
		assert_int_equal(late + whole, LOOKS);
		assert_in_range(whole, 1, LOOKS);
		/* Two walks, and as often while frames were added. */
		assert_in_range(late, 3 * (DEPTH / LATE_STEPS - 1), LOOKS);
	}
}
