/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * says.h - what rules have in common: whether a share is enough, and the sentence.
 */
#ifndef PYPERF_FINDINGS_SAYS_H
#define PYPERF_FINDINGS_SAYS_H

#include "findings/scene.h"
#include "report/finding.h"

/* The values are of this column, and so much of so much. */
void says_value(int column, __s64 value, __s64 of, struct finding *f);
/* ... and it was found so by so many samples of so many: chance may have made it another one. */
void says_samples(struct finding *f, __s64 found, __s64 samples);
/* ... as it was found by samples, but is a share of time, which is known. */
void says_samples_of_time(struct finding *f, __s64 found);
/* Whether it is so much time at all that it is worth a sentence: this long, and this part of what passed. */
bool says_long(const struct scene *s, const struct finding *f, double seconds, double part);
/* Whether it is surely enough. */
bool says_enough(const struct finding *f, double least);
/* Adds to the sentence. */
void says_text(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Arguments of report that show more, all static, the last one NULL: of all stacks, or of those that the
 * finding is about. What they are of is added by findings.c: --of and --event.
 */
void says_more(struct finding *f, ...) __attribute__((sentinel));
void says_more_of_these(struct finding *f, ...) __attribute__((sentinel));
/* "1.25 s" */
struct amount says_amount(const struct finding *f, __s64 value);

#endif
