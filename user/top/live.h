/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live.h - `pyperf-bpf top`: takes a profile every few seconds and shows it as a table on the terminal. The
 * kernel side does nothing for it: a profile is the difference between two looks at the call tree.
 */
#ifndef PYPERF_TOP_LIVE_H
#define PYPERF_TOP_LIVE_H

#include <stdbool.h>

struct live;
struct registry;
struct windows;

#define LIVE_PAST_SECONDS 60 /* how far the comparison goes back */

/* Both are borrowed, and outlive it. 0; -ENOTTY when stdout is no terminal; -ENOMEM or another -errno. */
int live_open(struct live **ret, struct windows *windows, const struct registry *registry, double refresh);
/* Puts the terminal back. NULL is fine. */
void live_close(struct live *l);

/* Where its keys come from; -1 = nowhere. */
int live_fd(const struct live *l);
/* Milliseconds until live_turn() is due. */
int live_timeout_ms(const struct live *l);
/* Whether a new profile is about to be taken: the caller reads the kernel side's records first. */
bool live_is_due(const struct live *l);
/* Takes keys, and when it is time a part of a profile, and draws what has changed. 0, -ENOMEM. */
int live_turn(struct live *l);
/* The user has had enough. */
bool live_has_ended(const struct live *l);

#endif
