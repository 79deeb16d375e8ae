/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_frame.h - positions of the text space (bpf/abi/native.h) as frames of a profile.
 */
#ifndef PYPERF_TREE_NATIVE_FRAME_H
#define PYPERF_TREE_NATIVE_FRAME_H

#include <stdbool.h>
#include <linux/types.h>

#include "bpf/abi/tree.h"

struct kernel_names;
struct natives;
struct profile;

#define FRAME_HIDDEN (~0U) /* in place of a location: the stack is shown without this frame */

/*
 * Each adds a location to the profile and returns 0 or -ENOMEM. A function: FRAME_HIDDEN if it is the
 * interpreter's loop, which runs the Python frame below it, unless interpreter is set. With lines it is the
 * innermost of the functions there; the others are around it (struct profile_location).
 */
int native_frame_function(const struct natives *n, bool interpreter, struct profile *p, __u64 position,
			  __u32 *ret);
/* A function of the kernel; "[kernel]" if n is NULL or has no name for the position. */
int native_frame_kernel(struct kernel_names *n, struct profile *p, __u64 position, __u32 *ret);
int native_frame_syscall(struct profile *p, __u32 number, __u32 *ret);
/* end: enum native_end */
int native_frame_end(struct profile *p, __u32 end, __u32 *ret);
/* A marker, such as "[truncated]". */
int harvest_marker(struct profile *p, const char *name, __u32 *ret);
/* ... and of a frame of another kind that has a name and no file. */
int harvest_named(struct profile *p, enum frame_kind kind, const char *name, __u32 *ret);

#endif
