// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_native_shares.c - whose the table of machine code is: a user alone leaves a quarter of it, and each
 * that comes later finds three quarters of what is left.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "kern/texts.h"
#include "names/natives.h"
#include "symbols/native_shares.h"
#include "tests/forge/child.h"

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

static void each_leaves_a_quarter(void **state)
{
	const __u32 all = BLOCKS - FIRST;
	__u32 own;

	(void)state;
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
static void without_a_claim(void **state)
{
	static const struct text_mapping mappings[SIZE - 1];
	__u32 block;
	int err = 0;

	(void)state;
	add_all(getpid());
	for (int i = 0; !err && i < BLOCKS; i++)
		err = texts_add_space(&table, mappings, SIZE - 1, &block);
	assert_int_equal(err, -ENOSPC);
	assert_true(BLOCKS - table.used < SIZE);
}

static void begun_anew(void **state)
{
	const __u32 own = add_all(getpid());

	(void)state;
	assert_int_equal(add(getpid()), -EDQUOT);
	assert_int_equal(native_shares_clear(&shares), 0);
	table.used = FIRST;
	assert_int_equal(add_all(getpid()), own);
}

static void what_is_refused_is_counted(void **state)
{
	(void)state;
	assert_int_equal(natives_get_stats(natives).table_refused, 0);
	native_shares_refused(&shares);
	native_shares_refused(&shares);
	assert_int_equal(natives_get_stats(natives).table_refused, 2);
	assert_true(shares.full.stands);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_leaves_a_quarter, setup, teardown),
		cmocka_unit_test_setup_teardown(without_a_claim, setup, teardown),
		cmocka_unit_test_setup_teardown(begun_anew, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_refused_is_counted, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
