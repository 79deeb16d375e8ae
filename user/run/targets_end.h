/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * targets_end.h - the processes that --pid names: when the last has ended, nothing is left to profile.
 */
#ifndef PYPERF_RUN_TARGETS_END_H
#define PYPERF_RUN_TARGETS_END_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct targets_end {
	int *fds; /* a pidfd each, -1 once it has ended: a number may be another process's by then */
	size_t count;
	int looks; /* in a row that found nothing alive */
};

/* 0, -ENOMEM, or -errno of pidfd_open(). What is no process, or none any more, has ended. */
int targets_end_open(struct targets_end *e, const pid_t *pids, size_t count);
void targets_end_close(struct targets_end *e);

/*
 * Called once a second. children: how many of the processes that are profiled live, where those of the
 * targets are profiled, too; a child of a target that has just ended may not be known before the next second.
 * True when there is nobody left; never when no process was named.
 */
bool targets_end_look(struct targets_end *e, bool with_children, size_t children);

#endif
