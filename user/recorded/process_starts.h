/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process_starts.h - when processes began, as the comments of profiles say it (profile/start_times.c writes
 * them). Of several profiles the earliest counts, whether or not it was the same process.
 */
#ifndef PYPERF_RECORDED_PROCESS_STARTS_H
#define PYPERF_RECORDED_PROCESS_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define RECORDED_STARTS_MAX 1024

struct recorded_start {
	__s64 pid, unix_ns;
};

struct recorded_starts {
	struct recorded_start rows[RECORDED_STARTS_MAX];
	size_t count;
	__s64 others_ns; /* no process that is in no row began before; 0 = nothing is known of them */
};

/* A comment, which may say anything. Whether it is one of these. */
bool recorded_starts_comment(struct recorded_starts *s, const char *comment);
/* When a process began, or that it was not before; ns since 1970. 0 = not known. */
__s64 recorded_starts_get(const struct recorded_starts *s, __s64 pid);

#endif
