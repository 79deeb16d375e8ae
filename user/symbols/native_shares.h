/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_shares.h - whose the blocks of the kernel side's table of machine code are (kern/texts.h), which are
 * only ever taken until the table is begun anew. A user or container may have three times as much as is left
 * for others: three quarters of it alone. So somebody who maps something new without end fills the table for
 * nobody else.
 */
#ifndef PYPERF_SYMBOLS_NATIVE_SHARES_H
#define PYPERF_SYMBOLS_NATIVE_SHARES_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/complaint.h"

#define NATIVE_SHARES_OF_LEFT 3

struct natives;
struct shares;
struct texts;

struct native_shares {
	struct natives *natives; /* counts what is refused */
	struct texts *texts;
	struct shares *shares;
	struct complaint full;
	struct {
		pid_t pid;
		__u64 owner, until_ms;
	} asked; /* the process that something was added for last, and whose it was */
};

/* Borrows both. 0 or -ENOMEM. */
int native_shares_open(struct native_shares *s, struct natives *natives, struct texts *texts);
void native_shares_close(struct native_shares *s); /* of one that is all 0 it does nothing */

struct native_claim {
	__u64 owner;
	__u32 used; /* blocks of the table, before */
};

/*
 * Something is added to the table for this process, which fails with -EDQUOT if its owner has had its share;
 * then native_shares_settle() notes what was taken.
 */
struct native_claim native_shares_claim(struct native_shares *s, pid_t pid);
void native_shares_settle(struct native_shares *s, const struct native_claim *claim);
/* Whether all that the table has is of one owner: to begin it anew harms nobody else. */
bool native_shares_are_one(const struct native_shares *s);
/* Something was refused, and is not tried again now: it is counted, and said once. */
void native_shares_refused(struct native_shares *s);
/* The table is begun anew. 0 or -ENOMEM, and then nobody has a share. */
int native_shares_clear(struct native_shares *s);

#endif
