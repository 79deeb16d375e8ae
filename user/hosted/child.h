/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * child.h - the sampler's process: looks at all threads of the processes that the profiler wants, so many
 * times a second.
 */
#ifndef PYPERF_HOSTED_CHILD_H
#define PYPERF_HOSTED_CHILD_H

#include <sys/types.h>

#include "hosted/area.h"

/*
 * Runs until the socket closes. A byte that comes wakes it; it sends one when records are to be read. confine
 * takes all rights that it does not need; its exit code is the errno with which that failed.
 */
void child_run(const struct area *a, int socket, int (*confine)(void)) __attribute__((noreturn));

#endif
