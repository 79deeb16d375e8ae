/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * start_times.h - when the processes of a profile began, as comments of it: a file that was changed later is
 * not known to be what they ran. recorded/process_starts.c reads them again.
 */
#ifndef PYPERF_PROFILE_START_TIMES_H
#define PYPERF_PROFILE_START_TIMES_H

#include <stddef.h>

struct profile;

#define START_TIMES_LINES     4
#define START_TIMES_LINE_SIZE 512

/*
 * Writes "processes began, in ms since 1970: 4711 1764338000123, 4712 1764338000456", line by line, and of
 * those that find no room ", others 1764338000123" with the earliest of them. Returns how many lines: 0 if
 * nothing is known, or without memory.
 */
size_t start_times_write(const struct profile *p, char ret[START_TIMES_LINES][START_TIMES_LINE_SIZE]);

#endif
