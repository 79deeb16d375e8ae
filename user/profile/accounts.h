/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * accounts.h - the CPU time of threads by the kernel's own account (bpf/events/account.h) beside what their
 * ticks say: for whom the two differ by more than chance. The shares of such a thread's stacks are those of
 * the ticks that came, and its time is too small, or too large.
 */
#ifndef PYPERF_PROFILE_ACCOUNTS_H
#define PYPERF_PROFILE_ACCOUNTS_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/buf.h"

struct profile;

struct account_row {
	__u32 pid, tid; /* tid 0: all threads of the process that have too little time to be judged alone */
	__u32 owner;	/* of the profile, that has its name */
	__u64 ns;	/* by the account */
	__u64 samples;	/* by the ticks */
	bool has_own;	/* an account of its own, which is not that of its process */
	double apart;	/* ns between the two */
};

struct accounts_found {
	struct account_row *rows; /* the largest difference first */
	__u32 n;
};

/*
 * Those for whom the account and the ticks differ by more than chance; none if the profile has no accounts. 0
 * or -ENOMEM. accounts_free() it in both cases.
 */
int accounts_find(const struct profile *p, struct accounts_found *ret);
void accounts_free(struct accounts_found *f);

#define ACCOUNTS_SHOWN 4 /* rows that have a line each; the next line counts the others */
#define ACCOUNTS_LINES (ACCOUNTS_SHOWN + 1)

/* How many lines there are to be said of them, at most ACCOUNTS_LINES. */
__u32 accounts_lines(const struct accounts_found *f);
/* Appends one of them. 0 or -ENOMEM. */
int accounts_line(const struct profile *p, const struct accounts_found *f, __u32 i, struct buf *out);

#endif
