/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proof.h - whether a layout is true of a live process: the stack of one of its threads must walk to its
 * root, and what its frames name as code must be code objects with a name, a file name and a line table.
 */
#ifndef PYPERF_PYTHON_PROOF_H
#define PYPERF_PYTHON_PROOF_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "bpf/abi.h"

enum proof {
	PROOF_NOT_YET = 0, /* no thread has a Python frame: start-up, or an interpreter that is not in use */
	PROOF_HOLDS,
};

/*
 * Tries the layout on the memory of thread tid, whose interpreter has its runtime at that address. Returns an
 * enum proof. The target runs meanwhile, so a contradiction counts only if each of many attempts met one.
 * Then it returns -EPROTO after some ms, and *ret_reason is a constant text for people. Another -errno means
 * that the memory cannot be read at all.
 */
int proof_of_layout(pid_t tid, const struct layout *layout, __u64 runtime, const char **ret_reason);

/*
 * Whether id may be what pthread_self() returned to a thread of the target, by which the kernel side knows
 * its thread state. It is the address of the C library's record of that thread, of which the first word is
 * its own address, on x86-64 in glibc (tcbhead_t.tcb), everywhere in musl (struct pthread.self). On arm64
 * glibc's record has no such word, but the thread's number (struct pthread.tid). word_at() reads the target;
 * what it returns for memory that cannot be read is no address and no number.
 */
bool proof_of_thread_id(__u64 id, __u64 (*word_at)(__u64 address));

#endif
