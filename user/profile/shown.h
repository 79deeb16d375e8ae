/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shown.h - what the numbers stand for that profile_stack.count and profile_total() say: those of the kind
 * that is shown, but for CPU time of the kernel's account (profile_info.timed). That is shown in its place,
 * so that whatever has one number a stack says the same CPU time, also of a stack that no tick has met.
 */
#ifndef PYPERF_PROFILE_SHOWN_H
#define PYPERF_PROFILE_SHOWN_H

#include <linux/types.h>

#include "profile/events.h"

struct profile;

enum event_unit shown_unit(const struct profile *p);
/* So much of it as people read it, in the unit of event_amount_unit(). */
double shown_amount(const struct profile *p, __u64 count);

#endif
