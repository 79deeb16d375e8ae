/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * findings.h - what stands out in a profile: what the rules of rules.def find, and of that what has the
 * largest shares.
 */
#ifndef PYPERF_FINDINGS_FINDINGS_H
#define PYPERF_FINDINGS_FINDINGS_H

#include <stdbool.h>

#include "report/finding.h"

struct recorded;

/* Of all of r. Texts of *ret that are pointers are static. 0; -ENOMEM; -E2BIG. */
int findings_make(struct recorded *r, struct findings *ret);

/*
 * Which stacks a finding is about, by stack id - 1; the caller frees it. -ENOENT: there is no such rule;
 * -ESRCH: it does not stand out; or as above.
 */
int findings_select(struct recorded *r, const char *code, bool **ret);
/* All codes, as "gil_wait, gil_full": at most size bytes. */
void findings_codes(char *text, size_t size);

#endif
