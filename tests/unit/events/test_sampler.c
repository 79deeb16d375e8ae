// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_sampler.c - the sampler (compiled for the host) on a forged interpreter, with events of three kinds:
 * each kind has owners, roots, nodes and outcomes of its own, and the same frames below its root.
 */

#include "tests/forge/interpreter.h"
#include "tests/forge/hosted.h"
#include "tests/forge/test.h"

static int mem_read(void *dst, __u32 size, __u64 address)
{
	return py_read(dst, size, address);
}

/* How much of its unit an event of this kind is: a tick is one. */
static __u64 amount_of(enum event_kind kind)
{
	return event_is_tick(kind) ? 1 : 70 + 1000 * kind;
}

static struct py_thread *thread;
static __u64 code[2];

static int setup(void **state)
{
	(void)state;
	memset(&hosted, 0, sizeof(hosted));
	tree_generation = 0;
	memset(banks_used, 0, sizeof(banks_used));
	thread = py_begin_with_thread(0x30d);
	for (int i = 0; i < 2; i++)
		code[i] = py_code(i ? "work" : "main");
	py_push(thread, code[0], 3);
	py_push(thread, code[1], 7);
	hosted.layout = py.l;
	hosted.process =
		(struct process){ .runtime = py_address(py.runtime), .id = 1, .state = PROCESS_PYTHON };
	hosted_task.pid = hosted_task.tgid = 77;
	hosted_task.thread_pointer = py_self();
	return hosted_begin();
}

static void sample_each(void)
{
	hosted.jiffies++;
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		sample(kind, amount_of(kind));
}

static const struct owner *owner_of(__u32 node)
{
	while (node_parent(hosted.nodes[node].key))
		node = node_parent(hosted.nodes[node].key);
	return &hosted.owners[node_code(hosted.nodes[node].key)];
}

/* The only node of a kind that has a count, and that count. */
static __u32 leaf_of(enum event_kind kind, __u64 *ret_count)
{
	__u32 found = 0;

	for (__u32 i = EVENT_KINDS; i < HOSTED_NODES; i++) {
		if (!hosted.nodes[i].count || owner_kind(owner_of(i)->key) != kind)
			continue;
		assert_int_equal(found, 0);
		found = i;
	}
	assert_int_not_equal(found, 0);
	*ret_count = hosted.nodes[found].count;
	return found;
}

TEST(same_frames_below_roots_of_their_own)
{
	__u32 leaf[EVENT_KINDS];
	__u64 count;

	for (int i = 0; i < 5; i++)
		sample_each();
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		leaf[kind] = leaf_of(kind, &count);
		assert_int_equal(count, 5 * amount_of(kind));
		for (int other = 0; other < kind; other++)
			assert_int_not_equal(leaf[kind], leaf[other]);
	}
	/* work, called from main, called from the root: a node each, of the same code and instruction. */
	for (int step = 0; step < 2; step++) {
		for (int kind = 0; kind < EVENT_KINDS; kind++) {
			const __u64 key = hosted.nodes[leaf[kind]].key, first = hosted.nodes[leaf[0]].key;

			assert_int_equal(hosted.codes[node_code(key)].key, code_key(1, code[1 - step]));
			assert_int_equal(node_code(key), node_code(first));
			assert_int_equal(node_instr(key), node_instr(first));
		}
		for (int kind = 0; kind < EVENT_KINDS; kind++)
			leaf[kind] = node_parent(hosted.nodes[leaf[kind]].key);
	}
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct owner *o = &hosted.owners[node_code(hosted.nodes[leaf[kind]].key)];

		assert_int_equal(node_parent(hosted.nodes[leaf[kind]].key), 0);
		assert_int_equal(o->key, owner_key_of(kind, 1, 77, o->began));
		assert_int_equal(o->process, 1);
		assert_int_equal(o->tid, 77);
	}
	assert_int_equal(hosted.stats.owners_new, EVENT_KINDS);
	assert_int_equal(hosted.stats.nodes_new, 3 * EVENT_KINDS);
	assert_int_equal(hosted.stats.cache_mismatch, 0);
}

/* Of threads with one number, one after the other, what is counted stays apart, and has their names. */
TEST(threads_of_one_number)
{
	const char *const names[] = { "first", "second" };
	struct task_struct main_thread = { 0 };
	int found[2] = { 0 };

	hosted_task.group_leader = &main_thread;
	for (int i = 0; i < 2; i++) {
		hosted_task.start_boottime = 1000 + i;
		snprintf(hosted_task.comm, sizeof(hosted_task.comm), "%s", names[i]);
		sample_each();
		sample_each();
	}
	hosted_task.start_boottime = 0;
	hosted_task.group_leader = &hosted_task;
	assert_int_equal(hosted.stats.owners_new, 2 * EVENT_KINDS);
	for (__u32 i = EVENT_KINDS; i < HOSTED_NODES; i++) {
		const struct owner *o = owner_of(i);

		if (!hosted.nodes[i].count || owner_kind(o->key) != EVENT_CPU)
			continue;
		assert_int_equal(o->tid, 77);
		assert_in_range(o->began, 1000, 1001);
		assert_string_equal(o->comm, names[o->began - 1000]);
		found[o->began - 1000] += hosted.nodes[i].count;
	}
	assert_int_equal(found[0], 2);
	assert_int_equal(found[1], 2);
}

TEST(outcomes_in_the_unit_of_their_kind)
{
	for (int i = 0; i < 3; i++)
		sample_each();
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		for (int i = 0; i < OUTCOME_COUNT; i++)
			assert_int_equal(hosted.stats.outcome[kind][i],
					 i == OUTCOME_WHOLE ? 3 * amount_of(kind) : 0);
	}
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		assert_int_equal(*event_total(&hosted.stats, kind), 3 * amount_of(kind));
	assert_int_equal(hosted.stats.ticks, 3);
}

static __u64 count_of(enum event_kind kind, __u32 process)
{
	__u64 sum = 0;

	for (__u32 i = EVENT_KINDS; i < HOSTED_NODES; i++)
		if (hosted.nodes[i].count && owner_of(i)->process == process &&
		    owner_kind(owner_of(i)->key) == kind)
			sum += hosted.nodes[i].count;
	return sum;
}

/* A process that begins another program is another one: its thread leaves the roots of all kinds. */
TEST(roots_follow_the_process)
{
	sample_each();
	hosted.process.id = 2;
	processes_stamp++;
	sample_each();
	sample_each();
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		assert_int_equal(count_of(kind, 1), amount_of(kind));
		assert_int_equal(count_of(kind, 2), 2 * amount_of(kind));
	}
	assert_int_equal(hosted.stats.owners_new, 2 * EVENT_KINDS);
	assert_int_equal(hosted.stats.cache_mismatch, 0);
}

/* A new generation of the tree: what a thread remembered of the old one is forgotten for each kind. */
TEST(roots_follow_the_generation)
{
	__u64 count;

	sample_each();
	memset(hosted.nodes + EVENT_KINDS, 0, (HOSTED_NODES - EVENT_KINDS) * sizeof(*hosted.nodes));
	memset(hosted.owners, 0, HOSTED_OWNERS * sizeof(*hosted.owners));
	tree_generation = BANKS;
	sample_each();
	sample_each();
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		leaf_of(kind, &count);
		assert_int_equal(count, 2 * amount_of(kind));
	}
	assert_int_equal(hosted.stats.cache_mismatch, 0);
}

/* Each kind has a node for what finds no room. */
TEST(no_room)
{
	for (__u32 i = 0; i < HOSTED_OWNERS; i++)
		hosted.owners[i].key = KEY_RESERVED;
	sample_each();
	sample_each();
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		assert_int_equal(hosted.nodes[kind].count, 2 * amount_of(kind));
		assert_int_equal(hosted.nodes[kind].key, KEY_RESERVED);
		assert_int_equal(hosted.stats.outcome[kind][OUTCOME_TABLE_FULL], 2 * amount_of(kind));
	}
}

TEST(interrupted)
{
	hosted.scratch->busy = 1;
	sample_each();
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		assert_int_equal(hosted.stats.outcome[kind][OUTCOME_NESTED], amount_of(kind));
	assert_int_equal(hosted.stats.ticks, 0);
}

AROUND_EACH(setup, hosted_teardown);
