// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_thread.c - what /proc says of the threads of this process, one of which waits in a system call.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "proc/thread.h"
#include "tests/forge/test.h"

static int ends[2];
static pid_t reader_tid;

static void *read_for_ever(void *unused)
{
	char byte;

	prctl(PR_SET_NAME, "reader");
	__atomic_store_n(&reader_tid, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	return read(ends[0], &byte, 1) < 0 ? unused : NULL;
}

TEST(a_thread_that_reads_a_pipe)
{
	struct proc_thread t = { 0 };
	pthread_t thread;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_for_ever, NULL), 0);
	while (!__atomic_load_n(&reader_tid, __ATOMIC_SEQ_CST) || t.state != 'S' || t.syscall != SYS_read)
		if (reader_tid)
			assert_int_equal(proc_thread_read(getpid(), reader_tid, &t), 0);
	assert_string_equal(t.name, "reader");
	assert_int_equal(t.tid, reader_tid);
	assert_int_equal(t.own_tid, reader_tid);
	assert_int_equal(t.arguments[0], ends[0]);
	assert_int_equal(t.arguments[2], 1);
	assert_true(t.cpu >= 0 && t.cpu < sysconf(_SC_NPROCESSORS_CONF));
	assert_int_equal(write(ends[1], "", 1), 1);
	pthread_join(thread, NULL);
	assert_int_equal(proc_thread_read(getpid(), reader_tid, &t), -ESRCH);
}

TEST(all_threads_are_listed_up_to_the_limit)
{
	_cleanup_free_ pid_t *tids = NULL, *none = NULL;
	size_t count = 0;
	bool more = true;

	assert_int_equal(proc_threads(getpid(), 16, &tids, &count, &more), 0);
	assert_int_equal(count, 1);
	assert_int_equal(tids[0], getpid());
	assert_false(more);
	assert_int_equal(proc_threads(1 << 30, 16, &none, &count, &more), -ESRCH);
	assert_null(none);
}

static void *wait_for_byte(void *byte)
{
	return read(ends[0], byte, 1) < 0 ? byte : NULL;
}

TEST(more_threads_than_the_limit_are_said)
{
	_cleanup_free_ pid_t *tids = NULL;
	pthread_t thread;
	size_t count = 0;
	bool more = false;
	char byte;

	assert_int_equal(pthread_create(&thread, NULL, wait_for_byte, &byte), 0);
	assert_int_equal(proc_threads(getpid(), 1, &tids, &count, &more), 0);
	assert_int_equal(count, 1);
	assert_true(more);
	assert_int_equal(write(ends[1], "", 1), 1);
	pthread_join(thread, NULL);
}

TEST(lines_of_system_calls)
{
	struct proc_thread t = { .syscall = THREAD_SYSCALL_UNKNOWN };

	assert_int_equal(proc_thread_parse_syscall("running\n", &t), -EBADMSG);
	assert_int_equal(proc_thread_parse_syscall("", &t), -EBADMSG);
	assert_int_equal(proc_thread_parse_syscall("-2 0x1 0x2\n", &t), -EBADMSG);
	assert_int_equal(t.syscall, THREAD_SYSCALL_UNKNOWN);
	assert_int_equal(proc_thread_parse_syscall("-1 0x7ffd 0x7f00\n", &t), 0);
	assert_int_equal(t.syscall, THREAD_IN_NO_SYSCALL);
	assert_int_equal(
		proc_thread_parse_syscall("202 0xffffffffffffffff 0x2 0x3 0x0 0x0 0x0 0x7 0x8\n", &t), 0);
	assert_int_equal(t.syscall, 202);
	assert_true(t.arguments[0] == UINT64_MAX);
	assert_int_equal(t.arguments[2], 3);
}
