// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_look.c - what comes from a worker is checked, whatever it is. That what it sees is right is shown by
 * tests/e2e/commands/test_dump.py.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "remote/look.h"
#include "tests/forge/test.h"

struct answer {
	struct look head;
	struct look_thread threads[2];
	struct look_frame frames[3];
};

static struct answer good(void)
{
	return (struct answer){
		.head = { .threads = 2, .frames = 3 },
		.threads = { { .count = 2, .end = LOOK_WHOLE },
			     { .first = 2, .count = 1, .end = LOOK_BROKEN } },
		.frames = { { .code = 1 }, { .code = 2 }, { .code = 3 } },
	};
}

static int parse(struct answer *a, size_t size)
{
	const struct look *look;
	struct look_thread *threads;
	const struct look_frame *frames;

	return look_parse(a, size, &look, &threads, &frames);
}

TEST(pointers_into_a_good_answer)
{
	struct answer a = good();
	const struct look_frame *frames;
	struct look_thread *threads;
	const struct look *look;

	assert_int_equal(look_parse(&a, sizeof(a), &look, &threads, &frames), 0);
	assert_ptr_equal(look, &a.head);
	assert_ptr_equal(threads, a.threads);
	assert_ptr_equal(frames, a.frames);
}

TEST(sizes_that_are_wrong)
{
	struct answer a = good();

	for (size_t size = 0; size < sizeof(a); size++)
		assert_int_equal(parse(&a, size), -EBADMSG);
	a.head.threads = UINT32_MAX;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	a.head.frames = LOOK_FRAMES_MAX + 1;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
}

TEST(threads_that_are_impossible)
{
	struct answer a;

	a = good();
	a.threads[1].count = 2;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	a.threads[0].first = 4;
	a.threads[0].count = UINT32_MAX;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	a.threads[0].end = LOOK_ENDS;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	a.threads[0].gil = LOOK_GIL_WAITS + 1;
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	memset(a.threads[1].file, 'x', sizeof(a.threads[1].file));
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	memset(a.threads[1].task, 'x', sizeof(a.threads[1].task));
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
	a = good();
	memset(a.threads[1].thread.name, 'x', sizeof(a.threads[1].thread.name));
	assert_int_equal(parse(&a, sizeof(a)), -EBADMSG);
}

/* A layout and a runtime that lead nowhere give threads without frames. */
TEST(a_process_without_an_interpreter)
{
	_cleanup_buf_ struct buf out = { 0 };
	const struct look_frame *frames;
	const struct layout layout = { .version = 0x030d0000, .runtime_interpreters = 8 };
	struct look_thread *threads;
	const struct look *look;

	assert_int_equal(look_at_threads(getpid(), getpid(), &layout, 4096, 4096, &out), 0);
	assert_int_equal(look_parse(out.data, out.size, &look, &threads, &frames), 0);
	assert_int_equal(look->threads, 1);
	assert_int_equal(look->frames, 0);
	assert_int_equal(threads[0].thread.tid, getpid());
	assert_int_equal(threads[0].end, LOOK_NO_STATE);
	assert_int_equal(look_at_threads(1 << 30, 1 << 30, &layout, 4096, 4096, &out), -ESRCH);
}

/* --- whether a futex is part of the GIL ----------------------------------------------------------------- */

/* What a thread of Python would have in its memory; the same addresses hold in a child. */
struct forged {
	__u64 runtime[4];
	__u64 interp[3]; /* next, threads.head, GIL */
	__u64 tstate[8];
	__u64 gil[1024 / 8];
} __attribute__((aligned(8)));

static struct forged forged;

static const struct layout with_gil = {
	.version = 0x030d0000,
	.tstate_size = sizeof(forged.tstate),
	.tstate_interp = 8,
	.tstate_thread_id = 16, /* behind it is the number of the thread */
	.tstate_frame = 32,
	.runtime_interpreters = 8,
	.interp_threads = 8,
	.interp_gil = 16,
	.gil_holder = 8,
};

static const struct layout with_shared_gil = {
	.version = 0x030b0000,
	.tstate_size = sizeof(forged.tstate),
	.tstate_interp = 8,
	.tstate_thread_id = 16,
	.tstate_frame = 32,
	.runtime_interpreters = 8,
	.runtime_tstate = 16,
	.runtime_gil = offsetof(struct forged, gil) - offsetof(struct forged, runtime),
	.interp_threads = 8,
	.gil_holder = 8,
};

/* Never returns: sleeps in the word of the GIL at this byte. */
static void sleep_in(size_t byte)
{
	forged.runtime[1] = (uintptr_t)forged.interp;
	forged.interp[1] = (uintptr_t)forged.tstate;
	forged.interp[2] = (uintptr_t)forged.gil;
	forged.tstate[1] = (uintptr_t)forged.interp;
	forged.tstate[3] = getpid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		syscall(SYS_futex, (char *)forged.gil + byte, FUTEX_WAIT, 0, NULL, NULL, 0);
}

/* What a look at that child says of its thread, once it sleeps. */
static __u32 look_at_sleeper(const struct layout *layout, size_t byte)
{
	const struct look_frame *frames;
	struct look_thread *threads;
	const struct look *look;
	pid_t child = fork();
	struct proc_thread thread = { 0 };
	__u32 gil;

	assert_true(child >= 0);
	if (!child)
		sleep_in(byte);
	while (thread.syscall != SYS_futex || thread.state != 'S')
		assert_int_equal(proc_thread_read(child, child, &thread), 0);
	{
		_cleanup_buf_ struct buf out = { 0 };

		assert_int_equal(look_at_threads(child, child, layout, (uintptr_t)&forged, 0, &out), 0);
		assert_int_equal(look_parse(out.data, out.size, &look, &threads, &frames), 0);
		assert_int_equal(look->threads, 1);
		assert_int_equal(threads[0].end, LOOK_NO_FRAMES);
		gil = threads[0].gil;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return gil;
}

TEST(a_futex_of_the_gil_and_one_behind_it)
{
	assert_int_equal(look_at_sleeper(&with_gil, 0), LOOK_GIL_WAITS);
	assert_int_equal(look_at_sleeper(&with_gil, GIL_BYTES - 4), LOOK_GIL_WAITS);
	assert_int_equal(look_at_sleeper(&with_gil, GIL_BYTES), LOOK_GIL_NOT);
	assert_int_equal(look_at_sleeper(&with_gil, 500), LOOK_GIL_NOT);
}

TEST(a_futex_of_the_gil_that_all_share)
{
	assert_int_equal(look_at_sleeper(&with_shared_gil, 0), LOOK_GIL_WAITS);
	assert_int_equal(look_at_sleeper(&with_shared_gil, GIL_BYTES - 4), LOOK_GIL_WAITS);
	assert_int_equal(look_at_sleeper(&with_shared_gil, GIL_BYTES), LOOK_GIL_NOT);
}
