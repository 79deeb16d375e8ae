/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu_share.h - what takes a share of the CPU time: the common part of such rules.
 */
#ifndef PYPERF_FINDINGS_CPU_SHARE_H
#define PYPERF_FINDINGS_CPU_SHARE_H

#include "findings/spots.h"
#include "report/finding.h"

/* CPU time, or where the profile has none, samples. */
int cpu_share_column(const struct scene *s);
/*
 * Of the stacks that `frame` says are meant; does: the subject of the sentence. 1 when it stands out, and
 * then all but the arguments is filled in; 0; -ENOMEM; -E2BIG.
 */
int cpu_share_find(const struct scene *s, double least, spot_frame frame, const void *what, const char *does,
		   struct finding *ret);

#endif
