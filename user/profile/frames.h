/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frames.h - the rows of bpf/frames.def: what the encoders and the summary need to know of a kind of frame.
 */
#ifndef PYPERF_PROFILE_FRAMES_H
#define PYPERF_PROFILE_FRAMES_H

#include <stdbool.h>

#include "bpf/abi.h"

enum frame_mapping { MAPPING_INTERPRETER, MAPPING_FILE, MAPPING_NOWHERE };
enum frame_table { TABLE_FUNCTIONS, TABLE_NATIVE, TABLE_APART };

struct frame_row {
	enum frame_mapping mapping;
	enum frame_table table;
	const char *key, *behind, *colour, *shown; /* none is NULL */
};

/* By enum frame_kind. */
extern const struct frame_row frame_rows[FRAME_KINDS];

/*
 * In place of a stack of which all frames are hidden: it has no Python frame that could have its count.
 */
#define FRAME_ALL_HIDDEN "[native hidden]"

/* What frames of FRAME_WAIT are called, by enum wait_cause: the rows of bpf/waits.def. */
extern const char *const frame_waits[WAIT_CAUSES];

/* Whether the frame is that between the stack of who had the GIL and the stack of who waited for it. */
bool frame_tells_holder(enum frame_kind kind, const char *name);

/* Whether --hide native takes frames of this kind out of stacks; the Python line below has their counts. */
static inline bool frame_is_native(enum frame_kind kind)
{
	return frame_rows[kind].table == TABLE_NATIVE;
}

#endif
