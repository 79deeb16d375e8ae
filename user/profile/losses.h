/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * losses.h - samples that the log (--log) has lost, in words: how many, and when they were taken.
 */
#ifndef PYPERF_PROFILE_LOSSES_H
#define PYPERF_PROFILE_LOSSES_H

#include <stddef.h>

struct profile_info;

#define LOSSES_TEXT_SIZE 320 /* PROFILE_LOSSES_MAX spans with the largest numbers */

/*
 * Writes "12 from 2026-11-25T14:03:17.123Z to 2026-11-25T14:03:18.400Z", span by span with commas between.
 * "" = nothing was lost.
 */
void losses_text(const struct profile_info *info, char ret[LOSSES_TEXT_SIZE]);

#endif
