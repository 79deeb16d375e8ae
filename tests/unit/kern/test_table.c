// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_table.c - tables of the kernel side, entry by entry and as memory: what was set is what the other way
 * finds.
 */
#include "tests/unit/kern/open_kernel.h"

#include "kern/home.h"
#include "kern/object.h"
#include "kern/processes.h"
#include "kern/table.h"

AROUND_EACH(NULL, teardown);

TEST(hash_table)
{
	const struct program_file one = { .inode = 1 }, two = { .inode = 2 };
	struct known_program p = { .runtime = 5, .layout = 1 }, have = {}, values[KNOWN_PROGRAMS];
	struct program_file keys[KNOWN_PROGRAMS];
	const struct table *t;
	__u32 count = 77;

	kernel = open_kernel(selected);
	t = &kernel->side.known_programs;
	assert_int_equal(t->key_size, sizeof(one));
	assert_int_equal(t->value_size, sizeof(p));
	assert_int_equal(t->entries, KNOWN_PROGRAMS);
	assert_int_equal(table_get(t, &one, &have), -ENOENT);
	assert_int_equal(table_all(t, keys, values, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(table_set(t, &one, &p), 0);
	p.layout = 2;
	assert_int_equal(table_set(t, &two, &p), 0);
	assert_int_equal(table_get(t, &one, &have), 0);
	assert_int_equal(have.layout, 1);
	assert_int_equal(table_all(t, keys, values, &count), 0);
	assert_int_equal(count, 2);
	for (__u32 i = 0; i < count; i++)
		assert_int_equal(values[i].layout, keys[i].inode);
	assert_int_equal(table_remove(t, &one), 0);
	assert_int_equal(table_remove(t, &one), -ENOENT);
	assert_int_equal(table_all(t, keys, values, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(keys[0].inode, 2);
}

TEST(array)
{
	struct layout l = { .tstate_size = 4321 };
	const __u32 at = 3, behind = LAYOUTS_MAX;
	const struct layout *mapped;
	void *memory;

	kernel = open_kernel(selected);
	assert_int_equal(table_set(&kernel->side.layouts, &at, &l), 0);
	assert_int_equal(table_set(&kernel->side.layouts, &behind, &l), -E2BIG);
	assert_int_equal(table_map(&kernel->side.layouts, false, &memory), 0);
	mapped = memory;
	assert_int_equal(mapped[at].tstate_size, 4321);
	assert_int_equal(mapped[at + 1].tstate_size, 0);
	l.tstate_size = 1234;
	assert_int_equal(table_set(&kernel->side.layouts, &at, &l), 0);
	assert_int_equal(mapped[at].tstate_size, 1234);
	assert_in_range(table_bytes(&kernel->side.layouts), LAYOUTS_MAX * sizeof(l),
			LAYOUTS_MAX * sizeof(l) + 4095);
	table_unmap(&kernel->side.layouts, memory);
	table_unmap(&kernel->side.layouts, NULL);
}

static int refuse(struct kernel *k, struct kernel_options *o)
{
	(void)o;
	return kernel_fail(k, -EPERM, "not here");
}

/* Whoever asks it all the same hears that it is not there. */
TEST(of_a_side_that_is_refused)
{
	struct home home = home_kernel;
	struct kernel_options o = selected;
	struct process_list list = {};
	struct process p = {};
	void *memory = NULL;

	home.choose = refuse;
	o.home = &home;
	assert_int_equal(kernel_open(&kernel, &o), -EPERM);
	assert_int_equal(kernel_processes(kernel, &list), -ENODEV);
	assert_int_equal(kernel_get_process(kernel, 1, &p), -ENODEV);
	assert_int_equal(table_set(&kernel->side.processes, &p.id, &p), -ENODEV);
	assert_int_equal(table_remove(&kernel->side.processes, &p.id), -ENODEV);
	assert_int_equal(table_map(&kernel->side.nodes, false, &memory), -ENODEV);
	assert_null(memory);
	kernel_close(kernel); /* while its home is there */
	kernel = NULL;
}
