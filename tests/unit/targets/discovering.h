/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * discovering.h - a real discovery over the parts of parts.h, which takes every process.
 */
#ifndef PYPERF_TESTS_TARGETS_DISCOVERING_H
#define PYPERF_TESTS_TARGETS_DISCOVERING_H

#include "targets/discover.h"
#include "targets/questions.h"
#include "targets/selection.h"
#include "targets/verdicts.h"
#include "tests/unit/targets/parts.h"

static struct discover *discover;

static int teardown(void **state)
{
	discover_free(TAKE_PTR(discover));
	return close_parts(state);
}

/* Opens the kernel side, too, or skips the test. */
static void begin(void)
{
	static const struct selection everything;
	struct discover_parts parts = {
		.worker = worker, .registry = registry, .selection = &everything,
	};

	need_kernel();
	parts.kernel = kernel;
	assert_int_equal(discover_new(&discover, &parts), 0);
}

/* Until there is nothing left to answer. */
static inline void take_replies(void)
{
	double end = clock_seconds() + PATIENCE_SECONDS;

	while (discover_pending(discover)) {
		assert_true(clock_seconds() < end);
		wait_for_worker();
		discover_replies(discover);
	}
}

static inline bool is_forgotten(void *context, struct registry_entry *e)
{
	(void)context;
	(void)e;
	return true;
}

static inline void ignore_answer(void *asker, const void *note, struct worker_reply *reply)
{
	(void)asker;
	(void)note;
	(void)reply;
}

/* Asks about this process until the worker has no room for one more question about it. Returns how many. */
static inline size_t fill_worker(void)
{
	const struct question q = { .answer = ignore_answer, .asker = &discover };
	size_t asked = 0;

	for (;; asked++) {
		struct worker_request r = question_request(WORKER_CONTAINER, getpid(), 0);
		const int err = questions_ask(discover_questions(discover), &q, &r);

		if (err) {
			assert_int_equal(err, -EAGAIN);
			return asked;
		}
		assert_true(asked < 10000);
	}
}

/* The registry has no process any more. */
static inline void forget_all(void)
{
	registry_forget(registry, is_forgotten, NULL);
}

/*
 * Starts an interpreter, and asks about it until it is known as one: before it has started it may still be a
 * copy of this program. Skips the test if there is none.
 */
static inline __u32 start_interpreter(void)
{
	char *const command[] = { "/usr/bin/python3", "-c", "import time\nwhile True: time.sleep(1)", NULL };
	double end = clock_seconds() + PATIENCE_SECONDS;
	__u32 pid;

	if (access(command[0], X_OK)) {
		print_message("SKIP: there is no %s\n", command[0]);
		skip();
	}
	pid = start_child(command);
	while (verdicts_find(discover_verdicts(discover), pid) != PROCESS_PYTHON) {
		struct record_process p = process_of(pid);

		assert_true(clock_seconds() < end);
		assert_int_equal(verdicts_ask(discover_verdicts(discover), &p), 0);
		take_replies();
		usleep(10000);
	}
	return pid;
}

#endif
