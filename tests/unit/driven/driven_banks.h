/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * driven_banks.h - tests of the driven sampler when a new generation of the tree begins: what it finds is in
 * the other half of the tables from then on, complete, and nothing in the first half changes any more.
 */
#include "tests/unit/driven/driven_usual.h"

/* As user/kern/kernel.c does it. */
static void begin_generation(void)
{
	driven.skel->bss->tree_generation++;
}

static unsigned int bank_of_number(__u32 number, __u32 each)
{
	assert_in_range(number, 1, BANKS * each - 1);
	return number / each;
}

/* The newest sample's whole path, with its code objects and its owner. */
static void newest_is_in_bank(unsigned int bank)
{
	__u32 node = driven.newest;

	assert_int_equal(bank_of_number(node, driven.o.nodes), bank);
	while (node_parent(driven.nodes[node].key)) {
		assert_int_equal(bank_of_number(node_code(driven.nodes[node].key), driven.o.codes), bank);
		node = node_parent(driven.nodes[node].key);
		assert_int_equal(bank_of_number(node, driven.o.nodes), bank);
	}
	assert_int_equal(node_code(driven.nodes[node].key) / driven.o.owners, bank);
}

/* A copy of a bank's nodes, codes and owners; to be freed. */
static void *copy_bank(unsigned int bank)
{
	const size_t nodes = driven.o.nodes * sizeof(struct node),
		     codes = driven.o.codes * sizeof(struct code),
		     owners = driven.o.owners * sizeof(struct owner);
	void *copy = malloc(nodes + codes + owners);

	assert_non_null(copy);
	memcpy(copy, driven.nodes + bank * driven.o.nodes, nodes);
	memcpy(copy + nodes, driven.codes + bank * driven.o.codes, codes);
	memcpy(copy + nodes + codes, driven.owners + bank * driven.o.owners, owners);
	return copy;
}

static void bank_is(unsigned int bank, const void *copy)
{
	_cleanup_free_ void *now = copy_bank(bank);

	assert_memory_equal(now, copy,
			    driven.o.nodes * sizeof(struct node) + driven.o.codes * sizeof(struct code) +
				    driven.o.owners * sizeof(struct owner));
}

/* All but the counts, which every tick's books need. */
static void clear_second_bank(void)
{
	for (__u32 i = driven.o.nodes; i < BANKS * driven.o.nodes; i++)
		driven.nodes[i].key = 0;
	memset(driven.codes + driven.o.codes, 0, driven.o.codes * sizeof(struct code));
	memset(driven.owners + driven.o.owners, 0, driven.o.owners * sizeof(struct owner));
}

static void test_each_generation_has_its_bank(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u64 codes[3];
		struct py_thread *t = forge_usual(forge_minors[v], codes);

		for (unsigned int generation = 0; generation < 3; generation++) {
			const unsigned int bank = generation % 2;
			_cleanup_free_ void *other = copy_bank(!bank);
			const __u32 records = driven.record_count;

			py_move(t, codes[2], -1);
			assert_int_equal(drive(), OUTCOME_WHOLE);
			driven_newest_path_is(USUAL);
			newest_is_in_bank(bank);
			/* The first bank has not been cleared: what is known there is found again. */
			assert_int_equal(driven.record_count, generation < 2 ? records + 3 : records);
			for (__u32 i = records; i < driven.record_count; i++)
				assert_int_equal(driven.records[i].code / driven.o.codes, bank);
			py_move(t, codes[2], 5);
			assert_int_equal(drive(), OUTCOME_WHOLE);
			newest_is_in_bank(bank);
			assert_int_equal(driven.record_count, 3 * (generation ? 2 : 1));
			bank_is(!bank, other);
			begin_generation();
		}
		/* This time the second bank has been cleared, and what was remembered of it is of no use. */
		clear_second_bank();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(driven.record_count, 9);
		driven_newest_path_is("main:3;App.work:7;<lambda>:5");
		newest_is_in_bank(1);
	}
}
