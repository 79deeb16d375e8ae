/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread_context_look.h - with --trace otel: where the threads of a live process publish the ids of their
 * current span for whoever looks from outside (OTEP 4947), if it says that they do, and if they do so
 * whenever another span becomes the current one. Of x86-64 with glibc. Nothing read is trusted.
 */
#ifndef PYPERF_REMOTE_THREAD_CONTEXT_LOOK_H
#define PYPERF_REMOTE_THREAD_CONTEXT_LOOK_H

#include <sys/types.h>

#include "bpf/abi.h"

struct thread_context_question {
	pid_t pid, memory; /* the process, and the thread through which its memory is reached */
	__u64 began_ns;	   /* when it started, since boot */
	const struct layout *layout;
	__u64 runtime;
};

/*
 * 0, also for THREAD_CONTEXT_UNTRUE; -ENOENT: they publish nothing that can be found, or that no thread has
 * proved; or another -errno.
 */
int thread_context_look(const struct thread_context_question *q, struct thread_context_place *ret);

#endif
