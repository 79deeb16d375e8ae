// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/types.h>

#include "tests/forge/fail_malloc.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "tests/forge/test.h"

#define ENTRIES 10000

struct entry {
	UT_hash_handle hh;
	__u32 number;
};

static void clear(struct entry **table)
{
	struct entry *e, *next;

	HASH_ITER(hh, *table, e, next) {
		HASH_DEL(*table, e);
		free(e);
	}
}

static struct entry *add(struct entry **table, __u32 number)
{
	struct entry *e = calloc(1, sizeof(*e));

	assert_non_null(e);
	e->number = number;
	HASH_ADD(hh, *table, number, sizeof(e->number), e);
	return e;
}

static unsigned int longest_chain(const struct entry *table)
{
	unsigned int most = 0;

	for (unsigned int i = 0; i < table->hh.tbl->num_buckets; i++)
		if (table->hh.tbl->buckets[i].count > most)
			most = table->hh.tbl->buckets[i].count;
	return most;
}

/* The key is drawn at the first use, anew in each process; the fork comes before that. */
static unsigned int hash_in_another_process(void)
{
	unsigned int hash = 0;
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		hash = hash_bytes("abc", 3);
		_exit(write(fds[1], &hash, sizeof(hash)) != sizeof(hash));
	}
	assert_int_equal(read(fds[0], &hash, sizeof(hash)), sizeof(hash));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fds[0]);
	close(fds[1]);
	return hash;
}

/* First: before a key is drawn here. */
TEST(key_is_another_in_each_process)
{
	unsigned int first = hash_in_another_process(), equal = 0;

	for (int i = 0; i < 4; i++)
		equal += hash_in_another_process() == first;
	assert_int_not_equal(equal, 4);
	assert_int_equal(hash_bytes("abc", 3), hash_bytes("abc", 3));
}

TEST(finds_what_was_added)
{
	struct entry *table = NULL, *e;
	__u32 other = ENTRIES;

	for (__u32 i = 0; i < ENTRIES; i++)
		assert_non_null(add(&table, i)->hh.tbl);
	for (__u32 i = 0; i < ENTRIES; i++) {
		HASH_FIND(hh, table, &i, sizeof(i), e);
		assert_non_null(e);
		assert_int_equal(e->number, i);
	}
	HASH_FIND(hh, table, &other, sizeof(other), e);
	assert_null(e);
	clear(&table);
}

/*
 * Numbers that uthash's own hash (Jenkins) puts into one bucket of 1024 do not meet here: the chains are as
 * long as chance makes them. More than 30 XX a probability below 1e-20.
 */
TEST(numbers_that_collide_elsewhere_do_not)
{
	struct entry *table = NULL;
	unsigned int hash;

	for (__u32 i = 0, found = 0; found < 2000; i++) {
		HASH_JEN(&i, sizeof(i), hash);
		if (hash & 1023)
			continue;
		add(&table, i);
		found++;
	}
	assert_true(table->hh.tbl->num_buckets >= 256);
	assert_in_range(longest_chain(table), 1, 40);
	clear(&table);
}

TEST(memory_runs_short)
{
	struct entry *table = NULL, e = { .number = 1 };

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	allocations_left = 0;
	HASH_ADD(hh, table, number, sizeof(e.number), &e);
	allocations_left = -1;
	assert_null(e.hh.tbl);
	assert_null(table);
	HASH_ADD(hh, table, number, sizeof(e.number), &e);
	assert_non_null(e.hh.tbl);
	HASH_DEL(table, &e);
}
