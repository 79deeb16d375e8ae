// SPDX-License-Identifier: GPL-2.0-only
#include "kern/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "kern/table.h"

void processes_list_clear(struct process_list *list)
{
	free(list->pids);
	free(list->processes);
	*list = (struct process_list){ 0 };
}

int processes_list(const struct table *t, struct process_list *ret)
{
	const __u32 size = t->entries;
	__u32 count = 0;
	_cleanup_free_ struct process *processes = calloc(size, sizeof(*processes));
	_cleanup_free_ __u32 *pids = calloc(size, sizeof(*pids));
	int err;

	if (!processes || !pids)
		return -ENOMEM;
	err = table_all(t, pids, processes, &count);
	if (err)
		return err;
	ret->pids = TAKE_PTR(pids);
	ret->processes = TAKE_PTR(processes);
	ret->count = count;
	return 0;
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
