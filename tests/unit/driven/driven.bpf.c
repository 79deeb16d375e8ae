// SPDX-License-Identifier: GPL-2.0-only
/*
 * driven.bpf.c - the same sampler behind a raw tracepoint, which BPF_PROG_TEST_RUN can run on the process
 * that asks; it cannot run a program of a perf event. For tests/unit/driven/test_driven.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "bpf/abi.h"
#include "bpf/sample/sampler.h"

char LICENSE[] SEC("license") = "GPL";

SEC("raw_tp")
int on_drive(void *ctx)
{
	sample_tick();
	return 0;
}
