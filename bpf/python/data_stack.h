/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * data_stack.h - the leaf frame of 3.11 and 3.12 while nothing names it. The thread state names a CFrame,
 * which lies on the C stack. Between the moment when greenlet has copied another stack there and the moment
 * when the thread state names that one's CFrame (Greenlet::g_switchstack(), src/greenlet/TGreenlet.cpp), its
 * bytes are something else. But the thread state still has the data stack of who leaves. Its frames lie side
 * by side and each is as long as its code object says, so from the bottom on they lead to the newest, and
 * prove it by ending where the data stack ends.
 *
 * That frame is the leaf if no generator runs, whose frames are elsewhere: a generator that runs has the
 * newest exc_info, and its link to the one before. And it is complete, which a frame that is just being made
 * is not, if it has an object: greenlet has made one for the leaf before it switches.
 */
#ifndef PYPERF_BPF_PYTHON_DATA_STACK_H
#define PYPERF_BPF_PYTHON_DATA_STACK_H

#include "bpf/python/walk.h"

#define DATA_STACK_FRAMES 256 /* of one chunk, looked at in one search */

/* struct _PyStackChunk: previous, size, top, data; the first chunk of all begins at data[1]. */
#define CHUNK_DATA 24

#define CODE_NUMBERS 3 /* co_stacksize, co_firstlineno, co_nlocalsplus, one after the other */
#define NUMBER_LIMIT (1U << 20) /* more than a code object has of locals or needs of stack */

struct data_stack {
	struct walk *w;
	const struct layout *l;
	__u64 at;   /* a frame */
	__u64 last; /* the one below it */
	__u64 top;
};

/* Goes to the next frame, if there is one. Returns 0 to go on, 1 to stop. */
static long data_stack_callback(__u32 i, struct data_stack *c)
{
	__u32 numbers[CODE_NUMBERS + 1];
	__u64 code;

	(void)i;
	if (c->at >= c->top || walk_step_late(c->w))
		return 1;
	if (walk_read(c->w, &code, sizeof(code), c->at + c->l->frame_code) || !mem_plausible(code) ||
	    walk_read(c->w, numbers, CODE_NUMBERS * sizeof(numbers[0]), code + c->l->code_numbers))
		return 1;
	if ((numbers[0] | numbers[2]) >= NUMBER_LIMIT)
		return 1;
	c->last = c->at;
	c->at += c->l->frame_locals + 8ULL * (numbers[0] + numbers[2]);
	return 0;
}

/* Whether this frame is a call's, which is complete: it has an object, which names it. */
static __always_inline int data_stack_is_complete(struct walk *w, const struct layout *l, __u64 frame)
{
	__u64 object = 0, named = 0;
	__u8 owner = 1;

	if (walk_read(w, &owner, sizeof(owner), frame + l->frame_owner) || owner)
		return 0;
	if (walk_read(w, &object, sizeof(object), frame + l->frame_object) || !mem_plausible(object))
		return 0;
	return !walk_read(w, &named, sizeof(named), object + l->object_frame) && named == frame;
}

/*
 * Whether the newest frame of the data stack that ends at top, of whose chunks this is the newest, is the
 * thread's leaf. It is in w->last then. exc_info: the thread state's.
 */
WALK_GLOBAL int data_stack_find(struct walk *w, const struct layout *l, __u64 chunk, __u64 top,
				__u64 exc_info)
{
	struct data_stack c = { w, l, 0, 0, top };
	__u64 word = 1;

	if (!w || !l || !mem_plausible(chunk) || !mem_plausible(exc_info))
		return 0;
	/* struct _err_stackitem: exc_value, previous_item. Only the thread's own has none before it. */
	if (walk_read(w, &word, sizeof(word), exc_info + 8) || word)
		return 0;
	if (walk_read(w, &word, sizeof(word), chunk))
		return 0;
	c.at = chunk + CHUNK_DATA + (word ? 0 : 8);
	bpf_loop(DATA_STACK_FRAMES, data_stack_callback, &c, 0);
	if (!c.last || c.at != top || !data_stack_is_complete(w, l, c.last))
		return 0;
	w->last = c.last;
	return 1;
}

#endif
