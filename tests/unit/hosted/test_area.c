// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_area.c - tables in shared memory, as kern/table.h has them: the sizes of the object's maps, what one
 * side has set is what the other finds, and what is mapped is the same memory.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "hosted/area.h"
#include "hosted/hash.h"
#include "pyperf.skel.h"
#include "tests/forge/test.h"

static struct pyperf *skel;
static struct area area;
static struct side side;

static int setup(void **state)
{
	(void)state;
	area.fd = -1;
	skel = pyperf__open();
	if (!skel || bpf_map__set_max_entries(skel->maps.nodes, 4096) ||
	    bpf_map__set_max_entries(skel->maps.processes, 100) ||
	    bpf_map__set_max_entries(skel->maps.records, 65536))
		return -1;
	skel->rodata->opt_max_depth = 77;
	if (area_open(&area, skel))
		return -1;
	area_side(&area, &side);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	area_close(&area);
	area_close(&area); /* as once */
	pyperf__destroy(skel);
	return 0;
}

AROUND_EACH(setup, teardown);

TEST(sizes_and_options)
{
	assert_int_equal(side.nodes.entries, 4096);
	assert_int_equal(side.nodes.value_size, sizeof(struct node));
	assert_int_equal(side.processes.entries, 100);
	assert_int_equal(side.processes.key_size, 4);
	assert_int_equal(area.ring->size, 65536);
	assert_int_equal(side.rodata->opt_max_depth, 77);
	assert_ptr_equal(side.bss, area.bss);
	assert_null(area_find(&area, "accounts")); /* of another kind than the area has */
	assert_non_null(area_find(&area, "threads"));
}

TEST(array)
{
	const struct area_table *t = area_find(&area, "nodes");
	struct node n = { .key = 5, .count = 6 }, got;
	const __u32 at = 9, behind = 4096;
	struct node *mapped;
	void *memory;

	assert_int_equal(table_set(&side.nodes, &at, &n), 0);
	assert_int_equal(table_set(&side.nodes, &behind, &n), -E2BIG);
	assert_int_equal(table_get(&side.nodes, &behind, &got), -ENOENT);
	assert_int_equal(table_get(&side.nodes, &at, &got), 0);
	assert_int_equal(got.count, 6);
	assert_int_equal(((struct node *)(area.base + t->offset))[9].key, 5); /* the sampler's view */
	assert_int_equal(table_map(&side.nodes, true, &memory), 0);
	mapped = memory;
	assert_int_equal(mapped[9].count, 6);
	mapped[9].count = 7;
	assert_int_equal(table_get(&side.nodes, &at, &got), 0);
	assert_int_equal(got.count, 7);
	table_unmap(&side.nodes, memory);
	assert_int_equal(table_remove(&side.nodes, &at), -EINVAL);
}

TEST(hash_table)
{
	struct process p = { .id = 5 }, got, all[100];
	const __u32 pid = 1234;
	__u32 count, keys[100];

	assert_int_equal(table_get(&side.processes, &pid, &got), -ENOENT);
	assert_int_equal(table_set(&side.processes, &pid, &p), 0);
	assert_int_equal(table_get(&side.processes, &pid, &got), 0);
	assert_int_equal(got.id, 5);
	assert_int_equal(table_all(&side.processes, keys, all, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(keys[0], 1234);
	assert_int_equal(all[0].id, 5);
	assert_int_equal(table_remove(&side.processes, &pid), 0);
	assert_int_equal(table_remove(&side.processes, &pid), -ENOENT);
}

/* They are no file, although the kernel takes what is shared for one, and ends who makes one too large. */
TEST(limit_of_files)
{
	struct rlimit before, small, now;
	struct area other;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ 4096, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(area_open(&other, skel), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(now.rlim_cur, 4096);
	assert_true(other.size > 4096);
	other.base[other.size - 1] = 1;
	area_close(&other);
}
