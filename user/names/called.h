/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * called.h - what programs call their threads, where the kernel does not know it: the module threading up to
 * CPython 3.13. Once a thread has a name, it is not asked about again; what it is called later is not seen.
 */
#ifndef PYPERF_NAMES_CALLED_H
#define PYPERF_NAMES_CALLED_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/clock.h"
#include "bpf/abi.h"

#define CALLED_THREADS_MAX 65536 /* of all processes */
#define CALLED_TID_BITS	   22	 /* Linux gives out no larger ones: PID_MAX_LIMIT */
#define CALLED_LOOKS	   8	 /* without a name, before a thread is taken to have none */

struct called;

int called_new(struct called **ret); /* 0 or -ENOMEM */
void called_free(struct called *c);  /* NULL is fine */

/*
 * A thread: its number, and when it started in ticks of USER_HZ, as another one gets the number after it.
 */
static inline __u64 called_thread(__u32 tid, __u64 start_ticks)
{
	return start_ticks << CALLED_TID_BITS | tid;
}

/* That of samples. */
static inline __u64 called_thread_of(const struct owner *o)
{
	return called_thread(o->tid, clock_ticks_of(o->began));
}

/*
 * This thread of the process with this struct process.id has this name. One that is known stays. Of
 * CALLED_THREADS_MAX the oldest makes room: it is looked at again if it is met again, and a program that
 * makes threads all the time takes no names from others for good. 0 or -ENOMEM.
 */
int called_add(struct called *c, __u32 process, __u64 thread, const char *name);
/*
 * A look has found no name of this thread. It may have come too early: a thread runs before threading has it
 * in its list, and on a busy machine that takes a while. 0 or -ENOMEM.
 */
int called_miss(struct called *c, __u32 process, __u64 thread);
/*
 * Its name, until one is added or a process is forgotten; NULL: it is to be looked at; "": it has none, as
 * CALLED_LOOKS looks have shown.
 */
const char *called_find(const struct called *c, __u32 process, __u64 thread);
/* Forgets the processes of which is_there() is false. */
void called_sweep(struct called *c, bool (*is_there)(const void *context, __u32 process),
		  const void *context);

/*
 * How a thread is shown. main: whether it is the main one. in_kernel: its name there. of_process: that of its
 * main thread. What a program has told the kernel of a thread goes first: a name that differs from its
 * process's. The main thread has that of the process, as everywhere else. c may be NULL.
 */
const char *called_shown(const struct called *c, __u32 process, __u64 thread, bool main,
			 const char *in_kernel, const char *of_process);

#endif
