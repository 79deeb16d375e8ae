/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread_list.h - the threads of a process that is looked at: which there are, and which thread state is
 * whose. In the sampler's process.
 */
#ifndef PYPERF_HOSTED_THREAD_LIST_H
#define PYPERF_HOSTED_THREAD_LIST_H

#include "hosted/looked.h"

/* Makes ready. 0 or -errno. */
int thread_list_open(const struct area *a);
/* The process as its main thread. */
struct sampled thread_list_leader(const struct looked *p);
/* It has so many threads now. If that is news, the new ones are taken up, and those that are gone go. */
void thread_list_follow(struct looked *p, unsigned int threads);
/* Whether it has a thread whose thread state is not known, and is due to be searched again. */
bool thread_list_asks(const struct looked *p, const struct process *entry);
/* Finds out which thread state is whose, when that is due. */
void thread_list_find_ids(struct looked *p, const struct process *entry);
/* What they have run until now is counted; last: they have ended. */
void thread_list_account(struct looked *p, int last);
/* Forgets them. */
void thread_list_drop(struct looked *p);

#endif
