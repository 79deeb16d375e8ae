// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_memory.c - reads this process's own memory, as that of another: what is there, what is not, and what
 * was kept of a moment before.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hosted/memory.h"
#include "tests/forge/test.h"

static __u64 words[4][4];

static __u64 address(int i)
{
	return (__u64)(unsigned long)words[i];
}

TEST(what_is_there_and_what_is_not)
{
	__u64 got[2] = { 1, 1 }, calls;

	memory_begin(getpid());
	calls = memory_calls;
	words[1][0] = 77;
	assert_int_equal(memory_read(got, 8, address(1)), 0);
	assert_int_equal(got[0], 77);
	assert_int_equal(got[1], 1);
	assert_int_equal(memory_read(got, sizeof(got), 4096), -EFAULT);
	assert_int_equal(got[0], 0);
	assert_int_equal(got[1], 0);
	assert_int_equal(memory_calls, calls + 2);
	assert_int_equal(memory_refused, 0);
}

TEST(half_of_it)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u64 got[2] = { 1, 1 };

	assert_ptr_not_equal(p, MAP_FAILED);
	memset(p, 1, 8192);
	munmap(p + 4096, 4096);
	memory_begin(getpid());
	assert_int_equal(memory_read(got, sizeof(got), (__u64)(unsigned long)p + 4088), -EFAULT);
	assert_int_equal(got[0], 0); /* nothing of two moments, or of half an object */
	munmap(p, 4096);
}

TEST(kept)
{
	const __u64 addresses[] = { address(0), address(2), 4096, address(3) };
	__u64 got;

	memory_begin(getpid());
	for (int i = 0; i < 4; i++)
		words[i][0] = 10 + i;
	memory_keep(addresses, 4, 32);
	for (int i = 0; i < 4; i++)
		words[i][0] = 20 + i;
	memory_read(&got, 8, address(2));
	assert_int_equal(got, 22); /* not served yet */
	memory_serve();
	memory_read(&got, 8, address(0));
	assert_int_equal(got, 10);
	memory_read(&got, 8, address(2));
	assert_int_equal(got, 12);
	memory_read(&got, 8, address(1));
	assert_int_equal(got, 21);
	memory_read(&got, 8, address(3)); /* behind one that was not there: it was not read */
	assert_int_equal(got, 23);
	memory_begin(getpid());
	memory_read(&got, 8, address(0));
	assert_int_equal(got, 20);
}
