/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * driven_tables.h - tests of the driven sampler with tables so small that they fill, and with other options.
 * What finds no room is counted as that, and every tick stays in the books: drive() checks them.
 */
#include "tests/unit/driven/driven_usual.h"

/* Different stacks until `full` ticks found no room. Every outcome until then is another. */
static void drive_until_full(struct py_thread *t, bool new_codes, __u32 full)
{
	__u64 code = py_code("same");
	__u32 ticks = 0;

	while (driven_stat(outcome[EVENT_CPU][OUTCOME_TABLE_FULL]) < full) {
		enum outcome outcome;

		assert_true(ticks++ < 10000);
		t->leaf = 0;
		t->top = py_address(t->first_chunk) + FORGE_CHUNK_HEADER;
		py_push_shim(t);
		py_push(t, new_codes ? py_code("new") : code, new_codes ? 0 : ticks);
		outcome = drive();
		assert_true(outcome == OUTCOME_WHOLE || outcome == OUTCOME_TABLE_FULL);
	}
}

static void test_node_table_full(void **state)
{
	struct py_thread *t = py_begin_with_thread(0x030d);
	__u32 used = 0, leaf;

	(void)state;
	driven_watch();
	drive_until_full(t, false, 40);
	for (__u32 i = 0; i < driven.o.nodes; i++)
		used += driven.nodes[i].key != 0;
	/* 32 probes of 64 entries: nearly all of them are found. */
	assert_true(used > driven.o.nodes * 3 / 4);
	assert_int_equal(driven_stat(nodes_new) + 1, used);
	/* What is in the table is still counted there. */
	leaf = 0;
	for (__u32 i = 1; i < driven.o.nodes && !leaf; i++)
		if (driven.nodes[i].count && node_code(driven.nodes[i].key) >= CODE_FIRST)
			leaf = i;
	assert_int_not_equal(leaf, 0);
	forge_put((void *)t->leaf, py.l.frame_instr,
		  driven_record(driven.records[0].address)->address + py.l.code_bytecode +
			  2 * (node_instr(driven.nodes[leaf].key) - 1),
		  8);
	assert_int_equal(drive(), OUTCOME_WHOLE);
	assert_int_equal(driven.nodes[leaf].count, 2);
}

static void test_code_table_full(void **state)
{
	struct py_thread *t = py_begin_with_thread(0x030d);

	(void)state;
	driven_watch();
	drive_until_full(t, true, 40);
	/* 24 probes, half of which meet the reserved entries. */
	assert_in_range(driven_stat(codes_new), (driven.o.codes - CODE_FIRST) / 2,
			driven.o.codes - CODE_FIRST);
	for (__u32 i = 0; i < CODE_FIRST; i++)
		assert_int_equal(driven.codes[i].identity, KEY_RESERVED);
}

/* A full bank is no reason to lose a tick of the next generation, and node 0 counts on for both. */
static void test_other_bank_has_room(void **state)
{
	struct py_thread *t = py_begin_with_thread(0x030d);
	__u64 overflow;

	(void)state;
	driven_watch();
	drive_until_full(t, false, 10);
	for (__u32 id = DRIVEN_ID + 1; id <= DRIVEN_ID + 40; id++) {
		driven_set_process(PROCESS_PYTHON, id);
		drive();
	}
	overflow = driven.nodes[0].count;
	assert_true(overflow > 0);
	driven.skel->bss->tree_generation++;
	driven_set_process(PROCESS_PYTHON, DRIVEN_ID);
	assert_int_equal(drive(), OUTCOME_WHOLE);
	assert_true(driven.newest >= driven.o.nodes);
	assert_int_equal(driven.nodes[0].count, overflow);
	assert_int_equal(driven.skel->bss->banks_used[0].owners, driven.o.owners);
	assert_int_equal(driven.skel->bss->banks_used[1].owners, 1);
	for (__u32 id = DRIVEN_ID + 1; id <= DRIVEN_ID + 40; id++) {
		driven_set_process(PROCESS_PYTHON, id);
		drive();
	}
	assert_true(driven.nodes[0].count > overflow);
	assert_int_equal(driven.skel->bss->banks_used[1].owners, driven.o.owners);
}

/* Owners are by thread, or process: processes that come and go fill that table. */
static void test_owner_table_full(void **state)
{
	__u64 codes[3];
	__u32 owners = 0;

	(void)state;
	forge_usual(0x030d, codes);
	for (__u32 id = 1; id <= 40; id++) {
		driven_set_process(PROCESS_PYTHON, id);
		drive();
	}
	for (__u32 i = 0; i < driven.o.owners; i++)
		owners += driven.owners[i].key != 0;
	assert_int_equal(owners, driven.o.owners);
	assert_true(driven_stat(outcome[EVENT_CPU][OUTCOME_TABLE_FULL]) >= 40 - driven.o.owners);
	/* There was no node to mark. */
	assert_true(driven.nodes[0].count >= 40 - driven.o.owners);
}

/* A name that does not fit into the ring is sent when there is room, and counted. */
static void test_ring_full(void **state)
{
	static char name[2001];
	struct py_thread *t = py_begin_with_thread(0x030d);
	__u64 code;

	(void)state;
	memset(name, 'n', 2000);
	for (int i = 0; i < 5; i++)
		py_push(t, py_code(name), i);
	code = py_code("leaf");
	py_push(t, code, 1);
	driven_watch();
	assert_int_equal(drive(), OUTCOME_WHOLE);
	assert_in_range(driven_stat(ring_full), 1, 5);
	assert_int_equal(driven.record_count, 6 - driven_stat(ring_full));
	for (int i = 0; i < 5; i++)
		assert_int_equal(drive(), OUTCOME_WHOLE);
	assert_int_equal(driven.record_count, 6);
	assert_non_null(driven_record(code));
	for (int i = 0; i < 6; i++)
		if (driven.records[i].address != code) {
			assert_int_equal(driven.records[i].name.bytes, STRING_MAX);
			assert_int_equal(driven.records[i].name.length, 2000);
			assert_int_equal(driven.records[i].name.flags, PART_CUT);
		}
}

static void test_truncation(void **state)
{
	static const char expected[] = "[truncated];f:5;f:6;f:7;f:8;f:9;f:10;f:11;f:12;f:13;f:14;f:15;f:16";

	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		struct py_thread *t = py_begin_with_thread(forge_minors[v]);
		__u64 code = py_code("f");

		assert_int_equal(driven.o.max_depth, 12);
		for (__u32 i = 1; i <= 16; i++) {
			py_push(t, code, i);
			py_push_shim(t);
			driven_watch();
			assert_int_equal(drive(), i > 12 ? OUTCOME_TRUNCATED : OUTCOME_WHOLE);
			assert_int_equal(driven_stat(frames), i > 12 ? 12 : i);
		}
		driven_path_is(expected);
	}
}

static void test_process_that_was_not_selected(void **state)
{
	__u64 codes[3];

	(void)state;
	forge_usual(0x030d, codes);
	driven_reset();
	assert_int_equal(drive(), OUTCOME_NOT_SELECTED);
	assert_int_equal(driven.notices, 0);
	assert_int_equal(driven_samples(), 0);
}

/* As if a tick came while one is at work: counted, and nothing else is touched. */
static void test_nested(void **state)
{
	__u32 size = bpf_map__value_size(driven.skel->maps.scratches);
	__u32 *scratch = calloc(1, size);
	__u64 codes[3];

	(void)state;
	assert_non_null(scratch);
	forge_usual(0x030d, codes);
	for (__u32 busy = 1; busy < 2; busy--) {
		*scratch = busy;
		for (__u32 cpu = 0; cpu < (__u32)driven.cpus; cpu++)
			assert_int_equal(
				bpf_map__update_elem(driven.skel->maps.scratches, &cpu, 4, scratch, size, 0),
				0);
		assert_int_equal(drive(), busy ? OUTCOME_NESTED : OUTCOME_WHOLE);
	}
	assert_int_equal(driven_samples(), 1);
	free(scratch);
}
