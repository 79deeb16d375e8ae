// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_thread_words.c - the words for what a thread does.
 */
#include <string.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "dump/thread_words.h"
#include "tests/forge/test.h"

static void assert_doing(const struct look_thread *t, const char *word, const char *text)
{
	_cleanup_buf_ struct buf b = { 0 };

	assert_string_equal(thread_words_key(t), word);
	assert_int_equal(thread_words_text(t, &b), 0);
	assert_int_equal(buf_add(&b, "", 1), 0);
	assert_string_equal(b.data, text);
}

TEST(system_calls)
{
	struct look_thread t = {
		.thread = { .state = 'S', .syscall = SYS_read }, .fd = 7, .file = "pipe:[1]"
	};

	t.waited_ns = 12345678901;
	assert_doing(&t, "syscall", "waits in read of fd 7 (pipe:[1]) for 12.3 s");
	t.waited_ns = 1500000;
	t.file[0] = '\0';
	assert_doing(&t, "syscall", "waits in read of fd 7 for 0.002 s");
	t.waited_ns = 0;
	t.fd = -1;
	t.thread.syscall = 9999;
	assert_doing(&t, "syscall", "waits in system call 9999");
	t.thread.syscall = SYS_futex;
	assert_doing(&t, "syscall", "waits in futex (a lock, or another thread)");
}

TEST(a_file_cannot_forge_lines)
{
	const struct look_thread t = { .thread = { .state = 'S', .syscall = SYS_read },
				       .fd = 7,
				       .file = "/tmp/a\nThread 1: \033[1m" };

	assert_doing(&t, "syscall", "waits in read of fd 7 (/tmp/a?Thread 1: ?[1m)");
}

TEST(states)
{
	static const struct {
		char state;
		__s32 syscall;
		const char *word, *text;
	} rows[] = {
		{ 'R', SYS_read, "runs", "runs" },
		{ 'R', THREAD_SYSCALL_UNKNOWN, "runs", "runs" },
		{ 'T', SYS_read, "stopped", "is stopped by a signal" },
		{ 't', SYS_read, "traced", "is stopped by a debugger" },
		{ 'Z', SYS_read, "ended", "has ended" },
		{ 'D', THREAD_IN_NO_SYSCALL, "kernel", "waits in the kernel (a page, or a signal)" },
		{ 'S', THREAD_SYSCALL_UNKNOWN, "waits", "waits" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct look_thread t = {
			.thread = { .state = rows[i].state, .syscall = rows[i].syscall }, .fd = -1
		};

		assert_doing(&t, rows[i].word, rows[i].text);
	}
}

TEST(the_gil)
{
	struct look_thread t = { .thread = { .state = 'S', .syscall = SYS_futex }, .fd = -1 };

	t.gil = LOOK_GIL_WAITS;
	assert_doing(&t, "gil", "waits for the GIL");
	t.gil_holder = 4711;
	t.waited_ns = 4000000;
	assert_doing(&t, "gil", "waits for the GIL, which thread 4711 has, for 0.004 s");
	t.gil = LOOK_GIL_HOLDS;
	assert_doing(&t, "syscall",
		     "waits in futex (a lock, or another thread) for 0.004 s, and holds the GIL meanwhile");
	t.waited_ns = 0;
	t.thread.state = 'R';
	assert_doing(&t, "runs", "runs, holds the GIL");
}

TEST(ends)
{
	struct look_thread t = { .end = LOOK_WHOLE };

	assert_null(thread_words_end(&t));
	for (t.end = LOOK_WHOLE + 1; t.end < LOOK_ENDS; t.end++)
		assert_non_null(thread_words_end(&t));
}
