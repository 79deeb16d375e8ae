/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * job.h - a thread that does one long piece of work, while the event loop has other things to do. It yields
 * the CPU to the loop, which has to answer at once, and to the programs of the machine.
 */
#ifndef PYPERF_BASE_JOB_H
#define PYPERF_BASE_JOB_H

#include <stdbool.h>

struct job;

struct job_kind {
	/* In the thread. *stop becomes true when nobody wants the result any more. 0 or -errno. */
	int (*run)(void *context, const bool *stop);
	void (*free)(void *context);
};

/*
 * Starts the work, and takes the context over. At the end 1 is added to the eventfd, if it is not -1. The
 * kind must stay for as long as the job does. 0; or -errno, and then the context is still the caller's.
 */
int job_start(struct job **ret, const struct job_kind *kind, void *context, int eventfd);
bool job_is_done(const struct job *job);
/* Waits until it is done. What run() returned. */
int job_wait(struct job *job);
/* As job_wait(), but tells it to stop. */
int job_stop(struct job *job);
/* The job's input. Until the job is done nobody may touch it, except for fields that run() leaves alone. */
void *job_context(const struct job *job);
/* Frees one that is done and was waited for, and its context. */
void job_free(struct job *job);
/* Nobody wants it any more: it frees itself when it is done, and leaves the eventfd alone. NULL is fine. */
void job_abandon(struct job *job);

#endif
