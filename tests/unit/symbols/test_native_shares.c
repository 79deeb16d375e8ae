// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_native_shares.c - whose the table of machine code is: a user alone leaves a quarter of it, and each
 * that comes later finds three quarters of what is left.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "kern/texts.h"
#include "names/natives.h"
#include "symbols/native_shares.h"
#include "tests/forge/child.h"
#include "tests/forge/test.h"

#define BLOCKS 10000
#define FIRST  2 /* blocks that nobody is given */
#define SIZE   10 /* blocks of a space, with that which says how many mappings it has */

static struct texts table;
static struct natives *natives;
static struct native_shares shares;
static pid_t other; /* another user's process; 0 = only root can start one */

static int setup(void **state)
{
	(void)state;
	table = (struct texts){ .count = BLOCKS, .used = FIRST };
	table.blocks = calloc(BLOCKS, sizeof(*table.blocks));
	other = geteuid() ? 0 : child_of(4711);
	return !table.blocks || natives_new(&natives) || native_shares_open(&shares, natives, &table);
}

static int teardown(void **state)
{
	(void)state;
	if (other)
		child_end(other);
	native_shares_close(&shares);
	natives_free(natives);
	free(table.blocks);
	return 0;
}

static int add(pid_t pid)
{
	static const struct text_mapping mappings[SIZE - 1];
	const struct native_claim claim = native_shares_claim(&shares, pid);
	__u32 block;
	int err = texts_add_space(&table, mappings, SIZE - 1, &block);

	native_shares_settle(&shares, &claim);
	return err;
}

/* Blocks that a process was given until it was refused. */
static __u32 add_all(pid_t pid)
{
	const __u32 used = table.used;
	int err = 0;

	for (int i = 0; !err && i < BLOCKS; i++)
		err = add(pid);
	assert_int_equal(err, -EDQUOT);
	return table.used - used;
}

TEST(each_leaves_a_quarter)
{
	const __u32 all = BLOCKS - FIRST;
	__u32 own;

	assert_true(native_shares_are_one(&shares));
	own = add_all(getpid());
	assert_in_range(own, all * 3 / 4 - SIZE, all * 3 / 4);
	assert_true(native_shares_are_one(&shares));
	if (!other) {
		print_message("SKIP unit: only root starts processes of others\n");
		return;
	}
	assert_in_range(add_all(other), (all - own) * 3 / 4 - SIZE, (all - own) * 3 / 4);
	assert_false(native_shares_are_one(&shares));
	assert_int_equal(add(getpid()), -EDQUOT);
}

/* What nobody has claimed is not held back, and a table that is full says so. */
TEST(without_a_claim)
{
	static const struct text_mapping mappings[SIZE - 1];
	__u32 block;
	int err = 0;

	add_all(getpid());
	for (int i = 0; !err && i < BLOCKS; i++)
		err = texts_add_space(&table, mappings, SIZE - 1, &block);
	assert_int_equal(err, -ENOSPC);
	assert_true(BLOCKS - table.used < SIZE);
}

TEST(begun_anew)
{
	const __u32 own = add_all(getpid());

	assert_int_equal(add(getpid()), -EDQUOT);
	assert_int_equal(native_shares_clear(&shares), 0);
	table.used = FIRST;
	assert_int_equal(add_all(getpid()), own);
}

TEST(what_is_refused_is_counted)
{
	assert_int_equal(natives_get_stats(natives).table_refused, 0);
	native_shares_refused(&shares);
	native_shares_refused(&shares);
	assert_int_equal(natives_get_stats(natives).table_refused, 2);
	assert_true(shares.full.stands);
}

AROUND_EACH(setup, teardown);
