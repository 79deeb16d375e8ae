/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacks.h - one look at the threads of processes, as text or as JSON. It takes as long as the worker does,
 * so it is meant for a thread of its own or for a program that has nothing else to do.
 */
#ifndef PYPERF_DUMP_STACKS_H
#define PYPERF_DUMP_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "dump/ask.h"

struct selection;

struct stacks_wish {
	pid_t *pids; /* malloc()ed, and the wish's */
	size_t count;
	bool every;	 /* they are all that there are, not one that was asked for; left_out is shown */
	size_t left_out; /* processes that are not among the pids, for want of room */
	const struct selection *selection; /* that they must be of; borrowed; NULL = they are */
	bool json;			   /* else text */
	bool async;			   /* with the asyncio tasks that wait for those that run */
};

/*
 * Appends what the threads of all these processes do now: in JSON an object with `processes`, as `pyperf-bpf
 * dump --json` writes it. Of every process, those that cannot be looked at are left out and counted. For one
 * that was asked for the error is returned, and some of it may have been written:
 * -ESRCH; -EPERM or -EACCES;
 * -ENOEXEC: it is not Python; -ENOTSUP: it is one whose stacks cannot be read;
 * -ENOENT: it is not of the selection;
 * -ETIMEDOUT, -EPIPE, -EAGAIN or -ECANCELED of the worker;
 * -ENOMEM, also when the buffer may hold no more (size_max, but for the last line).
 */
int stacks_write(const struct asker *asker, const struct stacks_wish *wish, struct buf *out);

#endif
