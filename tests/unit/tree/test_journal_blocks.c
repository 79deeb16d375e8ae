// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_journal_blocks.c - entries of the journal: what is one entry, what an entry has of a stretch of time,
 * and that no amount is lost by either.
 */
#include <stdlib.h>
#include <string.h>

#include "bpf/abi.h"
#include "kern/journal_rings.h"
#include "tree/journal_blocks.h"
#include "tests/forge/test.h"

#define T0	 1000000000000ULL
#define TOGETHER 15000000ULL

static struct journal_blocks blocks;
static struct journal_recent recent;
static __u64 cut;

static int teardown(void **state)
{
	(void)state;
	journal_blocks_free(&blocks);
	memset(&recent, 0, sizeof(recent));
	cut = 0;
	return 0;
}

static int add(__u64 ns, __u32 node, enum event_kind kind, __u64 amount, bool is_span)
{
	const struct journal_sample s = { ns, amount, node, kind, is_span, { 0 } };

	return journal_blocks_add(&blocks, &recent, &s, TOGETHER, cut);
}

static __u32 entries(void)
{
	__u32 n = 0;

	for (const struct journal_block *b = blocks.first; b; b = b->next)
		n += b->count;
	return n;
}

static __u64 amount_of(__u64 from, __u64 to)
{
	__u64 sum = 0;

	for (const struct journal_block *b = blocks.first; b; b = b->next)
		for (__u32 i = 0; i < b->count; i++)
			sum += journal_part_of(b, &b->entries[i], from, to).amount;
	return sum;
}

TEST(ticks_of_one_node_are_one_entry)
{
	struct journal_part p;

	assert_int_equal(add(T0, 300, EVENT_CPU, 1, false), 1);
	assert_int_equal(add(T0 + 10000000, 300, EVENT_CPU, 1, false), 0);
	assert_int_equal(add(T0 + 20000000, 300, EVENT_CPU, 2, false), 0);
	assert_int_equal(entries(), 1);
	p = journal_part_of(blocks.first, &blocks.first->entries[0], 0, ~0ULL);
	assert_int_equal(p.begin, T0);
	assert_int_equal(p.end, T0 + 20000000);
	assert_int_equal(p.amount, 4);
}

TEST(others_are_entries_of_their_own)
{
	add(T0, 300, EVENT_CPU, 1, false);
	add(T0 + 10000000, 301, EVENT_CPU, 1, false);	/* another node, */
	add(T0 + 30000000, 300, EVENT_CPU, 1, false);	/* too late, */
	add(T0 + 29000000, 300, EVENT_CPU, 1, false);	/* of another CPU, before it */
	add(T0 + 30000000, 300, EVENT_OFFCPU, 5, true); /* another kind */
	assert_int_equal(entries(), 5);
	assert_int_equal(amount_of(0, ~0ULL), 4 + 5);
}

/* A wait that was counted up to now, and then to its end. */
TEST(parts_of_a_wait_are_one_entry)
{
	struct journal_part p;

	add(T0 + 100, 300, EVENT_OFFCPU, 100, true);
	add(T0 + 150, 300, EVENT_OFFCPU, 50, true);
	assert_int_equal(entries(), 1);
	p = journal_part_of(blocks.first, &blocks.first->entries[0], T0 + 20, T0 + 120);
	assert_int_equal(p.begin, T0 + 20);
	assert_int_equal(p.end, T0 + 120);
	assert_int_equal(p.amount, 100);
	add(T0 + 300, 300, EVENT_OFFCPU, 50, true); /* another wait */
	assert_int_equal(entries(), 2);
	add(T0 + 310, 300, EVENT_OFFCPU, 1000, false); /* time of others: it was not then */
	assert_int_equal(entries(), 3);
	assert_int_equal(amount_of(T0 + 310, T0 + 311), 1000);
	assert_int_equal(amount_of(0, ~0ULL), 200 + 1000);
}

/* However it is cut, the parts are the whole. */
TEST(stretches_part_it)
{
	const __u64 end = T0 + 200000000;

	for (int i = 0; i < 20; i++)
		add(T0 + 10000000ULL * i, 300, EVENT_CPU, i % 3 ? 1 : 2, false);
	add(T0 + 150000000, 301, EVENT_OFFCPU, 90000001, true);
	for (__u64 step = 999999; step < 300000000; step = step * 7 + 3) {
		__u64 sum = 0;

		for (__u64 from = T0 - 1; from <= end; from += step)
			sum += amount_of(from, from + step);
		assert_int_equal(sum, amount_of(0, ~0ULL));
	}
	assert_int_equal(amount_of(0, ~0ULL), 27 + 90000001);
	assert_int_equal(amount_of(0, T0), 0);
	assert_int_equal(amount_of(end, ~0ULL), 0);
}

TEST(large_amounts_are_several_entries)
{
	const __u64 ns = 1ULL << 42;

	add(T0 + ns, 300, EVENT_OFFCPU, ns, true);
	add(T0, 301, EVENT_CPU, 10000, false);
	add(T0, 302, EVENT_MEMORY, ns, false);
	assert_true(entries() > 5);
	assert_int_equal(amount_of(T0, T0 + 1), 1 + 10000 + ns);
	assert_int_equal(amount_of(0, ~0ULL), 10000 + 2 * ns);
	assert_int_equal(amount_of(T0 + 5, T0 + ns), ns - 5);
}

TEST(blocks_come_and_go)
{
	int added = 0;

	for (int i = 0; i < 3 * JOURNAL_BLOCK_ENTRIES; i++)
		added += add(T0 + 1000ULL * i, 300 + i % 2, EVENT_OFFCPU, 10, true);
	assert_int_equal(added, 3);
	assert_int_equal(blocks.first->first, T0 - 10);
	assert_int_equal(blocks.first->last, T0 + 1000ULL * (JOURNAL_BLOCK_ENTRIES - 1));
	journal_blocks_drop(&blocks);
	assert_int_equal(entries(), 2 * JOURNAL_BLOCK_ENTRIES);
	assert_int_equal(journal_blocks_free(&blocks), 2);
	assert_null(blocks.first);
	assert_null(blocks.last);
	memset(&recent, 0, sizeof(recent));
	assert_int_equal(add(T0, 300, EVENT_CPU, 1, false), 1);
}

/* Ticks are not as far apart as each other: only where they are parted it is known how many came before. */
TEST(ticks_are_parted_by_a_cut)
{
	add(T0, 7, EVENT_CPU, 1, false);
	add(T0 + 10, 7, EVENT_CPU, 1, false);
	cut = T0 + 90;
	add(T0 + 80, 7, EVENT_CPU, 1, false);
	assert_int_equal(entries(), 1);
	add(T0 + 90, 7, EVENT_CPU, 1, false);
	add(T0 + 100, 7, EVENT_CPU, 1, false);
	assert_int_equal(entries(), 2);
	assert_int_equal(amount_of(T0, cut), 3);
	assert_int_equal(amount_of(cut, T0 + 1000), 2);
}

static int add_of(__u64 ns, const struct trace_ids *ids)
{
	const struct journal_sample s = { ns, 1, 7, EVENT_CPU, false, *ids };

	return journal_blocks_add(&blocks, &recent, &s, TOGETHER, cut);
}

TEST(entries_are_of_one_span)
{
	const struct trace_ids none = { 0 }, one = { 1, 2, 3 }, same_span = { 1, 1, 3 };
	const struct journal_block *b;

	add_of(T0, &none);
	add_of(T0 + 1, &one);
	add_of(T0 + 2, &one);
	add_of(T0 + 3, &same_span);
	add_of(T0 + 4, &none);
	b = blocks.first;
	assert_int_equal(b->count, 4);
	assert_int_equal(b->entries[1].ticks, 2);
	assert_int_equal(journal_entry_ids(b, &b->entries[0]).span, 0);
	assert_int_equal(journal_entry_ids(b, &b->entries[1]).low, 2);
	assert_int_equal(journal_entry_ids(b, &b->entries[2]).low, 1);
	assert_int_equal(journal_entry_ids(b, &b->entries[3]).span, 0);
	assert_int_equal(b->spans->count, 2);
}

TEST(many_spans_need_more_blocks)
{
	const __u32 count = 3 * JOURNAL_BLOCK_SPANS;
	__u64 number = 0;
	int added = 0;

	for (__u64 i = 1; i <= count; i++)
		added += add_of(T0 + i, &(struct trace_ids){ 1, 2, i });
	assert_int_equal(added, 3);
	for (const struct journal_block *b = blocks.first; b; b = b->next)
		for (__u32 i = 0; i < b->count; i++)
			assert_int_equal(journal_entry_ids(b, &b->entries[i]).span, ++number);
	assert_int_equal(number, count);
}

AROUND_EACH(NULL, teardown);
