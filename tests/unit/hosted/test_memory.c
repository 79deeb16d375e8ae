// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_memory.c - reads this process's own memory, as that of another: what is there, what is not, and what
 * may not be read.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
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
	__u64 got[2] = { 1, 1 };

	memory_begin(getpid());
	words[1][0] = 77;
	assert_int_equal(memory_read(got, 8, address(1)), 0);
	assert_int_equal(got[0], 77);
	assert_int_equal(got[1], 1);
	assert_int_equal(memory_read(got, sizeof(got), 4096), -EFAULT);
	assert_int_equal(got[0], 0);
	assert_int_equal(got[1], 0);
	assert_int_equal(memory_refused(), 0);
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

/* No right: the memory of a process of another user, asked by one that has given up its rights. */
static int read_as_nobody(pid_t other)
{
	__u64 got = 1;

	if (setgid(65534) || setuid(65534))
		return 1;
	memory_begin(other);
	if (memory_read(&got, sizeof(got), address(0)) != -EFAULT || got)
		return 2;
	if (memory_refused() != 1)
		return 3;
	memory_begin(other);
	return memory_refused() ? 4 : 0;
}

TEST(no_right)
{
	int status;
	pid_t child;

	if (getuid())
		skip();
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(read_as_nobody(getppid()));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}
