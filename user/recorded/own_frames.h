/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own_frames.h - whose time a stack of a recorded profile is, by the rule of profile/own_time.h.
 */
#ifndef PYPERF_RECORDED_OWN_FRAMES_H
#define PYPERF_RECORDED_OWN_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "recorded/recorded.h"

/* By packages: what is known of places so far. */
struct own_frames {
	const struct recorded *recorded;
	__u8 *of_place; /* by place id - 1: 1 + enum own_time; 0 = not asked yet */
};

/* By functions: the frame that has the time, 0 for an empty stack. */
size_t own_frames_function(const struct recorded *r, const struct recorded_stack *s);

/* 0 or -ENOMEM; own_frames_close() it in both cases. */
int own_frames_open(const struct recorded *r, struct own_frames *ret);
void own_frames_close(struct own_frames *o);
/* By packages. *ret_any: false where no frame may have it, so that it is the leaf's. */
size_t own_frames_package(struct own_frames *o, const struct recorded_stack *s, bool *ret_any);
/* Whether a frame is of a package, of the program, or a marker, and not of what is its caller's. */
bool own_frames_is_of_package(struct own_frames *o, __u32 place);
/* The file by which a frame is of a package: of native code the one that it lies in. A string. */
__u32 own_frames_file(const struct recorded *r, __u32 place);

#endif
