/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * findings.h - what stands out in a profile: what the rules of rules.def find, and of that what has the
 * largest shares.
 */
#ifndef PYPERF_FINDINGS_FINDINGS_H
#define PYPERF_FINDINGS_FINDINGS_H

#include "answers/finding.h"

struct recorded;

/* Of all of r. Texts of *ret that are pointers are static. 0; -ENOMEM; -E2BIG. */
int findings_make(struct recorded *r, struct findings *ret);

#endif
