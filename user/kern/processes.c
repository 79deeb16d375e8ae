// SPDX-License-Identifier: GPL-2.0-only
#include "kern/processes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"

void processes_list_clear(struct process_list *list)
{
	free(list->pids);
	free(list->processes);
	*list = (struct process_list){ 0 };
}

int processes_list(const struct bpf_map *map, struct process_list *ret)
{
	__u32 size = bpf_map__max_entries(map), count = size, position;
	_cleanup_free_ struct process *processes = calloc(size, sizeof(*processes));
	_cleanup_free_ __u32 *pids = calloc(size, sizeof(*pids));
	int err;

	if (!processes || !pids)
		return -ENOMEM;
	err = bpf_map_lookup_batch(bpf_map__fd(map), NULL, &position, pids, processes, &count, NULL);
	if (err && err != -ENOENT) /* which says that this was all */
		return err;
	ret->pids = TAKE_PTR(pids);
	ret->processes = TAKE_PTR(processes);
	ret->count = count;
	return 0;
}

#define INDEXES_MAX CONTEXTS_MAX

_Static_assert(LAYOUTS_MAX <= INDEXES_MAX && TASK_LAYOUTS_MAX <= INDEXES_MAX, "there are more indexes");

/* The first index below max, at most INDEXES_MAX, that is index_of() of no process; or -errno. */
static int find_unused(const struct bpf_map *map, int max, int (*index_of)(const struct process *p))
{
	_cleanup_(processes_list_clear) struct process_list list = {};
	bool used[INDEXES_MAX] = {};
	int err = processes_list(map, &list);

	if (err)
		return err;
	for (size_t i = 0; i < list.count; i++) {
		const int index = index_of(&list.processes[i]);

		if (index >= 0 && index < max)
			used[index] = true;
	}
	for (int i = 0; i < max; i++)
		if (!used[i])
			return i;
	return -ENOSPC;
}

static int layout_of(const struct process *p)
{
	return p->state == PROCESS_PYTHON ? (int)p->layout : -1;
}

static int tasks_of(const struct process *p)
{
	return (int)p->tasks - 1;
}

static int contexts_of(const struct process *p)
{
	return (int)p->contexts - 1;
}

int processes_free_layout(const struct bpf_map *map)
{
	return find_unused(map, LAYOUTS_MAX, layout_of);
}

int processes_free_tasks(const struct bpf_map *map)
{
	return find_unused(map, TASK_LAYOUTS_MAX, tasks_of);
}

int processes_free_contexts(const struct bpf_map *map)
{
	return find_unused(map, CONTEXTS_MAX, contexts_of);
}

static int read_listing(int fd, int (*fn)(void *, const struct record_process *), void *context)
{
	struct record_process records[128];
	size_t have = 0;

	for (;;) {
		ssize_t n = read(fd, (char *)records + have, sizeof(records) - have);
		size_t count;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		have += n;
		count = have / sizeof(records[0]);
		for (size_t i = 0; i < count; i++) {
			int r = fn(context, &records[i]);

			if (r)
				return r;
		}
		have -= count * sizeof(records[0]);
		memmove(records, &records[count], have);
	}
}

int processes_iterate(const struct bpf_program *iterator, int (*fn)(void *, const struct record_process *),
		      void *context)
{
	struct bpf_link *link = bpf_program__attach_iter(iterator, NULL);
	_cleanup_close_ int fd = -1;
	int err;

	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	err = fd < 0 ? -errno : read_listing(fd, fn, context);
	bpf_link__destroy(link);
	return err;
}
