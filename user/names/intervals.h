/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * intervals.h - intervals of a line of addresses that are taken and given back, each with a number. Who takes
 * one does not say when it is unused. It is looked for what is in use (intervals_see()), and what was in use
 * in no look for two turns may go. What a turn is, the caller says.
 */
#ifndef PYPERF_NAMES_INTERVALS_H
#define PYPERF_NAMES_INTERVALS_H

#include <stdbool.h>
#include <linux/types.h>

#define INTERVALS_NONE	(~0U)
#define INTERVALS_TURNS 2 /* for so long an interval is kept that is not in use */

struct owner_share;
struct shares;

struct address_interval {
	__u64 begin, size; /* size 0: nobody has this number */
	__u32 turn;	   /* in which it was first found unused; 0 = it is in use */
	bool seen;	   /* in this look */
};

struct intervals {
	struct address_interval *list; /* by number, of which there are max */
	__u32 *order;		       /* the numbers of those that are taken, by their begin */
	__u32 count, max;
	__u32 unused_number; /* all numbers below it are taken */
	__u64 low, high;     /* the line */
	__u64 next;	     /* where room is looked for first: behind what was taken last */
	__u64 taken;	     /* of the line */
};

/* 0 or -ENOMEM. */
int intervals_open(struct intervals *s, __u32 max, __u64 low, __u64 high);
void intervals_close(struct intervals *s); /* of one that is all 0 it does nothing */

/* The number of a new interval, which is in use. size is not 0. 0; -ENOSPC. */
int intervals_take(struct intervals *s, __u64 size, __u32 *ret);
void intervals_give_back(struct intervals *s, __u32 number);
/* The same for an owner, who may have no more than a share; that is *ret_share. 0; -ENOSPC; -ENOMEM. */
int intervals_take_shared(struct intervals *s, struct shares *shares, __u64 owner, __u64 size, __u32 *ret,
			  struct owner_share **ret_share);
void intervals_give_back_shared(struct intervals *s, struct shares *shares, __u32 number,
				struct owner_share *share);
/* The number of the interval that has this position, or INTERVALS_NONE. */
__u32 intervals_at(const struct intervals *s, __u64 position);

/*
 * A look: intervals_begin_look(), intervals_see() for each that is in use, intervals_end_look(). Outside of
 * a look intervals_see() says that one is in use as of now. Turns begin at 1 and only go up.
 */
void intervals_begin_look(struct intervals *s);
void intervals_see(struct intervals *s, __u32 number);
void intervals_end_look(struct intervals *s, __u32 turn);
/* Whether it has been unused since INTERVALS_TURNS turns before this one. */
bool intervals_may_go(const struct intervals *s, __u32 number, __u32 turn);

/* Which part of the numbers or of the line is taken, whichever is more: 0 to 1. */
double intervals_fullness(const struct intervals *s);
/* The same of those only that were unused at the end of the last look. */
double intervals_unused(const struct intervals *s);

/* What is full in two ways is as full as the larger of them says. */
static inline double larger(double a, double b)
{
	return a > b ? a : b;
}

#endif
