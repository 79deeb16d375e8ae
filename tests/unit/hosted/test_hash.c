// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_hash.c - the table of two processes: what one has set the other one finds, entries stay where they
 * are, and whoever ends with the lock, or writes nonsense, holds nobody up for ever.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hosted/hash.h"
#include "tests/forge/test.h"

#define ENTRIES 100

static struct shared_hash *h;
static size_t bytes;

static int setup(void **state)
{
	(void)state;
	bytes = shared_hash_bytes(4, 24, ENTRIES);
	h = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(h, MAP_FAILED);
	shared_hash_begin(h, 4, 24, ENTRIES);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	munmap(h, bytes);
	return 0;
}

AROUND_EACH(setup, teardown);

static int set(__u32 key, __u64 value)
{
	const __u64 words[3] = { value, value + 1, value + 2 };

	return shared_hash_set(h, &key, words);
}

static __u64 get(__u32 key)
{
	const __u64 *words = shared_hash_find(h, &key);

	if (!words)
		return 0;
	assert_int_equal(words[1], words[0] + 1);
	assert_int_equal(words[2], words[0] + 2);
	return words[0];
}

static int drop(__u32 key)
{
	return shared_hash_remove(h, &key);
}

TEST(comes_and_goes)
{
	assert_int_equal(get(7), 0);
	assert_int_equal(drop(7), -ENOENT);
	assert_int_equal(set(7, 70), 0);
	assert_int_equal(set(8, 80), 0);
	assert_int_equal(get(7), 70);
	assert_int_equal(set(7, 71), 0);
	assert_int_equal(get(7), 71);
	assert_int_equal(h->count, 2);
	assert_int_equal(drop(7), 0);
	assert_int_equal(get(7), 0);
	assert_int_equal(get(8), 80);
	assert_int_equal(h->count, 1);
}

TEST(full_and_free_again)
{
	const void *where;
	__u32 key = 50;

	for (__u32 i = 1; i <= ENTRIES; i++)
		assert_int_equal(set(i, i * 10), 0);
	assert_int_equal(set(ENTRIES + 1, 1), -E2BIG);
	assert_int_equal(set(5, 55), 0); /* one that is there can be changed */
	where = shared_hash_find(h, &key);
	for (__u32 i = 1; i <= ENTRIES; i++)
		if (i != 50)
			assert_int_equal(drop(i), 0);
	assert_ptr_equal(shared_hash_find(h, &key), where);
	for (__u32 i = 1001; i < 1000 + ENTRIES; i++)
		assert_int_equal(set(i, i), 0);
	assert_int_equal(set(2000, 1), -E2BIG);
	assert_int_equal(get(50), 500);
	assert_int_equal(get(1001), 1001);
}

TEST(all_of_them)
{
	__u64 values[ENTRIES][3];
	__u32 keys[ENTRIES];

	assert_int_equal(shared_hash_all(h, keys, values), 0);
	for (__u32 i = 1; i <= 30; i++)
		assert_int_equal(set(i, i * 10), 0);
	assert_int_equal(drop(9), 0);
	assert_int_equal(shared_hash_all(h, keys, values), 29);
	for (int i = 0; i < 29; i++) {
		assert_in_range(keys[i], 1, 30);
		assert_int_not_equal(keys[i], 9);
		assert_int_equal(values[i][0], keys[i] * 10);
	}
}

/* Both change it at once, thousands of times. */
TEST(two_processes)
{
	const pid_t child = fork();
	int status;

	for (__u32 round = 0; round < 20000; round++) {
		const __u32 key = (child ? 1000 : 2000) + round % 40;

		if (set(key, key) || get(key) != key || (round % 3 && drop(key))) {
			if (!child)
				_exit(1);
			fail();
		}
	}
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	for (__u32 i = 0; i < 40; i++) {
		assert_true(!get(1000 + i) || get(1000 + i) == 1000 + i);
		assert_true(!get(2000 + i) || get(2000 + i) == 2000 + i);
	}
}

/* Its process has ended in the middle: after a while nobody waits for it. */
TEST(a_lock_that_nobody_gives_back)
{
	h->lock = 1;
	assert_int_equal(set(3, 30), 0);
	h->lock = 1;
	assert_int_equal(get(3), 30);
}

/* Links that lead in a circle, or out of the table. */
TEST(broken_links)
{
	__u64 values[ENTRIES][3];
	__u32 keys[ENTRIES], key = 3;
	__u32 *first = NULL;

	assert_int_equal(set(3, 30), 0);
	for (__u32 b = 0; b < h->buckets; b++)
		if (h->first[b])
			first = &h->first[b];
	assert_non_null(first);
	*first = ENTRIES + 1;
	assert_null(shared_hash_find(h, &key));
	*first = ~0U;
	assert_null(shared_hash_find(h, &key));
	assert_int_equal(shared_hash_all(h, keys, values), 0);
	*first = 1;
	/* The link of the entry is its first word: to itself. */
	for (__u32 *w = (__u32 *)(h->first + h->buckets); (void *)w < (void *)((char *)h + bytes); w++)
		if (w[2] == 3) {
			*w = 1;
			break;
		}
	key = 4;
	assert_null(shared_hash_find(h, &key));
	assert_int_equal(shared_hash_all(h, keys, values), ENTRIES);
}
