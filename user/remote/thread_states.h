/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread_states.h - which thread state belongs to which thread of a live process. Nothing read is trusted.
 */
#ifndef PYPERF_REMOTE_THREAD_STATES_H
#define PYPERF_REMOTE_THREAD_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "proc/thread.h"

#define THREAD_STATES_MAX 16384

struct thread_state {
	__u64 address;
	__u64 interp;  /* its interpreter */
	__u64 id;      /* what pthread_self() returns in its thread */
	__u64 gil;     /* address of the one that it needs (3.8+); 0 = there is none, or it is not known */
	pid_t own_tid; /* its thread, as thread.own_tid; 0 = unknown */
	bool active;   /* attached: its thread may run Python code */
};

struct thread_states {
	size_t count;
	bool is_cut; /* a list of an interpreter went on, but not to a thread state of it */
	struct thread_state list[THREAD_STATES_MAX];
};

/*
 * Fills the list for the process that is reached through thread `memory`. It ends at whatever is not a thread
 * state, since threads come and go meanwhile. Returns 0, or the -errno of memory that cannot be read at all.
 */
int thread_states_read(struct thread_states *s, pid_t memory, const struct layout *l, __u64 runtime);

/*
 * Says of each state whose it is, if thread_states_read() could not: up to 3.10 a thread state does not have
 * its thread's number. But the C library's record of the thread has it, always in one place. That is found
 * here: every record has the number of one of these threads there, and no two have the same.
 */
void thread_states_match(struct thread_states *s, const struct proc_thread *threads, size_t count);

/*
 * The address of the thread state that holds the GIL of this one's interpreter now, or up to 3.11 the GIL.
 * 0 = none, or it is not known. Of the process of the last thread_states_read().
 */
__u64 thread_states_gil_holder(const struct thread_state *t, const struct layout *l, __u64 runtime);

/* The thread state of this thread: the one that may run, else any; NULL if it has none. */
const struct thread_state *thread_states_of(const struct thread_states *s, pid_t own_tid);

/* Whether these are all that there are, and of each is known whose it is: who has none is a thread of C. */
bool thread_states_are_all(const struct thread_states *s);

#endif
