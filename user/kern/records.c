// SPDX-License-Identifier: GPL-2.0-only
#include "kern/records.h"

#include <errno.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/loop.h"
#include "kern/object.h"
#include "pyperf.skel.h"

static int forward_record(void *context, void *record, size_t size)
{
	struct kernel *k = context;

	return k->on_record ? k->on_record(k->on_record_context, record, size) : 0;
}

int kernel_open_records(struct kernel *k)
{
	k->ring = ring_buffer__new(bpf_map__fd(k->skel->maps.records), forward_record, k, NULL);
	return k->ring ? 0 : -errno;
}

int kernel_read_records(struct kernel *k)
{
	return ring_buffer__consume(k->ring);
}

/* Most records do not wake the loop: those that wait are read once a second. */
static void on_records(void *kernel, unsigned int ready)
{
	if (ready)
		kernel_read_records(kernel);
}

int kernel_watch(struct kernel *k, struct loop *loop)
{
	const int fd = ring_buffer__epoll_fd(k->ring);

	return loop_watch(loop, &(struct loop_row){ fd, NULL, on_records, k });
}

void kernel_on_record(struct kernel *k, int (*fn)(void *, void *, size_t), void *context)
{
	k->on_record = fn;
	k->on_record_context = context;
}
