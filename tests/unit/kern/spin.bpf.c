// SPDX-License-Identifier: GPL-2.0-only
/*
 * spin.bpf.c - a program that takes its time, for test_grace.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define STEPS	(1 << 22)
#define SPIN_NS 300000000ULL

char LICENSE[] SEC("license") = "GPL";

int begun, ended;

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
