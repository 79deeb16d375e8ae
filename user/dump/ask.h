/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ask.h - one question to the worker, and its answer: for whoever has nothing else to do meanwhile. The
 * worker is asked directly, or by way of an event loop that has it (relay.h).
 */
#ifndef PYPERF_DUMP_ASK_H
#define PYPERF_DUMP_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "guard/worker.h"

#define ASK_NAMES_MAX (64 << 20) /* a usual limit of asker.names_max */

/* Who answers questions. */
struct asker {
	/*
	 * Waits for the answer. 0, and the caller frees ret->table; or the answer's error or another -errno,
	 * and then there is no table.
	 */
	int (*ask)(void *context, const struct worker_request *request, struct worker_reply *ret);
	/* Whether every question fails from now on, so that what is known is not whole. NULL = never. */
	bool (*is_over)(void *context);
	void *context;
	size_t names_max; /* bytes of names and line tables that may be kept of one look */
};

/*
 * asker.ask of whoever has the worker (context) to itself: waits at most as long as the worker may take
 * (WORKER_PATIENCE_MS). Nothing else may have been asked. Other errors are those of worker_send() and
 * worker_receive().
 */
int ask_worker(void *worker, const struct worker_request *request, struct worker_reply *ret);

#endif
