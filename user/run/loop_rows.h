/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop_rows.h - the rows of the event loop that a run always has, in their order; and those among them that
 * are the run's own: signals, the end of a run that has lost its worker, and what is looked at once a second.
 */
#ifndef PYPERF_RUN_LOOP_ROWS_H
#define PYPERF_RUN_LOOP_ROWS_H

#include <stdbool.h>

struct agent;

/* Adds them. Logs; 0 or -errno. */
int loop_rows_open(struct agent *a);

/* Heeds the signals that came. For the end of a run, when the loop does not turn any more. */
void loop_rows_take_signals(struct agent *a);
/* Whether COMMAND has ended, which is said once: then its exit code is that of the run. */
bool loop_rows_command_ended(struct agent *a);

#endif
