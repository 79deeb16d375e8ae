// SPDX-License-Identifier: GPL-2.0-only
#include "kern/records.h"

#include <errno.h>
#include <stdint.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/loop.h"
#include "kern/object.h"
#include "pyperf.skel.h"

#define HEADER_BYTES 8 /* of a record in the ring */
/* So long a turn of the loop reads records: others have something to do, too. */
#define PATIENCE_NS (20 * NS_PER_MS)

/* A negative number ends the reading behind this record. */
static int forward_record(void *context, void *record, size_t size)
{
	struct kernel *k = context;
	struct records *r = &k->records;
	int err = k->on_record ? k->on_record(k->on_record_context, record, size) : 0;

	r->bytes += size + HEADER_BYTES;
	if (!err && (r->bytes >= bpf_map__max_entries(k->skel->maps.records) || clock_ns() >= r->until))
		return -EAGAIN;
	return err;
}

int kernel_open_records(struct kernel *k)
{
	k->records.ring = ring_buffer__new(bpf_map__fd(k->skel->maps.records), forward_record, k, NULL);
	return k->records.ring ? 0 : -errno;
}

/*
 * Until this time, and no more than the ring can hold: while records come as fast as they are read, there
 * would be no end.
 */
static int read_until(struct kernel *k, __u64 until)
{
	struct records *r = &k->records;
	int n;

	r->bytes = 0;
	r->until = until;
	n = ring_buffer__consume(r->ring);
	r->more = n == -EAGAIN;
	return r->more || n > 0 ? 0 : n;
}

int kernel_read_records(struct kernel *k)
{
	return read_until(k, UINT64_MAX);
}

/* Most records do not wake the loop: those that wait are read once a second. */
static void on_records(void *kernel, unsigned int ready)
{
	struct kernel *k = kernel;

	if (ready || k->records.more)
		read_until(k, clock_ns() + PATIENCE_NS);
}

static int records_timeout_ms(void *kernel)
{
	const struct kernel *k = kernel;

	return k->records.more ? 0 : -1;
}

int kernel_watch(struct kernel *k, struct loop *loop)
{
	const int fd = ring_buffer__epoll_fd(k->records.ring);

	return loop_watch(loop, &(struct loop_row){ fd, records_timeout_ms, on_records, k });
}

void kernel_on_record(struct kernel *k, int (*fn)(void *, void *, size_t), void *context)
{
	k->on_record = fn;
	k->on_record_context = context;
}
