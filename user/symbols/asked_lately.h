/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asked_lately.h - what was asked lately, so that one thing is not asked for by each sample that lacks it. It
 * may forget something early, never keep it for longer.
 */
#ifndef PYPERF_SYMBOLS_ASKED_LATELY_H
#define PYPERF_SYMBOLS_ASKED_LATELY_H

#include <stdbool.h>
#include <linux/types.h>

#define ASKED_LATELY	256
#define ASKED_LATELY_MS 500 /* for so long an answer is waited for before the same is asked again */

/* An entry's upper half is the subject of the question, its lower half the time. All 0 at first. */
struct asked_lately {
	__u64 last[ASKED_LATELY];
};

/* Whether that was asked for lately; if not, it is said to be now. */
bool asked_lately(struct asked_lately *a, __u32 about);
/* The answer is there. */
void asked_lately_forget(struct asked_lately *a, __u32 about);

#endif
