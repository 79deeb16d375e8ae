/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * discovery.h - a real discovery for tests of the HTTP server, with a question of which the test decides when
 * it is answered: names that are on their way.
 */
#ifndef PYPERF_TESTS_HTTP_DISCOVERY_H
#define PYPERF_TESTS_HTTP_DISCOVERY_H

#include <poll.h>
#include <unistd.h>

#include "guard/worker.h"
#include "targets/discover.h"
#include "targets/selection.h"
#include "targets/verdicts.h"
#include "tests/unit/kern/need_kernel.h"

static struct worker *worker;
static struct discover *discover;

/* Opens the kernel side, too, or skips the test. */
static inline void open_discovery(struct registry *r)
{
	static const struct selection everything;
	struct discover_parts parts = { .registry = r, .selection = &everything };

	need_kernel();
	assert_int_equal(worker_start(&worker, "/nonexistent"), 0);
	parts.kernel = kernel;
	parts.worker = worker;
	assert_int_equal(discover_new(&discover, &parts), 0);
}

static inline void close_discovery(void)
{
	discover_free(TAKE_PTR(discover));
	worker_stop(TAKE_PTR(worker));
}

/* From now on something is not known yet. */
static inline void ask_something(void)
{
	struct record_process p = { .type = RECORD_PROCESS, .pid = getpid() };

	assert_int_equal(verdicts_ask(discover_verdicts(discover), &p), 0);
	assert_int_equal(discover_pending(discover), 1);
}

/* Now it is. */
static inline void answer_it(void)
{
	while (discover_pending(discover)) {
		struct pollfd p = { .fd = worker_fd(worker), .events = POLLIN };

		assert_true(poll(&p, 1, worker_timeout_ms(worker)) >= 0);
		worker_check_deadline(worker);
		discover_replies(discover);
	}
}

#endif
