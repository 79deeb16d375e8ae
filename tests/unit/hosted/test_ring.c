// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ring.c - records through memory that two processes share: in order, over the end of the ring, until it
 * is full; and nonsense that the writer has left there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "hosted/ring.h"
#include "tests/forge/test.h"

#define SIZE 1024

static struct shared_ring *r;
static __u32 got, next, stop_at;

static int setup(void **state)
{
	(void)state;
	r = calloc(1, sizeof(*r) + SIZE);
	r->size = SIZE;
	got = next = stop_at = 0;
	return r ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(r);
	return 0;
}

AROUND_EACH(setup, teardown);

/* A record says its number and its size in each of its words. */
static int put(__u32 number, __u32 size)
{
	unsigned long made;
	__u32 words[64];
	int err;

	for (int i = 0; i < 64; i++)
		words[i] = number << 16 | size;
	made = r->made;
	err = shared_ring_put(r, &made, words, size);
	shared_ring_publish(r, made);
	return err;
}

static int take(void *context, void *record, size_t size)
{
	const __u32 *words = record;

	assert_ptr_equal(context, &got);
	for (size_t i = 0; i < size / 4; i++)
		assert_int_equal(words[i], next << 16 | size);
	next++;
	got++;
	return stop_at && got == stop_at ? -EAGAIN : 0;
}

static int take_all(void)
{
	return shared_ring_read(r, SIZE, take, &got);
}

TEST(in_order_and_over_the_end)
{
	assert_int_equal(take_all(), 0);
	for (__u32 i = 0; i < 1000; i++) {
		assert_int_equal(put(i, 4 + i % 60 * 4), 0);
		if (i % 3 == 2)
			assert_int_equal(take_all(), 3);
	}
	assert_int_equal(take_all(), 1);
	assert_int_equal(got, 1000);
	assert_int_equal(shared_ring_waits(r), 0);
}

TEST(full)
{
	__u32 n = 0;

	while (!put(n, 100))
		n++;
	assert_int_equal(n, SIZE / (8 + 104));
	assert_int_equal(put(n, 100), -ENOSPC);
	assert_int_equal(take_all(), n);
	assert_int_equal(put(n, 100), 0);
	assert_int_equal(take_all(), 1);
}

/* Nobody sees what was not published, and another one takes its place. */
TEST(unpublished)
{
	unsigned long made = r->made;
	const __u32 other[2] = { ~0U, ~0U }, first = 4;

	assert_int_equal(shared_ring_put(r, &made, other, sizeof(other)), 0);
	assert_int_equal(shared_ring_put(r, &made, other, sizeof(other)), 0);
	assert_int_equal(made, 32);
	assert_int_equal(shared_ring_waits(r), 0);
	assert_int_equal(take_all(), 0);
	made = r->made;
	assert_int_equal(shared_ring_put(r, &made, &first, sizeof(first)), 0);
	shared_ring_publish(r, made);
	assert_int_equal(shared_ring_waits(r), 16);
	assert_int_equal(take_all(), 1);
}

/* What the reader wants no more of stays, but for the record that said so. */
TEST(ends_early)
{
	for (__u32 i = 0; i < 5; i++)
		assert_int_equal(put(i, 8), 0);
	stop_at = 2;
	assert_int_equal(take_all(), -EAGAIN);
	stop_at = 0;
	assert_int_equal(take_all(), 3);
}

TEST(nonsense)
{
	static const __u64 sizes[] = { 0, 3, 17, SIZE, 1 << 20, ~0ULL };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(r, 0, sizeof(*r));
		r->size = 1ULL << 40; /* the reader goes by its own */
		r->made = 24;
		memcpy(r->data, &sizes[i], 8);
		assert_int_equal(take_all(), -EBADMSG);
	}
	r->made = ~0UL;
	assert_int_equal(take_all(), -EBADMSG);
	assert_int_equal(got, 0);
}
