// SPDX-License-Identifier: GPL-2.0-only
#include "python/asyncio_layout.h"

#include <errno.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "proc/remote.h"
#include "python/asyncio_search.h"
#include "python/debug_offsets.h"

#define STRUCT_MAX (16 << 20) /* bytes of an interpreter's state, which has some 220 KiB */

/* The words, in their order. */
enum {
	TASK_SIZE,
	TASK_NAME,
	TASK_AWAITED_BY,
	TASK_IS_TASK,
	TASK_AWAITED_BY_IS_SET,
	TASK_CORO,
	TASK_NODE,
	INTERP_SIZE,
	INTERP_TASKS,
	TSTATE_SIZE,
	TSTATE_LOOP,
	TSTATE_TASK,
	TSTATE_TASKS,
};

/* Where the size of each word's structure is, and what there is at an offset. */
static const struct {
	__u8 size, width, align; /* bytes; of a size itself they are 0 */
} rows[ASYNCIO_WORDS] = {
	[TASK_NAME] = { TASK_SIZE, 8, 8 },
	[TASK_AWAITED_BY] = { TASK_SIZE, 8, 8 },
	[TASK_IS_TASK] = { TASK_SIZE, 1, 1 },
	[TASK_AWAITED_BY_IS_SET] = { TASK_SIZE, 1, 1 },
	[TASK_CORO] = { TASK_SIZE, 8, 8 },
	[TASK_NODE] = { TASK_SIZE, 16, 8 },
	[INTERP_TASKS] = { INTERP_SIZE, 16, 8 },
	[TSTATE_LOOP] = { TSTATE_SIZE, 8, 8 },
	[TSTATE_TASK] = { TSTATE_SIZE, 8, 8 },
	[TSTATE_TASKS] = { TSTATE_SIZE, 16, 8 },
};

static bool fits_structure(const __u64 *words, int i)
{
	if (!rows[i].width)
		return words[i] <= STRUCT_MAX;
	return words[i] && words[i] % rows[i].align == 0 && words[i] < STRUCT_MAX &&
	       words[i] + rows[i].width <= words[rows[i].size];
}

int asyncio_layout_parse(const __u64 words[ASYNCIO_WORDS], struct asyncio_layout *ret)
{
	for (int i = 0; i < ASYNCIO_WORDS; i++)
		if (!fits_structure(words, i))
			return -EINVAL;
	if (words[TASK_SIZE] > ASYNCIO_TASK_READ)
		return -EINVAL;
	ret->task_size = words[TASK_SIZE];
	ret->task_name = words[TASK_NAME];
	ret->task_awaited_by = words[TASK_AWAITED_BY];
	ret->task_is_task = words[TASK_IS_TASK];
	ret->task_awaited_by_is_set = words[TASK_AWAITED_BY_IS_SET];
	ret->task_coro = words[TASK_CORO];
	ret->task_node = words[TASK_NODE];
	ret->interp_tasks = words[INTERP_TASKS];
	ret->tstate_loop = words[TSTATE_LOOP];
	ret->tstate_task = words[TSTATE_TASK];
	ret->tstate_tasks = words[TSTATE_TASKS];
	return 0;
}

int asyncio_layout_read(pid_t memory, const struct layout *layout, __u64 runtime, __u64 asyncio,
			struct asyncio_layout *ret)
{
	struct asyncio_layout read = { 0 };
	__u64 words[ASYNCIO_WORDS];
	__u8 bytes[DEBUG_OFFSETS_MAX];
	ssize_t n;
	int err;

	if (!layout_has_tasks(layout))
		return -ENOTSUP;
	if (layout_task_facts(layout))
		return asyncio_search_layout(memory, layout, runtime, asyncio, ret);
	n = remote_read_some(memory, runtime, bytes, sizeof(bytes));
	if (n < 0)
		return (int)n;
	err = debug_offsets_objects(bytes, (size_t)n, layout, &read.objects);
	err = err ?: remote_read(memory, asyncio, words, sizeof(words));
	err = err ?: asyncio_layout_parse(words, &read);
	if (err)
		return err;
	read.states = layout_model(layout->version)->coroutines;
	*ret = read;
	return 0;
}
