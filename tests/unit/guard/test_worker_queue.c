// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_worker_queue.c - whose request the worker answers next, by who owns the processes that it is about.
 * What the rules are is tested in test_fair_queue.c; here they get the true users and processes.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>

#include "base/clock.h"
#include "guard/worker.h"
#include "proc/owner.h"
#include "proc/procfs.h"
#include "tests/forge/child.h"
#include "tests/forge/test.h"

#define OTHER_USER 65531 /* a uid that nobody has */

static struct worker *worker;

static void ask(pid_t pid, __u64 tag)
{
	struct worker_request r = { .type = WORKER_IDENTIFY, .pid = pid, .tag = tag };

	assert_int_equal(procfs_start_ticks(pid, &r.start_ticks), 0);
	assert_int_equal(worker_send(worker, &r), 0);
}

static void expect(pid_t pid, __u64 tag, int error)
{
	const __u64 limit = clock_ms() + 120000;
	struct worker_reply reply;

	while (worker_receive(worker, &reply)) {
		struct pollfd fd = { .fd = worker_fd(worker), .events = POLLIN };

		assert_true(clock_ms() < limit);
		assert_true(poll(&fd, 1, worker_timeout_ms(worker)) >= 0);
		worker_check_deadline(worker);
	}
	assert_int_equal(reply.pid, pid);
	assert_int_equal(reply.tag, tag);
	assert_int_equal(reply.error, error);
}

/*
 * A question that ends the worker, and what waits meanwhile: first comes that of another user, though it was
 * asked last; then the one of another process of the same user.
 */
TEST(by_user_and_process)
{
	const pid_t slow = child_of(0), same = child_of(0), other = child_of(OTHER_USER);
	const bool in_container = owner_of(slow) == owner_of(other); /* all of it is one user's */

	kill(worker_pid(worker), SIGSTOP); /* it never answers the first one */
	ask(slow, 1);
	ask(slow, 2);
	ask(same, 3);
	ask(other, 4);
	expect(slow, 1, -ETIMEDOUT);
	if (!in_container)
		expect(other, 4, 0);
	expect(same, 3, 0);
	if (in_container)
		expect(other, 4, 0);
	expect(slow, 2, 0);
	child_end(slow);
	child_end(same);
	child_end(other);
}

static int setup(void **state)
{
	(void)state;
	return worker_start(&worker, "/nonexistent");
}

static int teardown(void **state)
{
	(void)state;
	worker_stop(worker);
	return 0;
}

AROUND_EACH(setup, teardown);
