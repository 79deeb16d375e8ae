/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - the sampler of bpf/, on a thread that is looked at from outside. In the sampler's process.
 */
#ifndef PYPERF_HOSTED_SAMPLE_H
#define PYPERF_HOSTED_SAMPLE_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "hosted/memory.h"
#include "hosted/threads.h"

struct area;
struct process;
struct thread_state;

/* A thread, as /proc says it. */
struct sampled {
	pid_t pid, tid;
	__u64 start_ns;		  /* of the process, on the boot clock, as exact as /proc has it */
	__u64 began_ns;		  /* of the thread; the same */
	__u64 execs;		  /* of the process, since it was met first */
	__u64 thread_id;	  /* what pthread_self() returns in it; 0 = not known, ... */
#define THREAD_ID_OF_NONE (~0ULL) /* ... not known, but no thread state has it: a thread of C */
	__u64 tstate, interp;	  /* its thread state and that one's interpreter, when last asked for; or 0 */
	__u64 cpu_ns;		  /* the kernel's account */
	__u64 user;
	char comm[16], leader[16]; /* its name, and that of the main thread */
	__u64 account[2];	   /* a struct account of its own */
	struct thread_hold hold;
	struct memory_places places; /* that its last look has read */
	struct sampled_place {	     /* where the stack of its sleep is in the tree */
		__u32 node, generation, process;
		int outcome;
	} place;
	unsigned int in_vain; /* looks at its sleep since its stack was whole */
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
/* Whether all time is counted (--event wall). */
bool sample_is_of_wall(void);
/*
 * Counts so many ns that it has slept. syscall: thread_sleeps(), which has held it. It remembers the stack's
 * place, and with it the time of a thread that has not run since is counted without a look; false: that
 * place is not known.
 */
bool sample_asleep_again(struct sampled *t, __u64 ns);
/* Whether more may be known of its thread state the next time. */
bool sample_asleep(struct sampled *t, int syscall, __u64 ns);
/* Counts so many ns in which it waited for a CPU where it stands; it is held. */
void sample_queued(struct sampled *t, __u64 ns);
/* Counts time of a thread that has ended, of which no stack was taken. */
void sample_unseen(struct sampled *t, __u64 asleep_ns, __u64 queued_ns);
/*
 * So much has been found out of thread_id, and where its thread state is (remote/thread_states.h); NULL: none
 * is there. What was not found without that is searched for anew.
 */
void sample_set_state(struct sampled *t, __u64 thread_id, const struct thread_state *state);
/* Whether a thread state may be found the next time, though there was none: by the enum outcome. */
bool sample_is_without_state(int outcome);
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
