/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * context_look.h - finds context variables by their names, in the contexts that threads of a live process
 * have at the moment, and where the process keeps what leads to them. It reads names of variables, and the
 * types of values, but no value.
 *
 * It waits for as long as the process's pages make it wait, so it is meant for the worker process. Nothing
 * read is trusted.
 */
#ifndef PYPERF_REMOTE_CONTEXT_LOOK_H
#define PYPERF_REMOTE_CONTEXT_LOOK_H

#include <sys/types.h>

#include "bpf/abi.h"
#include "python/context_names.h"

#define CONTEXT_BYTES_MAX sizeof(struct context_vars)

/*
 * Looks some times within some ms, until all names are found. The process is reached through thread
 * `memory`. *ret becomes those of the names that were met; on failure it has what objects are like there.
 * -ENOENT if no thread had a context; -EBADMSG if contexts are not as in the versions that are known; or the
 * -errno of memory that cannot be read at all.
 */
int context_look(pid_t memory, const struct layout *layout, __u64 runtime, const struct context_names *names,
		 struct context_vars *ret);

#endif
