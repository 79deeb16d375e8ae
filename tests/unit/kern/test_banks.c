// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_banks.c - generations of the tree in the kernel, while the ticks go on: every tick is counted in one
 * bank, the one that was left does not change once it has been waited for, and clearing it changes nothing
 * else. Needs the right to load BPF.
 */
#include "kern/banks.h"
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

/* This process, as a Python of an unknown layout: each of its ticks is a sample with a marker. */
static void watch_self(void)
{
	struct record_process listed = find_process(kernel, getpid());
	struct process self = {
		.start_time = listed.start_time,
		.exec_id = listed.exec_id,
		.id = kernel_new_process_id(kernel),
		.state = PROCESS_NO_LAYOUT,
	};

	assert_int_equal(kernel_set_process(kernel, getpid(), &self), 0);
}

static __u64 counted(struct kernel_range nodes)
{
	const struct kernel_tables *t = kernel_tables(kernel);
	__u64 sum = 0;

	for (__u32 i = nodes.first; i < nodes.end; i++)
		if (!node_is_account(t->nodes[i].key)) /* which counts no sample */
			sum += __atomic_load_n(&t->nodes[i].count, __ATOMIC_RELAXED);
	return sum;
}

static void open_small(void)
{
	struct kernel_options o = selected;

	o.tree_size = 4096;
	o.frequency = 997;
	kernel = open_kernel(o);
	watch_self();
}

/* What fdinfo says of every BPF map that this process holds. */
static size_t map_memory(void)
{
	DIR *d = opendir("/proc/self/fdinfo");
	size_t sum = 0;
	struct dirent *e;

	while ((e = readdir(d))) {
		char path[300], line[128];
		bool is_map = false;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", e->d_name);
		f = fopen(path, "re");
		while (f && fgets(line, sizeof(line), f)) {
			size_t bytes;

			is_map |= !strncmp(line, "map_type:", 9);
			if (is_map && sscanf(line, "memlock: %zu", &bytes) == 1)
				sum += bytes;
		}
		if (f)
			fclose(f);
	}
	closedir(d);
	return sum;
}

TEST(tables)
{
	const struct kernel_tables *t;

	kernel = open_kernel(everything);
	t = kernel_tables(kernel);
	/* Powers of two that fit the fields of a node's key. */
	assert_in_range(t->node_count, 1 << 16, 1 << NODE_BITS);
	assert_in_range(t->code_count, 1 << 14, 1 << CODE_BITS);
	assert_in_range(t->owner_count, 1 << 10, 1 << CODE_BITS);
	assert_int_equal(t->node_count & (t->node_count - 1), 0);
	assert_int_equal(t->code_count & (t->code_count - 1), 0);
	assert_int_equal(t->owner_count & (t->owner_count - 1), 0);
	/* Reserved entries are taken, all others free, down to the last. */
	for (__u32 i = 0; i < t->node_count; i++)
		assert_true(!t->nodes[i].count &&
			    t->nodes[i].key == (i < EVENT_KINDS ? KEY_RESERVED : 0));
	for (__u32 i = 0; i < t->code_count; i++)
		assert_true(t->codes[i].identity == (i < CODE_FIRST ? KEY_RESERVED : 0));
	for (__u32 i = 0; i < t->owner_count; i++)
		assert_true(!t->owners[i].key);
	assert_in_range(t->map_bytes, 8 << 20, (64 << 20) - 1);
	assert_in_range(map_memory(), 0, (64 << 20) - 1);
}

TEST(banks_are_halves)
{
	const struct kernel_tables *t;
	struct kernel_bank upper, lower;

	open_small();
	t = kernel_tables(kernel);
	upper = kernel_other_bank(kernel);
	kernel_flip(kernel);
	lower = kernel_other_bank(kernel);
	assert_int_equal(t->node_count, 4096);
	assert_int_equal(lower.nodes.first, EVENT_KINDS);
	assert_int_equal(lower.codes.first, CODE_FIRST);
	assert_int_equal(lower.owners.first, 0);
	assert_int_equal(lower.nodes.end, upper.nodes.first);
	assert_int_equal(lower.codes.end, upper.codes.first);
	assert_int_equal(lower.owners.end, upper.owners.first);
	assert_int_equal(upper.nodes.first, t->node_count / 2);
	assert_int_equal(upper.nodes.end, t->node_count);
	assert_int_equal(upper.codes.first, t->code_count / 2);
	assert_int_equal(upper.codes.end, t->code_count);
	assert_int_equal(upper.owners.first, t->owner_count / 2);
	assert_int_equal(upper.owners.end, t->owner_count);
	kernel_flip(kernel);
	assert_memory_equal(&(struct kernel_bank[1]){ kernel_other_bank(kernel) }, &upper, sizeof(upper));
}

TEST(no_tick_is_lost)
{
	const struct kernel_tables *t;
	__u64 taken = 0, left;
	struct kernel_stats s;

	open_small();
	t = kernel_tables(kernel);
	start(kernel);
	burn(0.1);
	for (int generation = 0; generation < 6; generation++) {
		struct kernel_bank old, now = kernel_other_bank(kernel);

		assert_int_equal(counted(now.nodes), 0);
		kernel_flip(kernel);
		old = kernel_other_bank(kernel);
		burn(0.02); /* nobody waits for the clearing */
		assert_int_equal(kernel_wait(kernel), 0);
		left = counted(old.nodes);
		assert_true(left > 0);
		burn(0.1);
		assert_int_equal(counted(old.nodes), left);
		assert_true(counted(now.nodes) > 0);
		taken += left;
		assert_int_equal(kernel_clear(kernel), 0);
		for (__u32 i = old.nodes.first; i < old.nodes.end; i++)
			assert_true(!t->nodes[i].key && !t->nodes[i].count);
		for (__u32 i = old.owners.first; i < old.owners.end; i++)
			assert_true(!t->owners[i].key);
		assert_true(counted(now.nodes) > 0);
	}
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	assert_int_equal(taken + counted((struct kernel_range){ 0, t->node_count }),
			 s.sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT]);
	assert_int_equal(outcome_sum(&s), s.sum.ticks);
	assert_int_equal(s.sum.outcome[EVENT_CPU][OUTCOME_TABLE_FULL], 0);
	/* What is reserved stays so. */
	assert_true(t->nodes[0].key == KEY_RESERVED);
	for (__u32 i = 0; i < CODE_FIRST; i++)
		assert_true(t->codes[i].identity == KEY_RESERVED);
}

/* Only what came since the flip makes the bank in use full. */
TEST(fullness_is_of_one_bank)
{
	double before;

	open_small();
	assert_true(kernel_fullness(kernel) == 0);
	start(kernel);
	burn(0.1);
	kernel_stop(kernel);
	before = kernel_fullness(kernel);
	assert_true(before > 0 && before < 0.1);
	kernel_flip(kernel);
	assert_true(kernel_fullness(kernel) == 0);
	assert_int_equal(kernel_clear(kernel), 0);
	kernel_flip(kernel);
	assert_true(kernel_fullness(kernel) == 0);
}

AROUND_EACH(NULL, teardown);
