/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal_stretch.h - a stretch of the journal as a profile, with the moments of its samples. It is made in
 * parts, as names and lines have to be asked for.
 */
#ifndef PYPERF_TREE_JOURNAL_STRETCH_H
#define PYPERF_TREE_JOURNAL_STRETCH_H

#include <linux/types.h>

#define JOURNAL_STRETCH_SPANS 4096

struct journal;
struct journal_stretch;
struct profile;
struct trace_wanted;

/*
 * Of the time from `from` to `to`, ns of CLOCK_MONOTONIC, of what the journal has then. While it is open
 * nothing leaves the journal for its age. 0, -EINVAL if to is not behind from, or -ENOMEM.
 */
int journal_stretch_new(struct journal_stretch **ret, struct journal *j, __u64 from, __u64 to);
void journal_stretch_free(struct journal_stretch *s);
/*
 * Before the first part: samples of different spans are different ones, and have their ids as labels, and
 * only those that are wanted are taken. At most JOURNAL_STRETCH_SPANS spans have labels.
 */
void journal_stretch_spans(struct journal_stretch *s, const struct trace_wanted *wanted);
/* Afterwards: entries of the log whose span has no labels, as there are too many. */
__u64 journal_stretch_unlabelled(const struct journal_stretch *s);
/* Does a part, until clock_ns() is pause_ns; 0: all. 0, -EAGAIN: there is more; -ENOMEM. */
int journal_stretch_prepare(struct journal_stretch *s, __u64 pause_ns);
/* Once that is 0: the profile, which is the caller's then. */
struct profile *journal_stretch_take(struct journal_stretch *s);

#endif
