/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * finish.h - the end of a run: its last profile, the summary and the books.
 */
#ifndef PYPERF_RUN_FINISH_H
#define PYPERF_RUN_FINISH_H

struct agent;

/* Before anything is sampled: whether the files can be written. Logs; 0 or -errno. */
int finish_check(const struct agent *a);
/* Writes everything the options ask for. Logs; 0 or -errno. */
int finish_write(struct agent *a);

#endif
