/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unlooked.h - how many processes nobody could look at: the worker was late or ended over them, it was
 * refused, or they wait for their turn, or have ended meanwhile. What such a process did is not known, and
 * whoever sums up a run has to say so.
 */
#ifndef PYPERF_TARGETS_UNLOOKED_H
#define PYPERF_TARGETS_UNLOOKED_H

#include <stddef.h>
#include <linux/types.h>

#include "proc/owner.h"

#define UNLOOKED_PATIENCE_NS 1000000000ULL /* to wait for so long is nothing to be told */
#define UNLOOKED_MAX	     16384 /* processes at a time; beyond that none is noted */
#define UNLOOKED_USERS	     64	   /* whose they are; those of the others are counted together */
#define UNLOOKED_NAMED	     3	   /* of them are told, those with most */
#define UNLOOKED_WHOSE_SIZE  256   /* bytes of that text */

struct unlooked_process;

struct unlooked_user {
	__u64 user;
	char name[OWNER_NAME_SIZE];
	size_t ended; /* of its processes that nobody had looked at */
};

/* All 0 at first. Times are clock_ns() or the like. */
struct unlooked {
	struct unlooked_process *processes;
	struct unlooked_user users[UNLOOKED_USERS + 1]; /* the last one: all others */
	size_t user_count;
};

void unlooked_free(struct unlooked *u);
/* It is to be looked at. user: task_user() of bpf/base/share.h. */
void unlooked_asked(struct unlooked *u, __u32 pid, __u64 user, __u64 now);
/* That was tried in vain. */
void unlooked_failed(struct unlooked *u, __u32 pid);
/* It was looked at. */
void unlooked_known(struct unlooked *u, __u32 pid);
/* It has ended. */
void unlooked_ended(struct unlooked *u, __u32 pid, __u64 now);
/* As one of these three, by the error with which it was looked at. 0 = it was. */
void unlooked_answered(struct unlooked *u, __u32 pid, int error, __u64 now);
/* Processes of the run that were not looked at, as of now. */
size_t unlooked_count(const struct unlooked *u, __u64 now);
/* The same, and whose these are: "300 of uid 1000, 2 of container 0123456789ab". "" if there is none. */
size_t unlooked_whose(const struct unlooked *u, __u64 now, char ret[UNLOOKED_WHOSE_SIZE]);

#endif
