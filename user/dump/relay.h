/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * relay.h - questions that a thread has for the worker, which the event loop passes on. The thread waits for
 * each answer, the loop for none. There is one question at a time, so that the worker's other work goes on
 * between two of them.
 */
#ifndef PYPERF_DUMP_RELAY_H
#define PYPERF_DUMP_RELAY_H

#include <stdbool.h>

#include "guard/worker.h"

struct questions;
struct relay;

/*
 * Borrows both. Adds 1 to the eventfd for each question. `seconds` from now on every question fails. 0 or
 * -ENOMEM.
 */
int relay_new(struct relay **ret, struct questions *questions, int eventfd, double seconds);
/* When the thread has ended. NULL is fine. */
void relay_free(struct relay *r);

/*
 * The thread's side, as struct asker has it. -ETIMEDOUT after those seconds, -ECANCELED after relay_close();
 * the worker's own errors, -ETIMEDOUT among them.
 */
int relay_ask(void *relay, const struct worker_request *request, struct worker_reply *ret);
bool relay_is_over(void *relay);

/*
 * The loop's side: passes on what was asked. True: the worker has no room, so it is to be called again
 * soon.
 */
bool relay_pass_on(struct relay *r);
/* Nobody waits for an answer any longer, and nothing can be asked any more. */
void relay_close(struct relay *r);

#endif
