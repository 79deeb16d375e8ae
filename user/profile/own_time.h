/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own_time.h - whose time a stack's is: the one rule of the summary, reports, differences, findings, top and
 * the page.
 *
 * By functions, lines and files it is the time of the newest frame that is no native code: what was in C, in
 * the kernel or waited for above a line of Python is that line's own. By packages native code that lies in an
 * installed package, or in the standard library's own files, keeps its time as well; what is of no package,
 * as the C library, the interpreter and the kernel, is its caller's. A stack without such a frame is its
 * leaf's.
 */
#ifndef PYPERF_PROFILE_OWN_TIME_H
#define PYPERF_PROFILE_OWN_TIME_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/frames.h"
#include "profile/profile.h"

enum own_time {
	OWN_TIME_NEVER,	   /* it is its caller's */
	OWN_TIME_PACKAGES, /* by packages it is its own */
	OWN_TIME_ALWAYS,
};

/* file: of native code the one that it lies in; "" = not known. */
enum own_time own_time_of(enum frame_kind kind, const char *file);

/* By functions, for which the kind is enough. */
static inline bool own_time_is_of(enum frame_kind kind)
{
	return !frame_is_native(kind);
}

/* Of a profile: the frame from `from` on and before `end` that has the time, or else `from`. */
__u32 own_time_frame(const struct profile *p, const struct profile_stack *s, __u32 from, __u32 end);
/* The file by which a frame is of a package: of native code the one that it lies in. A string. */
__u32 own_time_file(const struct profile *p, __u32 location);

#endif
