/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grace.h - waits until every BPF program that was running has ended: they run under RCU, so that is one of
 * its grace periods. membarrier(2) waits for one, except where the kernel was booted with nohz_full= or a
 * seccomp profile leaves the call out. There a map inside a map is replaced, for which the kernel waits as
 * well, because programs may still use the old one (maybe_wait_bpf_programs() in kernel/bpf/syscall.c).
 */
#ifndef PYPERF_KERN_GRACE_H
#define PYPERF_KERN_GRACE_H

struct grace {
	int outer, inner; /* the maps; -1 = membarrier is used */
};

/* Finds out which of the two works. 0, or -errno if neither does. */
int grace_open(struct grace *g);
/* -1 in both of a closed one; closing it twice is as once. */
void grace_close(struct grace *g);
/* Returns when every program that began before the call has ended. 0 or -errno. */
int grace_wait(const struct grace *g);

#endif
