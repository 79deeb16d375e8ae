/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * owner_text.h - whose a sample is, as people read it: "python3 (pid 12)" and "MainThread (tid 13)". Bytes
 * that would break a line or a field are replaced, as buf_add_shown() says.
 */
#ifndef PYPERF_PROFILE_OWNER_TEXT_H
#define PYPERF_PROFILE_OWNER_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "profile/profile.h"

/* Each appends to out; 0 or -ENOMEM. owner is the id of an owner of the profile. */
int owner_text_process(const struct profile *p, __u32 owner, struct buf *out);
/* Only of an owner that has a thread. */
int owner_text_thread(const struct profile *p, __u32 owner, struct buf *out);
/* False where profiles are kept by process. */
bool owner_text_has_thread(const struct profile *p, __u32 owner);

#endif
