// SPDX-License-Identifier: GPL-2.0-only
/* test_target_memory.c - whose memory mem_read() reads, and what is known of reads that failed. */
#include <errno.h>
#include <stdlib.h>

#include "python/target_memory.h"
#include "tests/forge/child.h"

static volatile __u64 word = 1;

static bool change(const void *value)
{
	word = *(const __u64 *)value;
	return true;
}

static __u64 read_here(void)
{
	__u64 value = 0;

	assert_int_equal(mem_read(&value, sizeof(value), (__u64)(uintptr_t)&word), 0);
	return value;
}

TEST(the_memory_that_was_chosen_last_is_read)
{
	pid_t two = child_start(change, &(const __u64){ 2 });
	pid_t three = child_start(change, &(const __u64){ 3 });

	target_memory_choose(two);
	assert_int_equal(read_here(), 2);
	target_memory_choose(three);
	assert_int_equal(read_here(), 3);
	target_memory_choose(getpid());
	assert_int_equal(read_here(), 1);
	kill(two, SIGKILL);
	kill(three, SIGKILL);
	waitpid(two, NULL, 0);
	waitpid(three, NULL, 0);
}

TEST(memory_that_is_not_there_says_nothing_of_the_process)
{
	__u64 value;

	target_memory_choose(getpid());
	assert_int_equal(mem_read(&value, sizeof(value), 8), -EFAULT);
	assert_int_equal(target_memory_error(), 0);
}

TEST(a_process_that_is_gone_is_known_until_another_is_chosen)
{
	pid_t gone = child_start(change, &(const __u64){ 2 });
	__u64 value;

	kill(gone, SIGKILL);
	waitpid(gone, NULL, 0);
	target_memory_choose(gone);
	assert_int_equal(mem_read(&value, sizeof(value), (__u64)(uintptr_t)&word), -EFAULT);
	assert_int_equal(target_memory_error(), -ESRCH);
	target_memory_choose(getpid());
	assert_int_equal(target_memory_error(), 0);
	assert_int_equal(read_here(), 1);
}
