// SPDX-License-Identifier: GPL-2.0-only
/*
 * spin.bpf.c - programs that take their time, for test_grace.c; one of them in the middle of a record, for
 * test_records.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define STEPS	(1 << 22)
#define SPIN_NS 300000000ULL
#define RECORD_NS 30000000ULL

char LICENSE[] SEC("license") = "GPL";

int begun, ended;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} records SEC(".maps");

static long step(__u32 i, __u64 *until)
{
	return bpf_ktime_get_ns() > *until;
}

SEC("raw_tp")
int on_spin(void *ctx)
{
	__u64 until = bpf_ktime_get_ns() + SPIN_NS;

	begun = 1;
	bpf_loop(STEPS, step, &until, 0);
	ended = 1;
	return 0;
}

SEC("raw_tp")
int on_record(void *ctx)
{
	const __u64 until = bpf_ktime_get_ns() + RECORD_NS;
	__u64 *record = bpf_ringbuf_reserve(&records, 64, 0);

	if (!record)
		return 0;
	*record = ~0ULL;
	begun = 1;
	bpf_loop(STEPS, step, (void *)&until, 0);
	ended = 1;
	bpf_ringbuf_submit(record, 0);
	return 0;
}
