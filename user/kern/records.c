// SPDX-License-Identifier: GPL-2.0-only
#include "kern/records.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/loop.h"
#include "kern/object.h"

#define HEADER_BYTES 8 /* of a record in the ring */
/* So long a turn of the loop reads records: others have something to do, too. */
#define PATIENCE_NS (20 * NS_PER_MS)
/* So long a CPU that is in the middle of a record is waited for. A virtual one may have been taken away. */
#define BUSY_NS	      (100 * NS_PER_MS)
#define BUSY_PAUSE_US 100

int kernel_forward_record(void *context, void *record, size_t size)
{
	struct kernel *k = context;
	struct records *r = &k->records;
	int err = k->on_record ? k->on_record(k->on_record_context, record, size) : 0;

	r->bytes += size + HEADER_BYTES;
	if (!err && (r->bytes >= r->ring_bytes || clock_ns() >= r->until))
		return -EAGAIN;
	return err;
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
	n = k->home->read_records(k);
	r->more = n == -EAGAIN;
	return r->more || n > 0 ? 0 : n;
}

static unsigned long position(const unsigned long *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

/*
 * A record that a CPU is still writing keeps those behind it from being read, which others have written since
 * and may have counted samples for.
 */
int kernel_read_records(struct kernel *k)
{
	const unsigned long made = position(k->records.made);
	const __u64 end = clock_ns() + BUSY_NS;
	int err = read_until(k, UINT64_MAX);

	while (!err && !k->records.more && (long)(made - position(k->records.read)) > 0 && clock_ns() < end) {
		usleep(BUSY_PAUSE_US);
		err = read_until(k, UINT64_MAX);
	}
	return err;
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
	const int fd = k->home->records_fd(k);

	return loop_watch(loop, &(struct loop_row){ fd, records_timeout_ms, on_records, k });
}

void kernel_on_record(struct kernel *k, int (*fn)(void *, void *, size_t), void *context)
{
	k->on_record = fn;
	k->on_record_context = context;
}
