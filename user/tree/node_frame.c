// SPDX-License-Identifier: GPL-2.0-only
#include "tree/node_frame.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "bpf/abi.h"
#include "kern/banks.h"
#include "names/codes.h"
#include "profile/frames.h"
#include "profile/profile.h"
#include "tree/attributes.h"
#include "tree/harvest_inputs.h"
#include "tree/lines_met.h"
#include "tree/native_frame.h"

#define LOCATION_IMPORT (1U << 31) /* a bit of location_of: attributes_is_import(); ids are smaller */

int node_frame_marker(const struct node_frames *f, __u32 outcome, __u32 *ret)
{
	const char *name = outcome < OUTCOME_COUNT ? outcome_rows[outcome].frame : "[unknown]";
	const enum frame_kind kind = outcome == OUTCOME_C_THREAD ? FRAME_C_THREAD : FRAME_MARKER;

	return harvest_named(f->profile, kind, name, ret);
}

static int outcome_location(struct node_frames *f, __u64 key, __u32 mapping, __u32 *ret)
{
	(void)mapping;
	return node_frame_marker(f, node_code(key), ret);
}

static int code_location(struct node_frames *f, __u64 key, __u32 mapping, __u32 *ret)
{
	struct code_line l;
	__u32 function;

	codes_resolve(f->inputs->codes, node_code(key), node_instr(key), &l);
	return profile_function(f->profile, l.kind, l.function, l.file, l.first_line, &function) ?:
	       profile_location(f->profile, function, l.line, f->inputs->columns ? l.column : 0, mapping,
				ret);
}

static int native_location(struct node_frames *f, __u64 key, __u32 mapping, __u32 *ret)
{
	const struct harvest_inputs *s = f->inputs;

	(void)mapping;
	return native_frame_function(s->natives, s->interpreter, f->profile, node_position(key), ret);
}

static int syscall_location(struct node_frames *f, __u64 key, __u32 mapping, __u32 *ret)
{
	(void)mapping;
	return native_frame_syscall(f->profile, node_position(key) - TEXT_SYSCALLS, ret);
}

static int kernel_location(struct node_frames *f, __u64 key, __u32 mapping, __u32 *ret)
{
	(void)mapping;
	return native_frame_kernel(f->inputs->kernel_names, f->profile, node_position(key), ret);
}

static int native_end_location(struct node_frames *f, __u64 key, __u32 mapping, __u32 *ret)
{
	(void)mapping;
	return native_frame_end(f->profile, node_position(key), ret);
}

/* One without a text only tells kinds of events apart. */
static bool is_wait_shown(__u64 key)
{
	const __u32 cause = node_code(key) - CODE_WAITS;

	return cause >= WAIT_CAUSES || *wait_rows[cause].text;
}

static int wait_location(struct node_frames *f, __u64 key, __u32 mapping, __u32 *ret)
{
	const __u32 cause = node_code(key) - CODE_WAITS;
	const char *name = cause < WAIT_CAUSES ? wait_rows[cause].frame : "[unknown]";
	__u32 function;

	(void)mapping;
	return profile_function(f->profile, FRAME_WAIT, name, "", 0, &function) ?:
	       profile_location(f->profile, function, 0, 0, 0, ret);
}

/*
 * Asks for a frame's name and line, by what its number stands for. mapping: where its row says it lies, or 0.
 */
static int (*const locate[FRAME_NUMBERS])(struct node_frames *f, __u64 key, __u32 mapping, __u32 *ret) = {
	[NUMBER_CODE] = code_location,
	[NUMBER_OUTCOME] = outcome_location,
	[NUMBER_NATIVE] = native_location,
	[NUMBER_SYSCALL] = syscall_location,
	[NUMBER_KERNEL] = kernel_location,
	[NUMBER_NATIVE_END] = native_end_location,
	[NUMBER_WAIT] = wait_location,
};

bool node_frames_time_is_up(const struct node_frames *f)
{
	return f->done && f->pause_ns && clock_ns() >= f->pause_ns;
}

static bool is_hidden(const struct node_frames *f, enum frame_kind kind, __u64 key)
{
	return (f->inputs->hide_native && frame_is_native(kind)) ||
	       (kind == FRAME_WAIT && !is_wait_shown(key));
}

/* Asks for the frame of a node for the first time. */
static int find_location(struct node_frames *f, __u64 key, __u32 interpreter, __u32 *ret)
{
	const enum frame_kind kind = node_frame_kind(key);
	const bool is_mapped = frame_rows[kind].mapping == MAPPING_INTERPRETER;
	int err = locate[frame_rows[kind].number](f, key, is_mapped ? interpreter : 0, ret);

	if (err || kind != FRAME_PYTHON)
		return err;
	if (attributes_is_import(f->profile, *ret))
		*ret |= LOCATION_IMPORT;
	return lines_met_add(f->lines, node_key(0, node_code(key), node_instr(key)));
}

/*
 * Each of a stack's thousands of frames may be new and its line table large, so there may be a pause between
 * any two of them. Locations that were found are kept.
 */
int node_frame_location(struct node_frames *f, __u32 node, __u32 interpreter, __u32 *ret)
{
	const __u64 key = f->inputs->tables->nodes[node].key;
	int err = 0;

	if (is_hidden(f, node_frame_kind(key), key)) {
		*ret = FRAME_HIDDEN;
		return 0;
	}
	if (!f->location_of[node]) {
		if (node_frames_time_is_up(f))
			return -EAGAIN;
		err = find_location(f, key, interpreter, &f->location_of[node]);
		f->done++;
	}
	*ret = f->location_of[node];
	if (*ret != FRAME_HIDDEN && *ret & LOCATION_IMPORT) {
		*ret &= ~LOCATION_IMPORT;
		f->importing = true;
	}
	return err;
}
