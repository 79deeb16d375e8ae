/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turns.h - the rows of the event loop that a run always has: signals, the kernel side's records, the
 * worker's answers, intervals and generations, and what is looked at once a second.
 */
#ifndef PYPERF_RUN_TURNS_H
#define PYPERF_RUN_TURNS_H

struct agent;

/*
 * Adds them, in the order in which a turn needs them: records are read before a generation ends. Logs; 0 or
 * -errno.
 */
int turns_open(struct agent *a);
/* Adds the row of a continuous run, once a->continuous is open. Logs; 0 or -errno. */
int turns_watch_intervals(struct agent *a);

/* Adds the row of `top`, once a->live is open. Logs; 0 or -errno. */
int turns_watch_live(struct agent *a);

/* Heeds the signals that came. For the end of a run, when the loop does not turn any more. */
void turns_take_signals(struct agent *a);

#endif
