/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shares.h - what each user or container has of something that all share. How much it may have says
 * base/fair.h.
 */
#ifndef PYPERF_NAMES_SHARES_H
#define PYPERF_NAMES_SHARES_H

#include <stddef.h>
#include <linux/types.h>

struct owner_share {
	__u64 owner; /* proc/owner.h */
	__u32 count; /* numbers */
	__u64 line;  /* addresses */
	size_t bytes;
	__u64 turn; /* when something was last done for it, while it has something */
};

struct shares;

int shares_new(struct shares **ret); /* 0 or -ENOMEM */
void shares_free(struct shares *s);  /* NULL is fine */

/* One number more for this owner, and so many addresses. *ret is valid until shares_drop(). 0 or -ENOMEM. */
int shares_take(struct shares *s, __u64 owner, __u64 line, struct owner_share **ret);
void shares_drop(struct shares *s, struct owner_share *share, __u64 line);
/* The one with most addresses; NULL if nobody has anything. Of equal ones it is that who came first. */
const struct owner_share *shares_most(const struct shares *s);
/* How many owners have something. */
unsigned int shares_owners(const struct shares *s);
/* That of an owner; NULL if there is none, who has nothing. */
const struct owner_share *shares_find(const struct shares *s, __u64 owner);
/* How many numbers an owner has. */
__u32 shares_count(const struct shares *s, __u64 owner);

#endif
