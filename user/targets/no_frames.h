/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * no_frames.h - tells the user why processes have no Python frames: each reason once, whichever processes it
 * holds for.
 */
#ifndef PYPERF_TARGETS_NO_FRAMES_H
#define PYPERF_TARGETS_NO_FRAMES_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/complaint.h"

struct identity;
struct said;

/* All 0 at first. */
struct no_frames {
	struct said *said;
	bool counts;			    /* no_frames_count() */
	__u32 forbidden, forbidden_pythons; /* then: how many there were, and how many by their names */
	__u64 unsaid;	       /* times that something was not said, since there had been too many reasons */
	struct complaint full; /* the kernel side's table of processes is */
	struct complaint layouts; /* ... that of layouts is */
};

/* Says how often something was not said, if it was so. */
void no_frames_end(struct no_frames *n);

/* Its layout is not known, or was refused. */
void no_frames_refused(struct no_frames *n, __u32 pid, const struct identity *i);
/* A worker timed out or died over it (-errno), which says nothing about it. */
void no_frames_unknown(struct no_frames *n, __u32 pid, int err);
/* It may not be looked at; comm: its name. */
void no_frames_forbidden(struct no_frames *n, __u32 pid, const char comm[16]);
/* Where all processes are asked about, those that may not be looked at are only counted from here on, ... */
void no_frames_count(struct no_frames *n);
/* ... and how many they are until now is said. */
void no_frames_counted(const struct no_frames *n);
/* With --event gil: of an interpreter whose waits for the GIL are not seen, once for each version. */
void no_frames_no_gil(struct no_frames *n, __u32 pid, const struct identity *i);
/* There is no room for it in the kernel side's table of processes, or in that of layouts. */
void no_frames_full(struct no_frames *n);
void no_frames_no_layout(struct no_frames *n, __u32 pid);

#endif
