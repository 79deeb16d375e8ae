// SPDX-License-Identifier: GPL-2.0-only
/*
 * switches.bpf.c - two programs that do nothing, where --event offcpu has two: what the kernel asks for such
 * programs in any case. For tests/bench/switches.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC("tp_btf/sched_switch")
int at_switch(void *unused)
{
	return 0;
}

SEC("tp_btf/sched_wakeup")
int at_wakeup(void *unused)
{
	return 0;
}
