/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - the sampler of bpf/, on a thread that is looked at from outside. In the sampler's process.
 */
#ifndef PYPERF_HOSTED_SAMPLE_H
#define PYPERF_HOSTED_SAMPLE_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "hosted/threads.h"

struct area;
struct process;

/* A thread, as /proc says it. */
struct sampled {
	pid_t pid, tid;
	__u64 start_ns;	 /* of the process, on the boot clock, as exact as /proc has it */
	__u64 execs;	 /* of the process, since it was met first */
	__u64 thread_id; /* what pthread_self() returns in it; 0 = not known */
	__u64 cpu_ns;	 /* the kernel's account */
	__u64 user;
	char comm[16], leader[16]; /* its name, and that of the main thread */
	__u64 account[2]; /* a struct account of its own */
	struct thread_hold hold;
};

/* Once, after the fork. */
void sample_open(const struct area *a);
/* What the profiler knows of this process; NULL = nothing. */
const struct process *sample_known(pid_t pid);
/* Whether every process is of interest, and whether this one is not, as far as is known. */
bool sample_is_of_all(void);
bool sample_is_stranger(const struct process *p);
/* The profiler is asked what this process is, if it wants to be. p: sample_known(). */
void sample_ask(struct sampled *t, const struct process *p);
/* One look at it, which stands for so many. Returns the enum outcome that it ended in. */
int sample_take(struct sampled *t, unsigned int weight);
/* So many looks were not made, for the sake of --budget; there was no room for a process. */
void sample_thinned(unsigned int looks);
void sample_no_room(void);
/* What it has run until now is counted; last: it has ended. */
void sample_account(struct sampled *t, int last);
void sample_forked(struct sampled *parent, struct sampled *child);
void sample_execed(struct sampled *t);
void sample_exited(struct sampled *t);

/* The profiler is woken: there are records to be read. It is child.c's. */
void sample_wake(void);

#endif
