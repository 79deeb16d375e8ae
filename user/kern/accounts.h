/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * accounts.h - has the kernel's own account of the CPU time of threads counted into the call tree, beside the
 * ticks (bpf/events/account.h): at both ends of a window, about once a second, and soon after a process has
 * become known, since its threads count from then on.
 */
#ifndef PYPERF_KERN_ACCOUNTS_H
#define PYPERF_KERN_ACCOUNTS_H

#include <stdbool.h>
#include <linux/types.h>

struct kernel;
struct kernel_options;
struct loop;
struct pyperf;

/* All 0 at first. */
struct accounts {
	__u64 due;  /* clock_ns() of the next list, ... */
	__u64 rest; /* ... and from when on one may come for a process that has become known */
};

/* Whether there is anything to compare with: there are ticks, and they are of time. */
bool accounts_are_wanted(const struct kernel_options *o);
/* Before loading. */
void accounts_prepare(struct pyperf *s, const struct kernel_options *o);
/* When the ticks start. 0 or -errno. */
int accounts_open(struct pyperf *s);
/* Counts up to now what has passed. Nothing happens if that is not wanted, or not open yet. */
void accounts_settle(struct kernel *k);
/* A process has become known. */
void accounts_meet(struct kernel *k);
/* Adds the row that counts now and then. 0 or -errno of loop_watch(). */
int accounts_watch(struct kernel *k, struct loop *loop);

#endif
