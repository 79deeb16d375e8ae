/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread_names.h - what the module threading of a live process calls its threads, CPython 3.8 to 3.13: from
 * 3.14 on the kernel knows it. Of that module its dict _active is read, which has the Thread of each ident,
 * and of each Thread its attribute _name. Nothing read is trusted.
 */
#ifndef PYPERF_REMOTE_THREAD_NAMES_H
#define PYPERF_REMOTE_THREAD_NAMES_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/buf.h"
#include "remote/thread_states.h"

#define THREAD_NAME_BYTES 64   /* of a name, NUL included; what does not fit is left out */
#define THREAD_NAMES_MAX  2048 /* of a process; of others nothing is known */

/* Plain data: it travels between processes. */
struct thread_name {
	__s32 tid;
	char name[THREAD_NAME_BYTES]; /* UTF-8, of which the program chose every byte; NUL-terminated */
	__u32 pad;
	__u64 start_ticks; /* when it started, as /proc has it; of thread_names_look() only */
};

#define THREAD_NAMES_BYTES_MAX (THREAD_NAMES_MAX * sizeof(struct thread_name))

/* Whether threads of this version have names that the kernel does not know. */
bool thread_names_are_hidden(const struct layout *l);

/*
 * Adds a struct thread_name for each thread that has a name. states: as thread_states_match() left them, of
 * these threads. The process is reached through thread `memory`. 0, -ENOENT: threading is not loaded;
 * -EOPNOTSUPP: not with this version; -ENOMEM.
 */
int thread_names_read(pid_t memory, const struct layout *l, __u64 runtime, const struct thread_states *states,
		      const struct proc_thread *threads, size_t count, struct buf *out);
/*
 * The same of all threads of process pid that began before the look: what began during it may have the number
 * of one that had the name.
 */
int thread_names_look(pid_t pid, pid_t memory, const struct layout *l, __u64 runtime, struct buf *out);

/* The names in such an answer, and how many; -EBADMSG if they are none. */
int thread_names_parse(const void *bytes, size_t size, const struct thread_name **ret, size_t *ret_count);

#endif
