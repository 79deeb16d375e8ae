// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_full_tables.c - each row of the list is a counter, and has words that fit on a line.
 */
#include <string.h>

#include "bpf/abi.h"
#include "profile/full_tables.h"
#include "tests/forge/test.h"

TEST(each_is_its_counter)
{
	const struct cpu_stats sum = {
		.waits_full = 1, .processes_full = 2, .layouts_full = 3, .task_layouts_full = 4,
		.contexts_full = 5, .memories_dropped = 6, .task_names_full = 7,
		.context_values_full = 8, .ticks_thinned = 9, .waits_thinned = 10, .memory_thinned = 11
	};
	__u64 times[FULL_TABLES];

	full_tables_count(&sum, times);
	for (int i = 0; i < FULL_TABLES; i++)
		assert_int_equal(times[i], i + 1);
}

TEST(each_has_words)
{
	assert_string_equal(full_table_rows[FULL_TABLE_waits_full].stat, "waits_full");
	for (int i = 0; i < FULL_TABLES; i++)
		assert_in_range(strlen(full_table_rows[i].what), 10, 86); /* a number stands before it */
}
