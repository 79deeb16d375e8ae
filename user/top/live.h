/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live.h - `pyperf-bpf top`: takes a profile every few seconds and shows it as a table on the terminal. The
 * kernel side does nothing for it: a profile is the difference between two looks at the call tree.
 */
#ifndef PYPERF_TOP_LIVE_H
#define PYPERF_TOP_LIVE_H

#include <stdbool.h>

struct kernel;
struct live;
struct loop;
struct registry;
struct windows;

#define LIVE_PAST_SECONDS 60 /* how far the comparison goes back */

/* Both are borrowed, and outlive it. 0; -ENOTTY when stdout is no terminal; -ENOMEM or another -errno. */
int live_open(struct live **ret, struct windows *windows, const struct registry *registry, double refresh);
/* Puts the terminal back. NULL is fine. */
void live_close(struct live *l);

/*
 * Adds the row that takes keys, and when it is time a part of a profile, before which it reads the kernel
 * side's records; and that draws what has changed. live_close() takes it away. 0 or -errno of loop_watch().
 */
int live_watch(struct live *l, struct kernel *kernel, struct loop *loop);
/* The user has had enough, or there is no memory for more. NULL has not ended. */
bool live_has_ended(const struct live *l);

#endif
