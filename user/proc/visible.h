/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * visible.h - whether /proc shows what there is: it may not be mounted, and it may hide processes of others
 * (hidepid).
 */
#ifndef PYPERF_PROC_VISIBLE_H
#define PYPERF_PROC_VISIBLE_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether it is mounted. Without it no process can be looked at. */
bool visible_is_mounted(void);

/* Whether it shows processes of others, as far as this process may see with its effective capabilities. */
bool visible_shows_others(void);

/* Whether there is a process of that number which it does not show. */
bool visible_hides(pid_t pid);

#endif
