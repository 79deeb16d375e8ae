/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ask.h - one question to the worker, and its answer: for whoever has nothing else to do meanwhile.
 */
#ifndef PYPERF_DUMP_ASK_H
#define PYPERF_DUMP_ASK_H

#include "guard/worker.h"

/*
 * Waits for the answer, at most as long as the worker may take (WORKER_PATIENCE_MS). Nothing else may have
 * been asked. 0, and the caller frees ret->table; or the error of worker_send(), worker_receive() or of the
 * answer, and then there is no table.
 */
int ask(struct worker *worker, const struct worker_request *request, struct worker_reply *ret);

#endif
