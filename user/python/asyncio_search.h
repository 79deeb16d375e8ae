/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asyncio_search.h - finds asyncio's tasks where the process does not say where they are (CPython 3.8 to
 * 3.13): module _asyncio is in sys.modules, its types and lists of tasks are in its dict, and the machine
 * code of two getters of the type Task has the offsets of what they return. A task that lives proves them.
 */
#ifndef PYPERF_PYTHON_ASYNCIO_SEARCH_H
#define PYPERF_PYTHON_ASYNCIO_SEARCH_H

#include "python/asyncio_layout.h"
#include "python/objects.h"

#define ASYNCIO_GETTER_BYTES 64 /* of a getter's code that are read */

/*
 * Offset of the field that a getter returns, by its machine code: the first load from its first argument. 0
 * if there is none.
 */
__u16 asyncio_search_getter(const __u8 code[ASYNCIO_GETTER_BYTES]);

/*
 * The address of the dict of module _asyncio in the process that is reached through thread `memory`; 0 if no
 * interpreter of it has imported that, or it cannot be found.
 */
__u64 asyncio_search_module(pid_t memory, const struct layout *layout, __u64 runtime);

/*
 * From that dict to the layout. Errors are those of asyncio_layout_read(). What a running program may have
 * spoiled is tried again a few times before that is said.
 */
int asyncio_search_layout(pid_t memory, const struct layout *layout, __u64 runtime, __u64 dict,
			  struct asyncio_layout *ret);

/*
 * Calls visit() for each task in the list of weak references, with its type. Tasks that come and go meanwhile
 * may be left out, or be none any more. Returns as objects_set_each() does.
 */
int asyncio_search_weak(struct objects *o, __u64 weak_set, objects_visit *visit, void *context);

#endif
